"""Rerun a program or a query of the analyst over the current tables."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct

from yarrow.kit.json import JsonMapping
from yarrow.sandbox.errors import QueryFailed
from yarrow.sandbox.job_spec import remove_file
from yarrow.sandbox.model import JobLimits, SavedFrame
from yarrow.sandbox.sandbox import Sandbox
from yarrow.tables.create import refresh_derived
from yarrow.tables.errors import ProgramFailed, TableNotFound
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.read import find_tables, map_table_paths, require_files
from yarrow.tables.temp_files import write_rows

SHOWN_ROWS = 10_000

_LIMITS = JobLimits(rows=SHOWN_ROWS)


class CodeRun(Struct, frozen=True):
    """Code and its tables; rows are given for a table that is not stored here."""

    code: str
    is_query: bool
    output_variable: str
    tables: Mapping[str, Sequence[JsonMapping] | None]


class RerunResult(Struct, frozen=True):
    """The first rows; `table_name` if all of them were stored as a table."""

    rows: Sequence[JsonMapping]
    row_count: int
    table_name: str | None


async def rerun_code(
    tables: Tables, workspace: Workspace, code_run: CodeRun, *, keep_as: str | None
) -> RerunResult:
    """Run the code; with `keep_as`, store its result in place of the derived table of that name."""
    async with _open_inputs(tables, workspace, code_run) as paths:
        frame = await _run_code(tables.sandbox, workspace.key, code_run, paths)
    try:
        if keep_as is None:
            return RerunResult(frame.first.rows, frame.row_count, None)
        table = await refresh_derived(tables, workspace, keep_as, frame=frame)
        return RerunResult(frame.first.rows, frame.row_count, table.name)
    finally:
        remove_file(frame.path)


async def _run_code(
    sandbox: Sandbox, workspace: str, code_run: CodeRun, paths: Mapping[str, Path]
) -> SavedFrame:
    if code_run.is_query:
        try:
            return await sandbox.save_query(code_run.code, paths, _LIMITS, workspace=workspace)
        except QueryFailed as failure:
            raise ProgramFailed(str(failure)) from failure
    result = await sandbox.run_python(
        code_run.code, paths, _LIMITS, output_variable=code_run.output_variable
    )
    if result.output is None:
        raise ProgramFailed(result.error or "the program made no table")
    return result.output


@asynccontextmanager
async def _open_inputs(
    tables: Tables, workspace: Workspace, code_run: CodeRun
) -> AsyncIterator[Mapping[str, Path]]:
    """The files of the tables; those written from rows are removed after the block."""
    stored = await find_tables(tables, workspace, list(code_run.tables))
    await require_files(tables, list(stored.values()))
    paths = map_table_paths(stored)
    async with AsyncExitStack() as stack:
        for name, rows in code_run.tables.items():
            if name not in paths:
                if not rows:
                    raise TableNotFound(name)
                written = await stack.enter_async_context(write_rows(tables, name, rows))
                paths[name] = written.path
        yield paths
