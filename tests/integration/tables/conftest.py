"""One sandbox for all tests, and a workspace for each."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.new_account import new_account

from yarrow.db import Database
from yarrow.sandbox.model import FileToRead
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings
from yarrow.tables.create import create_table
from yarrow.tables.model import CreatedTable, Tables, Workspace
from yarrow.tables.temp_files import spool_file, stream_once

Upload = Callable[..., Awaitable[CreatedTable]]


@pytest.fixture(scope="session")
async def sandbox(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Sandbox]:
    folder = tmp_path_factory.mktemp("tables")
    async with Sandbox(Settings(data_dir=folder, table_max_mb=1)) as sandbox:
        yield sandbox


@pytest.fixture
def tables(database: Database, sandbox: Sandbox) -> Tables:
    return Tables(database, sandbox, max_bytes=1024 * 1024)


@pytest.fixture
async def workspace(database: Database) -> Workspace:
    return Workspace(await new_account(database))


@pytest.fixture
def upload(tables: Tables, workspace: Workspace) -> Upload:
    """Bring a file, as a client would."""

    async def bring(
        data: bytes | str,
        filename: str = "sales.csv",
        *,
        name: str = "",
        sheet: str | None = None,
        replace_source: bool = False,
        encoding: str | None = None,
    ) -> CreatedTable:
        sent = data.encode() if isinstance(data, str) else data
        async with spool_file(tables, stream_once(sent)) as path:
            file = FileToRead(path, filename, name, sheet, encoding=encoding)
            return await create_table(tables, workspace, file, replace_source=replace_source)

    return bring
