"""Data dirs that are gone, and servers that have ended, when the test is over."""

import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.memory_folder import copy_data_dir, make_memory_folder

from yarrow.db.embedded import server_processes
from yarrow.db.embedded.server import EmbeddedPostgres

ACTOR = Path(__file__).with_name("actor.py")

Act = Callable[..., subprocess.Popen[str]]
Ask = Callable[[str, str], Awaitable[object]]


def make_folder() -> Path:
    return make_memory_folder("yarrow-db-test-")


@pytest.fixture
def ask() -> Ask:
    """Run one statement on a connection of its own."""

    async def ask(dsn: str, statement: str) -> object:
        connection = await asyncpg.connect(dsn)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return ask


@pytest.fixture
def data_dir() -> Iterator[Path]:
    # Not tmp_path: pytest closes its folder to others, and its names are long for a socket.
    folder = make_folder()
    yield folder
    left = end_servers(folder)
    shutil.rmtree(folder)
    assert left == []


@pytest.fixture(scope="session")
def template() -> Iterator[Path]:
    """A data dir that has been started once: copying it is quicker than initdb."""
    folder = make_folder()
    with EmbeddedPostgres(folder):
        pass
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def used_dir(data_dir: Path, template: Path) -> Path:
    """A data dir with a stopped server."""
    copy_data_dir(template, data_dir)
    return data_dir


def end_servers(folder: Path) -> list[int]:
    """End what a test forgot, so that one failure leaves nothing behind for the next."""
    clusters = [path for path in folder.rglob("postgres") if path.is_dir()]
    left = [process for cluster in clusters for process in server_processes.find_orphans(cluster)]
    for process in left:
        process.kill()
    return [process.pid for process in left]


@pytest.fixture
def act(data_dir: Path) -> Iterator[Act]:
    """Start another process that uses the server of the data dir."""
    actors: list[subprocess.Popen[str]] = []

    def start(*args: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(ACTOR), str(data_dir), *args]
        pipe = subprocess.PIPE
        actors.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True))
        return actors[-1]

    yield start
    for actor in actors:
        actor.kill()
        actor.communicate()


@pytest.fixture(scope="session")
def shared_server() -> Iterator[str]:
    folder = make_folder()
    with EmbeddedPostgres(folder) as server:
        yield server.start()
    shutil.rmtree(folder)


@pytest.fixture
async def empty_database(shared_server: str, request: pytest.FixtureRequest) -> str:
    """A new database on the shared server, named after the test."""
    name = "t" + str(abs(hash(request.node.nodeid)))
    connection = await asyncpg.connect(shared_server)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    return shared_server.replace("/yarrow?", f"/{name}?")
