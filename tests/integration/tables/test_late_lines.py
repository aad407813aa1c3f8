"""Lines below those by which DuckDB detects types and columns are read as they are written."""

from collections.abc import Awaitable, Callable

import pytest
from tests.integration.tables.conftest import Upload

from yarrow.kit.json import JsonMapping
from yarrow.kit.notes import list_messages
from yarrow.tables.model import SampleMethod, SampleRequest, StoredTable, Tables, Workspace
from yarrow.tables.read import sample_table

ReadLast = Callable[[StoredTable], Awaitable[JsonMapping]]

LATE = 25_000
"""Rows beyond those from which DuckDB detects types."""


@pytest.fixture
def read_last(tables: Tables, workspace: Workspace) -> ReadLast:
    """The last row of a table, without its number."""

    async def read(table: StoredTable) -> JsonMapping:
        request = SampleRequest(size=1, method=SampleMethod.BOTTOM)
        sample = await sample_table(tables, workspace, table.name, request=request)
        return {name: cell for name, cell in sample.rows[0].items() if name != "#rowId"}

    return read


@pytest.mark.parametrize(
    ("cells", "late", "kind", "value"),
    [
        ("7", "1.5", "number", 1.5),
        ("7", "1e-3", "number", 0.001),
        ("2024-01-02", "2024-01-05 10:30:00", "datetime", "2024-01-05T10:30"),
        ("2024-01-02", "2024-01-05T23:00:00-08:00", "datetime", "2024-01-06T07:00"),
        ("2024-01-02 08:00:00", "2024-01-05 10:00 PM", "string", "2024-01-05 10:00 PM"),
        ("2024-01-02 08:00:00", "2024-01-05 23:00:00-05:00", "datetime", "2024-01-06T04:00"),
        ("2024-01-02", "infinity", "string", "infinity"),
        ("10:30:00", "10:30:00+08", "string", "10:30:00+08"),
    ],
)
async def test_a_cell_far_down_is_stored_as_it_is_written(
    cells: str, late: str, kind: str, value: object, upload: Upload, read_last: ReadLast
) -> None:
    made = await upload("v\n" + f"{cells}\n" * LATE + f"{late}\n")

    assert made.table.column_types == {"v": kind}
    assert str((await read_last(made.table))["v"]).startswith(str(value))


async def test_more_cells_on_a_line_far_down_are_a_column(
    upload: Upload, read_last: ReadLast
) -> None:
    made = await upload("k,v\n" + "a,1\n" * LATE + 'b,2,more,"and, more"\n')

    assert made.table.row_count == LATE + 1
    last = {"k": "b", "v": 2, "column_3": "more", "column_4": "and, more"}
    assert await read_last(made.table) == last
    assert "lines of different lengths were filled up with empty cells" in list_messages(made.notes)


async def test_text_far_down_among_numbers_is_told(upload: Upload) -> None:
    made = await upload("v\n" + "7\n" * LATE + "broken\n")

    assert made.table.column_types == {"v": "string"}
    (told,) = list_messages(made.notes)
    assert told == f"v: left as text, because 1 of {LATE + 1} cells is no number (broken)"


async def test_empty_cells_far_down_are_no_text(upload: Upload) -> None:
    made = await upload("v\n" + "7\n" * LATE + "NA\n-\n")

    assert made.table.column_types == {"v": "integer"}
    assert list_messages(made.notes) == ["v: 2 cells such as n/a or - are empty"]


async def test_times_without_an_offset_beside_others_are_told(upload: Upload) -> None:
    made = await upload("t\n2024-01-01T23:30:00-05:00\n2024-01-02T01:00:00\n")

    assert "t: 1 time without an offset was read as UTC" in list_messages(made.notes)


@pytest.mark.parametrize("clock", ["11:30:15 PM", "11:30 PM", "11:30pm"])
async def test_times_of_twelve_hours_have_the_order_of_their_dates(
    clock: str, upload: Upload
) -> None:
    made = await upload(f"t\n01/02/2024 {clock}\n03/04/2024 01:15 AM\n")

    assert str(made.table.sample[0]["t"]).startswith("2024-02-01T23:30")
    assert "dates were read as day/month/year" in list_messages(made.notes)[0]
