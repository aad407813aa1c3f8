"""Verbs on tables: reference data-agent.md §8."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psutil
import pytest
from msgspec import Struct, field
from msgspec.structs import replace
from tests.integration.tables.conftest import Upload
from tests.loose_json import JsonObject, JsonValue
from tests.new_account import new_account

from yarrow.db import Database
from yarrow.errors import InvalidInput, StorageUnavailable
from yarrow.kit.notes import list_messages
from yarrow.sandbox.errors import TableUnreadable
from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import Column, FileToRead, SavedFrame, TableResult
from yarrow.tables.column_statistics import compute_statistics
from yarrow.tables.create import save_derived, sync_table_data
from yarrow.tables.errors import TableFileGone, TableNotFound
from yarrow.tables.model import (
    ContainsFilter,
    InFilter,
    RangeFilter,
    RowFilter,
    SampleMethod,
    SampleRequest,
    TableContents,
    Tables,
    Workspace,
)
from yarrow.tables.read import (
    export_csv,
    find_table,
    find_tables,
    get_table,
    list_tables,
    list_workspaces,
    map_table_paths,
    read_shapes,
    sample_table,
)
from yarrow.tables.remove import delete_table, reset_workspace
from yarrow.tables.rerun import CodeRun, rerun_code
from yarrow.tables.store import complete_table, select_existing_ids
from yarrow.tables.sweep import sweep_leftovers, sweep_orphans
from yarrow.tables.temp_files import spool_file, stream_once

ORDERS = (
    "id,region,amount,at,note\n"
    "1,north,10,2026-03-01 08:00:00,50% off\n"
    "2,south,20,2026-03-02 23:30:00,\n"
    "3,north,30,2026-03-03 00:00:00,a_b\n"
    "4,east,,,Plain\n"
    "5,south,50,2026-03-05 12:00:00,axb\n"
)


async def ids(tables: Tables, workspace: Workspace, **wanted: object) -> list[JsonValue]:
    request = SampleRequest(**wanted)  # type: ignore[arg-type]
    sample = await sample_table(tables, workspace, "orders", request=request)
    return [row["id"] for row in sample.rows]


async def test_an_upload_is_listed_with_its_first_rows(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv", name="Orders")

    (table,) = await list_tables(tables, workspace)

    assert (table.name, table.original_name, table.source_filename) == (
        "orders",
        "Orders",
        "orders.csv",
    )
    assert (table.row_count, len(table.sample)) == (5, 5)
    assert await list_workspaces(tables, workspace.account_id) == ["default"]


async def test_a_name_in_use_gets_a_number_and_the_same_file_can_replace(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    first = await upload("a\n1\n", "x.csv")
    second = await upload("a\n2\n", "x.csv")
    third = await upload("a\n3\n", "x.csv", replace_source=True)

    assert [made.table.name for made in (first, second, third)] == ["x", "x_2", "x"]
    assert [table.sample for table in await list_tables(tables, workspace)] == [[{"a": 3}]]


async def test_uploads_at_once_get_names_of_their_own(upload: Upload) -> None:
    made = await asyncio.gather(*(upload(f"a\n{n}\n", "same.csv") for n in range(6)))

    assert len({one.table.name for one in made}) == 6


async def test_workspaces_and_accounts_do_not_see_each_other(
    upload: Upload, tables: Tables, workspace: Workspace, database: Database
) -> None:
    await upload(ORDERS, "orders.csv")
    other = await new_account(database)

    for stranger in (Workspace(workspace.account_id, "other"), Workspace(other)):
        assert await list_tables(tables, stranger) == []
        with pytest.raises(TableNotFound):
            await get_table(tables, stranger, "orders")


async def test_rows_carry_their_position_in_the_table(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    request = SampleRequest(size=2, offset=1, select=["region", "unknown"])

    sample = await sample_table(tables, workspace, "orders", request=request)

    assert sample.rows == [{"#rowId": 2, "region": "south"}, {"#rowId": 3, "region": "north"}]
    assert sample.total_row_count == 5


async def test_head_bottom_and_order(upload: Upload, tables: Tables, workspace: Workspace) -> None:
    await upload(ORDERS, "orders.csv")
    bottom = SampleMethod.BOTTOM

    assert await ids(tables, workspace, size=2) == [1, 2]
    assert await ids(tables, workspace, size=2, method=bottom) == [5, 4]
    assert await ids(tables, workspace, order_by=["amount"]) == [1, 2, 3, 5, 4]
    assert await ids(tables, workspace, size=2, order_by=["amount"], method=bottom) == [5, 3]
    random = await ids(tables, workspace, size=3, method=SampleMethod.RANDOM)
    assert len(set(random)) == 3


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RangeFilter("amount", 10, 20), [1, 2]),
        (RangeFilter("amount", None, 20, include_nulls=True), [1, 2, 4]),
        (RangeFilter("amount", None, None, include_nulls=True), [4]),
        (RangeFilter("amount"), [1, 2, 3, 4, 5]),
        (RangeFilter("at", "2026-03-02", "2026-03-02"), [2]),
        (RangeFilter("at", None, "2026-03-02T23:00:00"), [1]),
        (InFilter("region", ["north", "east"]), [1, 3, 4]),
        (InFilter("amount", [10, None]), [1, 4]),
        (InFilter("at", ["2026-03-03T00:00:00.000"]), [3]),
        (InFilter("region", []), []),
        (ContainsFilter("note", "PLAIN"), [4]),
        (ContainsFilter("note", "%"), [1]),
        (ContainsFilter("note", "a_b"), [3]),
        (ContainsFilter("unknown", "x"), [1, 2, 3, 4, 5]),
        (InFilter('id"; DROP', [1]), [1, 2, 3, 4, 5]),
    ],
)
async def test_filters(
    wanted: RowFilter, found: list[int], upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")

    assert await ids(tables, workspace, filters=[wanted]) == found


async def test_groups_are_counted_and_summed(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    request = SampleRequest(
        select=["region"],
        aggregates=[(None, "count"), ("amount", "sum"), ("amount", "average"), ("amount", "rm")],
        order_by=["region"],
    )

    sample = await sample_table(tables, workspace, "orders", request=request)

    assert sample.total_row_count == 3
    assert sample.rows[1] == {
        "#rowId": 2,
        "region": "north",
        "_count": 2,
        "amount_sum": 40,
        "amount_average": 20.0,
    }


async def test_pages_follow_each_other(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")

    table, rows = await get_table(tables, workspace, "orders", page=2, page_size=2)

    assert (table.row_count, [row["id"] for row in rows]) == (5, [3, 4])
    with pytest.raises(InvalidInput):
        await get_table(tables, workspace, "orders", page=0)


async def test_the_numbers_of_a_column(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")

    found: JsonObject = {
        str(one["column"]): one
        for one in (await compute_statistics(tables, workspace, "orders")).columns
    }

    assert found["amount"] == {
        "column": "amount",
        "type": "integer",
        "statistics": {
            "count": 5,
            "unique_count": 4,
            "null_count": 1,
            "min": 10,
            "max": 50,
            "avg": 27.5,
            "levels": [10, 20, 30, 50],
            "level_counts": [1, 1, 1, 1],
        },
    }
    assert found["region"]["statistics"]["levels"] == ["north", "south", "east"]
    assert found["at"]["statistics"]["min"] == "2026-03-01T08:00:00.000"


async def test_an_estimated_number_of_different_values_says_so(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    rows = "".join(f"{n % 110},{n % 7}\n" for n in range(200_001))
    await upload(f"id,weekday\n{rows}", "large.csv")

    analysis = await compute_statistics(tables, workspace, "large")

    found: JsonObject = {str(one["column"]): one["statistics"] for one in analysis.columns}
    assert found["id"]["unique_count_estimated"] is True
    assert found["weekday"]["unique_count"] == 7
    assert "unique_count_estimated" not in found["weekday"]
    assert list_messages(analysis.notes) == [
        "numbers of different values are estimated: the table has 200,001 rows"
    ]


@pytest.mark.parametrize("delimiter", [",", "\t"])
async def test_an_export_can_be_read_again(
    delimiter: str, upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload('城市,"a,b",c\n"x ""y""",1,\n"p\nq",2,z\n', "t.csv")

    _, chunks = await export_csv(tables, workspace, "t", delimiter=delimiter)
    data = b"".join([chunk async for chunk in chunks])

    assert data.startswith(b"\xef\xbb\xbf")
    again = await upload(data, "again.tsv" if delimiter == "\t" else "again.csv")
    assert again.table.sample == [
        {"城市": 'x "y"', "a,b": 1, "c": None},
        {"城市": "p\nq", "a,b": 2, "c": "z"},
    ]
    with pytest.raises(InvalidInput):
        await export_csv(tables, workspace, "t", delimiter=";")


async def test_an_export_that_cannot_begin_raises_before_its_first_bytes(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    table, chunks = await export_csv(tables, workspace, "orders")
    table.path.unlink()

    with pytest.raises(TableFileGone):
        await anext(chunks)


def signal_all(processes: list[psutil.Process], number: signal.Signals) -> None:
    """Signal those that are there: the job of an earlier request may just end."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


async def test_an_export_whose_process_was_killed_runs_once_more(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    _, chunks = await export_csv(tables, workspace, "orders")
    server = psutil.Process(tables.sandbox.pids[JobKind.SQL])
    processes = [*server.children(recursive=True), server]
    signal_all(processes, signal.SIGSTOP)
    exporting = asyncio.ensure_future(anext(chunks))
    await asyncio.sleep(0.1)  # the request waits for the processes
    signal_all(processes, signal.SIGKILL)

    first = await exporting
    rest = [chunk async for chunk in chunks]

    assert b"".join([first, *rest]).count(b"\n") == len(ORDERS.splitlines())


@pytest.mark.parametrize("read", [sample_table, get_table, compute_statistics])
async def test_a_table_that_is_deleted_while_it_is_read_is_gone(
    upload: Upload, tables: Tables, workspace: Workspace, read: Callable[..., Awaitable[object]]
) -> None:
    """Its file goes between the look at the table and the job; the processes are stopped for it."""
    await upload(ORDERS, "orders.csv")
    (table,) = await list_tables(tables, workspace)
    server = psutil.Process(tables.sandbox.pids[JobKind.SQL])
    processes = [*server.children(recursive=True), server]
    signal_all(processes, signal.SIGSTOP)
    options = {"request": SampleRequest()} if read is sample_table else {}
    reading = asyncio.ensure_future(read(tables, workspace, "orders", **options))
    await asyncio.sleep(0.1)  # the request waits for the processes
    await delete_table(tables, workspace, "orders")
    signal_all(processes, signal.SIGCONT)

    with pytest.raises(TableFileGone, match=table.name):
        await reading


async def test_synced_data_takes_the_place_of_the_old(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    old = await upload(ORDERS, "orders.csv")
    async with spool_file(tables, stream_once(b'[{"n": 7}]')) as path:
        new = await sync_table_data(tables, workspace, "orders", file=FileToRead(path, "rows.json"))

    assert (new.table.name, new.table.sample) == ("orders", [{"n": 7}])
    assert (await list_tables(tables, workspace)) == [new.table]
    assert old.table.path.exists()


async def test_a_replaced_table_stays_readable_until_the_sweep(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    first = await upload("a\n1\n", "x.csv")
    run_tables = {"x": first.table.path}
    await upload("a\n2\n", "x.csv", replace_source=True)

    await sweep_leftovers(tables)
    result = await tables.sandbox.run_sql("SELECT a FROM x", run_tables)
    await sweep_leftovers(tables, older_than=timedelta(0))

    assert result.rows == [{"a": 1}]
    assert not first.table.path.exists()


async def test_a_failed_sync_keeps_the_old(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    async with spool_file(tables, stream_once(b"")) as path:
        with pytest.raises(TableUnreadable):
            await sync_table_data(tables, workspace, "orders", file=FileToRead(path, "rows.json"))

    assert (await find_table(tables, workspace, "orders")).row_count == 5


async def test_a_sync_without_rows_keeps_the_columns(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    old = await upload(ORDERS, "orders.csv")
    async with spool_file(tables, stream_once(b"[]")) as path:
        new = await sync_table_data(tables, workspace, "orders", file=FileToRead(path, "rows.json"))

    assert new.table.column_types == old.table.column_types
    assert (new.table.row_count, new.table.sample, new.notes) == (0, [], ())
    _, rows = await get_table(tables, workspace, "orders")
    assert rows == []


async def test_a_derivation_replaces_no_table_that_was_brought(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    query = CodeRun("SELECT 1 AS one", True, "d", {"orders": None})

    made = [await rerun_code(tables, workspace, query, keep_as="ones") for _ in range(2)]
    with pytest.raises(InvalidInput, match="orders"):
        await rerun_code(tables, workspace, query, keep_as="orders")

    assert [one.table_name for one in made] == ["ones", "ones"]
    assert (await find_table(tables, workspace, "orders")).row_count == 5


async def test_a_sum_of_texts_is_left_out(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    wanted = [("note", "sum"), ("note", "avg"), ("at", "sum"), ("amount", "sum"), ("note", "max")]

    request = SampleRequest(aggregates=wanted)
    sample = await sample_table(tables, workspace, "orders", request=request)

    assert sample.rows == [{"#rowId": 1, "amount_sum": 110, "note_max": "axb"}]


async def test_a_derived_frame_becomes_a_table(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    if reason := await tables.sandbox.why_no_python():
        pytest.skip(reason)
    await upload(ORDERS, "orders.csv")
    paths = map_table_paths(await find_tables(tables, workspace, ["orders", "missing"]))
    code = (
        "import pandas as pd\n"
        "by_region = pd.read_parquet('data/orders.parquet').groupby('region')[['amount']].sum()"
    )

    names = []
    for _ in range(2):
        ran = await tables.sandbox.run_python(code, paths, output_variable="by_region")
        assert ran.output is not None
        made = await save_derived(tables, workspace, "by_region", frame=ran.output)
        names.append(made.name)

    assert names == ["d_by_region", "d_by_region_2"]
    assert made.sample[0] == {"region": "east", "amount": 0.0}


async def test_frames_and_files_that_want_one_name_at_once_get_one_each(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    def frame() -> SavedFrame:
        path = tables.sandbox.spool_path(".parquet")
        path.write_bytes(b"rows")
        return SavedFrame(
            TableResult([Column("n", "integer")], [{"n": 1}], truncated=False), 1, path
        )

    derived = [save_derived(tables, workspace, "totals", frame=frame()) for _ in range(12)]
    uploaded = [upload(ORDERS, "d-totals.csv") for _ in range(3)]
    await asyncio.gather(*uploaded, *derived)

    stored = await list_tables(tables, workspace)
    names = {"d_totals", *(f"d_totals_{number}" for number in range(2, 16))}
    assert {table.name for table in stored if table.path.is_file()} == names


@pytest.mark.parametrize(("letters", "kept"), [(1, 20), (10_000, 3)])
async def test_a_derived_table_keeps_twenty_rows_or_32_kib_beside_it(
    tables: Tables, workspace: Workspace, letters: int, kept: int
) -> None:
    if await tables.sandbox.why_no_python():
        pytest.skip("this machine cannot isolate Python")
    code = f"import pandas as pd\ndf = pd.DataFrame({{'w': ['a' * {letters}] * 30}})"

    ran = await tables.sandbox.run_python(code, {}, output_variable="df")
    assert ran.output is not None
    made = await save_derived(tables, workspace, "df", frame=ran.output)

    assert list(made.sample) == [{"w": "a" * letters}] * kept
    assert made == await find_table(tables, workspace, made.name)


async def test_a_shape_is_found_out_once(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    made = await upload(ORDERS, "orders.csv")

    shape = (await read_shapes(tables, [made.table]))["orders"]

    region, amount = shape.columns[1], shape.columns[2]
    assert (region.dtype, region.distinct, region.nulls) == ("string", 3, 0)
    assert (amount.distinct, amount.nulls, amount.samples) == (4, 1, (10, 20, 30, 50))
    made.table.path.unlink()
    again = await find_tables(tables, workspace, ["orders"])
    assert await read_shapes(tables, list(again.values())) == {"orders": shape}


async def test_a_table_whose_file_is_gone_has_no_shape(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    lost, there = await upload(ORDERS, "lost.csv"), await upload(ORDERS, "there.csv")
    lost.table.path.unlink()

    assert set(await read_shapes(tables, [lost.table, there.table])) == {"there"}


async def test_deleting_removes_row_and_file(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    made = await upload(ORDERS, "orders.csv")

    await delete_table(tables, workspace, "orders")

    assert not made.table.path.exists()
    with pytest.raises(TableNotFound):
        await delete_table(tables, workspace, "orders")


async def test_a_reset_empties_one_workspace(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    await upload(ORDERS, "more.csv")

    assert await reset_workspace(tables, workspace) == 2
    assert await list_tables(tables, workspace) == []


async def test_the_sweep_removes_what_a_crash_left(
    upload: Upload, tables: Tables, workspace: Workspace, database: Database
) -> None:
    made = await upload(ORDERS, "orders.csv")
    kept = await upload(ORDERS, "kept.csv")
    stray = tables.sandbox.spool_path(".upload")
    stray.touch()
    async with database.transaction() as tx:
        await tx.execute("UPDATE datasets SET live = false WHERE id = $1", made.table.id)

    await sweep_leftovers(tables, older_than=timedelta(0))

    assert not made.table.path.exists()
    assert not stray.exists()
    assert kept.table.path.exists()


class RowReader(Struct):
    """A store that needs the row of a table while it deletes the file, and may be down."""

    database: Database
    is_down: bool = False
    deleted: list[str] = field(default_factory=list)

    async def upload(self, path: str, file: Path) -> None:
        raise NotImplementedError

    async def download(self, path: str, file: Path) -> bool:
        raise NotImplementedError

    async def delete(self, path: str) -> None:
        async with self.database.transaction() as tx:
            await tx.fetch(
                "SELECT id FROM datasets WHERE id = $1 FOR UPDATE NOWAIT", UUID(Path(path).stem)
            )
        if self.is_down:
            raise StorageUnavailable
        self.deleted.append(path)


async def test_the_sweep_deletes_remote_files_outside_of_its_transactions(
    upload: Upload, tables: Tables, workspace: Workspace, database: Database
) -> None:
    """A store that is down leaves the rows for the next sweep, which nothing can complete."""
    made = await upload(ORDERS, "orders.csv")
    async with database.transaction() as tx:
        await tx.execute("UPDATE datasets SET live = false WHERE id = $1", made.table.id)
    remote = RowReader(database, is_down=True)
    swept = replace(tables, store=remote)

    with pytest.raises(StorageUnavailable):
        await sweep_leftovers(swept, older_than=timedelta(0))

    contents = TableContents(made.table.columns, 5, ())
    folder = tables.sandbox.folder
    with pytest.raises(TableNotFound):
        async with database.transaction() as tx:
            await complete_table(
                tx, made.table.id, name="x", contents=contents, size=1, folder=folder
            )
    remote.is_down = False
    await sweep_leftovers(swept, older_than=timedelta(0))
    async with database.connection() as tx:
        assert await select_existing_ids(tx, [made.table.id]) == set()
    assert f"tables/{made.table.id}.parquet" in remote.deleted


async def test_a_file_that_never_got_its_row_is_swept(upload: Upload, tables: Tables) -> None:
    kept = await upload(ORDERS, "kept.csv")
    orphan = tables.sandbox.folder / f"{uuid4()}.parquet"
    orphan.touch()
    foreign = tables.sandbox.folder / "note.txt"
    foreign.touch()
    part = tables.sandbox.folder / f".{uuid4()}.part"
    part.touch()

    young = await sweep_orphans(tables)
    assert part.exists()
    old = await sweep_orphans(tables, older_than=timedelta(0))

    assert young == 0
    assert old >= 1
    assert not orphan.exists()
    assert not part.exists()
    assert kept.table.path.exists()
    assert foreign.exists()


async def test_files_are_for_this_user_alone_and_named_by_us(
    upload: Upload, tables: Tables
) -> None:
    made = await upload(ORDERS, "../../etc/orders.csv")

    assert made.table.path.parent == tables.sandbox.folder
    assert made.table.path.stem == str(made.table.id)
    assert tables.sandbox.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("wanted", "method", "regions"),
    [
        (["amount_sum"], SampleMethod.HEAD, ["north", "south", "east"]),
        (["amount_sum"], SampleMethod.BOTTOM, ["south", "north", "east"]),
        (["_count", "region"], SampleMethod.HEAD, ["east", "north", "south"]),
        (["_count", "amount_sum"], SampleMethod.BOTTOM, ["south", "north", "east"]),
        (["unknown", "amount"], SampleMethod.HEAD, ["east", "north", "south"]),
    ],
)
async def test_groups_are_ordered_by_what_was_reckoned_of_them(
    wanted: list[str],
    method: SampleMethod,
    regions: list[str],
    upload: Upload,
    tables: Tables,
    workspace: Workspace,
) -> None:
    await upload(ORDERS, "orders.csv")
    request = SampleRequest(
        method=method,
        select=["region"],
        order_by=wanted,
        aggregates=[("amount", "sum"), (None, "count")],
    )

    sample = await sample_table(tables, workspace, "orders", request=request)

    assert [row["region"] for row in sample.rows] == regions
    assert [row["#rowId"] for row in sample.rows] == [1, 2, 3]


async def test_a_random_sample_draws_evenly_and_anew(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload("id\n" + "\n".join(str(n) for n in range(100_000)), "orders.csv")
    wanted = {"size": 5, "method": SampleMethod.RANDOM}

    draws = [await ids(tables, workspace, **wanted) for _ in range(60)]

    assert len({tuple(draw) for draw in draws}) == len(draws)
    assert all(draw == sorted(draw) and len(draw) == 5 for draw in draws)
    drawn = [one for draw in draws for one in draw]
    # 300 draws of a uniform kind: the mean's deviation is 1,667, so six of them are 10,000.
    assert abs(sum(drawn) / len(drawn) - 50_000) < 10_000


async def test_a_random_sample_keeps_to_filters_and_offset(
    upload: Upload, tables: Tables, workspace: Workspace
) -> None:
    await upload(ORDERS, "orders.csv")
    north = [InFilter("region", ["north"])]
    drawn = SampleMethod.RANDOM

    assert await ids(tables, workspace, size=9, method=drawn, filters=north) == [1, 3]
    assert len(await ids(tables, workspace, size=9, method=drawn, offset=2)) == 3
