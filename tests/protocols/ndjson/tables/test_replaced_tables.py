"""A table that is replaced while it is read: the read ends with the old rows, nothing is lost."""

import asyncio
from datetime import timedelta

from tests.protocols.ndjson.table_calls import TABLES, call_tables, upload
from tests.serving import Caller, Served

from yarrow.tables.sweep import sweep_leftovers

ROWS = 200
SUMMARY = {
    "table": "t",
    "aggregate_fields_and_functions": [["n", "min"], ["n", "max"], [None, "count"]],
}


def write_version(number: int, *, rows: int = ROWS) -> str:
    """A file whose rows all have the number."""
    return "n\n" + f"{number}\n" * rows


async def replace_table(caller: Caller, number: int, *, rows: int = ROWS) -> None:
    content = write_version(number, rows=rows)
    await upload(caller, content, filename="t.csv", table_name="t", replace_source="true")


async def test_every_read_sees_one_whole_version(caller: Caller) -> None:
    await replace_table(caller, 0)
    seen: list[int] = []

    async def read() -> None:
        while len(seen) < 200 and (not seen or seen[-1] < 8):
            answer = await call_tables(caller, "sample-table", SUMMARY)
            (row,) = answer["rows"]
            assert row["n_min"] == row["n_max"]
            assert row["_count"] == ROWS
            seen.append(int(row["n_min"]))

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(read())
        for number in range(1, 9):
            await replace_table(caller, number)

    assert len(set(seen)) > 1


async def test_an_export_ends_with_the_rows_it_began_with(served: Served, caller: Caller) -> None:
    rows = 400_000
    await replace_table(caller, 1_000_001, rows=rows)
    folder = served.product.tables.sandbox.folder
    body = {"table_name": "t", "delimiter": ","}
    url = f"{served.url}{TABLES}/export-table-csv"
    before = set(folder.glob("*.parquet"))
    async with served.http.post(url, json=body, headers=caller.headers) as answer:
        text = await answer.content.readany()
        await replace_table(caller, 2)
        await sweep_leftovers(served.product.tables)
        text += await answer.read()

    assert text.count(b"1000001") == rows
    new = set(folder.glob("*.parquet")) - before
    await sweep_leftovers(served.product.tables, older_than=timedelta(0))
    left = set(folder.glob("*.parquet"))
    assert len(new) == 1
    assert new <= left
    assert len(before - left) >= 1
