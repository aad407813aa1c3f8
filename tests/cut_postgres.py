"""A product whose database can be taken away, and given back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import asyncpg
from tests.lossy_postgres import SOCKET
from tests.own_database import create_database
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel

END_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"


class SocketLink:
    """A folder through which PostgreSQL is reached, until it is cut."""

    def __init__(self, folder: str, dsn: str, admin: str) -> None:
        own = urlsplit(dsn)
        (upstream,) = parse_qs(own.query)["host"]
        self._link, self._upstream = Path(folder, SOCKET), Path(upstream, SOCKET)
        self._admin, self._database = admin, own.path.removeprefix("/")
        self.dsn = dsn
        """Of the same database, past the link."""
        self.cut_dsn = urlunsplit(own._replace(query=urlencode({"host": folder})))

    def connect(self) -> None:
        self._link.symlink_to(self._upstream)

    async def cut(self) -> None:
        """Close all connections; none can be opened until `connect`."""
        self._link.unlink()
        await run_sql(self._admin, f"{END_CONNECTIONS} datname = '{self._database}'")


async def run_sql(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(statement)
    await connection.close()


@asynccontextmanager
async def serving_over_link(
    postgres: str, data_dir: Path, model: ScriptedModel, **settings
) -> AsyncIterator[tuple[Served, SocketLink]]:
    """A product with a database of its own that can be taken away, and given back."""
    dsn = await create_database(postgres)
    with TemporaryDirectory() as folder:
        link = SocketLink(folder, dsn, postgres)
        link.connect()
        async with serving(link.cut_dsn, model=model, data_dir=data_dir, **settings) as served:
            yield served, link
