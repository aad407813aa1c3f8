"""SQL of tables."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec.structs import asdict

from yarrow.db import Row, Tx
from yarrow.errors import RunFenced
from yarrow.ids import AccountId, RunId, TableId
from yarrow.sandbox.model import Column
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import (
    RunStep,
    SourceType,
    StoredTable,
    TableContents,
    TableOrigin,
    Workspace,
)

_COLUMNS = (
    "id, name, original_name, source_filename, source_type, columns, row_count, bytes, "
    "created_at, sample, shape, source_metadata"
)


# Committed asynchronously: a crash that loses the row also ends the upload, and the sweep removes
# its file.
_RESERVE = """
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO datasets (id, account_id, workspace, name, original_name, source_filename, source_type)
SELECT $1, $2, $3, $4, $5, $6, $7 FROM quick
"""


async def reserve_table(
    tx: Tx, table_id: TableId, workspace: Workspace, *, origin: TableOrigin, name: str
) -> None:
    """Insert an incomplete table before its file is written."""
    await tx.execute(
        _RESERVE,
        table_id,
        workspace.account_id,
        workspace.name,
        name,
        origin.name.replace("\0", "")[:500],
        (origin.source_filename or "").replace("\0", "")[:500] or None,
        origin.source_type,
    )


async def lock_workspace(tx: Tx, workspace: Workspace) -> None:
    """Block other transactions from completing a table until this one ends: names are unique."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 4))", workspace.key)


async def list_names_like(tx: Tx, workspace: Workspace, name: str) -> set[str]:
    """Names in use that begin with this one."""
    rows = await tx.fetch(
        "SELECT name FROM datasets "
        "WHERE account_id = $1 AND workspace = $2 AND live AND starts_with(name, $3)",
        workspace.account_id,
        workspace.name,
        name,
    )
    return {row["name"] for row in rows}


def _write_owner(run_id: str, attempt: str) -> str:
    """SQL: a row if this attempt owns the run, which nobody can claim until the statement ends."""
    return (
        "owner AS MATERIALIZED (SELECT 1 FROM runs "  # noqa: S608
        f"WHERE id = {run_id} AND attempt = {attempt} AND status = 'running' FOR SHARE)"
    )


_COMPLETE = f"""
WITH {_write_owner("$7", "$8")}, turn AS MATERIALIZED (
    SELECT id AS reserved, pg_advisory_xact_lock(
        hashtextextended(account_id || '/' || workspace, 4)
    ) FROM datasets WHERE id = $1
)
UPDATE datasets SET
    live = true, touched_at = now(), name = $2, columns = $3, row_count = $4, bytes = $5,
    sample = $6, run_id = $7, run_step = $9, source_metadata = $10
FROM turn
WHERE id = turn.reserved AND touched_at > '-infinity'
    AND ($7::uuid IS NULL OR EXISTS (SELECT 1 FROM owner))
RETURNING {_COLUMNS}
"""  # noqa: S608


async def complete_table(
    tx: Tx,
    table_id: TableId,
    *,
    name: str,
    contents: TableContents,
    size: int,
    folder: Path,
    step: RunStep | None = None,
) -> StoredTable:
    """Make a table live after its file was written.

    Waits for the lock of the workspace. Raises `UniqueViolationError` for a name in use, and
    `RunFenced` for a step of a run that another attempt owns.
    """
    row = await tx.fetchrow(
        _COMPLETE,
        table_id,
        name,
        [asdict(column) for column in contents.columns],
        contents.row_count,
        size,
        list(contents.sample),
        *_list_step_arguments(step),
        contents.source_metadata,
    )
    if row is None:
        raise TableNotFound(name) if step is None else RunFenced
    return _build_table(row, folder)


def _list_step_arguments(step: RunStep | None) -> tuple[RunId | None, int | None, str | None]:
    return (None, None, None) if step is None else (step.run_id, step.attempt, step.name)


_CREATE = f"""
WITH {_write_owner("$12", "$13")},
turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($2, 4)))
INSERT INTO datasets (id, account_id, workspace, name, original_name, source_type, live,
    touched_at, columns, row_count, bytes, sample, run_id, run_step)
SELECT $1, $3, $4, $5, $6, $7, true, now(), $8, $9, $10, $11, $12, $14 FROM turn
WHERE $12::uuid IS NULL OR EXISTS (SELECT 1 FROM owner)
RETURNING {_COLUMNS}
"""  # noqa: S608


async def insert_live_table(
    tx: Tx,
    table_id: TableId,
    workspace: Workspace,
    *,
    origin: TableOrigin,
    name: str,
    contents: TableContents,
    size: int,
    folder: Path,
) -> StoredTable:
    """Insert a live table whose file is complete. Waits and raises like `complete_table`."""
    row = await tx.fetchrow(
        _CREATE,
        table_id,
        workspace.key,
        workspace.account_id,
        workspace.name,
        name,
        origin.name.replace("\0", "")[:500],
        origin.source_type,
        [asdict(column) for column in contents.columns],
        contents.row_count,
        size,
        list(contents.sample),
        *_list_step_arguments(origin.step),
    )
    if row is None:
        raise RunFenced
    return _build_table(row, folder)


async def select_existing_ids(tx: Tx, table_ids: Sequence[TableId]) -> set[TableId]:
    """The ids that have a row, live or not."""
    rows = await tx.fetch("SELECT id FROM datasets WHERE id = ANY($1)", table_ids)
    return {TableId(row["id"]) for row in rows}


async def discard_by_name(tx: Tx, workspace: Workspace, name: str) -> TableId | None:
    """Mark a table as deleted; its file is removed later."""
    table_id = await tx.fetchval(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND name = $3 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
        name,
    )
    return TableId(table_id) if table_id is not None else None


async def discard_from_file(tx: Tx, workspace: Workspace, filename: str) -> list[TableId]:
    """Mark all tables from this file as deleted."""
    rows = await tx.fetch(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND source_filename = $3 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
        filename,
    )
    return [TableId(row["id"]) for row in rows]


async def discard_all(tx: Tx, workspace: Workspace) -> list[TableId]:
    """Mark all tables of a workspace as deleted."""
    rows = await tx.fetch(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
    )
    return [TableId(row["id"]) for row in rows]


async def discard_of_run(tx: Tx, run_id: RunId, *, besides: Sequence[str]) -> int:
    """Mark the derived tables of a run as deleted, but for the named ones; return their number."""
    rows = await tx.fetch(
        "UPDATE datasets SET live = false, touched_at = now() WHERE run_id = $1 AND live "
        "AND source_type = $2 AND name <> ALL($3) RETURNING id",
        run_id,
        SourceType.DERIVED,
        besides,
    )
    return len(rows)


async def delete_discarded(tx: Tx, table_ids: Sequence[TableId]) -> None:
    """Delete the rows of tables whose files are removed."""
    await tx.execute("DELETE FROM datasets WHERE id = ANY($1) AND NOT live", table_ids)


async def find_tables(
    tx: Tx, workspace: Workspace, names: Sequence[str], *, folder: Path
) -> list[StoredTable]:
    """The named tables that exist."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608
        "WHERE account_id = $1 AND workspace = $2 AND live AND name = ANY($3)",
        workspace.account_id,
        workspace.name,
        names,
    )
    return [_build_table(row, folder) for row in rows]


async def list_tables(
    tx: Tx,
    workspace: Workspace,
    *,
    folder: Path,
    limit: int | None = None,
    after: StoredTable | None = None,
) -> list[StoredTable]:
    """The tables of a workspace, oldest first; with `after`, those behind it."""
    behind = "" if after is None else "AND (created_at, id) > ($4, $5)"
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608
        f"WHERE account_id = $1 AND workspace = $2 AND live {behind} "
        "ORDER BY created_at, id LIMIT $3",
        workspace.account_id,
        workspace.name,
        limit,
        *(() if after is None else (after.created_at, after.id)),
    )
    return [_build_table(row, folder) for row in rows]


async def list_workspaces(tx: Tx, account_id: AccountId) -> list[str]:
    """The workspaces in which the account has tables."""
    rows = await tx.fetch(
        "SELECT DISTINCT workspace FROM datasets WHERE account_id = $1 AND live ORDER BY 1",
        account_id,
    )
    return [row["workspace"] for row in rows]


async def save_counts(tx: Tx, counts: Mapping[TableId, Sequence[Sequence[int]]]) -> None:
    """Store `StoredTable.counts` of several tables."""
    await tx.execute(
        "UPDATE datasets SET shape = $1::jsonb -> id::text WHERE id = ANY($2::uuid[])",
        {str(table_id): counted for table_id, counted in counts.items()},
        list(counts),
    )


async def claim_leftovers(tx: Tx, *, older_than: timedelta, limit: int) -> list[TableId]:
    """Claim tables that were never completed, or are deleted, and may still have files.

    A claimed table can no longer be completed. After a crash a later sweep claims it again.
    """
    rows = await tx.fetch(
        "UPDATE datasets SET touched_at = '-infinity' WHERE id IN ("
        "SELECT id FROM datasets WHERE NOT live AND touched_at < now() - $1::interval "
        "ORDER BY touched_at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id",
        older_than,
        limit,
    )
    return [TableId(row["id"]) for row in rows]


def _build_table(row: Row, folder: Path) -> StoredTable:
    return StoredTable(
        id=TableId(row["id"]),
        name=row["name"],
        original_name=row["original_name"],
        source_filename=row["source_filename"],
        source_type=SourceType(row["source_type"]),
        columns=[Column(**column) for column in row["columns"]],
        row_count=row["row_count"],
        bytes=row["bytes"],
        created_at=row["created_at"],
        sample=row["sample"],
        folder=folder,
        counts=row["shape"],
        source_metadata=row["source_metadata"],
    )
