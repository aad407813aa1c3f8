"""Patterns of words in questions."""

import re


def compile_any(*patterns: str) -> re.Pattern[str]:
    """A pattern that finds any of these, in capitals or not."""
    return re.compile("|".join(patterns), re.IGNORECASE)
