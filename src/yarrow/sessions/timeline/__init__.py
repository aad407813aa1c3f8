"""Branches, floors and pages: a session as a story that forks and has alternates."""
