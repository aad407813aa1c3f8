"""Which values may be stacked, and the charts that replace a stack of values which may not.

Parts of a stack, wedges and steps of a waterfall are read as sums. Sums and counts of groups may be
added; means, medians, extremes and numbers of distinct values may not. Single values may be added
if their name or meaning says so (`aggregate.choose_measure`), if the request names a stack, or if
they are shares of a whole.
Bars that a request does not want stacked are drawn in groups.
"""

from collections import defaultdict
from collections.abc import Mapping

from msgspec.structs import replace

from yarrow.charting.aggregate import AggregateEvidence, Measure, choose_measure
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame, find_measure_axis, read_number
from yarrow.charting.model import Aggregate, ChartChannel, ChartIntent, ChartType, ReductionKind
from yarrow.charting.notes import Note
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.kit.json import JsonObject, JsonValue

X, Y, COLOR, SIZE = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR, ChartChannel.SIZE
GROUP, BAR = ChartChannel.GROUP, ChartType.BAR

ADDED_UP = frozenset({Aggregate.SUM, Aggregate.COUNT})
"""Aggregates of groups that may be stacked. A distinct customer may be one of several groups."""
STACKS = frozenset(
    {ChartType.STACKED_BAR, ChartType.STREAMGRAPH, ChartType.PIE, ChartType.WATERFALL}
)
"""Charts that add up values by definition."""
STACK_MODES = frozenset({"normalize", "zero", "center"})
"""What the option `stack` may be, beside `NO_STACK`."""
SHARES = frozenset({"normalize", "center"})
NO_STACK = "none"
"""The option `stack` of a request that wants values beside each other."""
SIDE_BY_SIDE: Mapping[ChartType, ChartType] = {
    BAR: ChartType.GROUPED_BAR,
    ChartType.STACKED_BAR: ChartType.GROUPED_BAR,
    ChartType.ROSE: ChartType.GROUPED_BAR,
    ChartType.AREA: ChartType.LINE,
    ChartType.STREAMGRAPH: ChartType.LINE,
    ChartType.PIE: BAR,
    ChartType.WATERFALL: BAR,
}
"""The chart that shows the same values beside each other."""
MOVED_CHANNELS: Mapping[ChartType, Mapping[ChartChannel, ChartChannel]] = {
    BAR: {COLOR: GROUP},
    ChartType.STACKED_BAR: {COLOR: GROUP},
    ChartType.ROSE: {COLOR: GROUP},
    ChartType.PIE: {COLOR: X, SIZE: Y},
}
BARS = frozenset({BAR, ChartType.STACKED_BAR})
STACK_OPTIONS = frozenset({"stack", "innerRadius"})
SHARE_TOTALS = (1.0, 100.0)
"""What shares of a whole add up to: fractions and percentages."""
SHARE_TOLERANCE = 0.01
"""How far rounded shares may add up beside their whole."""


def unstack_values(intent: ChartIntent, frame: ChartFrame) -> ChartIntent | None:
    """The request of a chart that does not add up these values; None if they may be added."""
    chart = SIDE_BY_SIDE.get(intent.chart_type)
    field = _find_measure(frame)
    if chart is None or field is None:
        return None
    is_refused = intent.config.get("stack") == NO_STACK
    if is_refused and intent.chart_type is ChartType.AREA:
        return None  # its areas lie over each other
    below_zero = min(frame.numbers(field), default=0) < 0
    if below_zero and (_shows_shares(intent) or _crosses_zero(intent, frame, field)):
        text = Note.BELOW_ZERO
        chart = chart if COLOR in frame.fields or chart is not ChartType.GROUPED_BAR else BAR
    elif is_refused and intent.chart_type in BARS and _sum_places(frame, field) is not None:
        text = Note.STACK_REFUSED
    elif _may_add(intent, frame, field):
        return None
    else:
        text = Note.NOT_STACKED
    moved = MOVED_CHANNELS.get(intent.chart_type, {})
    title = field.title
    note = frame.words.note(text, field=title, chart=str(chart), asked=str(intent.chart_type))
    return replace(
        intent,
        chart_type=chart,
        encodings={moved.get(c, c): name for c, name in intent.encodings.items()},
        aggregates={moved.get(c, c): name for c, name in intent.aggregates.items()},
        config={k: v for k, v in intent.config.items() if k not in STACK_OPTIONS},
        notes=(*intent.notes, note),
    )


def requests_stack(chart_type: ChartType, config: JsonObject) -> bool:
    """Whether the request itself says that values are added up."""
    return chart_type in STACKS or config.get("stack") in STACK_MODES


def _shows_shares(intent: ChartIntent) -> bool:
    """Whether Vega draws the size of each part, whatever its sign."""
    return intent.chart_type is ChartType.STREAMGRAPH or intent.config.get("stack") in SHARES


def _crosses_zero(intent: ChartIntent, frame: ChartFrame, field: ChartField) -> bool:
    """Whether stacked areas would cover each other: some values are above zero, some below."""
    is_stacked = intent.chart_type is ChartType.AREA and _sum_places(frame, field) is not None
    return is_stacked and max(frame.numbers(field)) > 0


def sum_single_values(measure: Measure) -> Measure:
    """The measure of a stack that is requested of single values: its parts may be merged."""
    if measure.aggregate is not Aggregate.MEAN or measure.evidence is AggregateEvidence.REQUEST:
        return measure
    return replace(measure, aggregate=Aggregate.SUM, evidence=AggregateEvidence.REQUEST)


def _find_measure(frame: ChartFrame) -> ChartField | None:
    channel = SIZE if frame.chart_type is ChartType.PIE else find_measure_axis(frame)
    field = frame.get(channel)
    return field if field is not None and field.measures else None


def _may_add(intent: ChartIntent, frame: ChartFrame, field: ChartField) -> bool:
    totals = _sum_places(frame, field)
    if totals is None or field.key == COUNT_KEY or choose_measure(field).aggregate in ADDED_UP:
        return True
    if frame.reduction.aggregates.get(field.name) in ADDED_UP:
        return True
    if frame.reduction.kind is ReductionKind.AGGREGATED:
        return False
    return requests_stack(intent.chart_type, intent.config) or any(
        all(abs(total / whole - 1) < SHARE_TOLERANCE for total in totals) for whole in SHARE_TOTALS
    )


def _sum_places(frame: ChartFrame, field: ChartField) -> list[float] | None:
    """What the parts of each place add up to; None if no place has several."""
    channels = (X, Y) if frame.chart_type not in {ChartType.PIE, ChartType.WATERFALL} else ()
    panels = (ChartChannel.COLUMN, ChartChannel.ROW)
    keys = [key for key in frame.keys(*channels, *panels) if key != field.key]
    places: defaultdict[tuple[JsonValue, ...], list[float]] = defaultdict(list)
    for row in frame.rows:
        if row.get(field.key) is not None:
            places[tuple(row.get(key) for key in keys)].append(read_number(row, field.key))
    if all(len(parts) < 2 for parts in places.values()):
        return None
    return [sum(parts) for parts in places.values()]
