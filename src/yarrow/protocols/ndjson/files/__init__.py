"""Scratch files of a workspace."""
