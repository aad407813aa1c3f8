"""The analyst's table: ours, the peer's, the ratio, and what the bars say."""

from collections.abc import Sequence
from statistics import median

from benchmarks.analyst_measures import OURS, Metric, Sheet
from rich.console import Console
from rich.table import Table

MAX_FIRST_BYTE_MS = 10.0
MAX_DELTA_CPU_MS = 0.15
MIN_CHARTS_PER_S = 60.0
MAX_GROWTH = 1.5
"""No growth, but for noise. A list is not judged: its answer has every table in it."""
WIDTH = 140
SHOWN = 3

RATES = (Metric.CHART_RATE, Metric.SHARED_RATE, Metric.CROWDED_RATE)
GROWTH = {
    Metric.EXPLAIN_MANY: Metric.EXPLAIN_FEW,
    Metric.CHART_MANY: Metric.CHART_FEW,
    Metric.LIST_MANY: Metric.LIST_FEW,
}


def print_report(machine: str, sheets: Sequence[Sheet]) -> None:
    """Print one column for each server, the ratio of the first to the second, and what broke."""
    console = Console(width=WIDTH)
    table = Table(title=f"the data analyst on {machine}")
    table.add_column("what")
    for sheet in sheets:
        table.add_column(sheet.name, justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("bar")
    for metric in Metric:
        if any(metric in sheet.readings for sheet in sheets):
            figures = [_figure(metric, sheet) for sheet in sheets]
            table.add_row(metric, *figures, _quotient(metric, sheets), verdict(metric, sheets))
    console.print(table)
    for sheet in sheets:
        if sheet.broken:
            console.print(f"{len(sheet.broken)} broken runs at {sheet.name}; the first:")
            console.print("\n".join(sheet.broken[:SHOWN]), highlight=False)


def _figure(metric: Metric, sheet: Sheet) -> str:
    if metric not in sheet.readings:
        return "–"
    told = _round(sheet.middle(metric))
    few = GROWTH.get(metric)
    return told if few is None else f"{told} (x {_grown(metric, few, sheet):.1f})"


def _grown(many: Metric, few: Metric, sheet: Sheet) -> float:
    return sheet.middle(many) / sheet.middle(few)


def _round(value: float) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def ratio(metric: Metric, sheets: Sequence[Sheet]) -> float | None:
    """Ours over theirs: the median of the ratios that belong to one round.

    A round in which nothing came out right has no reading, so the pairs may end early.
    """
    if len(sheets) < 2 or any(metric not in sheet.readings for sheet in sheets):
        return None
    ours, theirs = (sheet.readings[metric] for sheet in sheets)
    return median(mine / other for mine, other in zip(ours, theirs, strict=False))


def _quotient(metric: Metric, sheets: Sequence[Sheet]) -> str:
    found = ratio(metric, sheets)
    return "" if found is None else _round(found)


def verdict(metric: Metric, sheets: Sequence[Sheet]) -> str:
    """What the bars say of a figure of ours; nothing if none is set for it."""
    ours = sheets[0]
    if ours.name != OURS or metric not in ours.readings:
        return ""
    middle = ours.middle(metric)
    if metric is Metric.FIRST_BYTE:
        return _judge(middle <= MAX_FIRST_BYTE_MS, f"≤ {MAX_FIRST_BYTE_MS:.0f} ms")
    if metric is Metric.DELTA_CPU:
        return _judge(middle <= MAX_DELTA_CPU_MS, f"≤ {MAX_DELTA_CPU_MS} ms")
    if metric in RATES:
        return _judge(middle >= MIN_CHARTS_PER_S, f"≥ {MIN_CHARTS_PER_S:.0f}/s")
    if metric in GROWTH and metric is not Metric.LIST_MANY:
        grown = _grown(metric, GROWTH[metric], ours)
        return _judge(grown <= MAX_GROWTH, f"no growth (x ≤ {MAX_GROWTH})")
    return ""


def _judge(met: bool, bar: str) -> str:
    return f"{'ok' if met else 'MISSED'}  {bar}"
