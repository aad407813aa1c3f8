"""Results of sources as Parquet files."""

from decimal import Decimal
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from yarrow.kit.notes import list_messages
from yarrow.sources.connector.driver import BatchStream
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.write_parquet import ResultWriter

LIMITS = ConnectorLimits(rows=1000, bytes=10**8, seconds=10, tables=10, memory_bytes=10**9)


def write(*batches: pa.RecordBatch) -> tuple[list[dict[str, object]], list[str]]:
    file = BytesIO()
    schema = batches[0].schema
    stream = BatchStream(schema.names, schema, iter(batches))
    written = ResultWriter(file, stream, LIMITS).write()
    rows: list[dict[str, object]] = pq.read_table(BytesIO(file.getvalue())).to_pylist()
    return rows, list_messages(written.notes)


def test_nan_and_infinity_are_empty_and_noted() -> None:
    first = pa.record_batch({"x": [1.5, float("nan"), None], "y": [1.0, 2.0, 3.0]})
    second = pa.record_batch({"x": [float("inf"), float("-inf")], "y": [4.0, None]})

    rows, notes = write(first, second)

    assert [row["x"] for row in rows] == [1.5, None, None, None, None]
    assert [row["y"] for row in rows] == [1.0, 2.0, 3.0, 4.0, None]
    assert notes == ["Values of x that are NaN or infinite are empty: 3."]


def test_nan_of_a_numeric_column_is_empty() -> None:
    numeric = pa.opaque(pa.string(), "numeric", "PostgreSQL")
    array = pa.ExtensionArray.from_storage(numeric, pa.array(["NaN", "2.5", "Infinity"]))

    rows, notes = write(pa.record_batch([array], names=["x"]))

    assert [row["x"] for row in rows] == [None, 2.5, None]
    assert notes == ["Values of x that are NaN or infinite are empty: 2."]


def test_long_decimals_are_rounded_with_a_note() -> None:
    kind = pa.decimal256(76, 2)
    long, short = Decimal("1" * 40 + ".25"), Decimal("1.50")
    batch = pa.record_batch({"a": pa.array([long], kind), "b": pa.array([short], kind)})

    rows, notes = write(batch)

    assert rows == [{"a": float(long), "b": 1.5}]
    assert notes == ["Numbers with more than 15 digits are rounded to 15: a."]
