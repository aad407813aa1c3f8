"""Titles above a table and headers of several rows are told apart from data."""

import pytest

from yarrow.kit.notes import list_messages
from yarrow.sandbox.files.layout import MergedCells, TableLayout, find_layout

Rows = list[list[object]]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (
            [["Region", "2023", "", "2024", ""], ["", "Q1", "Q2", "Q1", "Q2"], ["n", 1, 2, 3, 4]],
            ("Region", "2023 / Q1", "2023 / Q2", "2024 / Q1", "2024 / Q2"),
        ),
        (
            [
                ["", "2023", "", "2024", ""],
                ["地区", "收入", "成本", "收入", "成本"],
                ["n", 1, 2, 3, 4],
            ],
            ("地区", "2023 / 收入", "2023 / 成本", "2024 / 收入", "2024 / 成本"),
        ),
        ([["city", "t", "d"], ["", "°C", "km"], ["A", 2.5, 3]], ("city", "t / °C", "d / km")),
        ([["t", "v"], ["(s)", "(m/s)"], ["1", "2.5"]], ("t / (s)", "v / (m/s)")),
        ([["t", "v"], ["seconds", "metres"], ["1", "2.5"]], ("t / seconds", "v / metres")),
    ],
)
def test_a_second_header_row_is_joined(rows: Rows, names: tuple[str, ...]) -> None:
    assert find_layout(rows) == TableLayout(0, names, 2)


@pytest.mark.parametrize(
    "rows",
    [
        [["name", "city"], ["Ann", "Paris"], ["Bob", "Rome"]],
        [["name", "score"], ["Bob", "abs"], ["Ann", 3], ["Eve", 4]],
        [["name", "score"], ["Bob", "n/a"], ["Ann", 3]],
        [["country", 2021, 2022], ["DE", 1, 2]],
        [["name", "a", ""], ["x", "n/a", "m"], ["y", 1, 2]],
        [["", "score"], ["Bob", "absent"], ["Ann", 3]],
        [["id", "note", "n"], ["1", "", ""], ["2", "x", 4]],
        [["a"], [1], [2]],
        [["a", "", ""], [1, 2, 3]],
        [["a", "b"]],
    ],
)
def test_a_row_of_data_is_no_header(rows: Rows) -> None:
    layout = find_layout(rows)

    assert (layout.begin, layout.header_rows) == (0, 1)


def test_merged_cells_say_how_many_rows_the_header_has() -> None:
    rows: Rows = [["R", "2023", ""], ["", "Q1", "Q2"], ["north", "low", "high"]]
    merged = [MergedCells(0, 0, 1, 0), MergedCells(0, 1, 0, 2)]

    assert find_layout(rows, merged) == TableLayout(0, ("R", "2023 / Q1", "2023 / Q2"), 2)


def test_titles_above_the_table_are_left_out_and_quoted() -> None:
    rows: Rows = [["Report", "", ""], ["by", "us", ""], ["", "", ""], ["a", "b", "c"], ["x", 1, 2]]
    layout = find_layout([*rows, ["y", 3, 4]])

    assert (layout.begin, layout.names) == (3, ("a", "b", "c"))
    assert list_messages(layout.notes(rows)) == [
        "the first 3 rows were left out: the table begins at row 4 (Report; by us)"
    ]
