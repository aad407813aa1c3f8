"""Types of columns from the rows of drivers."""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from yarrow.kit.notes import list_messages
from yarrow.sources.connector.drivers.sqlite import open_source
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.row_batches import (
    BATCH_ROWS,
    ColumnChanged,
    DeclaredType,
    build_batches,
    infer_declared,
    infer_types,
)
from yarrow.sources.model import SourceAddress, SourceKind

LIMITS = ConnectorLimits(rows=10**6, bytes=10**8, seconds=60, tables=10, memory_bytes=10**9)


def query_sqlite(folder: Path, values: Iterable[object]) -> tuple[pa.Table, Sequence[str]]:
    path = folder / "file.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", ([value] for value in values))
    driver = open_source(SourceAddress(SourceKind.SQLITE, "", database=str(path)), LIMITS)
    stream = driver.query("SELECT x FROM t ORDER BY rowid")
    table = pa.Table.from_batches(stream.batches, stream.schema)
    driver.close()
    return table, list_messages(stream.notes)


@pytest.mark.parametrize(
    ("first", "later", "kind"),
    [
        (None, 9, pa.int64()),
        (None, 9.5, pa.float64()),
        (1, 9.5, pa.float64()),
        (None, "nine", pa.string()),
        (None, None, pa.null()),
    ],
)
def test_a_type_is_that_of_all_rows(
    tmp_path: Path, first: object, later: object, kind: pa.DataType
) -> None:
    table, notes = query_sqlite(tmp_path, [*[first] * BATCH_ROWS, later])

    assert (table.schema.field(0).type, table.num_rows) == (kind, BATCH_ROWS + 1)
    assert (table[0][0].as_py(), table[0][-1].as_py()) == (first, later)
    assert notes == []


@pytest.mark.parametrize(
    ("first", "later"), [(1, "nine"), (None, b"nine"), (2**53 + 1, 0.5)], ids=str
)
def test_a_mixture_is_text_with_a_note(tmp_path: Path, first: object, later: object) -> None:
    values = ["text", *[first] * BATCH_ROWS, later] if first is None else [first, later]
    table, notes = query_sqlite(tmp_path, values)

    assert table.schema.field(0).type == pa.string()
    assert table[0][-1].as_py() == (later.decode() if isinstance(later, bytes) else str(later))
    assert notes == ["x has values of several types; they are texts."]


def test_a_value_of_another_type_is_an_error_of_the_source() -> None:
    _, batches = build_batches(infer_types(1, [[1]]), iter([["one"]]))

    with pytest.raises(ColumnChanged, match="column 1 does not fit"):
        list(batches)


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        (DeclaredType(16, 1, is_unsigned=True, is_binary=True), pa.int64()),
        (DeclaredType(16, 64, is_unsigned=True, is_binary=True), pa.uint64()),
        (DeclaredType(252, 65535, is_binary=True), pa.binary()),
        (DeclaredType(254, 16, is_binary=True), pa.binary()),
        (DeclaredType(252, 65535), pa.string()),
        (DeclaredType(246, 12, scale=2), pa.decimal128(38, 2)),
        (DeclaredType(246, 40, scale=2), pa.decimal128(38, 2)),
        (DeclaredType(246, 41, scale=2), pa.decimal256(76, 2)),
        (DeclaredType(246, 38, is_unsigned=True), pa.decimal128(38, 0)),
        (DeclaredType(8, 20, is_unsigned=True), pa.uint64()),
    ],
    ids=str,
)
def test_types_that_mysql_declares(declared: DeclaredType, kind: pa.DataType) -> None:
    assert infer_declared(declared) == kind
