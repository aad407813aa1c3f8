"""Suggest charts for a table without asking a model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from yarrow.charting.columns import (
    AVERAGED,
    IN_TIME,
    ChartColumn,
    TableShape,
    field_kind,
    guess_meaning,
)
from yarrow.charting.model import (
    Channel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    DType,
    FieldKind,
    FieldMeaning,
    SemanticType,
)
from yarrow.charting.words import Reason
from yarrow.kit.json import JsonValue

PLACES_MAX = 68
ON_EARTH = frozenset({SemanticType.LATITUDE, SemanticType.LONGITUDE})
LABELS = frozenset({SemanticType.ID, SemanticType.ADDRESS, SemanticType.ZIP_CODE})
DEGREES = frozenset({DType.INTEGER, DType.NUMBER})
FURTHEST = {SemanticType.LATITUDE: 90, SemanticType.LONGITUDE: 180}


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns by what they are good for, each list with the better ones first."""

    times: tuple[ChartColumn, ...]
    measures: tuple[ChartColumn, ...]
    places: tuple[ChartColumn, ...]
    longitude: ChartColumn | None
    latitude: ChartColumn | None


def roles_of(shape: TableShape, meanings: Mapping[str, FieldMeaning] | None = None) -> Roles:
    """Columns without a value, and those that only number the rows, have no role."""
    told = meanings or {}
    filled = [column for column in shape.columns if column.distinct > 0]
    means = {c.name: meaning_of(c, told) for c in filled}
    kinds = {
        c.name: field_kind(c, row_count=shape.row_count, meaning=told.get(c.name)) for c in filled
    }
    times = [c for c in filled if _is_time(c, kinds[c.name], means[c.name])]
    measures = [
        c
        for c in filled
        if kinds[c.name] is FieldKind.QUANTITATIVE and means[c.name] not in ON_EARTH
    ]
    places = [c for c in filled if c not in times and _is_place(c, kinds[c.name], means[c.name])]
    return Roles(
        tuple(times),
        tuple(sorted(measures, key=lambda c: means[c.name] is None)),
        tuple(sorted(places, key=lambda c: c.distinct > 20)),
        longitude=_meaning(filled, means, SemanticType.LONGITUDE),
        latitude=_meaning(filled, means, SemanticType.LATITUDE),
    )


def meaning_of(column: ChartColumn, told: Mapping[str, FieldMeaning]) -> SemanticType | None:
    registered = told.get(column.name)
    return registered.semantic_type if registered else guess_meaning(column)


def _is_time(column: ChartColumn, kind: FieldKind, meaning: SemanticType | None) -> bool:
    return column.distinct > 1 and (kind is FieldKind.TEMPORAL or meaning in IN_TIME)


def _is_place(column: ChartColumn, kind: FieldKind, meaning: SemanticType | None) -> bool:
    discrete = kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}
    return discrete and meaning not in LABELS and 1 < column.distinct <= PLACES_MAX


def _meaning(
    columns: list[ChartColumn], means: Mapping[str, SemanticType | None], wanted: SemanticType
) -> ChartColumn | None:
    named = (c for c in columns if means[c.name] is wanted and c.dtype in DEGREES)
    return next((c for c in named if all(_is_within(v, FURTHEST[wanted]) for v in c.samples)), None)


def _is_within(value: JsonValue, limit: float) -> bool:
    return isinstance(value, int | float) and abs(value) <= limit


SERIES_MAX = 8
WEDGES_MAX = 7
CELLS_MAX = 48
BARS_MAX = 30
SUGGESTIONS_MAX = 6
AXIS_NAMES: Mapping[str, int] = {"x": -1, "y": 1}
CANDLE_NAMES: Mapping[Channel, frozenset[str]] = {
    Channel.OPEN: frozenset({"open", "开盘", "开盘价"}),
    Channel.HIGH: frozenset({"high", "最高", "最高价"}),
    Channel.LOW: frozenset({"low", "最低", "最低价"}),
    Channel.CLOSE: frozenset({"close", "收盘", "收盘价"}),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A chart worth looking at, why, and how much (0 to 1)."""

    intent: ChartIntent
    title: tuple[str, ...]
    """The fields it is about, the measured one first: words for a title in any language."""
    reason: Reason
    score: float

    def asked(self, language: ChartLanguage) -> str:
        """The question that it answers."""
        return self.reason.asked(self.title, language)


def suggest_charts(
    shape: TableShape, meanings: Mapping[str, FieldMeaning] | None = None
) -> tuple[Suggestion, ...]:
    """The best first; none for a table without rows or values. Fields always exist."""
    if not shape.row_count:
        return ()
    told = meanings or {}
    roles = roles_of(shape, told)
    found = [s for idea in IDEAS for s in idea(shape, roles, told)]
    if not found:
        found = list(_anything(shape))
    return tuple(sorted(found, key=lambda s: -s.score)[:SUGGESTIONS_MAX])


Meanings = Mapping[str, FieldMeaning]
Idea = Callable[[TableShape, Roles, Meanings], Iterator[Suggestion]]


def _of(
    chart: ChartType,
    encodings: Mapping[Channel, ChartColumn | None],
    *,
    reason: Reason,
    score: float,
) -> Suggestion:
    fields = {channel: column.name for channel, column in encodings.items() if column}
    measured = (Channel.Y, Channel.SIZE, Channel.VALUE, Channel.CLOSE)
    title = sorted(fields, key=lambda channel: channel not in measured)
    words = tuple(dict.fromkeys(fields[channel] for channel in title))
    return Suggestion(ChartIntent(chart, fields), words, reason, score)


def _series(roles: Roles, *taken: ChartColumn) -> ChartColumn | None:
    """A field with few enough values to tell lines or dots apart by colour."""
    free = (c for c in roles.places if c not in taken and c.distinct <= SERIES_MAX)
    return next(free, None)


def _over_time(_shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    if roles.times and roles.measures:
        time, measure = roles.times[0], roles.measures[0]
        channels = {Channel.X: time, Channel.Y: measure, Channel.COLOR: _series(roles)}
        yield _of(ChartType.LINE, channels, reason=Reason.OVER_TIME, score=0.95)


def _by_place(shape: TableShape, roles: Roles, told: Meanings) -> Iterator[Suggestion]:
    """Bars add up; where nobody knows that the measure may be, its spread comes first."""
    if not roles.places or not roles.measures:
        return
    place, measure = roles.places[0], roles.measures[0]
    axes = {Channel.X: place, Channel.Y: measure}
    meaning = meaning_of(measure, told)
    crowded = shape.row_count >= place.distinct * 5
    unsure = crowded and (meaning is None or meaning in AVERAGED)
    score = 0.5 if unsure else 0.85 if place.distinct <= BARS_MAX else 0.6
    yield _of(ChartType.BAR, axes, reason=Reason.BY_CATEGORY, score=score)
    if crowded:
        spread = 0.86 if unsure else 0.55
        yield _of(ChartType.BOXPLOT, axes, reason=Reason.SPREAD_WITHIN, score=spread)
    if place.distinct <= WEDGES_MAX and not unsure and _all_positive(measure):
        wedges = {Channel.COLOR: place, Channel.SIZE: measure}
        yield _of(ChartType.PIE, wedges, reason=Reason.PARTS, score=0.45)


def _by_two_places(_shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    if len(roles.places) < 2 or not roles.measures:
        return
    one, other = roles.places[:2]
    measure = roles.measures[0]
    if one.distinct * other.distinct <= CELLS_MAX:
        channels = {Channel.X: one, Channel.Y: measure, Channel.GROUP: other}
        yield _of(ChartType.GROUPED_BAR, channels, reason=Reason.TWO_CATEGORIES, score=0.7)
    else:
        channels = {Channel.X: one, Channel.Y: other, Channel.COLOR: measure}
        yield _of(ChartType.HEATMAP, channels, reason=Reason.MANY_PAIRS, score=0.65)


def _against(shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    """As the columns are named, else as they stand: what is given first lies below."""
    if len(roles.measures) > 1:
        x, y = sorted(
            roles.measures[:2],
            key=lambda c: (AXIS_NAMES.get(c.name.strip().lower(), 0), shape.columns.index(c)),
        )
        channels = {Channel.X: x, Channel.Y: y, Channel.COLOR: _series(roles)}
        yield _of(ChartType.SCATTER, channels, reason=Reason.TWO_MEASURES, score=0.75)


def _alone(shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    if roles.measures and shape.row_count == 1:
        value = roles.measures[0]
        yield _of(ChartType.KPI_CARD, {Channel.VALUE: value}, reason=Reason.ONE_NUMBER, score=0.9)
    elif roles.measures:
        x = roles.measures[0]
        yield _of(ChartType.HISTOGRAM, {Channel.X: x}, reason=Reason.SPREAD, score=0.6)
    if roles.places:
        place = {Channel.X: roles.places[0]}
        yield _of(ChartType.BAR, place, reason=Reason.OFTEN, score=0.4)


def _on_earth(_shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    if roles.longitude and roles.latitude:
        channels = {
            Channel.LONGITUDE: roles.longitude,
            Channel.LATITUDE: roles.latitude,
            Channel.SIZE: roles.measures[0] if roles.measures else None,
            Channel.COLOR: _series(roles),
        }
        yield _of(ChartType.WORLD_MAP, channels, reason=Reason.COORDINATES, score=0.8)


def _candles(shape: TableShape, roles: Roles, _told: Meanings) -> Iterator[Suggestion]:
    prices = {
        channel: next((c for c in shape.columns if c.name.strip().lower() in names), None)
        for channel, names in CANDLE_NAMES.items()
    }
    if roles.times and all(column in roles.measures for column in prices.values()):
        channels = {Channel.X: roles.times[0], **prices}
        yield _of(ChartType.CANDLESTICK, channels, reason=Reason.PRICES, score=0.97)


IDEAS: tuple[Idea, ...] = (
    _over_time,
    _by_place,
    _by_two_places,
    _against,
    _alone,
    _on_earth,
    _candles,
)


def _anything(shape: TableShape) -> Iterator[Suggestion]:
    """What is left for a table of names or of one value: how often each occurs."""
    filled = sorted((c for c in shape.columns if c.distinct), key=lambda c: c.distinct)
    for column in filled[:1]:
        place = {Channel.X: column}
        yield _of(ChartType.BAR, place, reason=Reason.OFTEN, score=0.2)


def _all_positive(column: ChartColumn) -> bool:
    return all(isinstance(value, int | float) and value > 0 for value in column.samples)
