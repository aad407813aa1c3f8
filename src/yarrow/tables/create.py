"""Create: a file becomes a table, or leaves nothing behind."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

import asyncpg

from yarrow.db import Tx
from yarrow.errors import InvalidInput
from yarrow.ids import TableId, new_uuid
from yarrow.kit.json import JsonObject, encode_json
from yarrow.sandbox.errors import TableUnreadable
from yarrow.sandbox.model import FileToRead, JobLimits, SavedFrame, WrittenTable
from yarrow.sandbox.protocol import Sheet
from yarrow.tables import store
from yarrow.tables.duckdb_sql import first_rows_query
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import Contents, Created, Origin, Shelf, SourceType, Table, Workspace
from yarrow.tables.remove import remove_files, unlink_tables
from yarrow.tables.rules import DERIVED_PREFIX, free_name, name_of_file, table_name

SAMPLE = JobLimits(rows=20, result_bytes=32 * 1024)
"""How much of a table is kept beside it."""
PREVIEW_ROWS = 100


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a new table's rows go, before it has a name for good."""

    id: TableId
    path: Path


async def create_table(
    shelf: Shelf,
    workspace: Workspace,
    file: FileToRead,
    *,
    replace_source: bool = False,
) -> Created:
    """A spooled file as a new table; a name in use gets a number.

    With `replace_source`, tables that came from a file of this name go when the new one is there.
    """
    wanted = table_name(file.table_name or name_of_file(file.filename))
    origin = Origin(file.table_name or file.filename, SourceType.UPLOAD, file.filename)
    async with _reserved(shelf, workspace, origin, wanted) as place:
        written = await shelf.sandbox.read_file(replace(file, table_name=wanted), place.path)
        if not written.columns:
            raise TableUnreadable("the file has no rows")
        holds = Contents(written.columns, written.row_count, await _first_rows(shelf, place.path))
        async with shelf.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            old = []
            if replace_source:
                old = await store.discard_from_file(tx, workspace, file.filename)
            name = free_name(wanted, await store.names_like(tx, workspace, wanted))
            table = await _complete(shelf, tx, place, name=name, holds=holds)
    await remove_files(shelf, old)
    return Created(table, written.notes)


async def sync_table_data(
    shelf: Shelf, workspace: Workspace, name: str, *, file: FileToRead
) -> Created:
    """A spooled file in the place of a table's present rows; readers see the old or the new.

    A file without rows says nothing of its columns: the table keeps those it has.
    """
    old = await find_table(shelf, workspace, name)
    origin = Origin(old.original_name, old.source_type, old.source_filename)
    async with _reserved(shelf, workspace, origin, name) as place:
        written = await shelf.sandbox.read_file(replace(file, table_name=name), place.path)
        if not written.columns:
            written = await _emptied(shelf, old, place)
        holds = Contents(written.columns, written.row_count, await _first_rows(shelf, place.path))
        async with shelf.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            replaced = await store.discard_named(tx, workspace, name)
            table = await _complete(shelf, tx, place, name=name, holds=holds)
    await remove_files(shelf, [replaced] if replaced is not None else [])
    return Created(table, written.notes)


async def save_derived(
    shelf: Shelf, workspace: Workspace, variable: str, *, frame: SavedFrame
) -> Table:
    """A frame that Python put out as the table `d-…`; its file is moved, not copied.

    The file comes first: one that a crash leaves without its row is swept.
    """
    table_id = TableId(new_uuid())
    path = store.file_of(shelf.sandbox.folder, table_id)
    frame.path.replace(path)
    done = False
    try:
        table = await _create_as_new(shelf, workspace, table_id, variable, frame=frame)
        done = True
    finally:
        if not done:
            unlink_tables(shelf, [table_id])
    return table


async def refresh_derived(
    shelf: Shelf, workspace: Workspace, given: str, *, frame: SavedFrame
) -> Table:
    """A frame in the place of the derived table of this name, or as a new one.

    Its file is moved. A table that somebody brought is not replaced.
    """
    name = table_name(given)
    async with _reserved(shelf, workspace, Origin(given, SourceType.DERIVED), name) as place:
        frame.path.replace(place.path)
        async with shelf.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            await _require_derived(tx, shelf, workspace, name)
            replaced = await store.discard_named(tx, workspace, name)
            table = await _complete(shelf, tx, place, name=name, holds=_held_by(frame))
    await remove_files(shelf, [replaced] if replaced is not None else [])
    return table


async def preview_file(shelf: Shelf, file: FileToRead) -> Sequence[Sheet]:
    """What a spooled file holds, sheet by sheet; nothing is kept."""
    return await shelf.sandbox.preview_file(file, rows=PREVIEW_ROWS)


async def find_table(shelf: Shelf, workspace: Workspace, name: str) -> Table:
    """The table of this name; `TableNotFound` if the workspace has none."""
    async with shelf.database.connection() as tx:
        found = await store.find(tx, workspace, [name], folder=shelf.sandbox.folder)
    if not found:
        raise TableNotFound(name)
    return found[0]


@asynccontextmanager
async def _reserved(
    shelf: Shelf, workspace: Workspace, origin: Origin, name: str
) -> AsyncIterator[_Place]:
    """A row for a table to come; if the block fails, neither row nor file stays."""
    table_id = TableId(new_uuid())
    async with shelf.database.connection() as tx:
        await store.reserve(tx, table_id, workspace, origin=origin, name=name)
    place = _Place(table_id, store.file_of(shelf.sandbox.folder, table_id))
    done = False
    try:
        yield place
        done = True
    finally:
        if not done:
            await remove_files(shelf, [table_id])


async def _create_as_new(
    shelf: Shelf, workspace: Workspace, table_id: TableId, variable: str, *, frame: SavedFrame
) -> Table:
    """Under the next name that we know of; if it was taken, or none is known, all are looked at,
    and nobody else can take one meanwhile."""
    origin = Origin(f"{DERIVED_PREFIX}{variable}", SourceType.DERIVED)
    wanted, holds = table_name(origin.name), _held_by(frame)

    async def create(tx: Tx, name: str) -> Table:
        return await store.create(
            tx,
            table_id,
            workspace,
            origin=origin,
            name=name,
            holds=holds,
            size=_settle(store.file_of(shelf.sandbox.folder, table_id)),
            folder=shelf.sandbox.folder,
        )

    name = shelf.names.take(workspace.key, wanted)
    if name is not None:
        with suppress(asyncpg.UniqueViolationError):
            async with shelf.database.connection() as tx:
                return await create(tx, name)
    async with shelf.database.transaction() as tx:
        await store.lock_workspace(tx, workspace)
        name = free_name(wanted, await store.names_like(tx, workspace, wanted))
        table = await create(tx, name)
    shelf.names.learn(workspace.key, wanted, name)
    return table


async def _complete(shelf: Shelf, tx: Tx, place: _Place, *, name: str, holds: Contents) -> Table:
    return await store.complete(
        tx,
        place.id,
        name=name,
        holds=holds,
        size=_settle(place.path),
        folder=shelf.sandbox.folder,
    )


async def _emptied(shelf: Shelf, table: Table, place: _Place) -> WrittenTable:
    """The columns of a table, in a file of their own, without its rows."""
    file = FileToRead(table.path, "rows.parquet", table.name, max_rows=0)
    written = await shelf.sandbox.read_file(file, place.path)
    return WrittenTable(written.columns, 0)


async def _require_derived(tx: Tx, shelf: Shelf, workspace: Workspace, name: str) -> None:
    for table in await store.find(tx, workspace, [name], folder=shelf.sandbox.folder):
        if table.source_type is not SourceType.DERIVED:
            raise InvalidInput(f"{name} is a table that was brought, not derived")


def _settle(path: Path) -> int:
    """Nobody writes the file any more; its size."""
    path.chmod(0o444)
    return path.stat().st_size


def _held_by(frame: SavedFrame) -> Contents:
    return Contents(frame.first.columns, frame.row_count, _sample(frame.first.rows))


def _sample(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """As many of the first rows as a sample has."""
    sizes = accumulate(len(encode_json(row)) for row in rows[: SAMPLE.rows])
    return [row for row, size in zip(rows, sizes, strict=False) if size <= SAMPLE.result_bytes]


async def _first_rows(shelf: Shelf, path: Path) -> Sequence[JsonObject]:
    query = first_rows_query("new", rows=SAMPLE.rows)
    return (await shelf.sandbox.run_sql(query.text, {"new": path}, SAMPLE)).rows
