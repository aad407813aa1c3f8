"""Memories, edges between them, and memory jobs."""
