"""What cannot be seen in cells of text makes no values of its own."""

import json

import pytest
from tests.integration.tables.conftest import Upload
from tests.integration.tables.workbooks import workbook

from yarrow.kit.notes import list_messages

JOINED = (
    "region: values that differed only in spaces around them, or in characters that cannot be "
    "seen, are one"
)
NORTH = ["North", "North ", " North", "North\u00a0", "No\u200brth", "North\u3000"]
MALAGA = ["M\u00e1laga", "Ma\u0301laga"]
SEEN = ["New York", "New\u00a0York"]


@pytest.mark.parametrize("values", [NORTH, MALAGA, SEEN])
async def test_values_that_look_alike_are_one(values: list[str], upload: Upload) -> None:
    rows = "".join(f'"{value}",1\n' for value in values)

    made = await upload(f"region,n\n{rows}", "sales.csv")

    assert {row["region"] for row in made.table.sample} == {values[0]}
    assert list_messages(made.notes) == [JOINED]


async def test_values_of_json_that_look_alike_are_one(upload: Upload) -> None:
    rows = [{"region": value, "n": 1} for value in NORTH]

    made = await upload(json.dumps(rows, ensure_ascii=False), "sales.json")

    assert {row["region"] for row in made.table.sample} == {"North"}
    assert list_messages(made.notes) == [JOINED]


async def test_values_of_a_sheet_that_look_alike_are_one(upload: Upload) -> None:
    made = await upload(workbook({"s": [["region", "n"], *([v, 1] for v in NORTH)]}), "s.xlsx")

    assert {row["region"] for row in made.table.sample} == {"North"}


async def test_a_cell_of_spaces_is_empty(upload: Upload) -> None:
    made = await upload("region,n\nNorth,1\n   ,2\n", "sales.csv")

    assert [row["region"] for row in made.table.sample] == ["North", None]


@pytest.mark.parametrize(
    "value", ["New  York", "one \n two", "\u0645\u06cc\u200c\u062e", "\U0001f468\u200d\U0001f469"]
)
async def test_what_is_seen_stays(value: str, upload: Upload) -> None:
    made = await upload(f'note,n\n"{value}",1\n', "notes.csv")

    assert [row["note"] for row in made.table.sample] == [value]
    assert made.notes == []
