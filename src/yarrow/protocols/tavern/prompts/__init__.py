"""Prompts that nobody sends: dry runs and previews."""
