"""Parse a chart request.

Parsing is tolerant, because models spell freely: case, punctuation and short names do not matter,
an unknown chart becomes a scatter plot, and what is ignored is named in the notes. Whether the
fields exist is checked when the request is compiled, with the table.
"""

import re
from collections.abc import Iterable, Mapping

from yarrow.charting.aggregate import AGGREGATE_NAMES
from yarrow.charting.chart_types import (
    ANY_CHART_OPTIONS,
    CHANNEL_WORDS,
    KNOWN,
    MOVED,
    OPTIONS,
    TYPE_OPTIONS,
    TYPE_WORDS,
)
from yarrow.charting.model import (
    Aggregate,
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    FieldMeaning,
    SemanticType,
)
from yarrow.charting.notes import Note, write_note
from yarrow.charting.stacks import NO_STACK, STACKS
from yarrow.kit.json import JsonObject, JsonValue

NOISE = re.compile(r"[\W_]+")
SUFFIXES = ("chart", "plot", "graph", "图")
ADDING = (STACKS | {ChartType.ROSE}) - {ChartType.STACKED_BAR}
"""Charts of which no form puts the parts beside each other."""
TIME_UNITS: Mapping[str, str] = {
    **{unit: unit for unit in ("year", "quarter", "month", "week", "day", "hour", "minute")},
    "yearquarter": "quarter",
    "yearmonth": "month",
    "yearweek": "week",
    "yearmonthdate": "day",
    "date": "day",
    "yearmonthdatehours": "hour",
    "hours": "hour",
}
"""Units of time as Vega-Lite names them, in lower case."""
FIELD_KEYS = ("field", "name", "column")
IGNORED_KEYS = ("scale", "sort", "filter", "impute")
"""What changes a chart of Vega-Lite if a channel has it, and none of ours."""


def parse_intent(raw: JsonObject, *, language: ChartLanguage = ChartLanguage.EN) -> ChartIntent:
    """Parse a request; `{}` is a scatter plot without encodings."""
    named = _find_first_present(raw, ("chart_type", "chartType", "type", "mark"))
    chart_type, notes = _parse_chart_type(named, language)
    channels = _find_first_present(raw, ("encodings", "encoding", "channels"))
    requested = dict(_read_channels(channels))
    words, dropped = _assign_channels(requested, chart_type, language)
    encodings = {channel: requested[word] for channel, word in words.items()}
    aggregates, unknown = _read_aggregates(channels, words, chart_type, language=language)
    config = _read_config(raw.get("config"), channels, named)
    return ChartIntent(
        chart_type,
        encodings,
        config,
        aggregates,
        (
            *notes,
            *_list_ignored(channels, requested, language),
            *unknown,
            *dropped,
            *_note_kept_stack(chart_type, config, language),
            *_note_unknown_options(raw.get("config"), channels, chart_type, language),
        ),
    )


def read_meanings(raw: JsonObject) -> dict[str, FieldMeaning]:
    """Parse `field_metadata`: for each field a semantic type, or an object that names one.

    Unknown types are ignored, so that the meaning is inferred.
    """
    meanings = {name: _parse_meaning(value) for name, value in raw.items()}
    return {name: meaning for name, meaning in meanings.items() if meaning}


def _find_first_present(raw: JsonObject, keys: Iterable[str]) -> JsonValue:
    return next((raw[key] for key in keys if raw.get(key)), None)


def _parse_chart_type(
    value: JsonValue, language: ChartLanguage
) -> tuple[ChartType, tuple[str, ...]]:
    if isinstance(value, dict):  # as Vega-Lite writes a mark
        value = value.get("type")
    word = _normalise_word(value if isinstance(value, str) else "")
    chart_type = TYPE_NAMES.get(word) or TYPE_NAMES.get(_strip_suffix(word))
    if chart_type is not None:
        return chart_type, ()
    return ChartType.SCATTER, (write_note(language, Note.UNKNOWN_TYPE, name=repr(value)),)


def _read_config(config: JsonValue, channels: JsonValue, named: JsonValue) -> JsonObject:
    """The options of the request and of its chart's name; `stack`, `timeUnit` and `bin` may stand
    in a channel too."""
    options = {**_read_implied_options(named), **(config if isinstance(config, dict) else {})}
    found = channels.values() if isinstance(channels, dict) else ()
    parts = [part for part in found if isinstance(part, dict)]
    stacks = [part["stack"] for part in parts if "stack" in part]
    for key in ("stackMode", "stack"):
        if key in options:
            stacks = [options.pop(key)]
    if stacks:
        options["stack"] = _read_stack(stacks[0])
    for unit in (options.pop("timeUnit", None), *(part.get("timeUnit") for part in parts)):
        if isinstance(unit, str) and (known := TIME_UNITS.get(_normalise_word(unit))):
            options.setdefault("timeUnit", known)
    for part in parts:
        if isinstance(bins := part.get("bin"), dict) and "maxbins" in bins:
            options.setdefault("maxbins", bins["maxbins"])
    return options


def _read_stack(value: JsonValue) -> str:
    match value:
        case None | False:
            return NO_STACK
        case True:
            return "zero"
        case str():
            word = _normalise_word(value)
            return {"layered": NO_STACK, "normalise": "normalize"}.get(word, word)
        case _:
            return ""


def _note_kept_stack(
    chart_type: ChartType, config: JsonObject, language: ChartLanguage
) -> list[str]:
    if config.get("stack") != NO_STACK or chart_type not in ADDING:
        return []
    return [write_note(language, Note.STACK_KEPT, chart=chart_type.value, value=NO_STACK)]


def _note_unknown_options(
    config: JsonValue, channels: JsonValue, chart_type: ChartType, language: ChartLanguage
) -> list[str]:
    """A note of the options without effect: those that the chart does not have, units of time that
    are not known, bins of charts other than histograms, and what a channel cannot have."""
    options = config if isinstance(config, dict) else {}
    found = channels.values() if isinstance(channels, dict) else ()
    parts = [part for part in found if isinstance(part, dict)]
    units = (part["timeUnit"] for part in (options, *parts) if part.get("timeUnit"))
    has_bins = chart_type is not ChartType.HISTOGRAM and any(part.get("bin") for part in parts)
    allowed = ANY_CHART_OPTIONS | OPTIONS.get(chart_type, frozenset())
    unknown = [
        *(name for name, value in options.items() if name not in allowed and value),
        *(f"timeUnit {unit}" for unit in units if _normalise_word(str(unit)) not in TIME_UNITS),
        *(["bin"] if has_bins else _list_unknown_bin_options(parts)),
        *(name for part in parts for name in IGNORED_KEYS if part.get(name)),
    ]
    names = ", ".join(dict.fromkeys(unknown))[:200]
    return [write_note(language, Note.NO_OPTION, names=names)] if unknown else []


def _list_unknown_bin_options(parts: Iterable[JsonObject]) -> list[str]:
    bins = (part.get("bin") for part in parts)
    names = (name for options in bins if isinstance(options, dict) for name in options)
    return [f"bin.{name}" for name in names if name != "maxbins"]


def _read_implied_options(value: JsonValue) -> JsonObject:
    """What the name of the chart says beside its type: `horizontal bar`, `donut`."""
    word = _normalise_word(value if isinstance(value, str) else "")
    return dict(TYPE_OPTIONS.get(word) or TYPE_OPTIONS.get(_strip_suffix(word)) or {})


def _normalise_word(word: str) -> str:
    return NOISE.sub("", word).lower()


def _strip_suffix(word: str) -> str:
    for suffix in SUFFIXES:
        if word.endswith(suffix) and word != suffix:
            return word.removesuffix(suffix)
    return word


TYPE_NAMES: Mapping[str, ChartType] = {
    **TYPE_WORDS,
    **{_normalise_word(chart): chart for chart in ChartType},
}


def _read_channels(raw: JsonValue) -> Iterable[tuple[str, str]]:
    if not isinstance(raw, dict):
        return
    for channel, value in raw.items():
        if field := _read_field_name(value):
            yield channel, field


def _read_field_name(value: JsonValue) -> str:
    match value:
        case str():
            return value
        case [str() as only]:
            return only
        case dict():
            names = (value.get(key) for key in FIELD_KEYS)
            return next((name for name in names if isinstance(name, str) and name), "")
        case _:
            return ""


def _list_ignored(
    raw: JsonValue, requested: Mapping[str, str], language: ChartLanguage
) -> list[str]:
    """Notes about channels that name neither a field nor a count."""
    if not isinstance(raw, dict):
        return [write_note(language, Note.NO_OBJECT)] if raw else []
    return [
        write_note(language, Note.NO_FIELD, channel=channel, value=repr(value))[:200]
        for channel, value in raw.items()
        if value and channel not in requested and _read_aggregate(value) is not Aggregate.COUNT
    ]


def _read_aggregates(
    raw: JsonValue,
    words: Mapping[ChartChannel, str],
    chart_type: ChartType,
    *,
    language: ChartLanguage,
) -> tuple[dict[ChartChannel, Aggregate], list[str]]:
    """The aggregates of channels, and a note for each that does not exist.

    `words` are what the request calls the channels that have a field. An aggregate belongs to the
    field it is written with; without a field it is a count, of a channel without a field.
    """
    aggregates: dict[ChartChannel, Aggregate] = {}
    unknown: list[str] = []
    for word, value in raw.items() if isinstance(raw, dict) else ():
        if not isinstance(value, dict) or not value.get("aggregate"):
            continue
        channel = _find_channel(word, chart_type)
        aggregate = _read_aggregate(value)
        if aggregate is None:
            name = repr(value["aggregate"])
            unknown.append(write_note(language, Note.NO_AGGREGATE, channel=word, value=name)[:200])
        elif channel is not None and _belongs_to_channel(aggregate, word, words.get(channel)):
            aggregates[channel] = aggregate
    return aggregates, unknown


def _belongs_to_channel(aggregate: Aggregate, word: str, with_field: str | None) -> bool:
    """Whether an aggregate is that of the channel whose field is written at `with_field`."""
    return with_field == word or (with_field is None and aggregate is Aggregate.COUNT)


def _read_aggregate(value: JsonValue) -> Aggregate | None:
    name = value.get("aggregate") if isinstance(value, dict) else None
    return AGGREGATE_NAMES.get(_normalise_word(name)) if isinstance(name, str) else None


def _find_channel(word: str, chart_type: ChartType) -> ChartChannel | None:
    """The channel of the chart type that a word means; None if it has none."""
    channel = CHANNEL_WORDS.get(_normalise_word(word))
    if channel is None or channel in KNOWN[chart_type]:
        return channel
    return MOVED.get(chart_type, {}).get(channel)


def _assign_channels(
    requested: Mapping[str, str], chart_type: ChartType, language: ChartLanguage
) -> tuple[dict[ChartChannel, str], tuple[str, ...]]:
    """Words of the request by channel of the chart type, and a note for each without a channel."""
    known = KNOWN[chart_type]
    exact = [word for word in requested if CHANNEL_WORDS.get(_normalise_word(word)) in known]
    assigned: dict[ChartChannel, str] = {}
    dropped: list[str] = []
    for word in [*exact, *(word for word in requested if word not in exact)]:
        channel, field = _find_channel(word, chart_type), requested[word]
        if channel is not None and channel not in assigned:
            assigned[channel] = word
        elif word not in exact:
            dropped.append(
                write_note(
                    language, Note.NO_CHANNEL, chart=chart_type.value, channel=word, field=field
                )
            )
    return assigned, tuple(dropped)


def _parse_meaning(value: JsonValue) -> FieldMeaning | None:
    detail = value if isinstance(value, dict) else {"semantic_type": value}
    semantic_type = SEMANTIC_NAMES.get(_normalise_word(str(detail.get("semantic_type") or "")))
    if semantic_type is None:
        return None
    unit = detail.get("unit")
    return FieldMeaning(
        semantic_type,
        unit if isinstance(unit, str) and unit else None,
        _parse_domain(detail.get("intrinsic_domain")),
    )


SEMANTIC_NAMES: Mapping[str, SemanticType] = {_normalise_word(kind): kind for kind in SemanticType}


def _parse_domain(value: JsonValue) -> tuple[float, float] | None:
    match value:
        case [int() | float() as low, int() | float() as high] if low < high:
            return float(low), float(high)
        case _:
            return None
