"""Edit the entries of a preset: `prompts`, and the lists in `prompt_order` that order them.

`prompt_order` has a list for each character id (a track); `find_track` says which one is used. A
preset without tracks keeps the order of its prompts.
"""

from collections.abc import Sequence

from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.preset.entries import find_track, parse_track_id

PROMPTS = "prompts"
TRACKS = "prompt_order"
ORDER = "order"
IDENTIFIER_CHARS = 128


def require_preset(content: JsonObject) -> None:
    """Raise if prompts or tracks are there and are not lists of objects."""
    for key in (PROMPTS, TRACKS):
        items = content.get(key, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise FileRefused(FileFault.NOT_OBJECTS, field=f"data.{key}")


def list_entries(content: JsonObject) -> list[JsonObject]:
    """List the entries in order, each with `enabled`; those not in the track are last, disabled."""
    prompts = _index_prompts(content)
    order = _read_order(content)
    if order is None:
        return [entry | {"enabled": _is_enabled(entry)} for entry in prompts.values()]
    enabled = {_read_identifier(item): _is_enabled(item) for item in order}
    ordered = [name for name in enabled if name in prompts]
    rest = [name for name in prompts if name not in enabled]
    return [prompts[name] | {"enabled": enabled.get(name, False)} for name in (*ordered, *rest)]


def find_entry(content: JsonObject, identifier: str) -> JsonObject:
    for entry in list_entries(content):
        if entry["identifier"] == identifier:
            return entry
    raise EntryNotFound(identifier)


def add_entry(content: JsonObject, fields: JsonObject) -> tuple[JsonObject, str]:
    """Append an entry; returns the preset and the entry's identifier."""
    identifier = fields.get("identifier")
    if not isinstance(identifier, str) or not 0 < len(identifier.strip()) <= IDENTIFIER_CHARS:
        rule = f"identifier: 1 to {IDENTIFIER_CHARS} characters"
        raise InvalidInput(rule, field="identifier")
    if identifier in _index_prompts(content):
        raise EntryTaken(identifier)
    entry = {key: value for key, value in fields.items() if key != "enabled"}
    extended = content | {PROMPTS: [*_list_objects(content, PROMPTS), entry]}
    return _set_enabled(extended, identifier, enabled=fields.get("enabled", True)), identifier


def change_entry(content: JsonObject, identifier: str, fields: JsonObject) -> JsonObject:
    """Replace some fields of an entry; its identifier cannot change."""
    find_entry(content, identifier)
    if fields.get("identifier", identifier) != identifier:
        raise InvalidInput("identifier: cannot be changed", field="identifier")
    changes = {key: value for key, value in fields.items() if key != "enabled"}
    prompts = [
        prompt | changes if _read_identifier(prompt) == identifier else prompt
        for prompt in _list_objects(content, PROMPTS)
    ]
    changed = content | {PROMPTS: prompts}
    if "enabled" not in fields:
        return changed
    return _set_enabled(changed, identifier, enabled=fields["enabled"])


def remove_entry(content: JsonObject, identifier: str) -> JsonObject:
    """Remove an entry from the prompts and from every track."""
    find_entry(content, identifier)
    remaining = content | {PROMPTS: _remove_items(_list_objects(content, PROMPTS), identifier)}
    if TRACKS not in content:
        return remaining
    tracks = _remove_items(_list_objects(content, TRACKS), identifier)
    return remaining | {TRACKS: [_remove_from_track(track, identifier) for track in tracks]}


def reorder_entries(content: JsonObject, identifiers: Sequence[str]) -> JsonObject:
    """Move these entries to the front, in this order; the others keep their order."""
    known = [
        name for entry in list_entries(content) if (name := _read_identifier(entry)) is not None
    ]
    for identifier in identifiers:
        if identifier not in known:
            raise EntryNotFound(identifier)
    if len(set(identifiers)) != len(identifiers):
        raise InvalidInput("identifiers: each at most once", field="identifiers")
    rank = {name: index for index, name in enumerate(dict.fromkeys((*identifiers, *known)))}
    order = _read_order(content)
    if order is None:
        return content | {PROMPTS: _sort_items(_list_objects(content, PROMPTS), rank)}
    present = {_read_identifier(item) for item in order}
    new: list[JsonObject] = [
        {"identifier": name, "enabled": False} for name in identifiers if name not in present
    ]
    return _replace_order(content, _sort_items([*order, *new], rank))


def _set_enabled(content: JsonObject, identifier: str, *, enabled: JsonValue) -> JsonObject:
    """Enable or disable an entry: in the track, or in the prompt if there is no track."""
    if not isinstance(enabled, bool):
        raise InvalidInput("enabled: must be true or false", field="enabled")
    order = _read_order(content)
    if order is None:
        prompts = [
            prompt | {"enabled": enabled} if _read_identifier(prompt) == identifier else prompt
            for prompt in _list_objects(content, PROMPTS)
        ]
        return content | {PROMPTS: prompts}
    if all(_read_identifier(item) != identifier for item in order):
        return _replace_order(content, [*order, {"identifier": identifier, "enabled": enabled}])
    changed = [
        item | {"enabled": enabled} if _read_identifier(item) == identifier else item
        for item in order
    ]
    return _replace_order(content, changed)


def _index_prompts(content: JsonObject) -> dict[str, JsonObject]:
    """Index the prompts by identifier; of two with the same one the first wins."""
    prompts: dict[str, JsonObject] = {}
    for prompt in _list_objects(content, PROMPTS):
        if (identifier := _read_identifier(prompt)) is not None:
            prompts.setdefault(identifier, prompt)
    return prompts


def _find_track(content: JsonObject) -> int | None:
    """Find the index in `prompt_order` of the track that is used."""
    tracks = [
        (index, parse_track_id(track.get("character_id")))
        for index, track in enumerate(_list_objects(content, TRACKS))
        if _read_track_items(track) is not None
    ]
    number = find_track([track_id for _, track_id in tracks])
    return None if number is None else tracks[number][0]


def _read_order(content: JsonObject) -> list[JsonObject] | None:
    """Read the items of the track that is used. In the oldest files `prompt_order` has them."""
    index = _find_track(content)
    if index is not None:
        return _list_objects(_list_objects(content, TRACKS)[index], ORDER)
    return _list_objects(content, TRACKS) or None


def _replace_order(content: JsonObject, order: list[JsonObject]) -> JsonObject:
    index = _find_track(content)
    if index is None:
        return content | {TRACKS: order}
    tracks = _list_objects(content, TRACKS)
    tracks[index] = tracks[index] | {ORDER: order}
    return content | {TRACKS: tracks}


def _read_identifier(item: JsonObject) -> str | None:
    """The identifier of a prompt or an order item, if it is text; files may have anything."""
    name = item.get("identifier")
    return name if isinstance(name, str) else None


def _is_enabled(item: JsonObject) -> bool:
    return item.get("enabled") is not False


def _read_track_items(track: JsonObject) -> list[JsonValue] | None:
    """The items of a track, of any type; None if it is an item itself, as in the oldest files."""
    order = track.get(ORDER)
    return order if isinstance(order, list) else None


def _list_objects(content: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list under a key; files may have anything beside them."""
    items = content.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _remove_items(items: list[JsonObject], identifier: str) -> list[JsonObject]:
    return [item for item in items if _read_identifier(item) != identifier]


def _remove_from_track(track: JsonObject, identifier: str) -> JsonObject:
    order = _read_track_items(track)
    if order is None:
        return track
    others = [
        item
        for item in order
        if not (isinstance(item, dict) and _read_identifier(item) == identifier)
    ]
    return track | {ORDER: others}


def _sort_items(items: list[JsonObject], rank: dict[str, int]) -> list[JsonObject]:
    return sorted(items, key=lambda item: rank.get(_read_identifier(item) or "", len(rank)))
