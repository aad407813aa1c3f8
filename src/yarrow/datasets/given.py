"""Given: rows that a client holds itself become tables, so that everything can work on them."""

from collections.abc import Mapping, Sequence

from yarrow.datasets.create import create_table
from yarrow.datasets.model import Shelf, Workspace
from yarrow.datasets.read import find_tables
from yarrow.datasets.rules import table_name
from yarrow.datasets.sandbox.sandbox import FileToRead
from yarrow.datasets.spooled import one_chunk, spooled
from yarrow.json_values import JsonObject, encode_json


async def keep_given_rows(
    shelf: Shelf, workspace: Workspace, given: Mapping[str, Sequence[JsonObject]]
) -> None:
    """A table for each of these names; one that the workspace has stays as it is."""
    if not given:
        return
    there = await find_tables(shelf, workspace, [table_name(name) for name in given])
    for name, rows in given.items():
        if table_name(name) in there:
            continue
        async with spooled(shelf, one_chunk(encode_json(rows))) as source:
            await create_table(shelf, workspace, FileToRead(source, f"{name}.json", name))
