"""A persona's file: a name and a description, and whatever else a client keeps there."""

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject
from yarrow.prompting.card import Persona
from yarrow.prompting.formats.texts import NAME_CHARS, read_text


def read_persona(content: JsonObject) -> Persona:
    """Who the user is in the story; the same rules for texts as a card's."""
    name = read_text(content, "name")
    if not name or len(name) > NAME_CHARS:
        raise InvalidInput(f"name: 1 to {NAME_CHARS} characters", field="name")
    return Persona(name, read_text(content, "description"))
