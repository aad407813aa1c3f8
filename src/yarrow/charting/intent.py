"""From a chart as a model or a client words it to a `ChartIntent`.

Tolerant, because models spell freely: case, punctuation and short names do not matter, an unknown
chart becomes a scatter plot, and what cannot be kept is named in the notes. Whether the fields
exist is not asked here: that needs the table.
"""

import re
from collections.abc import Iterable, Mapping

from yarrow.charting.channels import CHANNEL_WORDS, KNOWN, MOVED, TYPE_WORDS
from yarrow.charting.model import Channel, ChartIntent, ChartType, FieldMeaning, SemanticType
from yarrow.kit.json import JsonObject, JsonValue

NOISE = re.compile(r"[\W_]+")
SUFFIXES = ("chart", "plot", "graph", "图")
FIELD_KEYS = ("field", "name", "column")


def parse_intent(raw: JsonObject) -> ChartIntent:
    """The chart that is wished for; `{}` is a scatter plot without encodings."""
    chart_type, notes = _chart_type(_first(raw, ("chart_type", "chartType", "type", "mark")))
    told = _first(raw, ("encodings", "encoding", "channels"))
    wished = dict(_wished(told))
    encodings, dropped = _placed(wished, chart_type)
    notes = (*notes, *_not_heeded(told, wished))
    config = raw.get("config")
    return ChartIntent(
        chart_type,
        encodings,
        config if isinstance(config, dict) else {},
        (*notes, *dropped),
    )


def read_meanings(raw: JsonObject) -> dict[str, FieldMeaning]:
    """`field_metadata` as agents write it: a semantic type, or an object that names one.

    Types that are not registered are left out, so the guesses apply.
    """
    found = {name: _meaning(told) for name, told in raw.items()}
    return {name: meaning for name, meaning in found.items() if meaning}


def _first(raw: JsonObject, keys: Iterable[str]) -> JsonValue:
    return next((raw[key] for key in keys if raw.get(key)), None)


def _chart_type(told: JsonValue) -> tuple[ChartType, tuple[str, ...]]:
    if isinstance(told, dict):  # as Vega-Lite writes a mark
        told = told.get("type")
    word = _plain(told if isinstance(told, str) else "")
    found = TYPE_NAMES.get(word) or TYPE_NAMES.get(_bare(word))
    if found is not None:
        return found, ()
    return ChartType.SCATTER, (f"no chart is called {told!r}; drawn as a scatter plot",)


def _plain(word: str) -> str:
    return NOISE.sub("", word).lower()


def _bare(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and word != suffix:
            return word.removesuffix(suffix)
    return word


TYPE_NAMES: Mapping[str, ChartType] = {
    **TYPE_WORDS,
    **{_plain(chart): chart for chart in ChartType},
}


def _wished(raw: JsonValue) -> Iterable[tuple[str, str]]:
    if not isinstance(raw, dict):
        return
    for channel, told in raw.items():
        if field := _field(told):
            yield channel, field


def _field(told: JsonValue) -> str:
    match told:
        case str():
            return told
        case [str() as only]:
            return only
        case dict():
            found = (told.get(key) for key in FIELD_KEYS)
            return next((name for name in found if isinstance(name, str) and name), "")
        case _:
            return ""


def _not_heeded(raw: JsonValue, wished: Mapping[str, str]) -> list[str]:
    """What was asked of the channels and is not done, so that whoever asked can do it."""
    if not isinstance(raw, dict):
        return ["encodings must be an object of channels and fields"] if raw else []
    notes = [
        f"{channel} names no field: {told!r}"[:200]
        for channel, told in raw.items()
        if told and channel not in wished
    ]
    notes += [
        f"{channel} is not aggregated by {told['aggregate']!r}: aggregate the table itself"[:200]
        for channel, told in raw.items()
        if isinstance(told, dict) and told.get("aggregate")
    ]
    return notes


def _placed(
    wished: Mapping[str, str], chart_type: ChartType
) -> tuple[dict[Channel, str], tuple[str, ...]]:
    """Fields in channels the chart knows, and a note for each that has no place."""
    known, moved = KNOWN[chart_type], MOVED.get(chart_type, {})
    named = {word: CHANNEL_WORDS.get(_plain(word)) for word in wished}
    placed: dict[Channel, str] = {}
    for word, field in wished.items():
        if (channel := named[word]) in known and channel is not None:
            placed.setdefault(channel, field)
    dropped: list[str] = []
    for word, field in wished.items():
        channel = named[word]
        if channel in known:
            continue
        other = moved.get(channel) if channel else None
        if other is not None and other not in placed:
            placed[other] = field
        else:
            dropped.append(f"{chart_type} has no channel {word}; {field} is not shown by it")
    return placed, tuple(dropped)


def _meaning(told: JsonValue) -> FieldMeaning | None:
    detail = told if isinstance(told, dict) else {"semantic_type": told}
    semantic_type = SEMANTIC_NAMES.get(_plain(str(detail.get("semantic_type") or "")))
    if semantic_type is None:
        return None
    unit = detail.get("unit")
    return FieldMeaning(
        semantic_type,
        unit if isinstance(unit, str) and unit else None,
        _domain(detail.get("intrinsic_domain")),
    )


SEMANTIC_NAMES: Mapping[str, SemanticType] = {_plain(kind): kind for kind in SemanticType}


def _domain(told: JsonValue) -> tuple[float, float] | None:
    match told:
        case [int() | float() as low, int() | float() as high] if low < high:
            return float(low), float(high)
        case _:
            return None
