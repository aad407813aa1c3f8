"""Timelines, floors, branches, pages and messages."""
