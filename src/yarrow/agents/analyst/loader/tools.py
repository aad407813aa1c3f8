"""The loader's tools: each takes arguments of a model and gives an object, never an exception."""

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import TypeAlias

from yarrow.agents.analyst.arguments import int_argument, text_argument, text_arguments
from yarrow.agents.analyst.loader import catalogue
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace, TablePreview, ToolRefused
from yarrow.kit.json import JsonObject, JsonValue

MAX_CONTENT = 50_000
MAX_DESCRIPTION = 4000
SHOWN_ROWS = 5
SHOWN_TABLES = 20
SAMPLES = ("sample_rows", "preview")
"""Keys of results that hold rows for the user; the model does without them."""

_Tool: TypeAlias = Callable[[LoaderWorkspace, JsonObject], Awaitable[JsonObject]]


async def use_tool(workspace: LoaderWorkspace, name: str, arguments: JsonObject) -> JsonObject:
    """What the tool says; `error` if it could not."""
    tool = _TOOLS.get(name)
    if tool is None:
        return {"error": f"There is no tool {name}. Known tools: {', '.join(_TOOLS)}."}
    try:
        return await tool(workspace, arguments)
    except ToolRefused as refused:
        return {"error": str(refused)}


def without_samples(value: JsonValue) -> JsonValue:
    """A result without the rows that are only shown."""
    match value:
        case dict():
            return {key: without_samples(v) for key, v in value.items() if key not in SAMPLES}
        case list():
            return [without_samples(item) for item in value]
        case _:
            return value


async def _read_file(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    content = await workspace.read_file(text_argument(arguments, "path"))
    lines = int_argument(arguments, "max_lines")
    if lines is not None and lines > 0:
        content = "".join(islice(content.splitlines(keepends=True), lines))
    return {"content": content[:MAX_CONTENT]}


async def _write_file(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    path, size = await workspace.write_file(
        text_argument(arguments, "path"), text_argument(arguments, "content")
    )
    return {"path": path, "size": size}


async def _list_directory(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    return {"entries": list(await workspace.list_directory(text_argument(arguments, "path")))}


async def _execute_python(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    ran = await workspace.run_python(text_argument(arguments, "code"))
    said: JsonObject = {"stdout": ran.stdout, "error": ran.error}
    if ran.saved:
        said["saved_dataframes"] = {name: _saved(shown) for name, shown in ran.saved.items()}
    return said


def _saved(shown: TablePreview) -> JsonObject:
    said: JsonObject = {"path": shown.path, "rows": shown.total_rows}
    return {**said, "columns": list(shown.columns), "preview": list(shown.rows)}


async def _show_preview(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    names = text_arguments(arguments, "saved_dfs")
    tables = arguments.get("tables")
    given = tables if isinstance(tables, list) else [tables]
    inline = [table for table in given if isinstance(table, dict)]
    if not names and not inline:
        return {"error": "Name saved_dfs, or give tables with name and data."}
    actions = [await _action(workspace, name, _saved_path(name)) for name in names[:SHOWN_TABLES]]
    for table in inline[:SHOWN_TABLES]:
        actions.append(await _inline_action(workspace, table))  # noqa: PERF401
    return {"actions": actions}


def _saved_path(name: str) -> str:
    return (
        name if name.lower().endswith((".csv", ".tsv", ".json", ".xlsx", ".xls")) else f"{name}.csv"
    )


async def _inline_action(workspace: LoaderWorkspace, table: JsonObject) -> JsonObject:
    name = text_argument(table, "name") or "table"
    try:
        path, _ = await workspace.write_file(f"{name}.csv", text_argument(table, "data"))
    except ToolRefused as refused:
        return {"type": "preview_table", "name": name, "error": str(refused)}
    return await _action(workspace, name, path)


async def _action(workspace: LoaderWorkspace, name: str, path: str) -> JsonObject:
    said: JsonObject = {"type": "preview_table", "name": name}
    try:
        shown = await workspace.preview_file(path, rows=SHOWN_ROWS)
    except ToolRefused as refused:
        return {**said, "error": str(refused)}
    return {
        **said,
        "columns": list(shown.columns),
        "sample_rows": list(shown.rows),
        "total_rows": shown.total_rows,
        "csv_scratch_path": shown.path,
    }


async def _list_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    sources = await workspace.list_sources()
    source_id, path = text_argument(arguments, "source_id"), arguments.get("path") or []
    if not source_id:
        return catalogue.summary(sources)
    if not isinstance(path, list):
        return {"error": "path must be a list of folder names"}
    found = next((source for source in sources if source.id == source_id), None)
    if found is None:
        return {"error": f"There is no source {source_id}.", **catalogue.summary(sources)}
    return catalogue.listing(
        found, [str(part) for part in path], text_argument(arguments, "filter")
    )


async def _find_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    query = text_argument(arguments, "query").strip()
    if not query:
        return {"error": "query must be a regular expression"}
    sources = await workspace.list_sources()
    entries = catalogue.within(sources, text_argument(arguments, "scope").strip())
    fields = text_arguments(arguments, "fields") or catalogue.FIELDS
    found = [
        entries[at]
        for at in await workspace.match_pattern(query, [e.text(fields) for e in entries])
    ]
    for pattern in text_arguments(arguments, "exclude"):
        names = [entry.table.name for entry in found]
        dropped = set(await workspace.match_pattern(pattern, names))
        found = [entry for at, entry in enumerate(found) if at not in dropped]
    if not found:
        return catalogue.none_found(sources)
    return {"results": [entry.as_found() for entry in found[: _limit(arguments)]]}


def _limit(arguments: JsonObject) -> int:
    wanted = int_argument(arguments, "limit")
    return max(1, min(catalogue.USUAL_FOUND if wanted is None else wanted, catalogue.MAX_FOUND))


async def _describe_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    source_id, key = (
        text_argument(arguments, "source_id"),
        text_argument(arguments, "table_key"),
    )
    if not source_id or not key:
        return {"error": "Both source_id and table_key are required."}
    entry = catalogue.find_entry(await workspace.list_sources(), source_id, key)
    if entry is None:
        return {"error": f"There is no table {key} in {source_id}."}
    return {"result": (await workspace.describe_table(entry.source, entry.table))[:MAX_DESCRIPTION]}


async def _propose_load_plan(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    candidates = arguments.get("candidates")
    given = candidates if isinstance(candidates, list) else [candidates]
    if not any(isinstance(item, dict) for item in given):
        return {"error": "candidates must be a list of objects with source_id and table_key."}
    return catalogue.load_plan(
        await workspace.list_sources(), given, text_argument(arguments, "reasoning")
    )


_TOOLS: dict[str, _Tool] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "list_directory": _list_directory,
    "execute_python": _execute_python,
    "show_user_data_preview": _show_preview,
    "list_data": _list_data,
    "find_data": _find_data,
    "describe_data": _describe_data,
    "propose_load_plan": _propose_load_plan,
}
