"""A catalogue is cut at its limits and told as cut, in batches that are quickly decoded."""

import msgspec

from yarrow.sources.connector.write_catalogue import (
    BATCH_BYTES,
    MAX_BYTES,
    MAX_TABLE_BYTES,
    write_catalogue,
)
from yarrow.sources.model import SourceCatalogue, SourceColumn, SourceTable


def make_table(name: str, *, columns: int, comment: str = "") -> SourceTable:
    listed = [SourceColumn(f"column_{number}", "integer", comment) for number in range(columns)]
    return SourceTable("main", name, listed, comment)


def read_tables(catalogue: SourceCatalogue) -> list[SourceTable]:
    batches = (msgspec.json.decode(batch, type=list[SourceTable]) for batch in catalogue.batches)
    return [table for batch in batches for table in batch]


def test_all_tables_are_written_in_small_batches() -> None:
    tables = [make_table(f"t{number}", columns=20) for number in range(1_000)]

    catalogue = write_catalogue(tables, limit=1_000)

    assert read_tables(catalogue) == tables
    assert (catalogue.table_count, catalogue.is_truncated) == (1_000, False)
    assert max(map(len, catalogue.batches)) <= BATCH_BYTES + 1_000


def test_more_tables_than_the_limit_are_cut_and_told() -> None:
    tables = [make_table(f"t{number}", columns=1) for number in range(4)]

    catalogue = write_catalogue(tables, limit=3)

    assert read_tables(catalogue) == tables[:3]
    assert (catalogue.table_count, catalogue.is_truncated) == (3, True)


def test_a_catalogue_of_too_many_bytes_is_cut_and_told() -> None:
    tables = (make_table(f"t{number}", columns=1_000) for number in range(20_000))

    catalogue = write_catalogue(tables, limit=20_000)

    assert catalogue.is_truncated
    assert MAX_BYTES - MAX_TABLE_BYTES < sum(map(len, catalogue.batches)) < MAX_BYTES * 1.01
    assert len(read_tables(catalogue)) == catalogue.table_count


def test_a_table_that_is_too_large_alone_is_left_out_and_told() -> None:
    tables = [make_table("wide", columns=20_000), make_table("narrow", columns=2)]

    catalogue = write_catalogue(tables, limit=10)

    assert [table.name for table in read_tables(catalogue)] == ["narrow"]
    assert (catalogue.table_count, catalogue.is_truncated) == (1, True)


def test_comments_are_cut_at_a_thousand_characters() -> None:
    noted = make_table("t", columns=1, comment="x" * 5_000)

    (table,) = read_tables(write_catalogue([noted], limit=1))

    assert (len(table.comment), len(table.columns[0].comment)) == (1_000, 1_000)
