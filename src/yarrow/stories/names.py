"""Replace `{{user}}` and `{{char}}` in greetings by the names of the story."""

import re

from yarrow.stories.model import StoryNames

_NAME = re.compile(
    r"\{\{\s*(?P<braced>user|char)\s*\}\}|<(?P<angled>user|bot|char)>", re.IGNORECASE
)
_USER = "user"


def insert_names(text: str, names: StoryNames) -> str:
    """Replace the name macros; `{{char}}` stays as it is while no character is bound."""
    if "{{" not in text and "<" not in text:
        return text

    def replace_name(match: re.Match[str]) -> str:
        macro = (match["braced"] or match["angled"]).lower()
        name = names.user if macro == _USER else names.character
        return match[0] if name is None else name

    return _NAME.sub(replace_name, text)
