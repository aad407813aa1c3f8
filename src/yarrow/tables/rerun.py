"""Derive: a program or a query of the analyst's is run again over tables of today."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from yarrow.kit.json import JsonObject, encode_json
from yarrow.sandbox.errors import QueryFailed
from yarrow.sandbox.model import Frame, Limits
from yarrow.sandbox.sandbox import FileToRead
from yarrow.sandbox.workspace_sandbox import OwnedSandbox
from yarrow.tables.create import refresh_derived
from yarrow.tables.errors import ProgramFailed, TableNotFound
from yarrow.tables.model import Shelf, Workspace
from yarrow.tables.read import find_tables, paths_of
from yarrow.tables.temp_files import one_chunk, spooled

SHOWN_ROWS = 10_000

_LIMITS = Limits(rows=SHOWN_ROWS)


@dataclass(frozen=True, slots=True)
class Derivation:
    """What to run, and over what. Rows stand in for a table that is not kept here."""

    code: str
    is_query: bool
    output_variable: str
    tables: Mapping[str, Sequence[JsonObject] | None]


@dataclass(frozen=True, slots=True)
class Derived:
    """What came of it; `table_name` if all of it was kept."""

    rows: Sequence[JsonObject]
    row_count: int
    table_name: str | None


async def derive_again(
    shelf: Shelf, workspace: Workspace, derivation: Derivation, *, keep_as: str | None
) -> Derived:
    """Run it, and keep the result as a table in the place of the one of this name."""
    async with _inputs(shelf, workspace, derivation) as tables:
        frame = await _run(OwnedSandbox(shelf.sandbox, workspace.key), derivation, tables)
    try:
        if keep_as is None:
            return Derived(frame.first.rows, frame.row_count, None)
        table = await refresh_derived(shelf, workspace, keep_as, frame=frame)
        return Derived(frame.first.rows, frame.row_count, table.name)
    finally:
        _discard(frame.path)


async def _run(sandbox: OwnedSandbox, derivation: Derivation, tables: Mapping[str, Path]) -> Frame:
    if derivation.is_query:
        return await _queried(sandbox, derivation.code, tables)
    ran = await sandbox.run_python(
        derivation.code, tables, _LIMITS, output_variable=derivation.output_variable
    )
    if ran.output is None:
        raise ProgramFailed(ran.error or "the program made no table")
    return ran.output


async def _queried(sandbox: OwnedSandbox, query: str, tables: Mapping[str, Path]) -> Frame:
    try:
        path, seen = await sandbox.keep_sql(query, tables, _LIMITS)
    except QueryFailed as failure:
        raise ProgramFailed(str(failure)) from failure
    return Frame(seen.first, seen.row_count, path)


@asynccontextmanager
async def _inputs(
    shelf: Shelf, workspace: Workspace, derivation: Derivation
) -> AsyncIterator[Mapping[str, Path]]:
    """The files of the tables; those made from rows are gone after the block."""
    found = paths_of(await find_tables(shelf, workspace, list(derivation.tables)))
    async with AsyncExitStack() as stack:
        for name, rows in derivation.tables.items():
            if name not in found:
                if not rows:
                    raise TableNotFound(name)
                found[name] = await stack.enter_async_context(_made_of(shelf, name, rows))
        yield found


@asynccontextmanager
async def _made_of(shelf: Shelf, name: str, rows: Sequence[JsonObject]) -> AsyncIterator[Path]:
    target = shelf.sandbox.spool_path(".parquet")
    try:
        async with spooled(shelf, one_chunk(encode_json(rows))) as source:
            await shelf.sandbox.read_file(FileToRead(source, "rows.json", name), target)
        yield target
    finally:
        _discard(target)


def _discard(path: Path) -> None:
    path.unlink(missing_ok=True)
