"""Files of a folder as tables."""

from pathlib import Path

from yarrow.sources.connector.drivers.folder import open_source
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceKind

LIMITS = ConnectorLimits(rows=100, bytes=10**8, seconds=60, tables=2, memory_bytes=10**9)


def read_folder(folder: Path) -> dict[str, list[object]]:
    """The values of column `a` by table."""
    driver = open_source(SourceAddress(SourceKind.FOLDER, "", database=str(folder)), LIMITS)
    values = {}
    for table in driver.list_tables(LIMITS.tables + 1):
        batches = driver.query(f'SELECT a FROM "{table.name}"').batches
        values[table.name] = [value for batch in batches for value in batch["a"].to_pylist()]
    driver.close()
    return values


def test_names_with_brackets_and_stars_are_no_patterns(tmp_path: Path) -> None:
    (tmp_path / "data1.csv").write_text("a\n1\n")
    (tmp_path / "data[1].csv").write_text("a\n2\n")
    (tmp_path / "d*a?.csv").write_text("a\n3\n")

    assert read_folder(tmp_path) == {"data1": [1], "data[1]": [2], "d*a?": [3]}


def test_other_files_do_not_count_as_tables(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"a{number}.txt").write_text("no table")
    (tmp_path / "z.csv").write_text("a\n1\n")

    assert read_folder(tmp_path) == {"z": [1]}
