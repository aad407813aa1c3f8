"""The connector process against a real PostgreSQL: time limit, huge values, lost processes."""

import importlib
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace
from tests.tcp_postgres import tcp_postgres

from yarrow.sources.address import parse_source_address
from yarrow.sources.connector.process import Connector
from yarrow.sources.errors import SourceDriverMissing, SourceQueryFailed, SourceTimedOut
from yarrow.sources.model import SourceQuery

SLEEPING = (
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' "
    "AND state = 'active' AND pid <> pg_backend_pid()"
)


def connector(*, timeout_s: float) -> Connector:
    return Connector(
        slots=2, per_account=2, timeout_s=timeout_s, max_rows=1000, max_bytes=64 * 1024 * 1024
    )


async def test_a_query_beyond_its_time_is_cancelled_at_the_source(
    postgres: str, tmp_path: Path
) -> None:
    async with tcp_postgres(postgres) as proxy:
        address = replace(parse_source_address(proxy.url("yarrow")), ip="127.0.0.1")
        query = SourceQuery("SELECT pg_sleep(600)")
        with pytest.raises(SourceTimedOut):
            await connector(timeout_s=1).query(address, query, file=tmp_path / "out", owner="test")

        connection = await asyncpg.connect(postgres)
        assert await connection.fetchval(SLEEPING) == 0
        await connection.close()


async def test_a_value_that_the_driver_cannot_hold_is_told(postgres: str, tmp_path: Path) -> None:
    async with tcp_postgres(postgres) as proxy:
        address = replace(parse_source_address(proxy.url("yarrow")), ip="127.0.0.1")
        query = SourceQuery("SELECT repeat('x', 300000000) AS huge")
        with pytest.raises(SourceQueryFailed, match="larger than the driver reads"):
            await connector(timeout_s=60).query(address, query, file=tmp_path / "out", owner="test")


@pytest.mark.parametrize(
    ("url", "library", "extra"),
    [
        ("bigquery://project/dataset", "google.cloud.bigquery", "bigquery"),
        ("snowflake://me:pw@account/database", "adbc_driver_snowflake", "snowflake"),
    ],
    ids=["bigquery", "snowflake"],
)
async def test_a_missing_driver_is_told_with_its_extra(url: str, library: str, extra: str) -> None:
    try:
        importlib.import_module(library)
    except ModuleNotFoundError:
        pass
    else:
        pytest.skip(f"{library} is installed")
    address = replace(parse_source_address(url), ip="127.0.0.1")

    with pytest.raises(SourceDriverMissing, match=rf"yarrow\[{extra}\]"):
        await connector(timeout_s=60).ping(address, owner="test")
