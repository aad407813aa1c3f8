"""Text in patterns of `LIKE` and `ILIKE`."""


def escape_like(text: str) -> str:
    """Escape the wildcards, so that the pattern matches this text only."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
