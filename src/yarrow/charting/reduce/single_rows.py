"""Charts of single rows: all of them, or an even sample; and candles, one for each place."""

from collections.abc import Sequence

from msgspec.structs import replace

from yarrow.charting.aggregate import is_aggregated
from yarrow.charting.chart_types import PRICES
from yarrow.charting.errors import ChartTooLarge, ChartWithoutNumbers, ChartWithoutRows
from yarrow.charting.frame import ChartFrame, find_measure_axis, other_axis
from yarrow.charting.model import ChartChannel, ChartType, DType, ReductionKind
from yarrow.charting.notes import Note
from yarrow.charting.reduce.expressions import (
    make_key_expression,
    make_plain_expression,
    name_other,
    note_expression,
)
from yarrow.charting.reduce.group_limits import (
    NUMBERS_MAX,
    PANELS,
    SERIES_MAX,
    WITHOUT_NULLS,
    reduce_groups,
)
from yarrow.charting.reduce.groups import MARKS_MAX
from yarrow.charting.reduce.source import COUNTED_ROWS, ROW, ChartSource, RelationSource
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.sql_text import quote_name, quote_text

POINTS_MAX = 5_000
"""Single rows of a scatter plot, a strip or a map."""
CANDLES_MAX, DOTS_MAX = 250, 2_000
SEED = 42
WORLD = (((-180, 180), (-90, 90)),)
UNITED_STATES = (
    ((-125, -66.5), (24, 50)),
    ((-180, -129), (51, 72)),
    ((172, 180), (51, 54)),
    ((-161, -154), (18.5, 22.5)),
)
"""Where the projection of the United States has a place: the states, Alaska with its westernmost
islands, Hawaii."""

X, Y, COLOR = ChartChannel.X, ChartChannel.Y, ChartChannel.COLOR


def reduce_single(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """Single rows, or groups if the request names an aggregate."""
    if any(is_aggregated(field) for field in frame.fields.values()):
        return reduce_groups(frame, source)
    channels = WITHOUT_NULLS.get(frame.chart_type) or (find_measure_axis(frame),)
    filled = list({frame.need(c).name: frame.need(c) for c in channels}.values())
    where = [f"{quote_name(field.name)} IS NOT NULL" for field in filled]
    if left_out := source.row_count - _count_rows(source, where):
        titles = ", ".join(field.title for field in filled)
        frame = frame.with_note(Note.NULLS_LEFT_OUT, count=left_out, fields=titles)
    return sample_rows(frame, source, where)


def reduce_map(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """Single rows within the map, or groups if the request names an aggregate; notes tell how
    many lie outside."""
    is_world = frame.chart_type is ChartType.WORLD_MAP
    area = frame.words.world if is_world else frame.words.states
    fields = [frame.need(c) for c in (ChartChannel.LONGITUDE, ChartChannel.LATITUDE)]
    for field in fields:
        if not field.measures:
            raise ChartWithoutNumbers(field.title)
    east, north = (quote_name(field.name) for field in fields)
    windows = (
        f"({east} BETWEEN {west} AND {right} AND {north} BETWEEN {south} AND {top})"
        for (west, right), (south, top) in (WORLD if is_world else UNITED_STATES)
    )
    where = [f"({' OR '.join(windows)})"]
    total = _count_rows(source, where)
    if not total:
        raise ChartWithoutRows(f"no row has a place on {area}")
    if outside := source.row_count - total:
        frame = frame.with_note(Note.OUTSIDE, count=outside, area=area)
    if any(is_aggregated(field) for field in frame.fields.values()):
        inside = f"(SELECT * FROM {source.relation} WHERE {where[0]})"
        return reduce_groups(frame, RelationSource(source, inside))
    return sample_rows(frame, source, where)


def sample_rows(frame: ChartFrame, source: ChartSource, where: Sequence[str]) -> ChartFrame:
    """The rows, or an even sample of them: those whose positions have the smallest hashes."""
    total = _count_rows(source, where)
    if not total:
        titles = ", ".join(field.title for field in frame.fields.values())
        raise ChartWithoutRows(f"no row has a value for {titles}")
    fields = list({field.key: field for field in frame.fields.values()}.values())
    merged, frame = _merge_hue(frame, source)
    columns = ", ".join(
        f"{merged.get(f.key) or quote_name(f.name)} AS {quote_name(f.key)}" for f in fields
    )
    kind = ReductionKind.NONE
    if total > POINTS_MAX:
        kind = ReductionKind.SAMPLED
        frame = frame.with_note(Note.SAMPLED, shown=POINTS_MAX, total=total)
    rows = _fetch_evenly(source, columns, where, total=total)
    keys = [field.key for field in fields]
    reduction = replace(frame.reduction, kind=kind, table_rows=source.row_count)
    values = [dict(zip(keys, row, strict=True)) for row in rows]
    return replace(frame, rows=values, reduction=reduction)


def _fetch_evenly(
    source: ChartSource, columns: str, where: Sequence[str], *, total: int
) -> list[list[JsonValue]]:
    conditions = list(where)
    order = f"ORDER BY {ROW}"
    if total > POINTS_MAX:
        position = f"hash({ROW} + {SEED})"
        below = min(2**64 - 1, int(2**64 * (POINTS_MAX / total * 1.2 + 100 / total)))
        conditions.append(f"{position} <= {below}::UBIGINT")
        order = f"ORDER BY {position} LIMIT {POINTS_MAX}"
    condition = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return source.run(
        f"SELECT * EXCLUDE ({ROW}) FROM (SELECT {columns}, {ROW} FROM {source.relation} "
        f"{condition} {order}) ORDER BY {ROW}"
    )


def sample_distribution(frame: ChartFrame, source: ChartSource) -> list[JsonObject]:
    """Rows of the table by names of columns, of many an even sample.

    A client that draws a distribution itself counts rows, so it cannot use bins and quartiles.
    """
    is_histogram = frame.chart_type is not ChartType.BOXPLOT
    measured = frame.need(X if is_histogram else find_measure_axis(frame))
    names = list(dict.fromkeys(field.name for field in frame.fields.values()))
    where = [f"{quote_name(measured.name)} IS NOT NULL"]
    columns = ", ".join(map(quote_name, names))
    rows = _fetch_evenly(source, columns, where, total=source.row_count - measured.nulls)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _merge_hue(frame: ChartFrame, source: ChartSource) -> tuple[dict[str, str], ChartFrame]:
    """The expression of a colour with too many names: the frequent ones, and one for the others."""
    hue = frame.get(COLOR)
    axes = {frame.fields[c].key for c in (X, Y) if c in frame.fields}
    if hue is None or not hue.is_discrete or hue.has_order or hue.key in axes:
        return {}, frame
    if hue.distinct <= SERIES_MAX + 1 and source.row_count <= COUNTED_ROWS:
        return {}, frame
    column = quote_name(hue.name)
    source.run(
        f"CREATE OR REPLACE TEMP TABLE _hues AS SELECT {column} AS name, count(*) AS n "
        f"FROM {source.relation} WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY n DESC, name"
    )
    ((count,),) = source.run("SELECT count(*) FROM _hues")
    if int(str(count)) <= SERIES_MAX + 1:
        return {}, frame
    kept = f"(SELECT name FROM _hues ORDER BY n DESC, name LIMIT {SERIES_MAX})"
    omitted = int(str(count)) - SERIES_MAX
    other = name_other(source, kept, frame.words.other, omitted)
    frame = replace(frame, others={**frame.others, hue.key: other}).with_note(
        Note.SERIES_MERGED, field=hue.title, shown=SERIES_MAX, omitted=omitted, other=other
    )
    sql = f"CASE WHEN {column} IS NULL OR {column} IN {kept} THEN {column}::VARCHAR "
    return {hue.key: f"{sql}ELSE {quote_text(other)} END"}, frame


def reduce_ranged_dots(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """With a colour one dot for each, else every value; of very many only the extremes."""
    axis = find_measure_axis(frame)
    measured = frame.need(axis)
    if not measured.measures:
        raise ChartWithoutNumbers(measured.title)
    if COLOR in frame.fields or measured.aggregate is not None:
        return reduce_groups(frame, source)
    keys = [key for key in frame.keys(*frame.fields) if key != measured.key]
    by_key = {field.key: quote_name(field.name) for field in frame.fields.values()}
    names = ", ".join(f"{by_key[key]} AS {quote_name(key)}" for key in keys)
    column = quote_name(measured.name)
    where = f"FROM {source.relation} WHERE {column} IS NOT NULL"
    value = quote_name(measured.key)
    distinct = f"SELECT DISTINCT {names}, {column} AS {value} {where}"
    rows = source.run(f"SELECT *, 0 FROM ({distinct}) LIMIT {DOTS_MAX + 1}")
    reduction = replace(frame.reduction, table_rows=source.row_count)
    if len(rows) > DOTS_MAX:
        grouped = f"SELECT {names}, [min({column}), max({column})] AS ends {where} GROUP BY ALL"
        rows = source.run(f"SELECT * EXCLUDE (ends), unnest(ends), 0 FROM ({grouped})")
        place = frame.get(other_axis(axis))
        frame = frame.with_note(Note.EXTREMES_ONLY, field=place.title if place else "")
        by = tuple(field.name for field in frame.fields.values() if field.key in keys)
        reduction = replace(reduction, kind=ReductionKind.AGGREGATED, by=by)
    _limit_marks(len(rows))
    values = [dict(zip([*keys, measured.key], row[:-1], strict=True)) for row in rows]
    ordered = sorted(values, key=lambda row: [str(row[key]) for key in keys])
    return replace(frame, rows=ordered, reduction=reduction)


def reduce_candles(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """One candle for each place: first and last price, highest and lowest."""
    for channel in PRICES:
        if not frame.need(channel).measures:
            raise ChartWithoutNumbers(frame.need(channel).title)
    frame = _separate_prices(frame)
    x = frame.need(X)
    is_moment = x.dated and x.dtype in {DType.DATE, DType.DATETIME}
    # Texts of dates have no order by which a month opens and closes.
    asked = frame if is_moment else replace(frame, config={})
    expression, source = make_key_expression(
        asked, source, x, most=CANDLES_MAX, most_numbers=NUMBERS_MAX
    )
    panels = [make_plain_expression(frame.fields[c]) for c in PANELS if c in frame.fields]
    order = f"ORDER BY {quote_name(x.name)}, {ROW}" if is_moment else f"ORDER BY {ROW}"
    first, high, low, last = (quote_name(frame.need(c).name) for c in PRICES)
    prices = (f"first({first} {order})", f"max({high})", f"min({low})", f"last({last} {order})")
    where = [f"{quote_name(frame.need(c).name)} IS NOT NULL" for c in (X, *PRICES)]
    keys = [expression, *panels]
    rows = source.run(
        f"SELECT {', '.join(key.sql for key in keys)}, {', '.join(prices)}, count(*), min({ROW}) "
        f"FROM {source.relation} WHERE {' AND '.join(where)} "
        f"GROUP BY {', '.join(key.sql for key in keys)} ORDER BY min({ROW}) LIMIT {MARKS_MAX + 1}"
    )
    _limit_marks(len(rows))
    names = [key.field.key for key in keys] + [frame.need(c).key for c in PRICES]
    frame = note_expression(frame, expression)
    reduction = replace(frame.reduction, table_rows=source.row_count)
    if any(isinstance(row[-2], int) and row[-2] > 1 for row in rows):
        frame = frame.with_note(Note.FIRST_AND_LAST, field=x.title)
        by = tuple(key.field.name for key in keys)
        reduction = replace(reduction, kind=ReductionKind.AGGREGATED, by=by)
    values = [dict(zip(names, row[:-2], strict=True)) for row in rows]
    return replace(frame, rows=values, reduction=reduction)


def _separate_prices(frame: ChartFrame) -> ChartFrame:
    """One column may be all four prices: each gets a key of its own."""
    fields = dict(frame.fields)
    taken = {field.key for channel, field in fields.items() if channel not in PRICES}
    for channel in PRICES:
        key = fields[channel].key
        while key in taken:
            key += "_"
        taken.add(key)
        fields[channel] = replace(fields[channel], key=key)
    return replace(frame, fields=fields)


def _limit_marks(count: int) -> None:
    if count > MARKS_MAX:
        raise ChartTooLarge(MARKS_MAX)


def _count_rows(source: ChartSource, where: Sequence[str]) -> int:
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    ((count,),) = source.run(f"SELECT count(*) FROM {source.relation}{condition}")
    return int(str(count))
