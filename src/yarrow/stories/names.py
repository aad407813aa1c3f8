"""The names that a greeting shows to a reader: who the user is, and who the character."""

import re

from yarrow.stories.model import Names

_NAME = re.compile(
    r"\{\{\s*(?P<braced>user|char)\s*\}\}|<(?P<angled>user|bot|char)>", re.IGNORECASE
)
_USER = "user"


def with_names(text: str, names: Names) -> str:
    """The text with both names in it; a character nobody is bound to stays a macro."""
    if "{{" not in text and "<" not in text:
        return text

    def named(found: re.Match[str]) -> str:
        asked = (found["braced"] or found["angled"]).lower()
        name = names.user if asked == _USER else names.character
        return found[0] if name is None else name

    return _NAME.sub(named, text)
