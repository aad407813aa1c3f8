"""What people put into sheets beside a plain table is read or told, never silently wrong."""

import pytest
from tests.integration.tables.conftest import Upload
from tests.integration.tables.workbooks import (
    Day,
    Dollars,
    Elapsed,
    ErrorCell,
    Euros,
    Formula,
    Percent,
    Postcode,
    workbook,
)

from yarrow.kit.notes import list_messages


async def test_header_rows_of_merged_cells_are_joined(upload: Upload) -> None:
    rows: list[list[object]] = [
        ["地区", "上半年", None],
        [None, "收入", "成本"],
        ["北京", 1, 2],
        ["上海", 3, 4],
    ]

    made = await upload(workbook({"S": rows}, merged=["A1:A2", "B1:C1"]), "b.xlsx")

    assert made.table.sample[0] == {"地区": "北京", "上半年 / 收入": 1, "上半年 / 成本": 2}
    assert made.table.row_count == 2
    assert made.table.column_types["上半年 / 收入"] == "integer"
    assert list_messages(made.notes) == ["2 header rows were joined, as in 上半年 / 收入"]


async def test_a_label_that_is_merged_over_rows_is_filled_down(upload: Upload) -> None:
    rows: list[list[object]] = [
        ["region", "city", "n"],
        ["north", "A", 1],
        [None, "B", 2],
        ["south", "C", 3],
    ]

    made = await upload(workbook({"S": rows}, merged=["A2:A3"]), "b.xlsx")

    assert [row["region"] for row in made.table.sample] == ["north", "north", "south"]
    assert list_messages(made.notes) == ["region: 1 merged cell was filled down over its rows"]


async def test_a_merged_number_is_not_counted_twice(upload: Upload) -> None:
    rows: list[list[object]] = [["city", "budget"], ["A", 10], ["B", None], ["C", 5]]

    made = await upload(workbook({"S": rows}, merged=["B2:B3"]), "b.xlsx")

    assert [row["budget"] for row in made.table.sample] == [10, None, 5]
    assert "first row only" in list_messages(made.notes)[0]


async def test_titles_empty_rows_and_footnotes_are_left_out(upload: Upload) -> None:
    table: list[list[object]] = [["a", "b"], ["x", 1], [], ["y", 2]]
    rows: list[list[object]] = [["Sales 2024"], [], *table, [], ["Source: us"]]

    made = await upload(workbook({"S": rows}), "b.xlsx")

    assert made.table.sample == [{"a": "x", "b": 1}, {"a": "y", "b": 2}]
    assert list_messages(made.notes) == [
        "the first 2 rows were left out: the table begins at row 3 (Sales 2024)",
        "1 row below the table was left out (Source: us)",
        "1 empty row was left out",
    ]


async def test_a_second_table_below_is_told(upload: Upload) -> None:
    rows: list[list[object]] = [["a", "b"], ["x", 1], ["y", 2], [], ["c", "d"], ["p", "q"]]

    made = await upload(workbook({"S": rows}), "b.xlsx")

    assert "row 5 (c d) may begin another table; its rows are included" in list_messages(made.notes)


async def test_repeated_and_missing_names_are_told(upload: Upload) -> None:
    made = await upload(workbook({"S": [["a", "A", None], [1, 2, 3]]}), "b.xlsx")

    assert made.table.sample == [{"a": 1, "A_2": 2, "column_3": 3}]
    assert list_messages(made.notes) == [
        "columns were renamed: A is A_2, a column without a name is column_3"
    ]


async def test_hidden_rows_columns_and_sheets_are_told(upload: Upload) -> None:
    book = workbook(
        {"Old": [["x"], [1]], "Now": [["a", "b"], [1, 2], [3, 4]]},
        hidden_rows=[1, 3],
        hidden_columns=[2],
        hidden_sheets=["Old"],
    )

    made = await upload(book, "b.xlsx")

    assert made.table.sample == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert list_messages(made.notes) == [
        "only the sheet Now was read; Old (hidden) can be named in sheet_name",
        "1 row is hidden in the sheet, as by a filter; it is included",
        "columns that are hidden in the sheet are included: b",
    ]


async def test_a_named_sheet_is_read_without_a_note(upload: Upload) -> None:
    book = workbook({"Old": [["x"], [1]], "Now": [["a"], [1]]}, hidden_sheets=["Old"])

    made = await upload(book, "b.xlsx", sheet="Old")

    assert (made.table.sample, list_messages(made.notes)) == ([{"x": 1}], [])


async def test_formulas_without_results_and_errors_are_told(upload: Upload) -> None:
    rows: list[list[object]] = [
        ["a", "b"],
        [1, Formula("A2*2")],
        [2, ErrorCell("#DIV/0!")],
        [3, 1.5],
    ]

    made = await upload(workbook({"S": rows}), "b.xlsx")

    assert [row["b"] for row in made.table.sample] == [None, None, 1.5]
    assert list_messages(made.notes) == [
        "1 cell holds a formula without a result (B2) and is empty; open the workbook "
        "in Excel and save it",
        "1 cell holds an error of Excel (B3 #DIV/0!) and is empty",
    ]


async def test_percent_formats_are_told(upload: Upload) -> None:
    rows: list[list[object]] = [["a", "rate"], ["x", Percent(0.125)], ["y", Percent(0.5)]]

    made = await upload(workbook({"S": rows}), "b.xlsx")

    assert [row["rate"] for row in made.table.sample] == [0.125, 0.5]
    assert list_messages(made.notes) == [
        "rate: percent of the sheet are stored as fractions (12% is 0.12)"
    ]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (
            [Percent(0.125), 50.0],
            [
                "v: percent of the sheet are stored as fractions (12% is 0.12)",
                "v: only some cells are percent of the sheet; the others are not",
            ],
        ),
        (
            [Postcode(2108), Postcode(10001)],
            ["v: the sheet shows leading zeros (as 00000), which are not stored"],
        ),
        (
            [Dollars(5), Euros(7)],
            [
                "v: the sheet shows different currencies ($, €), which are not stored; sums of "
                "them say nothing"
            ],
        ),
        ([Dollars(5), Dollars(7)], []),
    ],
)
async def test_what_a_format_shows_and_the_number_lacks_is_told(
    cells: list[object], told: list[str], upload: Upload
) -> None:
    made = await upload(workbook({"S": [["k", "v"], *(["x", cell] for cell in cells)]}), "b.xlsx")

    assert [row["v"] for row in made.table.sample] == cells
    assert list_messages(made.notes) == told


async def test_durations_are_seconds(upload: Upload) -> None:
    made = await upload(workbook({"S": [["spent"], [Elapsed(1.25)], [Elapsed(0.5)]]}), "b.xlsx")

    assert [row["spent"] for row in made.table.sample] == [108_000, 43_200]
    assert list_messages(made.notes) == ["spent: durations are stored in seconds"]


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([["date"], [45352], [45353]], "numbers such as 45352 are kept"),
        ([["id"], [12345678901234567890], [1]], "keeps 15 digits"),
        ([["day"], [Day(46096)], ["later"]], "left as text, because 1 of 2 cells is (later)"),
        ([["day"], [Day(46096)], [3]], "left as text, because the types of its cells differ"),
    ],
)
async def test_numbers_that_may_be_meant_otherwise_are_told(
    rows: list[list[object]], note: str, upload: Upload
) -> None:
    made = await upload(workbook({"S": rows}), "b.xlsx")

    assert note in list_messages(made.notes)[0]


@pytest.mark.parametrize(
    ("name", "last", "rows", "told"),
    [
        ("Average", [20.0, 3.333], 3, "is the average of those above; it was left out"),
        ("平均", [20.0, 3.333], 3, "is the average of those above; it was left out"),
        ("average", [7.0, 1.0], 4, ""),
        ("Total", [60.0, 10.0], 3, "is the total of those above; it was left out"),
        ("Total", [61.0, 10.0], 4, "may be a total; it is included"),
    ],
)
@pytest.mark.parametrize("is_sheet", [True, False])
async def test_a_last_row_is_judged_by_its_name_and_numbers(
    name: str, last: list[object], rows: int, told: str, upload: Upload, *, is_sheet: bool
) -> None:
    cells: list[list[object]] = [["k", "a", "b"], ["x", 10, 2], ["y", 20, 3], ["z", 30, 5]]
    cells.append([name, *last])
    text = "".join(",".join(map(str, row)) + "\n" for row in cells)

    made = await (upload(workbook({"S": cells}), "b.xlsx") if is_sheet else upload(text))

    assert made.table.row_count == rows
    notes = list_messages(made.notes)
    assert [told in note for note in notes] == ([True] if told else [])
