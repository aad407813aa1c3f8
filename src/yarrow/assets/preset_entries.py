"""The entries of a preset: `prompts`, and the tracks of `prompt_order` that put them in order.

SillyTavern's window edits the track of character 100001; older files have 100000. A preset
without tracks is in the order in which its prompts stand.
"""

from collections.abc import Sequence

from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue

PROMPTS = "prompts"
TRACKS = "prompt_order"
PREFERRED_TRACKS = (100001, 100000)
IDENTIFIER_CHARS = 128


def require_preset(content: JsonObject) -> None:
    """Prompts and tracks are lists of objects where they are there at all."""
    for key in (PROMPTS, TRACKS):
        items = content.get(key, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise InvalidInput(f"data.{key}: must be a list of objects", field=f"data.{key}")


def list_entries(content: JsonObject) -> list[JsonObject]:
    """The entries in order, each with whether it is on; ones no track names follow, off."""
    prompts = _by_identifier(content)
    places = _places(content)
    if places is None:
        return [entry | {"enabled": _is_on(entry)} for entry in prompts.values()]
    switched = {_identifier(place): _is_on(place) for place in places}
    ordered = [name for name in switched if name in prompts]
    rest = [name for name in prompts if name not in switched]
    return [prompts[name] | {"enabled": switched.get(name, False)} for name in (*ordered, *rest)]


def find_entry(content: JsonObject, identifier: str) -> JsonObject:
    for entry in list_entries(content):
        if entry["identifier"] == identifier:
            return entry
    raise EntryNotFound(identifier)


def add_entry(content: JsonObject, fields: JsonObject) -> tuple[JsonObject, str]:
    """The preset with one more entry at its end, and the entry's identifier."""
    identifier = fields.get("identifier")
    if not isinstance(identifier, str) or not 0 < len(identifier.strip()) <= IDENTIFIER_CHARS:
        rule = f"identifier: 1 to {IDENTIFIER_CHARS} characters"
        raise InvalidInput(rule, field="identifier")
    if identifier in _by_identifier(content):
        raise EntryTaken(identifier)
    entry = {key: value for key, value in fields.items() if key != "enabled"}
    longer = content | {PROMPTS: [*content.get(PROMPTS, []), entry]}
    return _switched(longer, identifier, on=fields.get("enabled", True)), identifier


def change_entry(content: JsonObject, identifier: str, fields: JsonObject) -> JsonObject:
    """The preset with some fields of an entry replaced; its identifier stays."""
    find_entry(content, identifier)
    if fields.get("identifier", identifier) != identifier:
        raise InvalidInput("identifier: cannot be changed", field="identifier")
    changes = {key: value for key, value in fields.items() if key != "enabled"}
    prompts = [
        prompt | changes if _identifier(prompt) == identifier else prompt
        for prompt in content[PROMPTS]
    ]
    changed = content | {PROMPTS: prompts}
    return _switched(changed, identifier, on=fields["enabled"]) if "enabled" in fields else changed


def remove_entry(content: JsonObject, identifier: str) -> JsonObject:
    """The preset without an entry, in its prompts and in every track."""
    find_entry(content, identifier)
    shorter = content | {PROMPTS: _without(content[PROMPTS], identifier)}
    if TRACKS not in content:
        return shorter
    tracks = [
        track | {"order": _without(track["order"], identifier)} if _is_track(track) else track
        for track in _without(content[TRACKS], identifier)
    ]
    return shorter | {TRACKS: tracks}


def reorder_entries(content: JsonObject, identifiers: Sequence[str]) -> JsonObject:
    """The preset with these entries first, in this order; the others keep theirs behind them."""
    known = [entry["identifier"] for entry in list_entries(content)]
    for identifier in identifiers:
        if identifier not in known:
            raise EntryNotFound(identifier)
    if len(set(identifiers)) != len(identifiers):
        raise InvalidInput("identifiers: each at most once", field="identifiers")
    rank = {name: at for at, name in enumerate(dict.fromkeys((*identifiers, *known)))}
    places = _places(content)
    if places is None:
        return content | {PROMPTS: _sorted(content.get(PROMPTS, []), rank)}
    placed = {_identifier(place) for place in places}
    new = [{"identifier": name, "enabled": False} for name in identifiers if name not in placed]
    return _with_places(content, _sorted([*places, *new], rank))


def _switched(content: JsonObject, identifier: str, *, on: JsonValue) -> JsonObject:
    """The preset with an entry on or off: in its track, or in itself where there is none."""
    if not isinstance(on, bool):
        raise InvalidInput("enabled: must be true or false", field="enabled")
    places = _places(content)
    if places is None:
        prompts = [
            prompt | {"enabled": on} if _identifier(prompt) == identifier else prompt
            for prompt in content[PROMPTS]
        ]
        return content | {PROMPTS: prompts}
    if all(_identifier(place) != identifier for place in places):
        return _with_places(content, [*places, {"identifier": identifier, "enabled": on}])
    changed = [
        place | {"enabled": on} if _identifier(place) == identifier else place for place in places
    ]
    return _with_places(content, changed)


def _by_identifier(content: JsonObject) -> dict[str, JsonObject]:
    """The prompts by their identifiers; of two with the same the first counts."""
    found: dict[str, JsonObject] = {}
    for prompt in content.get(PROMPTS, []):
        if (identifier := _identifier(prompt)) is not None:
            found.setdefault(identifier, prompt)
    return found


def _live_track(content: JsonObject) -> int | None:
    """Where in `prompt_order` the track is that counts."""
    tracks = content.get(TRACKS, [])
    for wanted in PREFERRED_TRACKS:
        for at, track in enumerate(tracks):
            if _is_track(track) and track.get("character_id") == wanted:
                return at
    return next((at for at, track in enumerate(tracks) if _is_track(track)), None)


def _places(content: JsonObject) -> list[JsonObject] | None:
    """The places of the track that counts. The oldest files have them without a track around."""
    at = _live_track(content)
    if at is not None:
        return [place for place in content[TRACKS][at]["order"] if isinstance(place, dict)]
    return content.get(TRACKS) or None


def _with_places(content: JsonObject, places: list[JsonObject]) -> JsonObject:
    at = _live_track(content)
    if at is None:
        return content | {TRACKS: places}
    tracks = list(content[TRACKS])
    tracks[at] = tracks[at] | {"order": places}
    return content | {TRACKS: tracks}


def _identifier(item: JsonObject) -> str | None:
    """What a prompt or a place is called; files may have anything there."""
    name = item.get("identifier")
    return name if isinstance(name, str) else None


def _is_on(item: JsonObject) -> bool:
    return item.get("enabled") is not False


def _is_track(value: JsonObject) -> bool:
    return isinstance(value.get("order"), list)


def _without(items: list[JsonValue], identifier: str) -> list[JsonValue]:
    return [
        item for item in items if not (isinstance(item, dict) and _identifier(item) == identifier)
    ]


def _sorted(items: list[JsonObject], rank: dict[str, int]) -> list[JsonObject]:
    return sorted(items, key=lambda item: rank.get(_identifier(item) or "", len(rank)))
