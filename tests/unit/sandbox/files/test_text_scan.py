"""Each way in which a text file is tried can be executed."""

from pathlib import Path

import pytest

from yarrow.kit.notes import list_messages
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.text_scan import scan_text


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2\n", "Title\n\na,b\n1,2\n3,4\n", "a,b,c\n" + "1,2,x\n" * 20 + "1,2,3,4\n"],
)
def test_every_scan_of_a_file_can_be_executed(text: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    database = duckdb_session.connect_database()

    scans = list(scan_text(file, file.name, database, day_first=False))

    for scan in scans:
        database.execute(f"FROM {scan.relation} SELECT count(*)").fetchall()
    assert "strict_mode = false" in scans[-1].relation
    assert len(set(list_messages(scans[-1].notes))) == len(scans[-1].notes)
