"""A MariaDB server of our own on loopback, where one is installed."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pymysql
import pytest
from tests.installed import find_program
from tests.serving import free_port
from tests.waiting import PATIENCE_S


@asynccontextmanager
async def mariadb_server() -> AsyncIterator[int]:
    """The port of an empty server; its user is `root` without a password."""
    program = find_program("mariadbd", package="mariadb-server-core")
    if program is None:
        pytest.skip("no MariaDB here: `apt-get install mariadb-server-core`, or root with CI=true")
    with free_port() as listener:
        port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="yarrow-maria-") as folder:
        server = await asyncio.create_subprocess_exec(
            program,
            "--no-defaults",
            f"--datadir={folder}",
            f"--socket={folder}/socket",
            f"--port={port}",
            "--bind-address=127.0.0.1",
            "--skip-grant-tables",
            "--skip-networking=0",
            "--user=root",
            f"--log-error={folder}/log",
        )
        try:
            await _wait(server, port)
            yield port
        finally:
            server.kill()
            await server.wait()


async def _wait(server: asyncio.subprocess.Process, port: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while server.returncode is None:
            try:
                pymysql.connect(host="127.0.0.1", port=port, user="root").close()
            except pymysql.MySQLError:
                await asyncio.sleep(0.2)
            else:
                return
    raise RuntimeError("MariaDB did not start")
