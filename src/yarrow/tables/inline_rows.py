"""Given: rows that a client holds itself become tables, so that everything can work on them.

Reading rows takes seconds, so a request only puts them down, and its run makes the tables.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.model import FileToRead
from yarrow.tables.create import create_table
from yarrow.tables.model import Shelf, Workspace
from yarrow.tables.read import find_tables
from yarrow.tables.rules import table_name
from yarrow.tables.temp_files import SpoolFile


async def put_down_rows(
    shelf: Shelf, account_id: AccountId, given: Mapping[str, Sequence[JsonObject]]
) -> dict[str, str]:
    """The file of each table's rows, by name, for `keep_given_rows`; the sweep removes the rest."""
    return {
        name: await asyncio.to_thread(_written, shelf, account_id, rows)
        for name, rows in given.items()
    }


def _written(shelf: Shelf, account_id: AccountId, rows: Sequence[JsonObject]) -> str:
    path = shelf.sandbox.spool_path(_suffix(account_id))
    file = SpoolFile(path, max_bytes=shelf.max_bytes)
    try:
        file.write(encode_json(rows))
    finally:
        file.close()
    return path.name


async def keep_given_rows(
    shelf: Shelf, workspace: Workspace, files: Mapping[str, str]
) -> list[str]:
    """A table for each of these names, but for those that the workspace has; gives back the names
    whose rows are no table. A run that begins again finds the tables it made."""
    if not files:
        return []
    there = await find_tables(shelf, workspace, [table_name(name) for name in files])
    unreadable: list[str] = []
    for name, file in files.items():
        path = _own(shelf, workspace.account_id, file)
        if table_name(name) not in there and path is not None:
            try:
                await create_table(shelf, workspace, FileToRead(path, f"{name}.json", name))
            except (InvalidInput, SandboxError):
                unreadable.append(name)
        if path is not None:
            path.unlink(missing_ok=True)
    return unreadable


def _own(shelf: Shelf, account_id: AccountId, file: str) -> Path | None:
    """The file, if it is there and was put down by this account."""
    path = shelf.sandbox.spool_path("").parent / Path(file).name
    return path if path.name.endswith(_suffix(account_id)) and path.is_file() else None


def _suffix(account_id: AccountId) -> str:
    return f".{account_id}.rows"
