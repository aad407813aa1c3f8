"""A program has the tables that it names, or all if it may open others."""

from pathlib import Path

import pytest

from yarrow.sandbox.job_spec import select_tables

TABLES = {name: Path(f"{name}.parquet") for name in ("sales", "sales_2024", "d-totals")}


@pytest.mark.parametrize(
    ("code", "mounted"),
    [
        ("print(1)", set()),
        ("x = pd.read_parquet('data/d-totals.parquet')", {"d-totals"}),
        ("data = d = sales_2024.head()", {"sales", "sales_2024"}),
        ("duckdb.sql('FROM \"d-totals\"')", {"d-totals"}),
        ("pd.read_parquet(f'data/{name}.parquet')", set(TABLES)),
        ("[pd.read_parquet(p) for p in Path('data').iterdir()]", set(TABLES)),
        ("glob('*/*')", set(TABLES)),
    ],
)
def test_only_tables_that_may_be_read_are_mounted(code: str, mounted: set[str]) -> None:
    assert set(select_tables(code, TABLES)) == mounted
