"""The author's note of a session: a text near the end of the history."""

from dataclasses import dataclass
from enum import StrEnum

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.messages import Role
from yarrow.prompting.preset.reading import as_text, as_whole

_DEPTH = 4


class NotePlace(StrEnum):
    """Where a note stands."""

    IN_CHAT = "in_chat"
    BEFORE_MAIN = "before_main"
    AFTER_MAIN = "after_main"


@dataclass(frozen=True, slots=True)
class AuthorsNote:
    """A note; with an interval of n it is sent with every n-th message of the user."""

    text: str = ""
    place: NotePlace = NotePlace.IN_CHAT
    depth: int = _DEPTH
    role: Role = Role.SYSTEM
    interval: int = 1

    def is_due(self, user_messages: int) -> bool:
        return self.interval > 0 and user_messages % self.interval == 0


# SillyTavern's numbers.
_PLACES = {
    "0": NotePlace.AFTER_MAIN,
    "1": NotePlace.IN_CHAT,
    "2": NotePlace.BEFORE_MAIN,
    **{place.value: place for place in NotePlace},
}
_ROLES = {
    "0": Role.SYSTEM,
    "1": Role.USER,
    "2": Role.ASSISTANT,
    **{role.value: role for role in Role},
}


def authors_note_of(metadata: JsonObject) -> AuthorsNote:
    """The note in a session's metadata: a text, an object, or SillyTavern's `note_…` fields."""
    said = metadata.get("authorsNote", metadata.get("authors_note"))
    if isinstance(said, str):
        return AuthorsNote(text=said)
    if isinstance(said, dict):
        return _note(said, "")
    return _note(metadata, "note_")


def _note(fields: JsonObject, prefix: str) -> AuthorsNote:
    texts = (as_text(fields.get(f"{prefix}{name}")) for name in ("prompt", "text", "content"))
    depth = as_whole(fields.get(f"{prefix}depth"))
    interval = as_whole(fields.get(f"{prefix}interval"))
    return AuthorsNote(
        text=next((text for text in texts if text), ""),
        place=_PLACES.get(_word(fields.get(f"{prefix}position")), NotePlace.IN_CHAT),
        depth=_DEPTH if depth is None else max(0, depth),
        role=_ROLES.get(_word(fields.get(f"{prefix}role")), Role.SYSTEM),
        interval=1 if interval is None else interval,
    )


def _word(value: JsonValue) -> str:
    return str(value) if isinstance(value, int | str) else ""
