"""Transcribing a recording."""
