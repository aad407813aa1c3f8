"""Parse character cards of versions 1, 2 and 3, and personas.

Version 1 has its fields at the top; 2 and 3 have them under `data` and name themselves in `spec`.
Real cards are careless: a field may be null, tags may be one string. A field that cannot be
understood is rejected by name.
"""

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.model import CharacterCard, DepthPrompt, Persona, PromptRole

NAME_CHARS = 120
TEXT_BYTES = 1024 * 1024


def read_text(fields: JsonObject, key: str, within: str = "") -> str:
    """Read a string that may be missing or null; `within` prefixes field names in messages."""
    value = fields.get(key)
    return "" if value is None else clean_text(value, f"{within}{key}")


def clean_text(value: JsonValue, field: str) -> str:
    if not isinstance(value, str):
        raise FileRefused(FileFault.NOT_TEXT, field=field)
    if len(value.encode()) > TEXT_BYTES:
        raise FileRefused(FileFault.TOO_MANY_BYTES, field=field, limit=TEXT_BYTES)
    return value.replace("\r\n", "\n").replace("\r", "\n").strip()


NOTE_DEPTH = 4
SPEC_V2 = "chara_card_v2"
SPEC_V3 = "chara_card_v3"

_TEXTS = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "first_message": "first_mes",
    "examples": "mes_example",
    "system_prompt": "system_prompt",
    "post_history": "post_history_instructions",
    "creator_notes": "creator_notes",
    "version": "character_version",
}

_V1_NOTES = "creatorcomment"

_ROLES: dict[JsonValue, PromptRole] = {
    **{role.value: role for role in PromptRole},
    **dict(enumerate((PromptRole.SYSTEM, PromptRole.USER, PromptRole.ASSISTANT))),
}


def read_card(content: JsonObject) -> CharacterCard:
    """Parse a card; line ends become LF and texts are stripped."""
    within, fields = _find_fields(content)
    texts = {name: read_text(fields, key, within) for name, key in _TEXTS.items()}
    texts["creator_notes"] = texts["creator_notes"] or read_text(fields, _V1_NOTES, within)
    extensions = _get_object(fields, "extensions", within) or {}
    return CharacterCard(
        name=_parse_name(fields, within),
        alternate_greetings=_parse_greetings(fields, within),
        tags=_parse_tags(fields.get("tags")),
        depth_prompt=_parse_depth_prompt(extensions, f"{within}extensions."),
        book=_get_object(fields, "character_book", within),
        extensions=extensions,
        **texts,
    )


def rename_card(content: JsonObject, name: str) -> JsonObject:
    """Return the card with another name, in each place that has one."""
    within, fields = _find_fields(content)
    if not within:
        return content | {"name": name}
    top = {"name": name} if "name" in content else {}
    return content | top | {"data": fields | {"name": name}}


def change_card(content: JsonObject, fields: JsonObject) -> JsonObject:
    """Return the card with some fields replaced, where its version has them."""
    within, present = _find_fields(content)
    return content | {"data": present | fields} if within else content | fields


def to_v3_card(content: JsonObject) -> JsonObject:
    """Return the card in version 3's envelope; its fields do not change."""
    return _wrap_card(content, SPEC_V3, "3.0")


def to_v2_card(content: JsonObject) -> JsonObject:
    """Return the card in version 2's envelope; its fields do not change."""
    return _wrap_card(content, SPEC_V2, "2.0")


def _wrap_card(content: JsonObject, spec: str, version: str) -> JsonObject:
    frame: JsonObject = {"spec": spec, "spec_version": version}
    within, fields = _find_fields(content)
    if not within:
        return frame | {"data": fields}
    return content | frame if "spec" in content else frame | content


def _find_fields(content: JsonObject) -> tuple[str, JsonObject]:
    """Return the prefix of the card's field names, for messages, and the fields."""
    data = content.get("data")
    if isinstance(data, dict):
        return "data.", data
    if "name" in content:
        return "", content
    raise FileRefused(FileFault.NOT_A_CARD)


def _parse_name(fields: JsonObject, within: str) -> str:
    name = read_text(fields, "name", within)
    if not name:
        raise FileRefused(FileFault.NO_NAME, field=f"{within}name")
    if len(name) > NAME_CHARS:
        field = f"{within}name"
        raise FileRefused(FileFault.TOO_MANY_CHARACTERS, field=field, limit=NAME_CHARS)
    return name


def _parse_greetings(fields: JsonObject, within: str) -> tuple[str, ...]:
    field = f"{within}alternate_greetings"
    value = fields.get("alternate_greetings") or []
    if not isinstance(value, list):
        raise FileRefused(FileFault.NOT_TEXTS, field=field)
    texts = (
        clean_text(text, f"{field}.{index}") for index, text in enumerate(value) if text is not None
    )
    return tuple(text for text in texts if text)


def _parse_tags(value: JsonValue) -> tuple[str, ...]:
    """Parse tags; items that are not strings are dropped, tags are only shown to people."""
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list):
        return ()
    trimmed = (tag.strip() for tag in listed if isinstance(tag, str))
    return tuple(tag for tag in trimmed if tag)


def _parse_depth_prompt(extensions: JsonObject, within: str) -> DepthPrompt | None:
    value = _get_object(extensions, "depth_prompt", within)
    if value is None:
        return None
    text = read_text(value, "prompt", f"{within}depth_prompt.")
    if not text:
        return None
    depth, role = value.get("depth"), value.get("role")
    return DepthPrompt(
        text,
        depth=depth if isinstance(depth, int) and depth >= 0 else NOTE_DEPTH,
        role=_ROLES.get(role, PromptRole.SYSTEM)
        if isinstance(role, str | int)
        else PromptRole.SYSTEM,
    )


def _get_object(fields: JsonObject, key: str, within: str) -> JsonObject | None:
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise FileRefused(FileFault.NOT_OBJECT, field=f"{within}{key}")
    return value


def read_persona(content: JsonObject) -> Persona:
    """Parse a persona; texts follow the same rules as a card's."""
    name = read_text(content, "name")
    if not name or len(name) > NAME_CHARS:
        raise FileRefused(FileFault.NAME_LENGTH, field="name", limit=NAME_CHARS)
    return Persona(name, read_text(content, "description"))


def find_book_name(card: CharacterCard) -> str:
    """The name of the card's own worldbook: its own, else the character's."""
    return str((card.book or {}).get("name") or card.name)
