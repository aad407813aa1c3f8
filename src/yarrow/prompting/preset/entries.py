"""Parse a preset's entries and the track that orders them."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.model import PromptRole
from yarrow.prompting.preset.fields import (
    ENTRY_FIELDS,
    PLACE_FIELDS,
    TRACK_FIELDS,
    as_flag,
    as_text,
    as_whole,
    list_objects,
    rename_fields,
)
from yarrow.prompting.preset.model import (
    DEFAULT_DEPTH,
    DEFAULT_ORDER,
    ChatPosition,
    PresetEntry,
    PresetMarker,
    PromptIntent,
)
from yarrow.prompting.preset.report import PresetFindings, TrackId

PREFERRED_TRACKS: tuple[TrackId, ...] = (100001, 100000)
"""The track that SillyTavern's chat uses, and that of older files."""

_IN_CHAT = 1
_POSITIONS = frozenset({0, _IN_CHAT})
_MARKERS = {marker.value: marker for marker in PresetMarker}
_INTENTS = {intent.value: intent for intent in PromptIntent}
_ROLES = {role.value: role for role in PromptRole}
# SillyTavern generates these two entries, each for one intent only.
_SHOWN_TRIGGERS = 5
_IMPLIED_TRIGGERS = {
    "impersonate": frozenset({PromptIntent.IMPERSONATE}),
    "quietPrompt": frozenset({PromptIntent.QUIET}),
}


class PresetTrack(Struct, frozen=True):
    """One order of entries; `id` is None for an order without a character."""

    id: TrackId | None
    places: Sequence[JsonObject]


def parse_entries(prompts: JsonValue, findings: PresetFindings) -> dict[str, PresetEntry]:
    """Parse entries by identifier, in file order; of a repeated one the first is used."""
    entries: dict[str, PresetEntry] = {}
    for raw in list_objects(prompts):
        entry = _parse_entry(rename_fields(raw, ENTRY_FIELDS), findings)
        if entry is None:
            findings.warn("entry_without_identifier", "An entry without an identifier is left out.")
        elif entry.identifier in entries:
            findings.warn(
                "entry_repeated",
                f"The entry {entry.identifier!r} is declared more than once; the first is used.",
            )
        else:
            entries[entry.identifier] = entry
    return entries


def parse_tracks(prompt_order: JsonValue, findings: PresetFindings) -> list[PresetTrack]:
    """Parse all tracks; a bare list of places, as in old files, is one track."""
    listed = [rename_fields(raw, TRACK_FIELDS | PLACE_FIELDS) for raw in list_objects(prompt_order)]
    if listed and all("order" not in raw and "identifier" in raw for raw in listed):
        return [PresetTrack(None, listed)]
    for raw in listed:
        _report_unknown(raw, TRACK_FIELDS, "prompt_order[]", findings)
    return [
        PresetTrack(parse_track_id(raw.get("character_id")), list_objects(raw.get("order")))
        for raw in listed
    ]


def find_track(ids: Sequence[TrackId | None]) -> int | None:
    """Find the number of the track to use: the first of `PREFERRED_TRACKS`, else the first."""
    for wanted in PREFERRED_TRACKS:
        if wanted in ids:
            return ids.index(wanted)
    return 0 if ids else None


def order_entries(
    entries: dict[str, PresetEntry], track: PresetTrack, findings: PresetFindings
) -> Iterator[PresetEntry]:
    """Yield the entries a track names, each once, enabled or disabled by the track."""
    seen: set[str] = set()
    for raw in track.places:
        place = rename_fields(raw, PLACE_FIELDS)
        identifier = as_text(place.get("identifier")) or ""
        if identifier in seen:
            findings.warn("place_repeated", f"The track names {identifier!r} more than once.")
            continue
        seen.add(identifier)
        is_enabled = as_flag(place.get("enabled")) is not False
        if identifier in entries:
            yield replace(entries[identifier], is_enabled=is_enabled)
        elif is_enabled:
            findings.warn("entry_missing", f"The track names {identifier!r}, never declared.")


def _parse_entry(raw: JsonObject, findings: PresetFindings) -> PresetEntry | None:
    identifier = as_text(raw.get("identifier"))
    if not identifier:
        return None
    _report_unknown(raw, ENTRY_FIELDS, "prompts[]", findings)
    marker = _MARKERS.get(identifier)
    is_unresolved = marker is None and bool(as_flag(raw.get("marker")))
    if is_unresolved:
        findings.add_unresolved(identifier)
    return PresetEntry(
        identifier=identifier,
        role=_parse_role(raw, findings),
        content="" if is_unresolved else as_text(raw.get("content")) or "",
        marker=marker,
        is_enabled=as_flag(raw.get("enabled")) is not False,
        in_chat=_parse_chat_position(raw, findings),
        triggers=_parse_triggers(raw) or _IMPLIED_TRIGGERS.get(identifier, frozenset()),
        has_unknown_triggers=_report_triggers(raw, findings),
        forbids_overrides=bool(as_flag(raw.get("forbid_overrides"))),
    )


def _parse_role(raw: JsonObject, findings: PresetFindings) -> PromptRole:
    value = raw.get("role")
    role = _ROLES.get(value.lower()) if isinstance(value, str) else None
    if value and role is None:
        findings.add_unsupported("prompts[].role")
    return role or PromptRole.SYSTEM


def _parse_chat_position(raw: JsonObject, findings: PresetFindings) -> ChatPosition | None:
    position = _parse_whole(raw, "injection_position", 0, findings)
    depth = _parse_whole(raw, "injection_depth", DEFAULT_DEPTH, findings)
    order = _parse_whole(raw, "injection_order", DEFAULT_ORDER, findings)
    if position not in _POSITIONS:
        findings.add_unsupported("prompts[].injection_position")
    if depth < 0:
        findings.add_unsupported("prompts[].injection_depth")
    return ChatPosition(max(0, depth), order) if position == _IN_CHAT else None


def _parse_whole(raw: JsonObject, name: str, default: int, findings: PresetFindings) -> int:
    """Parse a whole number; a missing one is the default, anything else is reported."""
    value = raw.get(name)
    number = as_whole(value)
    if number is None and value is not None:
        findings.add_unsupported(f"prompts[].{name}")
    return default if number is None else number


def _parse_triggers(raw: JsonObject) -> frozenset[PromptIntent]:
    names = _list_triggers(raw)
    return frozenset(_INTENTS[name] for name in names if isinstance(name, str) and name in _INTENTS)


def _list_triggers(raw: JsonObject) -> Sequence[JsonValue]:
    value = raw.get("injection_trigger")
    if isinstance(value, list):
        return value
    return () if value is None or value == "" else (value,)


def _report_triggers(raw: JsonObject, findings: PresetFindings) -> bool:
    """Report triggers that are not known; whether there are any."""
    unknown = [name for name in _list_triggers(raw) if not _is_intent(name)]
    if unknown:
        findings.add_unsupported("prompts[].injection_trigger")
        shown = ", ".join(map(str, unknown[:_SHOWN_TRIGGERS]))
        findings.warn(
            "injection_trigger_unknown",
            f"The entry {raw.get('identifier')} has triggers that are not known: {shown}",
        )
    return bool(unknown)


def _is_intent(name: JsonValue) -> bool:
    return isinstance(name, str) and name in _INTENTS


def _report_unknown(
    raw: JsonObject, known: frozenset[str], where: str, findings: PresetFindings
) -> None:
    for name in raw:
        if name not in known:
            findings.add_ignored(f"{where}.{name}")


def parse_track_id(value: JsonValue) -> TrackId | None:
    """Read the `character_id` of a track: a number, also as a string, or another text."""
    number = as_whole(value)
    return number if number is not None else as_text(value)
