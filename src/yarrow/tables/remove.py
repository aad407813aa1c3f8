"""Delete tables: first from their workspace, then their files and rows."""

from collections.abc import Sequence

from yarrow.errors import StorageUnavailable
from yarrow.ids import TableId
from yarrow.tables import store
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import Tables, Workspace


async def delete_table(tables: Tables, workspace: Workspace, name: str) -> None:
    """Delete a table, or raise `TableNotFound`."""
    async with tables.database.transaction() as tx:
        table_id = await store.discard_by_name(tx, workspace, name)
    if table_id is None:
        raise TableNotFound(name)
    tables.names.forget(workspace.key)
    await delete_discarded_tables(tables, [table_id])


async def reset_workspace(tables: Tables, workspace: Workspace) -> int:
    """Delete all tables of the workspace; return their number."""
    async with tables.database.transaction() as tx:
        table_ids = await store.discard_all(tx, workspace)
    tables.names.forget(workspace.key)
    await delete_discarded_tables(tables, table_ids)
    return len(table_ids)


async def delete_discarded_tables(tables: Tables, table_ids: Sequence[TableId]) -> None:
    """Delete files and then rows of discarded tables; the sweep deletes what a crash or a store
    that is away leaves."""
    if not table_ids:
        return
    try:
        await tables.files.delete(table_ids)
    except StorageUnavailable:  # the rows stay for the sweep
        return
    async with tables.database.transaction() as tx:
        await store.delete_discarded(tx, table_ids)
