"""Speakers' names before their turns."""

from collections.abc import Mapping

from yarrow.prompting.messages import Role


def named(text: str, role: Role, speakers: Mapping[Role, str]) -> str:
    """`Name: text`, unless the text begins so already or the speaker has no name."""
    name = speakers.get(role)
    if not name or text.startswith(f"{name}:"):
        return text
    return f"{name}: {text}"
