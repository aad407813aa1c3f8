"""Parse a preset file. Parsing never fails; problems are reported."""

from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.prompting.preset.entries import (
    PresetTrack,
    find_track,
    order_entries,
    parse_entries,
    parse_tracks,
)
from yarrow.prompting.preset.fields import (
    CLIENT_FIELDS,
    USED_FIELDS,
    as_flag,
    as_number,
    as_text,
    as_whole,
    rename_fields,
)
from yarrow.prompting.preset.model import (
    CONTINUE_NUDGE,
    NamesBehavior,
    Preset,
    PresetEntry,
    PresetMarker,
    PresetTexts,
    SamplingParameters,
)
from yarrow.prompting.preset.report import PresetFindings, TrackId

_NAMES = {
    -1: NamesBehavior.OFF,
    0: NamesBehavior.GROUPS,
    1: NamesBehavior.ALWAYS,
    2: NamesBehavior.ALWAYS,
}
_EFFORTS = {
    **{word: word for word in ("none", "minimal", "low", "medium", "high", "xhigh")},
    "min": "low",
    "max": "high",
    "auto": None,
    "": None,
}
"""SillyTavern's words, and what it sends to an endpoint; for `auto` it sends nothing."""

_SHOWN_UNKNOWN = 8
_EXTENSIONS, _SCRIPTS = "extensions", "regex_scripts"


def parse_preset(content: JsonObject) -> Preset:
    """Parse a preset; its report lists what is not supported."""
    findings = PresetFindings()
    fields = rename_fields(content, USED_FIELDS)
    _report_fields(fields, findings)
    entries, selected, ignored = _parse_track(fields, findings)
    _report_history(entries, findings)
    names = _parse_names(fields, findings)
    return Preset(
        entries=entries,
        texts=_parse_texts(fields, findings),
        names=names,
        context_tokens=_parse_positive(fields, "openai_max_context", 4095, findings),
        reply_tokens=_parse_positive(fields, "openai_max_tokens", 300, findings),
        sampling=_parse_sampling(fields, findings),
        report=findings.build_report(selected, ignored),
    )


def _parse_track(
    fields: JsonObject, findings: PresetFindings
) -> tuple[tuple[PresetEntry, ...], TrackId | None, tuple[TrackId, ...]]:
    """Return the entries of the chosen track, its id, and the ids of the others."""
    declared = parse_entries(fields.get("prompts"), findings)
    tracks = parse_tracks(fields.get("prompt_order"), findings)
    number = find_track([track.id for track in tracks])
    if number is None:
        findings.warn(
            "prompt_order_missing",
            "The preset has no prompt_order; entries stand in the order of their declaration.",
        )
        return tuple(declared.values()), None, ()
    chosen = tracks[number]
    others = tuple(t.id for t in tracks if t is not chosen and t.id is not None)
    _report_tracks(tracks, chosen, findings)
    return tuple(order_entries(declared, chosen, findings)), chosen.id, others


def _report_tracks(
    tracks: list[PresetTrack], chosen: PresetTrack, findings: PresetFindings
) -> None:
    if len(tracks) > 1:
        findings.warn(
            "prompt_order_tracks",
            f"The preset has {len(tracks)} prompt_order tracks; "
            f"only the one with character_id={chosen.id} is used.",
        )


def _report_fields(fields: JsonObject, findings: PresetFindings) -> None:
    unknown = []
    for name, value in fields.items():
        if name in USED_FIELDS:
            continue
        if name == _EXTENSIONS and isinstance(value, dict) and _SCRIPTS in value:
            for other in (each for each in value if each != _SCRIPTS):
                findings.add_ignored(f"top_level.{name}.{other}")
            continue
        findings.add_ignored(f"top_level.{name}")
        if name not in CLIENT_FIELDS:
            unknown.append(name)
    if unknown:
        shown = ", ".join(unknown[:_SHOWN_UNKNOWN])
        findings.warn("unknown_fields", f"{len(unknown)} fields are not known: {shown}")
    if as_flag(fields.get("continue_prefill")):
        findings.add_unsupported("continue_prefill")


def _report_history(entries: tuple[PresetEntry, ...], findings: PresetFindings) -> None:
    if all(entry.marker is not PresetMarker.HISTORY for entry in entries):
        findings.warn(
            "history_marker_missing",
            "The preset has no chatHistory entry; the history stands at the end.",
        )


def _parse_names(fields: JsonObject, findings: PresetFindings) -> NamesBehavior:
    value = fields.get("names_behavior")
    if value is None:
        return NamesBehavior.GROUPS
    number = as_whole(value)
    if number is None or number not in _NAMES:
        findings.add_unsupported("names_behavior")
        findings.warn("names_behavior_unknown", "names_behavior has no known value; names are off.")
        return NamesBehavior.OFF
    return _NAMES[number]


def _parse_texts(fields: JsonObject, findings: PresetFindings) -> PresetTexts:
    lore_format = _parse_text(fields, "wi_format", "{0}", findings)
    if "{0}" not in lore_format:
        if lore_format.strip():
            findings.add_unsupported("wi_format")
            findings.warn("wi_format_without_place", "wi_format has no {0}; lore stands bare.")
        lore_format = "{0}"
    return PresetTexts(
        new_chat=_parse_text(fields, "new_chat_prompt", "", findings),
        new_example=_parse_text(fields, "new_example_chat_prompt", "", findings),
        continue_nudge=_parse_text(fields, "continue_nudge_prompt", CONTINUE_NUDGE, findings),
        impersonation=_parse_text(fields, "impersonation_prompt", "", findings),
        assistant_prefill=_parse_text(fields, "assistant_prefill", "", findings),
        assistant_impersonation=_parse_text(fields, "assistant_impersonation", "", findings),
        lore_format=lore_format,
        scenario_format=_parse_text(fields, "scenario_format", "", findings),
        personality_format=_parse_text(fields, "personality_format", "", findings),
    )


def _parse_sampling(fields: JsonObject, findings: PresetFindings) -> SamplingParameters:
    top_k = as_whole(fields.get("top_k"))
    parsed = SamplingParameters(
        # SillyTavern writes 0 for the model's default.
        top_k=top_k if top_k and top_k > 0 else None,
        frequency_penalty=as_number(fields.get("frequency_penalty")),
        presence_penalty=as_number(fields.get("presence_penalty")),
        reasoning_effort=_parse_effort(fields, findings),
    )
    return replace(
        parsed,
        temperature=_parse_number(fields, "temperature", parsed.temperature, findings),
        top_p=_parse_number(fields, "top_p", parsed.top_p, findings),
    )


def _parse_effort(fields: JsonObject, findings: PresetFindings) -> str | None:
    value = fields.get("reasoning_effort")
    word = "" if value is None else as_text(value)
    if word is None or word.lower() not in _EFFORTS:
        findings.add_unsupported("reasoning_effort")
        return None
    return _EFFORTS[word.lower()]


def _parse_text(fields: JsonObject, name: str, default: str, findings: PresetFindings) -> str:
    value = fields.get(name)
    text = as_text(value)
    if text is None and value is not None:
        findings.add_unsupported(name)
    return default if text is None else text


def _parse_number(fields: JsonObject, name: str, default: float, findings: PresetFindings) -> float:
    value = fields.get(name)
    number = as_number(value)
    if number is None and value is not None:
        findings.add_unsupported(name)
    return default if number is None else number


def _parse_positive(fields: JsonObject, name: str, default: int, findings: PresetFindings) -> int:
    value = fields.get(name)
    number = as_whole(value)
    if value is not None and (number is None or number < 1):
        findings.add_unsupported(name)
    return number if number and number > 0 else default
