"""Edit the entries of a worldbook: an object by uid (SillyTavern's files) or a list (cards)."""

from collections.abc import Iterator

from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue

ENTRIES = "entries"


def require_worldbook(content: JsonObject) -> None:
    """Raise unless the content has entries that are objects."""
    entries = content.get(ENTRIES)
    items = list(entries.values()) if isinstance(entries, dict) else entries
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        rule = "data.entries: must be an object or a list of entries"
        raise InvalidInput(rule, field="data.entries")


def list_entries(content: JsonObject) -> list[JsonObject]:
    """List the entries in the order of the file, each with its uid."""
    return [entry | {"uid": uid} for uid, _, entry in _iterate(content)]


def find_entry(content: JsonObject, uid: str) -> JsonObject:
    number, _, entry = _find(content, uid)
    return entry | {"uid": number}


def add_entry(content: JsonObject, fields: JsonObject) -> tuple[JsonObject, str]:
    """Append an entry; returns the book and the uid, the next free one if none is given."""
    taken = {uid for uid, _, _ in _iterate(content)}
    uid = fields.get("uid", max(taken, default=-1) + 1)
    if not isinstance(uid, int) or isinstance(uid, bool) or uid < 0:
        raise InvalidInput("uid: must be a whole number, 0 or more", field="uid")
    entries, entry = content[ENTRIES], {"uid": uid} | fields
    if uid in taken or (isinstance(entries, dict) and str(uid) in entries):
        raise EntryTaken(str(uid))
    if isinstance(entries, dict):
        return content | {ENTRIES: entries | {str(uid): entry}}, str(uid)
    return content | {ENTRIES: [*entries, entry]}, str(uid)


def change_entry(content: JsonObject, uid: str, fields: JsonObject) -> JsonObject:
    """Replace some fields of an entry; its uid cannot change."""
    number, key, entry = _find(content, uid)
    if fields.get("uid", number) != number:
        raise InvalidInput("uid: cannot be changed", field="uid")
    entries = content[ENTRIES].copy()
    entries[key] = entry | fields
    return content | {ENTRIES: entries}


def remove_entry(content: JsonObject, uid: str) -> JsonObject:
    _, key, _ = _find(content, uid)
    entries = content[ENTRIES].copy()
    del entries[key]
    return content | {ENTRIES: entries}


def _find(content: JsonObject, uid: str) -> tuple[int, JsonValue, JsonObject]:
    for number, key, entry in _iterate(content):
        if str(number) == uid:
            return number, key, entry
    raise EntryNotFound(uid)


def _iterate(content: JsonObject) -> Iterator[tuple[int, JsonValue, JsonObject]]:
    """Yield each entry with its uid (its index if it has none) and its key in the content."""
    entries = content[ENTRIES]
    pairs = entries.items() if isinstance(entries, dict) else enumerate(entries)
    for index, (key, entry) in enumerate(pairs):
        uid = entry.get("uid")
        is_number = isinstance(uid, int) and not isinstance(uid, bool)
        yield uid if is_number else index, key, entry
