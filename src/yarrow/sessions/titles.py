"""Titles of sessions: made from the first message, or given by a user."""

from yarrow.errors import InvalidInput

TITLE_LENGTH = 60
GIVEN_TITLE_LENGTH = 200


def make_title(text: str) -> str:
    """Make a session's title from its first message: one line, cut to `TITLE_LENGTH`."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def require_title(text: str) -> str:
    """Check a title that a user gave to a session: one line, not blank."""
    title = text.strip()
    if not title or len(title) > GIVEN_TITLE_LENGTH or any(ord(sign) < ord(" ") for sign in title):
        raise InvalidInput(
            f"title must be one line of 1 to {GIVEN_TITLE_LENGTH} characters", field="title"
        )
    return title
