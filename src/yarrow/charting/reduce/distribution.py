"""Histograms, densities and the numbers of box plots over all rows, in DuckDB."""

from collections.abc import Sequence

from msgspec.structs import replace

from yarrow.charting.errors import ChartRangeTooLarge, ChartWithoutNumbers
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame, find_measure_axis
from yarrow.charting.model import ChartChannel, ChartReduction, DType, ReductionKind
from yarrow.charting.notes import Note
from yarrow.charting.reduce.expressions import (
    bin_number_sql,
    choose_bin_size,
    make_key_expression,
    make_plain_expression,
    name_other,
    note_expression,
    round_edge,
)
from yarrow.charting.reduce.group_limits import FACETS_MAX, PANELS, PLACES_MAX, SERIES_MAX
from yarrow.charting.reduce.source import COUNTED_ROWS, ROW, ChartSource
from yarrow.charting.row_keys import (
    BIN_END,
    BIN_STEP,
    BOX_ROWS,
    COUNT_KEY,
    DENSITY,
    HIGH,
    LOW,
    MEDIAN,
    Q1,
    Q3,
)
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.sql_text import quote_name, quote_text

BINS = 20
BINS_MIN, BINS_MAX = 2, 200
WHOLE_STEPS, WHOLE_FROM = (1, 2, 5, 10), 5
"""Steps below it divide whole numbers unevenly: of 2.5, every other bin has one number more."""
CURVE_BINS, CURVE_POINTS = 512, 100
BINNED_MAX, SQUARED_MAX = 1e300, 1e150
"""Of numbers that are larger, neither differences nor squares are floats."""
OUTLIERS_MAX = 500
SEED = 42

BANDWIDTH = (
    "1.06 * coalesce(nullif(least(deviation, coalesce(nullif(middle_half, 0) / 1.34, deviation)), "
    "0), nullif(deviation, 0), 1) * pow(total, -0.2)"
)
"""By Scott's rule, as Vega estimates it."""


def reduce_histogram(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """The number of rows in each bin."""
    x = frame.need(ChartChannel.X)
    _require_range(x, BINNED_MAX)
    frame, relation, keys = _limit_groups(frame, source, x)
    column, names = quote_name(x.name), _list_names(keys)
    bins, frame = _read_bins(frame)
    step = choose_bin_size(x.low, x.high, bins)
    if (step is None or step < WHOLE_FROM) and _holds_whole_numbers(x, source):
        step = choose_bin_size(x.low, x.high, bins, steps=WHOLE_STEPS)
        step = None if step is None or step <= 1 else step
    number = f"{column} - 0.5" if step is None else bin_number_sql(x, step)
    rows = source.run(
        f"SELECT {names}{number} AS bin, count(*) AS n FROM {relation} "
        f"WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY ALL"
    )
    width = len(keys)
    values = [
        _map_key_values(keys, row) | _bin_values(x, row[width], step or 1.0) | {COUNT_KEY: row[-1]}
        for row in rows
    ]
    return _set_reduced_rows(frame, source, values, x)


def _holds_whole_numbers(x: ChartField, source: ChartSource) -> bool:
    if x.dtype is not DType.NUMBER:
        return x.dtype is DType.INTEGER
    column = quote_name(x.name)
    rows = source.run(f"SELECT 1 FROM {source.relation} WHERE {column} <> trunc({column}) LIMIT 1")
    return not rows


def _bin_values(x: ChartField, number: JsonValue, step: float) -> JsonObject:
    low, high = (round_edge((float(str(number)) + side) * step) for side in (0, 1))
    return {x.key: low, BIN_END: high, BIN_STEP: step}


def _read_bins(frame: ChartFrame) -> tuple[int, ChartFrame]:
    option = "binCount" if frame.config.get("binCount") is not None else "maxbins"
    bins = frame.config.get(option)
    if isinstance(bins, int) and not isinstance(bins, bool) and BINS_MIN <= bins <= BINS_MAX:
        return bins, frame
    is_ignored = bins is not None
    return BINS, frame.with_note(Note.NO_OPTION, names=f"{option} {bins}") if is_ignored else frame


def reduce_density(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """A kernel density estimate: rows are counted in fine bins, and a normal curve laid on each."""
    x = frame.need(ChartChannel.X)
    _require_range(x, SQUARED_MAX)
    frame, relation, keys = _limit_groups(frame, source, x)
    column, names = quote_name(x.name), _list_names(keys)
    low, high = float(str(x.low)), float(str(x.high))
    margin = (high - low) * 0.1 or 1.0
    width = (high - low) / CURVE_BINS or 1.0
    first = low if high > low else low - width / 2
    source.run(
        f"CREATE OR REPLACE TEMP TABLE _bins AS SELECT {names}"
        f"{first!r} + (floor(({column} - {first!r}) / {width!r}) + 0.5) * {width!r} AS middle, "
        f"count(*) AS n FROM {relation} WHERE {column} IS NOT NULL GROUP BY ALL"
    )
    _measure_spread(source, _list_aliases(keys))
    same = " AND ".join(f"b.{key} IS NOT DISTINCT FROM s.{key}" for key in _list_aliases(keys))
    start, stretch = low - margin, high - low + 2 * margin
    rows = source.run(
        f"WITH s AS (SELECT *, {BANDWIDTH} AS h FROM _spread), "
        f"grid AS (SELECT {start!r} + {stretch!r} * range / {CURVE_POINTS - 1} AS point "
        f"FROM range({CURVE_POINTS})) "
        f"SELECT {''.join(f's.{key}, ' for key in _list_aliases(keys))}point, "
        "sum(n * exp(-0.5 * pow((point - b.middle) / h, 2))) "
        "/ (any_value(total) * any_value(h) * sqrt(2 * pi())) "
        f"FROM _bins AS b JOIN s ON {same or 'true'}, grid GROUP BY ALL ORDER BY ALL"
    )
    size = len(keys)
    values = [
        _map_key_values(keys, row) | {x.key: row[size], DENSITY: row[size + 1]} for row in rows
    ]
    return _set_reduced_rows(frame, source, values, x)


def _measure_spread(source: ChartSource, keys: Sequence[str]) -> None:
    """Number, deviation and middle half of the values of each curve, by their bins."""
    names = "".join(f"{key}, " for key in keys)
    part = f"PARTITION BY {', '.join(keys)}" if keys else ""
    ranks = (
        f"sum(n) OVER ({part} ORDER BY middle) AS up_to, sum(n) OVER ({part}) AS total, "
        f"sum(n * middle) OVER ({part}) / sum(n) OVER ({part}) AS mean"
    )
    source.run(
        f"CREATE OR REPLACE TEMP TABLE _spread AS SELECT {names}any_value(total) AS total, "
        "sqrt(sum(n * pow(middle - mean, 2)) / greatest(any_value(total) - 1, 1)) AS deviation, "
        "min(middle) FILTER (WHERE up_to >= 0.75 * total) "
        "- min(middle) FILTER (WHERE up_to >= 0.25 * total) AS middle_half "
        f"FROM (SELECT *, {ranks} FROM _bins) {'GROUP BY ALL' if keys else ''}"
    )


def reduce_boxplot(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """Quartiles and whiskers of each box, and its outliers, of very many an even sample."""
    measured = frame.need(find_measure_axis(frame))
    _require_numbers(measured)
    frame, relation, keys = _limit_groups(frame, source, measured)
    column, names = quote_name(measured.name), _list_names(keys)
    group = f"GROUP BY {', '.join(_list_aliases(keys))}" if keys else ""
    first = f"min({ROW})" if source.row_count <= COUNTED_ROWS else "0"
    source.run(
        f"CREATE OR REPLACE TEMP TABLE _boxes AS SELECT {names}"
        f"quantile_cont({column}, [0.25, 0.5, 0.75]) AS quartiles, min({column}) AS least, "
        f"max({column}) AS most, count({column}) AS n, {first} AS place FROM {relation} "
        f"WHERE {column} IS NOT NULL {group}"
    )
    using = " AND ".join(
        f"r.{name} IS NOT DISTINCT FROM b.{alias}"
        for name, alias in zip(_list_expressions(keys), _list_aliases(keys), strict=True)
    )
    source.run(
        "CREATE OR REPLACE TEMP TABLE _fences AS SELECT *, q1 - 1.5 * (q3 - q1) AS low_fence, "
        "q3 + 1.5 * (q3 - q1) AS high_fence FROM (SELECT *, quartiles[1] AS q1, "
        "quartiles[2] AS middle, quartiles[3] AS q3 FROM _boxes)"
    )
    if (boxes := _read_boxes_in_fences(source, keys)) is not None:
        return _set_reduced_rows(frame, source, boxes, measured)
    joined = f"{relation} AS r JOIN _fences AS b ON {using or 'true'}"
    inside = f"(r.{column} >= b.low_fence AND r.{column} <= b.high_fence)"
    shown = "".join(f"b.{alias}, " for alias in _list_aliases(keys))
    numbers = "b.q1, b.middle, b.q3, b.n"
    rows = source.run(
        f"SELECT {shown}min(r.{column}) FILTER (WHERE {inside}), {numbers}, "
        f"max(r.{column}) FILTER (WHERE {inside}), count(*) FILTER (WHERE NOT {inside}) "
        f"FROM {joined} WHERE r.{column} IS NOT NULL "
        f"GROUP BY {shown}{numbers} ORDER BY min(r.{ROW})"
    )
    size = len(keys)
    values = [_build_box(keys, row[:-1]) for row in rows]
    outside = f"FROM {joined} WHERE r.{column} IS NOT NULL AND NOT {inside}"
    count = sum(int(str(row[-1])) for row in rows)
    if count:
        dots = source.run(
            f"SELECT {shown}r.{column} {outside} ORDER BY hash(r.{ROW} + {SEED}) "
            f"LIMIT {OUTLIERS_MAX}"
        )
        values += [_map_key_values(keys, row) | {measured.key: row[size]} for row in dots]
    if count > OUTLIERS_MAX:
        frame = frame.with_note(Note.OUTLIERS_SAMPLED, shown=OUTLIERS_MAX, total=count)
    return _set_reduced_rows(frame, source, values, measured)


def _read_boxes_in_fences(
    source: ChartSource, keys: Sequence[ChartField]
) -> list[JsonObject] | None:
    """The boxes if nothing lies outside their fences: whiskers are the extremes then, and no row is
    read again."""
    outside = "least < low_fence OR most > high_fence"
    if source.run(f"SELECT 1 FROM _fences WHERE {outside} LIMIT 1"):
        return None
    kept = "".join(f"{alias}, " for alias in _list_aliases(keys))
    boxes = source.run(f"SELECT {kept}least, q1, middle, q3, n, most FROM _fences ORDER BY place")
    return [_build_box(keys, row) for row in boxes]


def _build_box(keys: Sequence[ChartField], row: Sequence[JsonValue]) -> JsonObject:
    numbers = (LOW, Q1, MEDIAN, Q3, BOX_ROWS, HIGH)
    return _map_key_values(keys, row) | dict(zip(numbers, row[len(keys) :], strict=True))


def _limit_groups(
    frame: ChartFrame, source: ChartSource, measured: ChartField
) -> tuple[ChartFrame, str, list[ChartField]]:
    """The fields that divide the rows, and the relation with too many of their values reduced."""
    _require_numbers(measured)
    if measured.nulls:
        frame = frame.with_note(Note.NULLS_LEFT_OUT, count=measured.nulls, fields=measured.title)
    keys = {f.key: f for f in frame.fields.values() if f.key != measured.key}
    kept_rows, replaced = list[str](), list[str]()
    hue = frame.get(ChartChannel.COLOR)
    for key in keys.values():
        is_hue = hue is not None and key.key == hue.key
        most = SERIES_MAX if is_hue else PLACES_MAX
        most = FACETS_MAX if key.key in frame.keys(*PANELS) else most
        if key.dated and not is_hue:
            expression, source = make_key_expression(
                frame, source, key, most=most, most_numbers=most
            )
            if expression.sql != make_plain_expression(key).sql:
                replaced.append(f"{expression.sql} AS {quote_name(key.name)}")
            frame = note_expression(frame, expression)
        elif not key.dated and not (is_hue and key.has_order):
            frame, condition = _limit_values(frame, source, key, most=most, is_hue=is_hue)
            if condition and is_hue:
                other = quote_text(frame.others[key.key])
                column = quote_name(key.name)
                replaced.append(
                    f"CASE WHEN {condition} THEN {column}::VARCHAR ELSE {other} END AS {column}"
                )
            elif condition:
                kept_rows.append(condition)
    relation = source.relation
    if kept_rows:
        relation = f"(SELECT * FROM {relation} WHERE {' AND '.join(kept_rows)})"
    if replaced:
        relation = f"(SELECT * REPLACE ({', '.join(replaced)}) FROM {relation})"
    return frame, relation, list(keys.values())


def _limit_values(
    frame: ChartFrame, source: ChartSource, key: ChartField, *, most: int, is_hue: bool
) -> tuple[ChartFrame, str]:
    """A condition for the values with most rows, of a field with more than `most`; of a colour,
    the frame has the name of the others."""
    if source.row_count <= COUNTED_ROWS and key.distinct < most:
        return frame, ""
    column, top = quote_name(key.name), quote_name(f"_top_{key.key}")
    source.run(
        f"CREATE OR REPLACE TEMP TABLE {top} AS SELECT {column} AS name, count(*) AS n "
        f"FROM {source.relation} GROUP BY ALL ORDER BY n DESC, name"
    )
    ((count,),) = source.run(f"SELECT count(*) FROM {top}")
    omitted = int(str(count)) - most
    if omitted <= 0:
        return frame, ""
    kept = f"(SELECT name FROM {top} ORDER BY n DESC, name LIMIT {most})"
    if is_hue:
        other = name_other(source, kept, frame.words.other, omitted)
        frame = replace(frame, others={**frame.others, key.key: other})
        note, more = Note.SERIES_MERGED, {"other": other}
    else:
        note, more = Note.PLACES_OMITTED, {}
    frame = frame.with_note(note, field=key.title, shown=most, omitted=omitted, **more)
    has_null = f"{column} IS NULL AND (SELECT count(*) > count(name) FROM {kept})"
    return frame, f"({column} IN {kept} OR {has_null})"


def _require_numbers(field: ChartField) -> None:
    if not field.measures or field.low is None:
        raise ChartWithoutNumbers(field.title)


def _require_range(field: ChartField, largest: float) -> None:
    """Raise if numbers of the range of the values are no floats."""
    _require_numbers(field)
    if max(abs(float(str(end))) for end in (field.low, field.high)) > largest:
        raise ChartRangeTooLarge(field.title)


def _list_expressions(keys: Sequence[ChartField]) -> list[str]:
    return [make_plain_expression(key).sql for key in keys]


def _list_aliases(keys: Sequence[ChartField]) -> list[str]:
    return [quote_name(f"key {at}") for at in range(len(keys))]


def _list_names(keys: Sequence[ChartField]) -> str:
    pairs = zip(_list_expressions(keys), _list_aliases(keys), strict=True)
    return "".join(f"{sql} AS {alias}, " for sql, alias in pairs)


def _map_key_values(keys: Sequence[ChartField], row: Sequence[JsonValue]) -> JsonObject:
    return {key.key: value for key, value in zip(keys, row, strict=False)}


def _set_reduced_rows(
    frame: ChartFrame, source: ChartSource, rows: list[JsonObject], measured: ChartField
) -> ChartFrame:
    by = tuple(field.name for field in frame.fields.values() if field.key != measured.key)
    reduction = ChartReduction(ReductionKind.AGGREGATED, source.row_count, by)
    return replace(frame, rows=rows, reduction=reduction)
