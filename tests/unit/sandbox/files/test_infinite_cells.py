"""Numbers that are stored as empty are told, if they can be counted."""

from pathlib import Path

import pytest

from yarrow.kit.notes import list_messages
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.infinite_cells import note_infinite
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.files.text_marks import may_have_infinite

TOLD = "v: 1 cell is infinite, too large for a number or not a number"


@pytest.mark.parametrize(
    ("relation", "notes"),
    [
        ("(VALUES ('inf'::DOUBLE), (NULL), (2), ('nan'::DOUBLE)) AS t(v)", [TOLD]),
        ("read_csv('gone.csv')", []),
    ],
)
def test_stored_rows_are_compared_with_the_source_if_it_can_be_read(
    relation: str, notes: list[str], tmp_path: Path
) -> None:
    database, path = duckdb_session.connect_database(), str(tmp_path / "t.parquet")
    database.execute(f"COPY (FROM (VALUES (NULL), (NULL), (2::DOUBLE)) AS t(v)) TO '{path}'")

    told = note_infinite(FileScan(relation), database, path, rows=3)

    assert list_messages(told) == notes


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("-Infinity", True),
        ("NaN", True),
        ("1E+400", True),
        ("9" * 309, True),
        ("9" * 308, False),
        ("1e99,0.5,Nord", False),
    ],
)
def test_a_text_without_such_numbers_is_not_read_again(
    text: str, may: bool, tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x" * (4 * 1024 * 1024 - 3) + text)  # across two chunks

    assert may_have_infinite(file) is may
