"""The benchmark's one table, and what it says of the bars."""

from collections.abc import Callable, Sequence
from statistics import median

from benchmarks.followers import IdleFollowers
from benchmarks.measure import Measured
from msgspec import Struct
from rich.console import Console
from rich.table import Table

MIN_SHARE = 0.40
"""Of the thin proxy's runs per second, in the same round."""
MAX_COST = 2.7
"""CPU per token, PostgreSQL included, as a multiple of the thin proxy's in the same round."""
MAX_SERVER_MB = 90.0
MAX_FIRST_TOKEN_MS = 6.0
MAX_FOLLOWER_KB = 40.0

MANY_STREAMS = 256
WIDTH = 150


class Row(Struct, frozen=True):
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


def cost_of(row: Row, other: Row) -> float:
    """How many times the other's CPU a token costs: the median over the rounds' own ratios."""
    pairs = zip(row.slices, other.slices, strict=True)
    return median(mine.total_us / theirs.total_us for mine, theirs in pairs)


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
    thin = same["thin proxy"]
    if row.clients == MANY_STREAMS:
        size = row.middle(lambda part: part.server_mb)
        return _judge(size <= MAX_SERVER_MB, f"{size:.0f} MB (≤ 90)")
    share, cost = share_of(row, thin), cost_of(row, thin)
    return (
        _judge(share >= MIN_SHARE, f"{share:.2f} of the thin proxy's runs/s (≥ 0.40)")
        + "\n"
        + _judge(cost <= MAX_COST, f"{cost:.1f} × its CPU (≤ 2.7)")
    )


def _judge(met: bool, figures: str) -> str:
    return f"{'ok' if met else 'MISSED'}  {figures}"


def judge_followers(followers: IdleFollowers) -> str:
    """One line about streams on which nothing happens."""
    size = followers.kb_each
    met = _judge(size <= MAX_FOLLOWER_KB, f"{size:.0f} kB each (≤ 40)")
    return f"{followers.count} idle followers: {met}, {followers.cpu_share:.1%} of a core"


def print_report(machine: str, measured: Sequence[Measured], followers: IdleFollowers) -> None:
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
    console.print(judge_followers(followers), highlight=False)
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
