"""Memories of stories: facts, summaries and open loops, their edges and jobs."""
