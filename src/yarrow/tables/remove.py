"""Remove: tables leave their workspace at once, and their files right after."""

from collections.abc import Sequence

from yarrow.ids import TableId
from yarrow.tables import store
from yarrow.tables.errors import TableNotFound
from yarrow.tables.model import Shelf, Workspace


async def delete_table(shelf: Shelf, workspace: Workspace, name: str) -> None:
    """The table is gone; `TableNotFound` if there was none."""
    async with shelf.database.transaction() as tx:
        table_id = await store.discard_named(tx, workspace, name)
    if table_id is None:
        raise TableNotFound(name)
    shelf.names.forget(workspace.key)
    await remove_files(shelf, [table_id])


async def reset_workspace(shelf: Shelf, workspace: Workspace) -> int:
    """Every table of the workspace is gone; how many there were."""
    async with shelf.database.transaction() as tx:
        table_ids = await store.discard_all(tx, workspace)
    shelf.names.forget(workspace.key)
    await remove_files(shelf, table_ids)
    return len(table_ids)


async def remove_files(shelf: Shelf, table_ids: Sequence[TableId]) -> None:
    """Files go before their rows: the sweep finds what a crash leaves."""
    if not table_ids:
        return
    unlink_tables(shelf, table_ids)
    async with shelf.database.transaction() as tx:
        await store.forget(tx, table_ids)


def unlink_tables(shelf: Shelf, table_ids: Sequence[TableId]) -> None:
    for table_id in table_ids:
        store.file_of(shelf.sandbox.folder, table_id).unlink(missing_ok=True)
