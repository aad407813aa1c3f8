"""Create tables from rows that come with a request.

Parsing rows may take seconds, so the request only spools them, and its run creates the tables.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.kit.json import JsonMapping, encode_json
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.model import FileToRead
from yarrow.sandbox.spool_files import remove_file
from yarrow.tables.create import create_table
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import find_tables
from yarrow.tables.rules import table_name
from yarrow.tables.temp_files import SpoolFile


async def spool_rows(
    tables: Tables, account_id: AccountId, rows_by_table: Mapping[str, Sequence[JsonMapping]]
) -> dict[str, str]:
    """Write each table's rows to a file; return file names by table, for `create_tables`.

    Files that no run picks up are removed by the sweep.
    """
    return {
        name: await asyncio.to_thread(_write_rows, tables, account_id, rows)
        for name, rows in rows_by_table.items()
    }


def _write_rows(tables: Tables, account_id: AccountId, rows: Sequence[JsonMapping]) -> str:
    path = tables.sandbox.spool_path(_suffix(account_id))
    file = SpoolFile(path, max_bytes=tables.max_bytes)
    try:
        file.write(encode_json(rows))
    finally:
        file.close()
    return path.name


async def create_tables(
    tables: Tables, workspace: Workspace, files: Mapping[str, str]
) -> list[str]:
    """Create the tables that the workspace does not have; return the names of unreadable ones.

    A restarted run finds the tables that its first attempt created.
    """
    if not files:
        return []
    existing = await find_tables(tables, workspace, [table_name(name) for name in files])
    unreadable: list[str] = []
    for name, file in files.items():
        path = _find_spooled(tables, workspace.account_id, file)
        if table_name(name) not in existing and path is not None:
            try:
                await create_table(tables, workspace, FileToRead(path, f"{name}.json", name))
            except (InvalidInput, SandboxError):
                unreadable.append(name)
        if path is not None:
            remove_file(path)
    return unreadable


def _find_spooled(tables: Tables, account_id: AccountId, file: str) -> Path | None:
    """The file, if it exists and was spooled for this account."""
    path = tables.sandbox.spool_path("").parent / Path(file).name
    return path if path.name.endswith(_suffix(account_id)) and path.is_file() else None


def _suffix(account_id: AccountId) -> str:
    return f".{account_id}.rows"
