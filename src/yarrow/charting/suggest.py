"""Suggest charts for a table without calling a model."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from yarrow.charting.columns import (
    IN_TIME,
    ChartColumn,
    TableShape,
    field_kind,
    guess_meaning,
    is_additive_name,
)
from yarrow.charting.model import (
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    DType,
    FieldKind,
    SemanticType,
)
from yarrow.charting.words import SuggestionReason
from yarrow.kit.json import JsonValue

PLACES_MAX = 68
NAME_MAX = 80
"""Characters; longer texts are sentences."""
COORDINATES = frozenset({SemanticType.LATITUDE, SemanticType.LONGITUDE})
LABELS = frozenset({SemanticType.ID, SemanticType.ADDRESS, SemanticType.ZIP_CODE})
DEGREES = frozenset({DType.INTEGER, DType.NUMBER})
FURTHEST = {SemanticType.LATITUDE: 90, SemanticType.LONGITUDE: 180}


class ColumnRoles(Struct, frozen=True):
    """Columns by their role in a chart, the more suitable ones first."""

    times: tuple[ChartColumn, ...]
    measures: tuple[ChartColumn, ...]
    places: tuple[ChartColumn, ...]
    longitude: ChartColumn | None
    latitude: ChartColumn | None


def assign_roles(shape: TableShape) -> ColumnRoles:
    """Columns without a value, and row numbers, have no role."""
    filled = [column for column in shape.columns if column.distinct > 0]
    means = {c.name: guess_meaning(c) for c in filled}
    kinds = {c.name: field_kind(c, row_count=shape.row_count, meaning=None) for c in filled}
    times = [c for c in filled if _is_time(c, kinds[c.name], means[c.name])]
    measures = [
        c
        for c in filled
        if kinds[c.name] is FieldKind.QUANTITATIVE and means[c.name] not in COORDINATES
    ]
    places = [c for c in filled if c not in times and _is_place(c, kinds[c.name], means[c.name])]
    return ColumnRoles(
        tuple(times),
        tuple(sorted(measures, key=lambda c: means[c.name] is None)),
        tuple(sorted(places, key=lambda c: c.distinct > 20)),
        longitude=_find_coordinate(filled, means, SemanticType.LONGITUDE),
        latitude=_find_coordinate(filled, means, SemanticType.LATITUDE),
    )


def _is_time(column: ChartColumn, kind: FieldKind, meaning: SemanticType | None) -> bool:
    return column.distinct > 1 and (kind is FieldKind.TEMPORAL or meaning in IN_TIME)


def _is_place(column: ChartColumn, kind: FieldKind, meaning: SemanticType | None) -> bool:
    discrete = kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}
    is_few = 1 < column.distinct <= PLACES_MAX
    return discrete and meaning not in LABELS and is_few and not is_prose(column)


def is_prose(column: ChartColumn) -> bool:
    """Whether half of the texts are too long for the name of a place."""
    texts = [value for value in column.samples if isinstance(value, str)]
    return 2 * sum(len(text) > NAME_MAX for text in texts) > len(texts)


def _find_coordinate(
    columns: list[ChartColumn], means: Mapping[str, SemanticType | None], wanted: SemanticType
) -> ChartColumn | None:
    named = (c for c in columns if means[c.name] is wanted and c.dtype in DEGREES)
    return next(
        (c for c in named if all(_is_within_limit(v, FURTHEST[wanted]) for v in c.samples)), None
    )


def _is_within_limit(value: JsonValue, limit: float) -> bool:
    return isinstance(value, int | float) and abs(value) <= limit


SUGGESTED_SERIES_MAX = 8
WEDGES_MAX = 7
CELLS_MAX = 48
BARS_MAX = 30
SUGGESTIONS_MAX = 6
AXIS_NAMES: Mapping[str, int] = {"x": -1, "y": 1}
CANDLE_NAMES: Mapping[ChartChannel, frozenset[str]] = {
    ChartChannel.OPEN: frozenset({"open", "开盘", "开盘价"}),
    ChartChannel.HIGH: frozenset({"high", "最高", "最高价"}),
    ChartChannel.LOW: frozenset({"low", "最低", "最低价"}),
    ChartChannel.CLOSE: frozenset({"close", "收盘", "收盘价"}),
}


class ChartSuggestion(Struct, frozen=True):
    """A suggested chart, the reason, and a score from 0 to 1."""

    intent: ChartIntent
    title: tuple[str, ...]
    """Names of its fields, the measured one first."""
    reason: SuggestionReason
    score: float

    def question(self, language: ChartLanguage) -> str:
        """The question that the chart answers."""
        return self.reason.question(self.title, language)


def suggest_charts(shape: TableShape) -> tuple[ChartSuggestion, ...]:
    """Suggestions, the best first; none for a table without rows or values."""
    if not shape.row_count:
        return ()
    roles = assign_roles(shape)
    suggestions = [s for suggester in SUGGESTERS for s in suggester(shape, roles)]
    if not suggestions:
        suggestions = list(_suggest_counts(shape))
    return tuple(sorted(suggestions, key=lambda s: -s.score)[:SUGGESTIONS_MAX])


Suggester = Callable[[TableShape, ColumnRoles], Iterator[ChartSuggestion]]


def _make_suggestion(
    chart: ChartType,
    encodings: Mapping[ChartChannel, ChartColumn | None],
    *,
    reason: SuggestionReason,
    score: float,
) -> ChartSuggestion:
    fields = {channel: column.name for channel, column in encodings.items() if column}
    measured = (ChartChannel.Y, ChartChannel.SIZE, ChartChannel.VALUE, ChartChannel.CLOSE)
    title = sorted(fields, key=lambda channel: channel not in measured)
    words = tuple(dict.fromkeys(fields[channel] for channel in title))
    return ChartSuggestion(ChartIntent(chart, fields), words, reason, score)


def _find_series(roles: ColumnRoles, *taken: ChartColumn) -> ChartColumn | None:
    """A field with few enough values to be shown by colour."""
    free = (c for c in roles.places if c not in taken and c.distinct <= SUGGESTED_SERIES_MAX)
    return next(free, None)


def _suggest_line(_shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    if roles.times and roles.measures:
        time, measure = roles.times[0], roles.measures[0]
        channels = {
            ChartChannel.X: time,
            ChartChannel.Y: measure,
            ChartChannel.COLOR: _find_series(roles),
        }
        yield _make_suggestion(
            ChartType.LINE, channels, reason=SuggestionReason.OVER_TIME, score=0.95
        )


def _suggest_bars(shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    """Bars show sums; if it is unknown whether a measure may be summed, a box plot is preferred."""
    if not roles.places or not roles.measures:
        return
    place, measure = roles.places[0], roles.measures[0]
    axes = {ChartChannel.X: place, ChartChannel.Y: measure}
    crowded = shape.row_count >= place.distinct * 5
    unsure = crowded and not is_additive_name(measure.name)
    score = 0.5 if unsure else 0.85 if place.distinct <= BARS_MAX else 0.6
    yield _make_suggestion(ChartType.BAR, axes, reason=SuggestionReason.BY_CATEGORY, score=score)
    if crowded:
        spread = 0.86 if unsure else 0.55
        yield _make_suggestion(
            ChartType.BOXPLOT, axes, reason=SuggestionReason.SPREAD_WITHIN, score=spread
        )
    if place.distinct <= WEDGES_MAX and not unsure and _are_all_positive(measure):
        wedges = {ChartChannel.COLOR: place, ChartChannel.SIZE: measure}
        yield _make_suggestion(ChartType.PIE, wedges, reason=SuggestionReason.PARTS, score=0.45)


def _suggest_pairs(_shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    if len(roles.places) < 2 or not roles.measures:
        return
    one, other = roles.places[:2]
    measure = roles.measures[0]
    if one.distinct * other.distinct <= CELLS_MAX:
        channels = {ChartChannel.X: one, ChartChannel.Y: measure, ChartChannel.GROUP: other}
        yield _make_suggestion(
            ChartType.GROUPED_BAR, channels, reason=SuggestionReason.TWO_CATEGORIES, score=0.7
        )
    else:
        channels = {ChartChannel.X: one, ChartChannel.Y: other, ChartChannel.COLOR: measure}
        yield _make_suggestion(
            ChartType.HEATMAP, channels, reason=SuggestionReason.MANY_PAIRS, score=0.65
        )


def _suggest_scatter(shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    """Columns named x and y are the axes; otherwise the first of two columns is x."""
    if len(roles.measures) > 1:
        x, y = sorted(
            roles.measures[:2],
            key=lambda c: (AXIS_NAMES.get(c.name.strip().lower(), 0), shape.columns.index(c)),
        )
        channels = {ChartChannel.X: x, ChartChannel.Y: y, ChartChannel.COLOR: _find_series(roles)}
        yield _make_suggestion(
            ChartType.SCATTER, channels, reason=SuggestionReason.TWO_MEASURES, score=0.75
        )


def _suggest_single(shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    if roles.measures and shape.row_count == 1:
        value = roles.measures[0]
        yield _make_suggestion(
            ChartType.KPI_CARD,
            {ChartChannel.VALUE: value},
            reason=SuggestionReason.ONE_NUMBER,
            score=0.9,
        )
    elif roles.measures:
        x = roles.measures[0]
        yield _make_suggestion(
            ChartType.HISTOGRAM, {ChartChannel.X: x}, reason=SuggestionReason.SPREAD, score=0.6
        )
    if roles.places:
        place = {ChartChannel.X: roles.places[0]}
        yield _make_suggestion(ChartType.BAR, place, reason=SuggestionReason.OFTEN, score=0.4)


def _suggest_map(_shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    if roles.longitude and roles.latitude:
        channels = {
            ChartChannel.LONGITUDE: roles.longitude,
            ChartChannel.LATITUDE: roles.latitude,
            ChartChannel.SIZE: roles.measures[0] if roles.measures else None,
            ChartChannel.COLOR: _find_series(roles),
        }
        yield _make_suggestion(
            ChartType.WORLD_MAP, channels, reason=SuggestionReason.COORDINATES, score=0.8
        )


def _suggest_candles(shape: TableShape, roles: ColumnRoles) -> Iterator[ChartSuggestion]:
    prices = {
        channel: next((c for c in shape.columns if c.name.strip().lower() in names), None)
        for channel, names in CANDLE_NAMES.items()
    }
    if roles.times and all(column in roles.measures for column in prices.values()):
        channels = {ChartChannel.X: roles.times[0], **prices}
        yield _make_suggestion(
            ChartType.CANDLESTICK, channels, reason=SuggestionReason.PRICES, score=0.97
        )


SUGGESTERS: tuple[Suggester, ...] = (
    _suggest_line,
    _suggest_bars,
    _suggest_pairs,
    _suggest_scatter,
    _suggest_single,
    _suggest_map,
    _suggest_candles,
)


def _suggest_counts(shape: TableShape) -> Iterator[ChartSuggestion]:
    """For tables without a measure: the number of rows for each value."""
    filled = sorted((c for c in shape.columns if c.distinct), key=lambda c: c.distinct)
    for column in filled[:1]:
        place = {ChartChannel.X: column}
        yield _make_suggestion(ChartType.BAR, place, reason=SuggestionReason.OFTEN, score=0.2)


def _are_all_positive(column: ChartColumn) -> bool:
    return all(isinstance(value, int | float) and value > 0 for value in column.samples)
