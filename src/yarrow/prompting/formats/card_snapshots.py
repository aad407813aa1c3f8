"""Copies of cards and personas that clients of a SillyTavern-like server send with a session.

A copy is a card of any version, or an object with the same texts under names in camelCase.
"""

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.cards import read_card, read_persona, to_v2_card

_CARD_NAMES = {
    "primaryGreeting": "first_mes",
    "primary_greeting": "first_mes",
    "firstMessage": "first_mes",
    "first_message": "first_mes",
    "greeting": "first_mes",
    "alternateGreetings": "alternate_greetings",
    "exampleMessages": "mes_example",
    "example_messages": "mes_example",
    "exampleDialogue": "mes_example",
    "mesExample": "mes_example",
    "systemPrompt": "system_prompt",
    "postHistoryInstructions": "post_history_instructions",
    "creatorNotes": "creator_notes",
    "characterVersion": "character_version",
    "characterBook": "character_book",
}
_PERSONA_NAMES = {"displayName": "name", "display_name": "name", "persona": "description"}


def read_character_snapshot(snapshot: JsonObject) -> JsonObject:
    """Return the copy as a card of version 2 or 3; raise if it is none."""
    is_card = "spec" in snapshot or isinstance(snapshot.get("data"), dict)
    try:
        card = snapshot if is_card else to_v2_card(_rename_fields(snapshot, _CARD_NAMES))
        read_card(card)
    except InvalidInput as error:
        raise _make_snapshot_error("character_snapshot", error) from error
    return card


def read_user_snapshot(snapshot: JsonObject) -> JsonObject:
    """Return the copy as a persona; raise if it is none."""
    persona = _rename_fields(snapshot, _PERSONA_NAMES)
    try:
        read_persona(persona)
    except InvalidInput as error:
        raise _make_snapshot_error("user_snapshot", error) from error
    return persona


def _rename_fields(snapshot: JsonObject, names: dict[str, str]) -> JsonObject:
    """Use the names of cards; a field under its own name takes precedence."""
    renamed = {names[key]: value for key, value in snapshot.items() if key in names}
    return renamed | {key: value for key, value in snapshot.items() if key not in names}


def _make_snapshot_error(field: str, error: InvalidInput) -> InvalidInput:
    path = f"{field}.{error.field}" if error.field else field
    return InvalidInput(f"{field}: {error}", field=path)
