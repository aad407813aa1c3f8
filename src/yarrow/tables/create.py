"""Create and replace tables; a failure leaves neither a row nor a file.

Parsing rows that come with a request may take seconds, so the request only spools them
(`spool_rows`), and its run creates the tables (`create_tables`).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import accumulate
from pathlib import Path

import asyncpg
from msgspec import Struct
from msgspec.structs import replace

from yarrow.db import Tx
from yarrow.errors import InvalidInput, StorageUnavailable
from yarrow.ids import AccountId, TableId, new_uuid
from yarrow.kit.json import JsonMapping, encode_json
from yarrow.kit.notes import write_note
from yarrow.sandbox.errors import SandboxError, TableUnreadable
from yarrow.sandbox.messages import Sheet
from yarrow.sandbox.model import FileToRead, JobLimits, SavedFrame, WrittenTable
from yarrow.sandbox.table_notes import Sentence, encode_notes
from yarrow.tables import store
from yarrow.tables.duckdb_sql import build_first_rows_query
from yarrow.tables.files import ROWS_SUFFIX, locate_table_file
from yarrow.tables.model import (
    CreatedTable,
    ImportedRows,
    RunStep,
    SourceType,
    StoredTable,
    TableContents,
    TableOrigin,
    Tables,
    Workspace,
)
from yarrow.tables.read import find_table, find_tables, require_files
from yarrow.tables.remove import delete_discarded_tables
from yarrow.tables.table_names import (
    DERIVED_PREFIX,
    choose_free_name,
    normalise_table_name,
    strip_extension,
)
from yarrow.tables.temp_files import SpoolFile

SAMPLE = JobLimits(rows=20, result_bytes=32 * 1024)
"""Size of the sample that is stored with a table's metadata."""
PREVIEW_ROWS = 100


class _Reservation(Struct, frozen=True):
    """Id and file of a table that is not complete yet."""

    id: TableId
    path: Path


async def create_table(
    tables: Tables,
    workspace: Workspace,
    file: FileToRead,
    *,
    replace_source: bool = False,
    step: RunStep | None = None,
) -> CreatedTable:
    """Create a table from a spooled file; a name in use gets a number.

    With `replace_source`, tables from a file of the same name are removed in the same transaction.
    Their files stay for the sweep: a run may be reading them.
    """
    wanted = normalise_table_name(file.table_name or strip_extension(file.filename))
    origin = TableOrigin(file.table_name or file.filename, SourceType.UPLOAD, file.filename)
    async with _reserve_table(tables, workspace, origin, wanted) as reservation:
        written = await tables.sandbox.read_file(replace(file, table_name=wanted), reservation.path)
        if not written.columns:
            raise TableUnreadable(write_note(Sentence.WITHOUT_ROWS))
        contents = await _describe_written(tables, written, reservation.path)
        await tables.files.publish(reservation.id)
        async with tables.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            if replace_source:
                await store.discard_from_file(tx, workspace, file.filename)
            name = choose_free_name(wanted, await store.list_names_like(tx, workspace, wanted))
            table = await _complete_table(
                tables, tx, reservation, name=name, contents=contents, step=step
            )
    return CreatedTable(table, written.notes)


async def import_table(
    tables: Tables,
    workspace: Workspace,
    origin: TableOrigin,
    write: Callable[[Path], Awaitable[ImportedRows]],
) -> StoredTable:
    """Create a table from a Parquet file that `write` writes; if it fails, nothing is stored."""
    wanted = normalise_table_name(origin.name)
    async with _reserve_table(tables, workspace, origin, wanted) as reservation:
        imported = await write(reservation.path)
        contents = TableContents(
            imported.columns,
            imported.row_count,
            await _read_first_rows(tables, reservation.path),
            imported.source_metadata,
        )
        await tables.files.publish(reservation.id)
        async with tables.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            name = choose_free_name(wanted, await store.list_names_like(tx, workspace, wanted))
            return await _complete_table(tables, tx, reservation, name=name, contents=contents)


async def sync_table_data(
    tables: Tables, workspace: Workspace, name: str, *, file: FileToRead
) -> CreatedTable:
    """Replace a table's rows by those of a spooled file, atomically for readers.

    A file without rows has no columns; then the table keeps its own. The old file stays for the
    sweep.
    """
    old = await find_table(tables, workspace, name)
    origin = TableOrigin(old.original_name, old.source_type, old.source_filename)
    async with _reserve_table(tables, workspace, origin, name) as reservation:
        written = await tables.sandbox.read_file(replace(file, table_name=name), reservation.path)
        if not written.columns:
            written = await _copy_columns(tables, old, reservation)
        contents = await _describe_written(tables, written, reservation.path)
        await tables.files.publish(reservation.id)
        async with tables.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            await store.discard_by_name(tx, workspace, name)
            table = await _complete_table(tables, tx, reservation, name=name, contents=contents)
    return CreatedTable(table, written.notes)


async def save_derived(
    tables: Tables,
    workspace: Workspace,
    variable: str,
    *,
    frame: SavedFrame,
    step: RunStep | None = None,
) -> StoredTable:
    """Store a frame as the table `d-…`; its file is moved, not copied.

    Raises `RunFenced` if another attempt owns the run of the step. The file is moved before the
    row is inserted: after a crash between the two, the sweep removes the file.
    """
    table_id = TableId(new_uuid())
    frame.path.replace(locate_table_file(tables.sandbox.folder, table_id))
    origin = TableOrigin(f"{DERIVED_PREFIX}{variable}", SourceType.DERIVED, step=step)
    done = False
    try:
        await tables.files.publish(table_id)
        table = await _insert_derived(tables, workspace, table_id, origin, frame=frame)
        done = True
    finally:
        if not done:
            tables.files.unlink([table_id])
            with suppress(StorageUnavailable):
                await tables.files.delete([table_id])
    return table


async def refresh_derived(
    tables: Tables, workspace: Workspace, original_name: str, *, frame: SavedFrame
) -> StoredTable:
    """Store a frame in place of the derived table of this name, or as a new one.

    Its file is moved; the old one stays for the sweep. An uploaded table is not replaced.
    """
    name = normalise_table_name(original_name)
    origin = TableOrigin(original_name, SourceType.DERIVED)
    async with _reserve_table(tables, workspace, origin, name) as reservation:
        frame.path.replace(reservation.path)
        await tables.files.publish(reservation.id)
        async with tables.database.transaction() as tx:
            await store.lock_workspace(tx, workspace)
            await _require_derived(tx, tables, workspace, name)
            await store.discard_by_name(tx, workspace, name)
            table = await _complete_table(
                tables, tx, reservation, name=name, contents=_make_contents(frame)
            )
    return table


async def preview_file(tables: Tables, file: FileToRead) -> Sequence[Sheet]:
    """The sheets of a spooled file with their first rows; nothing is stored."""
    return await tables.sandbox.preview_file(file, rows=PREVIEW_ROWS)


@asynccontextmanager
async def _reserve_table(
    tables: Tables, workspace: Workspace, origin: TableOrigin, name: str
) -> AsyncIterator[_Reservation]:
    """Insert a row for an incomplete table; if the block fails, remove row and file."""
    table_id = TableId(new_uuid())
    async with tables.database.connection() as tx:
        await store.reserve_table(tx, table_id, workspace, origin=origin, name=name)
    reservation = _Reservation(table_id, locate_table_file(tables.sandbox.folder, table_id))
    done = False
    try:
        yield reservation
        done = True
    finally:
        if not done:
            await delete_discarded_tables(tables, [table_id])


async def _insert_derived(
    tables: Tables,
    workspace: Workspace,
    table_id: TableId,
    origin: TableOrigin,
    *,
    frame: SavedFrame,
) -> StoredTable:
    """Insert under the cached next name; if that is taken or none is cached, read all names while
    the workspace is locked."""
    wanted, contents = normalise_table_name(origin.name), _make_contents(frame)

    async def insert_table(tx: Tx, name: str) -> StoredTable:
        return await store.insert_live_table(
            tx,
            table_id,
            workspace,
            origin=origin,
            name=name,
            contents=contents,
            size=_seal_and_measure(locate_table_file(tables.sandbox.folder, table_id)),
            folder=tables.sandbox.folder,
        )

    name = tables.names.take(workspace.key, wanted)
    if name is not None:
        with suppress(asyncpg.UniqueViolationError):
            async with tables.database.connection() as tx:
                return await insert_table(tx, name)
    async with tables.database.transaction() as tx:
        await store.lock_workspace(tx, workspace)
        name = choose_free_name(wanted, await store.list_names_like(tx, workspace, wanted))
        table = await insert_table(tx, name)
    tables.names.record(workspace.key, wanted, name)
    return table


async def _complete_table(
    tables: Tables,
    tx: Tx,
    reservation: _Reservation,
    *,
    name: str,
    contents: TableContents,
    step: RunStep | None = None,
) -> StoredTable:
    return await store.complete_table(
        tx,
        reservation.id,
        name=name,
        contents=contents,
        size=_seal_and_measure(reservation.path),
        folder=tables.sandbox.folder,
        step=step,
    )


async def _copy_columns(
    tables: Tables, table: StoredTable, reservation: _Reservation
) -> WrittenTable:
    """Write a file with the table's columns and no rows."""
    await require_files(tables, [table])
    file = FileToRead(table.path, "rows.parquet", table.name, max_rows=0)
    written = await tables.sandbox.read_file(file, reservation.path)
    return WrittenTable(written.columns, 0)


async def _require_derived(tx: Tx, tables: Tables, workspace: Workspace, name: str) -> None:
    for table in await store.find_tables(tx, workspace, [name], folder=tables.sandbox.folder):
        if table.source_type is not SourceType.DERIVED:
            raise InvalidInput(f"{name} is not a table that code made; those alone are replaced")


def _seal_and_measure(path: Path) -> int:
    """Make the file read-only; return its size."""
    path.chmod(0o444)
    return path.stat().st_size


def _make_contents(frame: SavedFrame) -> TableContents:
    return TableContents(frame.first.columns, frame.row_count, _make_sample(frame.first.rows))


def _make_sample(rows: Sequence[JsonMapping]) -> list[JsonMapping]:
    """The first rows, within the limits of a sample."""
    sizes = accumulate(len(encode_json(row)) for row in rows[: SAMPLE.rows])
    return [row for row, size in zip(rows, sizes, strict=False) if size <= SAMPLE.result_bytes]


async def _describe_written(tables: Tables, written: WrittenTable, path: Path) -> TableContents:
    """The metadata of a file that was read; notes stay with the table, as those of sources do."""
    rows = await _read_first_rows(tables, path)
    return TableContents(
        written.columns, written.row_count, rows, encode_notes(written.notes) or None
    )


async def _read_first_rows(tables: Tables, path: Path) -> Sequence[JsonMapping]:
    query = build_first_rows_query("new", rows=SAMPLE.rows)
    return (await tables.sandbox.run_sql(query.text, {"new": path}, SAMPLE)).rows


async def spool_rows(
    tables: Tables, account_id: AccountId, rows_by_table: Mapping[str, Sequence[JsonMapping]]
) -> dict[str, str]:
    """Write each table's rows to a file; return file names by table, for `create_tables`.

    Files that no run picks up are removed by the sweep.
    """
    files: dict[str, str] = {}
    for name, rows in rows_by_table.items():
        path = await asyncio.to_thread(_write_rows, tables, account_id, rows)
        await tables.files.publish_rows(path)
        files[name] = path.name
    return files


def _write_rows(tables: Tables, account_id: AccountId, rows: Sequence[JsonMapping]) -> Path:
    path = tables.sandbox.spool_path(_make_suffix(account_id))
    file = SpoolFile(path, max_bytes=tables.max_bytes)
    try:
        file.write(encode_json(rows))
    finally:
        file.close()
    return path


async def create_tables(
    tables: Tables, workspace: Workspace, files: Mapping[str, str], *, step: RunStep
) -> list[str]:
    """Create the tables that the workspace does not have; return the names of unreadable ones.

    A restarted run finds the tables that its first attempt created. Raises `RunFenced` if
    another attempt owns the run.
    """
    if not files:
        return []
    existing = await find_tables(tables, workspace, [normalise_table_name(name) for name in files])
    unreadable: list[str] = []
    for name, file in files.items():
        path = await _find_spooled(tables, workspace.account_id, file)
        if path is None and normalise_table_name(name) not in existing:
            unreadable.append(name)
        elif path is not None and normalise_table_name(name) not in existing:
            try:
                rows = FileToRead(path, f"{name}.json", name)
                rows_step = replace(step, name=f"{step.name} {name}")
                await create_table(tables, workspace, rows, step=rows_step)
            except (InvalidInput, SandboxError):
                unreadable.append(name)
        if path is not None:
            await tables.files.delete_rows(path)
    return unreadable


async def _find_spooled(tables: Tables, account_id: AccountId, file: str) -> Path | None:
    """The file, if it exists and was spooled for this account, by this server or another."""
    path = tables.sandbox.spool_path("").parent / Path(file).name
    is_ours = path.name.endswith(_make_suffix(account_id))
    return path if is_ours and await tables.files.fetch_rows(path) else None


def _make_suffix(account_id: AccountId) -> str:
    return f".{account_id}{ROWS_SUFFIX}"
