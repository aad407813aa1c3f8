"""The plan of every statement of the stores reads no growing table from beginning to end.

Plans are made with the settings of production, which make them generic. They are made twice: with
statistics of the first thousand rows while the tables have fifty times as many, and with those of
all rows.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from benchmarks.growth_rows import GrowthSizes, fill
from tests.integration.db.store_statements import BY_HAND, list_statements, list_unreadable
from tests.loose_json import JsonObject, decode_json
from tests.own_database import create_database

from yarrow.db.disk_wait import DiskWait
from yarrow.db.migrate import upgrade_if_behind
from yarrow.db.pool import _SETTINGS
from yarrow.memory import store as memory_store

GROWING = {
    "asset_versions",
    "assets",
    "attachments",
    "branches",
    "datasets",
    "idempotency_keys",
    "memory_items",
    "memory_jobs",
    "messages",
    "points_ledger",
    "profiles",
    "runs",
    "session_bindings",
    "sessions",
    "tool_executions",
    "turns",
    "user_points",
    "users",
    "variables",
}
"""Tables with a row for each account, session, turn, message, run or asset. Others hold what is
under way: `pgqueuer`, `workers`, `branch_waiters`. `run_events` is partitioned by time."""

SMALL_INDEXES = {
    "ux_runs_branch_active",
    "ix_datasets_leftover",
    "ix_attachments_unused",
    "ix_memory_jobs_open",
    "ix_sessions_deleted",
}
"""Partial indexes of rows that are under way or to be swept: they may be read whole."""

FIRST = GrowthSizes(
    sessions=3, assets=100, tables=100, long_story=100, crowd=2, turns=50, small_sessions=3
)
ALL = GrowthSizes(sessions=2_000, assets=3_000, tables=3_000, long_story=300, crowd=2_000, turns=4)
ACCOUNT = re.compile(r"\b(account|user)_id =")
SCANS = {"Index Scan", "Index Only Scan", "Bitmap Index Scan"}


@pytest.fixture(scope="module")
async def filled(postgres: str) -> AsyncIterator[asyncpg.Connection]:
    """A database of its own, whose statistics are those of its first rows."""
    parts = urlsplit(postgres)
    admin = await asyncpg.connect(postgres)
    await admin.execute("CREATE DATABASE growing")
    dsn = urlunsplit(parts._replace(path="/growing"))
    await upgrade_if_behind(dsn)
    connection = await asyncpg.connect(dsn, statement_cache_size=0, server_settings=_SETTINGS)
    try:
        for table in GROWING - {"users"}:
            await connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        small, large = [
            row["id"]
            for row in await connection.fetch(
                "INSERT INTO auth.users (email) VALUES ('small'), ('large') RETURNING id"
            )
        ]
        await fill(connection, small=small, large=large, sizes=FIRST)
        await connection.execute("ANALYZE")
        await fill(connection, small=small, large=large, sizes=ALL, first=5_000_000)
        yield connection
    finally:
        await connection.close()
        await admin.execute("DROP DATABASE growing")
        await admin.close()


async def explain(connection: asyncpg.Connection, statement: str) -> JsonObject:
    await connection.execute(f"PREPARE explained AS {statement}")
    types = await connection.fetchval(
        "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'explained'"
    )
    nulls = ", ".join(f"NULL::{name}" for name in types)
    row = await connection.fetchval(
        f"EXPLAIN (FORMAT JSON) EXECUTE explained{f'({nulls})' if nulls else ''}"
    )
    await connection.execute("DEALLOCATE explained")
    plan: JsonObject = decode_json(row.encode())[0]["Plan"]
    return plan


def walk(plan: JsonObject) -> Iterator[JsonObject]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from walk(child)


def describe_scan(node: JsonObject) -> str | None:
    """What is wrong with a node: it reads all of a growing table, or all entries of an account in
    one index to find what another index finds."""
    kind, table = node["Node Type"], node.get("Relation Name")
    if kind == "BitmapAnd":
        of_account = [each for each in node["Plans"] if ACCOUNT.search(each.get("Index Cond", ""))]
        return f"{kind} with {of_account[0]['Index Name']}" if of_account else None
    index = node.get("Index Name")
    if kind == "Seq Scan" and table in GROWING:
        return f"{kind} on {table}"
    if kind in SCANS and "Index Cond" not in node and index not in SMALL_INDEXES:
        return f"{kind} of all of {index}" if table in GROWING or table is None else None
    return None


async def list_scans(connection: asyncpg.Connection) -> list[str]:
    return [
        f"{at}: {scan}"
        for at, statement in list_statements().items()
        for node in walk(await explain(connection, statement))
        if (scan := describe_scan(node)) is not None
    ]


def test_all_statements_are_explained() -> None:
    assert list_unreadable() == BY_HAND
    assert len(list_statements()) > 120


async def test_plans_hold_with_statistics_of_the_first_rows(
    filled: asyncpg.Connection,
) -> None:
    assert await list_scans(filled) == []


async def test_plans_hold_with_statistics_of_all_rows(filled: asyncpg.Connection) -> None:
    await filled.execute("VACUUM ANALYZE")

    assert await list_scans(filled) == []


async def test_plans_hold_if_they_are_made_in_a_new_database(postgres: str) -> None:
    """They are kept until there are statistics, and thousands of rows can come before."""
    dsn = await create_database(postgres)
    connection = await asyncpg.connect(dsn, statement_cache_size=0, server_settings=_SETTINGS)

    scans = await list_scans(connection)

    await connection.close()
    assert scans == []


async def test_a_run_ends_without_reading_the_other_active_ones(
    filled: asyncpg.Connection,
) -> None:
    names = ("by hand: complete a run", "by hand: fail a run")
    ends = [text for at, text in list_statements().items() if at.startswith(names)]
    nodes = [node for end in ends for node in walk(await explain(filled, end))]

    scans = [node for node in nodes if node.get("Relation Name") == "runs" and "Plans" not in node]

    assert len(scans) == len(ends) == 6
    assert all("Index Cond" in scan for scan in scans)


async def test_failed_runs_are_read_without_the_others(filled: asyncpg.Connection) -> None:
    [statement] = [text for at, text in list_statements().items() if ":read_failed_runs:" in at]

    indexes = [node.get("Index Name") for node in walk(await explain(filled, statement))]

    assert "ix_runs_failed" in indexes


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("calls, 1", "ix_tool_executions_tool"),
        ("calls, 2", "ix_tool_executions_unsuccessful"),
        ("count calls, 1", "ix_tool_executions_tool"),
        ("count calls, 2", "ix_tool_executions_unsuccessful"),
    ],
)
async def test_calls_with_a_rare_filter_are_read_without_the_others(
    filled: asyncpg.Connection, name: str, index: str
) -> None:
    plan = await explain(filled, list_statements()[f"by hand: {name}"])

    assert index in [node.get("Index Name") for node in walk(plan)]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("of a key", "ix_memory_items_key"),
        ("macro", "ix_memory_items_macro"),
        ("deprecated", "ix_memory_items_deprecated"),
        ("compacted", "ix_memory_items_compacted"),
        ("of the kind open_loop", "ix_memory_items_kind"),
        ("of the scope turn", "ix_memory_items_scope"),
    ],
)
async def test_memories_with_a_rare_filter_are_read_without_the_others(
    filled: asyncpg.Connection, name: str, index: str
) -> None:
    statements = list_statements()
    for kind in ("memories", "count memories"):
        plan = await explain(filled, statements[f"by hand: {kind}, {name}"])

        assert index in [node.get("Index Name") for node in walk(plan)]


async def test_a_written_memory_counts_only_those_since_the_last_count(
    filled: asyncpg.Connection,
) -> None:
    plan = await explain(filled, memory_store._COUNT_NEWER)

    [scan] = [node for node in walk(plan) if node.get("Relation Name") == "memory_items"]
    # Of any index: PostgreSQL 18 skips a column with few values before the time.
    assert "account_id =" in scan["Index Cond"]
    assert "created_at >" in scan["Index Cond"]


@pytest.mark.parametrize("sort", ["created", "updated", "title"])
async def test_search_for_stories_ends_with_the_list(filled: asyncpg.Connection, sort: str) -> None:
    column = "title" if sort == "title" else f"{sort}_at"
    plan = await explain(filled, list_statements()[f"by hand: stories by {column} desc"])

    (limit,) = [node for node in walk(plan) if node["Node Type"] == "Limit"]
    (scan,) = [node for node in limit["Plans"] if "Index Name" in node]
    assert scan["Node Type"] == "Index Only Scan"
    assert scan["Index Name"] == f"ix_sessions_story_{sort}"


async def test_the_next_session_to_purge_is_found_without_the_others(
    filled: asyncpg.Connection,
) -> None:
    [statement] = [text for at, text in list_statements().items() if ":lock_expired_session:" in at]

    indexes = [node.get("Index Name") for node in walk(await explain(filled, statement))]

    assert "ix_sessions_deleted" in indexes


async def test_a_wait_for_the_disk_finds_rows_by_index_in_a_new_database(postgres: str) -> None:
    """Its plan is made with the first run, and kept while thousands come."""
    generic = {"plan_cache_mode": "force_generic_plan"}
    connection = await asyncpg.connect(await create_database(postgres), server_settings=generic)
    statement = DiskWait(lambda: nullcontext(connection), "runs")._find

    scans = [node for node in walk(await explain(connection, statement)) if "Index Name" in node]

    await connection.close()
    assert [scan["Index Name"] for scan in scans] == ["runs_pkey"]


async def test_a_missing_index_is_noticed(filled: asyncpg.Connection) -> None:
    plan = await explain(filled, "SELECT 1 FROM messages WHERE model_code = $1")

    assert describe_scan(plan) == "Seq Scan on messages"
