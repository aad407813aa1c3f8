"""Workbooks: the cells' own types, and which sheet is meant (reference data-agent.md §8)."""

import pytest
from tests.integration.tables.conftest import Upload
from tests.integration.tables.workbooks import Day, workbook

from yarrow.kit.notes import list_messages
from yarrow.sandbox.errors import TableUnreadable
from yarrow.sandbox.model import FileToRead
from yarrow.tables.create import preview_file
from yarrow.tables.model import Tables
from yarrow.tables.temp_files import spool_file, stream_once

BOOK = workbook(
    {
        "First": [["a"], ["from first"]],
        "Sales": [["a"], ["from sales"]],
        "2025": [["a"], ["from 2025"]],
    }
)


@pytest.mark.parametrize(
    ("name", "hint", "chosen"),
    [
        ("t", "Sales", "from sales"),
        ("t", "sales", "from sales"),
        ("book_2025", None, "from 2025"),
        ("my_sales_book", None, "from sales"),
        ("nothing_like_it", None, "from first"),
        ("t", "unknown", "from first"),
    ],
)
async def test_the_sheet_is_the_hinted_or_the_one_the_name_speaks_of(
    name: str, hint: str | None, chosen: str, upload: Upload
) -> None:
    made = await upload(BOOK, "book.xlsx", name=name, sheet=hint)

    assert made.table.sample == [{"a": chosen}]


async def test_cells_keep_the_types_they_had(upload: Upload) -> None:
    made = await upload(
        workbook(
            {
                "S": [
                    ["code", "n", "x", "ok", "day", "mixed", None],
                    ["007", 1, 1.5, True, Day(46096), 1, None],
                    ["008", 2, 2, False, Day(46097), "x", "y"],
                ]
            }
        ),
        "types.xlsx",
    )

    first = made.table.sample[0]
    assert first["code"] == "007"
    assert (first["n"], first["x"], first["ok"], first["mixed"]) == (1, 1.5, True, "1")
    assert str(first["day"]).startswith("2026-03-15")
    assert made.table.column_types["n"] == "integer"
    assert list(first)[-1] == "column_7"


async def test_a_sheet_that_is_not_there_is_noted(upload: Upload) -> None:
    other = await upload(BOOK, "book.xlsx", name="t", sheet="Costs")
    same = await upload(BOOK, "book.xlsx", name="t", sheet="sales ")

    assert list_messages(other.notes) == ["there is no sheet Costs; First was read"]
    assert list_messages(same.notes) == []


async def test_a_preview_shows_every_sheet_and_keeps_nothing(tables: Tables) -> None:
    async with spool_file(tables, stream_once(BOOK)) as path:
        sheets = await preview_file(tables, FileToRead(path, "book.xlsx"))

    assert [(sheet.name, sheet.row_count) for sheet in sheets] == [
        ("First", 1),
        ("Sales", 1),
        ("2025", 1),
    ]
    assert sheets[1].rows == [{"a": "from sales"}]


async def test_a_preview_of_a_workbook_with_an_empty_sheet_shows_the_others(tables: Tables) -> None:
    book = workbook({"Empty": [], "Sales": [["a"], ["x"]], "Blank": [[None, None]]})

    async with spool_file(tables, stream_once(book)) as path:
        sheets = await preview_file(tables, FileToRead(path, "book.xlsx"))

    assert [(sheet.name, sheet.rows, sheet.row_count) for sheet in sheets] == [
        ("Empty", [], 0),
        ("Sales", [{"a": "x"}], 1),
        ("Blank", [], 0),
    ]


async def test_a_table_of_an_empty_sheet_is_refused(upload: Upload) -> None:
    with pytest.raises(TableUnreadable, match="the sheet Empty is empty"):
        await upload(workbook({"Empty": []}), "book.xlsx")
