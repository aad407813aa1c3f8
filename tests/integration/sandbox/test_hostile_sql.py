"""Queries that mean harm: each fails, and the next one works."""

import asyncio
from pathlib import Path

import pytest
from tests.integration.sandbox.conftest import (
    LIMITS,
    SHORT,
    TOO_LONG,
    Box,
    cannot_isolate,
    make_table,
    wait_for_jobs,
)

from yarrow.isolation.landlock import is_available
from yarrow.sandbox.errors import QueryFailed, SandboxUnconfined
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import JobLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

OVERWRITE = "COPY (SELECT 0 AS amount) TO '{ours}' (FORMAT parquet, USE_TMP_FILE false)"

REFUSED = {
    "read a text file": "SELECT * FROM read_text('/etc/passwd')",
    "read a secret": "SELECT * FROM read_text('{secret}')",
    "read a CSV": "SELECT * FROM read_csv('/etc/passwd')",
    "read another account's table": "SELECT * FROM read_parquet('{others}')",
    "read it in the job's place": "SELECT * FROM read_parquet('/datasets/{other_name}')",
    "read it by a glob": "SELECT * FROM read_parquet('{folder}/*.parquet')",
    "read it by a way up": "SELECT * FROM read_parquet('{ours}/../{other_name}')",
    "list files": "SELECT * FROM glob('{folder}/*')",
    "sniff": "SELECT * FROM sniff_csv('/etc/passwd')",
    "write a file": "COPY (SELECT 1) TO '{folder}/x.csv'",
    "write over the table": "COPY (SELECT 1 AS a) TO '{ours}' (FORMAT parquet, USE_TMP_FILE false)",
    "write over it while selecting": f"WITH x AS ({OVERWRITE}) SELECT 1",
    "write over it while explaining": f"EXPLAIN ANALYZE {OVERWRITE}",
    "write with a wide space": "WITH x AS (\u00a0COPY\u00a0(SELECT 1 AS a) TO '{ours}') SELECT 1",
    "export": "EXPORT DATABASE '{folder}/x'",
    "import": "IMPORT DATABASE '{folder}/x'",
    "attach": "ATTACH '{folder}/x.db' AS x",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "reach the network": "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "change a setting": "SET memory_limit = '100GB'",
    "unlock": "SET lock_configuration = false",
    "let files in": "SET enable_external_access = true",
    "use a pragma": "PRAGMA database_list",
    "call a pragma": "CALL pragma_version()",
    "make a secret": "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "two statements": "SELECT 1; SELECT 2",
    "two statements, hidden": "SELECT 1; DROP VIEW sales",
    "make a table": "CREATE TABLE t AS SELECT 1",
    "drop": "DROP VIEW sales",
    "insert": "INSERT INTO sales VALUES ('x', 1)",
    "nothing": "",
    "only a remark": "-- nothing",
    "broken": "SELEC 1",
    "unknown table": "SELECT * FROM nowhere",
    "a variable of the process": "SELECT * FROM _opened",
}

EXHAUSTING = {
    "a gigabyte of text": "SELECT repeat('x', 1000000000) || region FROM sales",
    "gigabytes in pieces": "SELECT sum(length(repeat('x', 300000000) || i)) FROM range(50) t(i)",
    "a long list": "SELECT list(a.range) FROM range(1000000000) a",
}

ENDLESS = {
    "a recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
    "SELECT max(n) FROM t",
    "a product of tables": "SELECT count(*) FROM range(10000000) a, range(10000000) b "
    "WHERE a.range * b.range % 7 = 3",
}


async def assert_works(box: Box) -> None:
    result = await box.sandbox.run_sql("SELECT sum(amount) AS total FROM sales", box.tables, LIMITS)
    assert list(result.rows) == [{"total": 42}]


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_not_reading_ones_tables_is_refused(name: str, box: Box) -> None:
    query = REFUSED[name].format(
        secret=box.secret,
        ours=box.ours,
        others=box.others,
        other_name=box.others.name,
        folder=box.sandbox.folder,
    )

    with pytest.raises(QueryFailed) as failed:
        await box.sandbox.run_sql(query, box.tables, LIMITS)

    assert str(box.sandbox.folder) not in failed.value.rule
    await assert_works(box)


@pytest.mark.skipif(not is_available(), reason="the kernel has no Landlock")
@pytest.mark.parametrize(
    "query",
    [f"WITH x AS ({OVERWRITE}) SELECT 1", f"EXPLAIN ANALYZE {OVERWRITE}"],
)
async def test_a_query_writes_nothing_where_jobs_are_not_locked_up(
    query: str, tmp_path: Path
) -> None:
    async with Sandbox(Settings(data_dir=tmp_path), probe=cannot_isolate) as sandbox:
        ours = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        box = Box(sandbox, ours, ours, ours)

        with pytest.raises(QueryFailed, match="only SELECT"):
            await sandbox.run_sql(query.format(ours=ours), box.tables, LIMITS)

        await assert_works(box)


async def test_no_table_is_read_where_nothing_confines_its_reader(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    async with Sandbox(settings, probe=cannot_isolate, has_landlock=lambda: False) as sandbox:
        with pytest.raises(SandboxUnconfined):
            await make_table(sandbox, "ours", "region,amount\nnorth,10\n")


async def test_words_in_quotes_are_not_taken_for_writing(box: Box) -> None:
    query = 'SELECT \'copy it to x\' AS "Copy to", 1 AS "copy" -- a copy to keep'

    result = await box.sandbox.run_sql(query, box.tables, LIMITS)

    assert list(result.rows) == [{"Copy to": "copy it to x", "copy": 1}]


@pytest.mark.parametrize("name", EXHAUSTING)
async def test_what_takes_too_much_memory_is_ended(name: str, box: Box) -> None:
    with pytest.raises(QueryFailed, match="needs more memory than one job has"):
        await box.sandbox.run_sql(EXHAUSTING[name], box.tables, LIMITS)

    await assert_works(box)


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_takes_too_long_is_ended(name: str, box: Box) -> None:
    with pytest.raises(QueryFailed, match=TOO_LONG):
        await box.sandbox.run_sql(ENDLESS[name], box.tables, SHORT)

    await assert_works(box)


async def test_many_rows_are_cut_and_said_to_be(box: Box) -> None:
    limits = JobLimits(seconds=5, rows=10)

    result = await box.sandbox.run_sql("SELECT * FROM range(100000000)", {}, limits)

    assert len(result.rows) == 10
    assert result.truncated


async def test_wide_rows_are_cut_by_their_bytes(box: Box) -> None:
    limits = JobLimits(seconds=5, result_bytes=100_000)

    result = await box.sandbox.run_sql("SELECT repeat('x', 30000) AS x FROM range(100)", {}, limits)

    assert len(result.rows) == 3
    assert result.truncated


@pytest.mark.usefixtures("python_box")
async def test_a_cancelled_query_leaves_no_work_behind(tmp_path: Path) -> None:
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        await sandbox.run_sql("SELECT 1", {}, LIMITS)
        await wait_for_jobs(sandbox, JobKind.SQL, 0)
        endless = asyncio.create_task(sandbox.run_sql(ENDLESS["a product of tables"], {}, LIMITS))
        await wait_for_jobs(sandbox, JobKind.SQL, 1)

        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless

        await wait_for_jobs(sandbox, JobKind.SQL, 0)


async def test_sixteen_at_once_all_get_their_own_answer(box: Box) -> None:
    asked = [
        box.sandbox.run_sql(f"SELECT {n} AS n FROM sales LIMIT 1", box.tables) for n in range(16)
    ]

    answers = await asyncio.gather(*asked)

    assert [answer.rows[0]["n"] for answer in answers] == list(range(16))


async def test_a_kept_query_is_a_file_of_all_its_rows(box: Box) -> None:
    saved = await box.sandbox.save_query("SELECT * FROM sales -- all of it", box.tables)

    read = await box.sandbox.run_sql("SELECT count(*) AS n FROM saved", {"saved": saved.path})
    assert saved.row_count == 2
    assert list(read.rows) == [{"n": 2}]


async def test_a_mistake_is_told_without_what_we_put_around_the_query(box: Box) -> None:
    with pytest.raises(QueryFailed) as failed:
        await box.sandbox.save_query("SELECT nowhere FROM sales", box.tables, LIMITS)

    assert str(failed.value) == 'there is no column "nowhere"; there are: "amount"'


@pytest.mark.parametrize(
    "query",
    [
        "SELECT '城;市' AS a;",
        "SELECT '城;市' AS a; -- why; because",
        "SELECT '城;市' AS a -- why; because",
        'SELECT "城;市" AS a FROM (SELECT \'城;市\' AS "城;市") ;;\n/* the end; */',
    ],
)
async def test_what_stands_behind_a_query_does_no_harm(query: str, box: Box) -> None:
    saved = await box.sandbox.save_query(query, {}, LIMITS)

    saved.path.unlink()
    assert list(saved.first.rows) == [{"a": "城;市"}]
