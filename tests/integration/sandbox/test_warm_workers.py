"""Warm workers: when they are used and ended, and queries that they answer."""

from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from tests.integration.sandbox.conftest import (
    LIMITS,
    SHORT,
    TOO_LONG,
    Box,
    Pool,
    Workspace,
    make_table,
    wait_for_jobs,
)
from tests.integration.sandbox.test_hostile_sql import ENDLESS

from yarrow.sandbox.errors import QueryFailed
from yarrow.sandbox.job_spec import make_sql_request
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import WarmLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

TOTAL = "SELECT sum(amount) AS n FROM sales"
PRODUCT = ENDLESS["a product of tables"]
QUERY = "SELECT region, amount * 2 AS twice, DATE '2026-01-02' AS day FROM Sales ORDER BY region"


@pytest.fixture
async def own(python_box: Box, tmp_path: Path) -> AsyncIterator[tuple[Sandbox, dict[str, Path]]]:
    """A sandbox without any warm worker yet."""
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        yield sandbox, await sales(sandbox)


async def sales(sandbox: Sandbox) -> dict[str, Path]:
    return {"sales": await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")}


async def test_queries_of_one_workspace_run_in_one_process(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    workspace = Workspace(sandbox, "a/queries")
    cold = await sandbox.run_sql(QUERY, tables, LIMITS)
    cold_file = await sandbox.save_query(QUERY, tables, LIMITS)
    cold_rows = await sandbox.run_sql("FROM saved", {"saved": cold_file.path}, LIMITS)

    for _ in range(2):
        assert await workspace.run_sql(QUERY, tables, LIMITS) == cold
        saved = await workspace.save_query(QUERY, tables, LIMITS)
        assert (saved.first, saved.row_count) == (cold_file.first, cold_file.row_count)
        rows = await sandbox.run_sql("FROM saved", {"saved": saved.path}, LIMITS)
        assert rows.rows == cold_rows.rows
    await wait_for_jobs(sandbox, JobKind.SQL, 1)


async def test_workspaces_do_not_share_a_process(own: tuple[Sandbox, dict[str, Path]]) -> None:
    sandbox, tables = own
    await Workspace(sandbox, "a/one").run_sql(TOTAL, tables, LIMITS)
    first = await wait_for_jobs(sandbox, JobKind.SQL, 1)

    await Workspace(sandbox, "b/one").run_sql(TOTAL, tables, LIMITS)

    assert first < await wait_for_jobs(sandbox, JobKind.SQL, 2)


async def test_parameters_counts_and_row_numbers_are_the_same_warm(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    query = 'SELECT "#rowId", region FROM sales WHERE amount > ?'
    cold, warm = [
        await run(
            query,
            tables,
            LIMITS,
            parameters=[20],
            numbered=True,
            count_query="SELECT count(*) FROM sales WHERE amount < ?",
        )
        for run in (sandbox.run_sql, Workspace(sandbox, "a/parameters").run_sql)
    ]

    assert list(warm.rows) == [{"#rowId": 2, "region": "south"}]
    assert warm == cold
    await wait_for_jobs(sandbox, JobKind.SQL, 1)


async def test_a_table_that_was_replaced_is_sent_again(
    own: tuple[Sandbox, dict[str, Path]],
) -> None:
    sandbox, tables = own
    workspace = Workspace(sandbox, "a/replaced")
    before = await workspace.run_sql(TOTAL, tables, LIMITS)
    other = await make_table(sandbox, "other", "region,amount\neast,7\n")
    other.replace(tables["sales"])

    after = await workspace.run_sql(TOTAL, tables, LIMITS)

    assert (list(before.rows), list(after.rows)) == ([{"n": 42}], [{"n": 7}])


async def test_large_tables_are_not_sent(python_box: Box, tmp_path: Path) -> None:
    limits = WarmLimits(table_bytes=100)
    async with Sandbox(Settings(data_dir=tmp_path), warm_limits=limits) as sandbox:
        tables = await sales(sandbox)

        result = await Workspace(sandbox, "a/large").run_sql(TOTAL, tables, LIMITS)

        assert list(result.rows) == [{"n": 42}]
        await wait_for_jobs(sandbox, JobKind.SQL, 0)


@pytest.mark.parametrize(("setting", "left"), [(0, 0), (1, 1)])
async def test_no_more_workers_stay_than_the_settings_say(
    setting: int, left: int, python_box: Box, tmp_path: Path
) -> None:
    async with Sandbox(Settings(data_dir=tmp_path, sandbox_warm_workers=setting)) as sandbox:
        for key in ("a/1", "b/1", "c/1"):
            result = await Workspace(sandbox, key).run_sql("SELECT 1 AS n", {}, LIMITS)
            assert list(result.rows) == [{"n": 1}]

        await wait_for_jobs(sandbox, JobKind.SQL, left)


async def test_an_idle_worker_is_ended(python_box: Box, tmp_path: Path) -> None:
    limits = WarmLimits(idle_s=0.3)
    async with Sandbox(Settings(data_dir=tmp_path), warm_limits=limits) as sandbox:
        await Workspace(sandbox, "a/idle").run_sql("SELECT 1", {}, LIMITS)

        await wait_for_jobs(sandbox, JobKind.SQL, 0)


async def test_a_worn_worker_is_ended(python_box: Box, tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path), warm_limits=WarmLimits(max_uses=2)) as sandbox:
        workspace = Workspace(sandbox, "a/worn")

        await workspace.run_sql("SELECT 1", {}, LIMITS)
        await wait_for_jobs(sandbox, JobKind.SQL, 1)
        await workspace.run_sql("SELECT 1", {}, LIMITS)

        await wait_for_jobs(sandbox, JobKind.SQL, 0)


async def test_a_worker_that_died_is_not_missed(own: tuple[Sandbox, dict[str, Path]]) -> None:
    sandbox, tables = own
    workspace = Workspace(sandbox, "a/died")
    await workspace.run_sql(TOTAL, tables, LIMITS)
    for pid in await wait_for_jobs(sandbox, JobKind.SQL, 1):
        psutil.Process(pid).kill()

    result = await workspace.run_sql(TOTAL, tables, LIMITS)

    assert list(result.rows) == [{"n": 42}]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_parquet('{others}')",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t AS SELECT 1",
        "SET memory_limit = '100GB'",
        "COPY (SELECT 1) TO '/job/kept/x.csv'",
        "ROLLBACK",
        "SELECT nowhere FROM sales",
    ],
)
async def test_a_query_that_means_harm_fails_as_in_a_fresh_process(
    query: str, python_box: Box
) -> None:
    workspace = Workspace(python_box.sandbox, "a/queries")
    hostile = query.replace("{others}", str(python_box.others))
    with pytest.raises(QueryFailed) as cold:
        await python_box.sandbox.run_sql(hostile, python_box.tables, LIMITS)

    with pytest.raises(QueryFailed) as warm:
        await workspace.run_sql(hostile, python_box.tables, LIMITS)
    after = await workspace.run_sql(TOTAL, python_box.tables, LIMITS)

    assert str(warm.value) == str(cold.value)
    assert list(after.rows) == [{"n": 42}]


async def test_a_query_that_takes_too_long_fails(python_box: Box) -> None:
    with pytest.raises(QueryFailed, match=TOO_LONG):
        await Workspace(python_box.sandbox, "a/long").run_sql(PRODUCT, {}, SHORT)


async def test_a_timeout_is_not_answered_by_asking_for_a_fresh_process(pool: Pool) -> None:
    with pytest.raises(TimeoutError):
        await pool.run(make_sql_request(PRODUCT, SHORT), {}, SHORT)


async def test_random_numbers_differ_between_queries(python_box: Box) -> None:
    workspace = Workspace(python_box.sandbox, "a/chance")

    results = [await workspace.run_sql("SELECT random() AS x", {}, LIMITS) for _ in range(3)]

    assert len({result.rows[0]["x"] for result in results}) == 3


@pytest.mark.parametrize(
    "query",
    [
        "SHOW TABLES",
        "SELECT table_name FROM information_schema.tables",
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
        "DESCRIBE sales",
        "SUMMARIZE sales",
        "EXPLAIN SELECT 1",
    ],
)
async def test_queries_of_the_catalogue_give_what_a_fresh_process_gives(
    query: str, python_box: Box
) -> None:
    workspace = Workspace(python_box.sandbox, "a/catalogue")

    cold = await python_box.sandbox.run_sql(query, python_box.tables, LIMITS)

    assert await workspace.run_sql(query, python_box.tables, LIMITS) == cold


@pytest.mark.parametrize(
    "query",
    [
        "EXPLAIN ANALYZE COPY (SELECT 999 AS amount) TO '/job/kept/x' (FORMAT parquet)",
        "EXPLAIN ANALYZE COMMIT",
        "EXPLAIN ANALYZE SET VARIABLE x = 5",
        "SELECT setseed(0.5)",
        "SELECT * FROM glob('/job/kept/*')",
        "SELECT * FROM '/job/kept/x'",
        "SELECT * FROM read_parquet('/job/kept/x')",
        "SELECT * FROM parquet_metadata('/job/kept/*')",
        "SELECT * FROM query('SELECT set' || 'seed(0.5)')",
        "SELECT * FROM query('SELECT * FROM gl' || 'ob(''/job/kept/*'')')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "WITH x AS (COPY (SELECT 999 AS amount) TO '/job/kept/x' (FORMAT parquet)) SELECT 1",
    ],
)
async def test_a_query_that_could_leave_something_behind_is_refused(query: str, pool: Pool) -> None:
    assert not await pool.answers(make_sql_request(query, LIMITS), {})
    assert await pool.answers(make_sql_request("SELECT 1", LIMITS), {})
