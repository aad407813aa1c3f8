"""SQL of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, TableId
from yarrow.sandbox.model import Column
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import Contents, Origin, SourceType, Table, Workspace

_COLUMNS = (
    "id, name, original_name, source_filename, source_type, columns, row_count, bytes, "
    "created_at, sample, shape"
)


# Not flushed to disk at once: a crash of the server that undoes it ends the making of the table
# as well, whose file goes then.
_RESERVE = """
WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO datasets (id, account_id, workspace, name, original_name, source_filename, source_type)
SELECT $1, $2, $3, $4, $5, $6, $7 FROM quick
"""


async def reserve(
    tx: Tx, table_id: TableId, workspace: Workspace, *, origin: Origin, name: str
) -> None:
    """Note a table before its file is written."""
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
    """One name is given at a time: until the transaction ends, nobody else completes a table."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 4))", workspace.key)


async def names_like(tx: Tx, workspace: Workspace, name: str) -> set[str]:
    """Names in use that begin with this one."""
    rows = await tx.fetch(
        "SELECT name FROM datasets "
        "WHERE account_id = $1 AND workspace = $2 AND live AND starts_with(name, $3)",
        workspace.account_id,
        workspace.name,
        name,
    )
    return {row["name"] for row in rows}


_COMPLETE = f"""
WITH turn AS MATERIALIZED (
    SELECT id AS reserved, pg_advisory_xact_lock(
        hashtextextended(account_id || '/' || workspace, 4)
    ) FROM datasets WHERE id = $1
)
UPDATE datasets SET
    live = true, touched_at = now(), name = $2, columns = $3, row_count = $4, bytes = $5,
    sample = $6
FROM turn
WHERE id = turn.reserved
RETURNING {_COLUMNS}
"""  # noqa: S608


async def complete(
    tx: Tx,
    table_id: TableId,
    *,
    name: str,
    holds: Contents,
    size: int,
    folder: Path,
) -> Table:
    """The file is whole; from now on the table is there.

    Waits for whoever locked the workspace. Raises `UniqueViolationError` for a name in use.
    """
    row = await tx.fetchrow(
        _COMPLETE,
        table_id,
        name,
        [asdict(column) for column in holds.columns],
        holds.row_count,
        size,
        list(holds.sample),
    )
    if row is None:
        raise TableNotFound(name)
    return _table(row, folder)


_CREATE = f"""
WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($2, 4)))
INSERT INTO datasets (id, account_id, workspace, name, original_name, source_type, live,
    touched_at, columns, row_count, bytes, sample)
SELECT $1, $3, $4, $5, $6, $7, true, now(), $8, $9, $10, $11 FROM turn
RETURNING {_COLUMNS}
"""  # noqa: S608


async def create(
    tx: Tx,
    table_id: TableId,
    workspace: Workspace,
    *,
    origin: Origin,
    name: str,
    holds: Contents,
    size: int,
    folder: Path,
) -> Table:
    """A table whose file is whole already. Waits and raises as `complete` does."""
    row = await tx.fetchrow(
        _CREATE,
        table_id,
        workspace.key,
        workspace.account_id,
        workspace.name,
        name,
        origin.name.replace("\0", "")[:500],
        origin.source_type,
        [asdict(column) for column in holds.columns],
        holds.row_count,
        size,
        list(holds.sample),
    )
    return _table(row, folder)


async def known_of(tx: Tx, table_ids: Sequence[TableId]) -> set[TableId]:
    """Those of the tables that have a row, live or not."""
    rows = await tx.fetch("SELECT id FROM datasets WHERE id = ANY($1)", table_ids)
    return {TableId(row["id"]) for row in rows}


async def discard_named(tx: Tx, workspace: Workspace, name: str) -> TableId | None:
    """Take a table away from its workspace; its file goes later."""
    found = await tx.fetchval(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND name = $3 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
        name,
    )
    return TableId(found) if found is not None else None


async def discard_from_file(tx: Tx, workspace: Workspace, filename: str) -> list[TableId]:
    """Take all tables that came from this file away."""
    rows = await tx.fetch(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND source_filename = $3 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
        filename,
    )
    return [TableId(row["id"]) for row in rows]


async def discard_all(tx: Tx, workspace: Workspace) -> list[TableId]:
    """Empty a workspace."""
    rows = await tx.fetch(
        "UPDATE datasets SET live = false, touched_at = now() "
        "WHERE account_id = $1 AND workspace = $2 AND live RETURNING id",
        workspace.account_id,
        workspace.name,
    )
    return [TableId(row["id"]) for row in rows]


async def forget(tx: Tx, table_ids: Sequence[TableId]) -> None:
    """The files are gone, or never came to be."""
    await tx.execute("DELETE FROM datasets WHERE id = ANY($1) AND NOT live", table_ids)


async def find(tx: Tx, workspace: Workspace, names: Sequence[str], *, folder: Path) -> list[Table]:
    """Those of the named tables that are there."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608
        "WHERE account_id = $1 AND workspace = $2 AND live AND name = ANY($3)",
        workspace.account_id,
        workspace.name,
        names,
    )
    return [_table(row, folder) for row in rows]


async def all_in(
    tx: Tx, workspace: Workspace, *, folder: Path, limit: int | None = None
) -> list[Table]:
    """The tables of a workspace, oldest first."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM datasets "  # noqa: S608
        "WHERE account_id = $1 AND workspace = $2 AND live ORDER BY created_at, id LIMIT $3",
        workspace.account_id,
        workspace.name,
        limit,
    )
    return [_table(row, folder) for row in rows]


async def workspaces_of(tx: Tx, account_id: AccountId) -> list[str]:
    """The workspaces in which the account has tables."""
    rows = await tx.fetch(
        "SELECT DISTINCT workspace FROM datasets WHERE account_id = $1 AND live ORDER BY 1",
        account_id,
    )
    return [row["workspace"] for row in rows]


async def keep_counts(tx: Tx, counts: Mapping[TableId, Sequence[Sequence[int]]]) -> None:
    """Remember what was counted in the columns of tables."""
    await tx.execute(
        "UPDATE datasets SET shape = counted.value FROM jsonb_each($1) AS counted (id, value) "
        "WHERE datasets.id = counted.id::uuid",
        {str(table_id): counted for table_id, counted in counts.items()},
    )


async def lock_leftovers(tx: Tx, *, older_than: timedelta, limit: int) -> list[TableId]:
    """Tables that never became whole, or were deleted, and whose files may still lie there."""
    rows = await tx.fetch(
        "SELECT id FROM datasets WHERE NOT live AND touched_at < now() - $1::interval "
        "ORDER BY touched_at LIMIT $2 FOR UPDATE SKIP LOCKED",
        older_than,
        limit,
    )
    return [TableId(row["id"]) for row in rows]


def file_of(folder: Path, table_id: TableId) -> Path:
    """Where a table's rows are: a name of ours, never the user's."""
    return folder / f"{table_id}.parquet"


def _table(row: Row, folder: Path) -> Table:
    table_id = TableId(row["id"])
    return Table(
        id=table_id,
        name=row["name"],
        original_name=row["original_name"],
        source_filename=row["source_filename"],
        source_type=SourceType(row["source_type"]),
        columns=[Column(**column) for column in row["columns"]],
        row_count=row["row_count"],
        bytes=row["bytes"],
        created_at=row["created_at"],
        sample=row["sample"],
        path=file_of(folder, table_id),
        counts=row["shape"],
    )
