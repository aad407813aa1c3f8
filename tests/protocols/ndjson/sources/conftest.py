"""A served product whose accounts may reach loopback, and a PostgreSQL database as a source."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from tests.own_database import create_database
from tests.protocols.ndjson.conftest import SOME_ENDPOINT
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, serving
from tests.tcp_postgres import TcpPostgres, tcp_postgres

TIMEOUT_S = 600.0
"""Longer than tests wait: a query that ends before was cancelled."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose files may be sources."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="session")
async def served(
    postgres: str,
    shared_model: SwitchableModel,
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Served]:
    async with serving(
        await create_database(postgres),
        model=shared_model,
        data_dir=tmp_path_factory.mktemp("served"),
        llm_base_url=SOME_ENDPOINT,
        source_allowed_hosts=("127.0.0.1:*",),
        source_folders=(folder,),
        source_max_rows=50_000,
        source_timeout_s=TIMEOUT_S,
        sources_per_account=4,
    ) as served:
        yield served


@pytest.fixture(scope="session")
async def shop_name(postgres: str) -> str:
    """A database with a shop in it."""
    name = f"shop_{uuid4().hex}"
    connection = await asyncpg.connect(postgres)
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    await connection.close()
    connection = await asyncpg.connect(postgres.replace("@/yarrow?", f"@/{name}?"))
    await connection.execute(SHOP)
    await connection.close()
    return name


SHOP = """
CREATE SCHEMA sales;
CREATE TABLE sales.orders (id int PRIMARY KEY, region text, amount numeric(10, 2), day date);
COMMENT ON TABLE sales.orders IS 'Every order since 2020';
COMMENT ON COLUMN sales.orders.amount IS 'in euros';
INSERT INTO sales.orders
SELECT n, CASE WHEN n % 2 = 0 THEN 'North' ELSE 'South' END, n % 10 + 0.25,
    date '2026-01-01' + n % 90
FROM generate_series(1, 60000) n;
CREATE VIEW sales.by_region AS SELECT region, sum(amount) AS total FROM sales.orders GROUP BY 1;
CREATE TABLE audit (n int);
CREATE FUNCTION write_audit() RETURNS int LANGUAGE sql
    AS 'INSERT INTO audit VALUES (1) RETURNING n';
ANALYZE;
"""


@pytest.fixture(scope="session")
async def shared_proxy(postgres: str) -> AsyncIterator[TcpPostgres]:
    async with tcp_postgres(postgres) as proxy:
        yield proxy


@pytest.fixture
def proxy(shared_proxy: TcpPostgres) -> Iterator[TcpPostgres]:
    yield shared_proxy
    shared_proxy.cut_after, shared_proxy.is_silent = None, False


@pytest.fixture
async def shop(postgres: str, shop_name: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the source, beside the product."""
    connection = await asyncpg.connect(postgres.replace("@/yarrow?", f"@/{shop_name}?"))
    yield connection
    await connection.close()


@pytest.fixture
async def warehouse(caller: Caller, proxy: TcpPostgres, shop_name: str) -> Caller:
    """An account with the source `warehouse`."""
    body = {"name": "warehouse", "url": proxy.url(shop_name)}
    status, answer = await caller.post("/api/sources", body)
    assert status == 201, answer
    return caller
