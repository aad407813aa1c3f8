"""The benchmark's one table, and what it says of the bars."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.measure import Measured
from rich.console import Console
from rich.table import Table

MIN_RUNS_PER_S = 140.0
MIN_SHARE = 0.3
MAX_US_PER_TOKEN = 140.0
MAX_SERVER_MB = 120.0
MAX_FIRST_TOKEN_MS = 6.0

FULL_LOAD = 64
MANY_STREAMS = 256
WIDTH = 150


@dataclass(frozen=True, slots=True)
class Row:
    """The median slice of one target under one load."""

    target: str
    clients: int
    slices: Sequence[Measured]

    def middle(self, figure: Callable[[Measured], float]) -> float:
        return median(figure(part) for part in self.slices)


def rows_of(measured: Sequence[Measured]) -> list[Row]:
    """The slices of all rounds, gathered by load and target, in the order they were made."""
    places = dict.fromkeys((part.clients, part.target) for part in measured)
    return [
        Row(
            target,
            clients,
            [p for p in measured if (p.clients, p.target) == (clients, target)],
        )
        for clients, target in places
    ]


def share_of(row: Row, other: Row) -> float:
    """How many of the other's runs this one makes: the median over the rounds' own ratios."""
    pairs = zip(row.slices, other.slices, strict=True)
    return median(mine.runs_per_s / theirs.runs_per_s for mine, theirs in pairs)


def over(row: Row, other: Row) -> float:
    """Milliseconds to the first token beyond the other's: the median over the rounds."""
    pairs = zip(row.slices, other.slices, strict=True)
    return median(mine.first_token_p50_ms - theirs.first_token_p50_ms for mine, theirs in pairs)


def verdict(row: Row, rows: Sequence[Row]) -> str:
    """What the bars say of this row; nothing if none is set for it."""
    if not row.target.startswith("yarrow"):
        return ""
    same = {other.target: other for other in rows if other.clients == row.clients}
    if row.clients == 1:
        late = over(row, same["model alone"])
        return _judge(late <= MAX_FIRST_TOKEN_MS, f"first token +{late:.1f} ms (≤ 6)")
    if row.clients == MANY_STREAMS:
        size = row.middle(lambda part: part.server_mb)
        return _judge(size <= MAX_SERVER_MB, f"{size:.0f} MB (≤ 120)")
    speed, cost = row.middle(lambda part: part.runs_per_s), row.middle(lambda p: p.total_us)
    share = share_of(row, same["thin proxy"])
    fast = speed >= MIN_RUNS_PER_S or share >= MIN_SHARE
    return (
        _judge(fast, f"{speed:.0f}/s (≥ 140) or {share:.2f} of thin (≥ 0.3)")
        + "\n"
        + _judge(cost <= MAX_US_PER_TOKEN, f"{cost:.0f} µs (≤ 140)")
    )


def _judge(met: bool, figures: str) -> str:
    return f"{'ok' if met else 'MISSED'}  {figures}"


def print_report(machine: str, measured: Sequence[Measured]) -> None:
    """Print the table, and what broke."""
    rows = rows_of(measured)
    table = Table(title=f"50-token runs on {machine}", show_lines=False)
    for name in ("clients", "target", "runs/s", "first token ms", "CPU µs/token", "memory MB"):
        table.add_column(name, justify="left" if name == "target" else "right")
    table.add_column("bars")
    clients = 0
    for row in rows:
        if clients not in (0, row.clients):
            table.add_section()
        clients = row.clients
        table.add_row(*_cells(row), verdict(row, rows))
    console = Console(width=WIDTH)
    console.print(table)
    console.print(
        "first token: p50 / p99 from the first request's first byte.  CPU: server + PostgreSQL.  "
        "Memory: the server's peak + PostgreSQL (shared pages once).",
        highlight=False,
    )
    for part in measured:
        if part.broken:
            first = part.broken[0]
            console.print(f"{len(part.broken)} broken runs at {part.target}; the first: {first}")


def _cells(row: Row) -> list[str]:
    p50, p99 = (
        row.middle(lambda part: part.first_token_p50_ms),
        row.middle(lambda part: part.first_token_p99_ms),
    )
    return [
        str(row.clients),
        row.target,
        f"{row.middle(lambda part: part.runs_per_s):.0f}",
        f"{p50:.1f} / {p99:.1f}",
        _sum(row, lambda part: part.server_us, lambda part: part.database_us),
        _sum(row, lambda part: part.server_mb, lambda part: part.database_mb),
    ]


def _sum(row: Row, server: Callable[[Measured], float], rest: Callable[[Measured], float]) -> str:
    mine, other = row.middle(server), row.middle(rest)
    return f"{mine:.0f} + {other:.0f}" if other else f"{mine:.0f}"
