"""Edit the entries of a worldbook: an object by uid (SillyTavern's files) or a list (cards)."""

from collections.abc import Iterable, Iterator

from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault

ENTRIES = "entries"


def require_worldbook(content: JsonObject) -> None:
    """Raise unless the content has entries that are objects."""
    entries = content.get(ENTRIES)
    items = list(entries.values()) if isinstance(entries, dict) else entries
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise FileRefused(FileFault.NOT_ENTRIES, field="data.entries")


def list_entries(content: JsonObject) -> list[JsonObject]:
    """List the entries in the order of the file, each with its uid."""
    return [entry | {"uid": uid} for uid, _, entry in _iterate_entries(content)]


def find_entry(content: JsonObject, uid: str) -> JsonObject:
    number, _, entry = _require_entry(content, uid)
    return entry | {"uid": number}


def add_entry(content: JsonObject, fields: JsonObject) -> tuple[JsonObject, str]:
    """Append an entry; returns the book and the uid, the next free one if none is given."""
    taken = {uid for uid, _, _ in _iterate_entries(content)}
    uid = fields.get("uid", max(taken, default=-1) + 1)
    if not isinstance(uid, int) or isinstance(uid, bool) or uid < 0:
        raise InvalidInput("uid: must be a whole number, 0 or more", field="uid")
    entries, entry = _read_entries(content), {"uid": uid} | fields
    if uid in taken or (isinstance(entries, dict) and str(uid) in entries):
        raise EntryTaken(str(uid))
    if isinstance(entries, dict):
        return content | {ENTRIES: entries | {str(uid): entry}}, str(uid)
    return content | {ENTRIES: [*entries, entry]}, str(uid)


def change_entry(content: JsonObject, uid: str, fields: JsonObject) -> JsonObject:
    """Replace some fields of an entry; its uid cannot change."""
    number, key, entry = _require_entry(content, uid)
    if fields.get("uid", number) != number:
        raise InvalidInput("uid: cannot be changed", field="uid")
    return content | {ENTRIES: _replace_entry(content, key, [entry | fields])}


def remove_entry(content: JsonObject, uid: str) -> JsonObject:
    _, key, _ = _require_entry(content, uid)
    return content | {ENTRIES: _replace_entry(content, key, [])}


def _replace_entry(content: JsonObject, key: str | int, new: list[JsonObject]) -> JsonValue:
    """The entries with the one under a key replaced by another, or by none."""
    entries = _read_entries(content)
    if isinstance(entries, dict):
        pairs = ((k, [entry] if k != key else new) for k, entry in entries.items())
        return {k: entry for k, found in pairs for entry in found}
    items = ([entry] if index != key else new for index, entry in enumerate(entries))
    return [entry for found in items for entry in found]


def _read_entries(content: JsonObject) -> dict[str, JsonObject] | list[JsonObject]:
    """The entries of content that `require_worldbook` has checked."""
    entries = content[ENTRIES]
    if isinstance(entries, dict):
        return {key: entry for key, entry in entries.items() if isinstance(entry, dict)}
    listed = entries if isinstance(entries, list) else []
    return [entry for entry in listed if isinstance(entry, dict)]


def _require_entry(content: JsonObject, uid: str) -> tuple[int, str | int, JsonObject]:
    for number, key, entry in _iterate_entries(content):
        if str(number) == uid:
            return number, key, entry
    raise EntryNotFound(uid)


def _iterate_entries(content: JsonObject) -> Iterator[tuple[int, str | int, JsonObject]]:
    """Yield each entry with its uid (its index if it has none) and its key in the content."""
    entries = _read_entries(content)
    keys: Iterable[str | int] = entries if isinstance(entries, dict) else range(len(entries))
    values = entries.values() if isinstance(entries, dict) else entries
    for index, (key, entry) in enumerate(zip(keys, values, strict=True)):
        uid = entry.get("uid")
        yield uid if isinstance(uid, int) and not isinstance(uid, bool) else index, key, entry
