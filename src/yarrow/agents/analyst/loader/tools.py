"""The tools of the loader. A tool returns a JSON object; `error` in it says why it failed."""

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import TypeAlias

from yarrow.agents.analyst.arguments import read_int, read_text, read_texts
from yarrow.agents.analyst.loader import catalogue
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace, TablePreview, ToolRefused
from yarrow.kit.json import JsonObject, JsonValue, decode_json

MAX_CONTENT = 50_000
MAX_DESCRIPTION = 4000
PREVIEW_ROWS = 5
MAX_PREVIEWS = 20
SAMPLES = ("sample_rows", "preview")
"""Keys of results with rows for the user; they are not sent to the model."""

EXECUTE_PYTHON = "execute_python"
WRITING_TOOLS = frozenset({"write_file", EXECUTE_PYTHON, "show_user_data_preview"})
"""Tools that may write scratch files."""

_FILE_TYPES = (".csv", ".tsv", ".json", ".xlsx", ".xls")

_Tool: TypeAlias = Callable[[LoaderWorkspace, JsonObject], Awaitable[JsonObject]]


async def use_tool(workspace: LoaderWorkspace, name: str, arguments: JsonObject) -> JsonObject:
    """The result of the tool."""
    tool = _TOOLS.get(name)
    if tool is None:
        return {"error": f"There is no tool {name}. Known tools: {', '.join(_TOOLS)}."}
    try:
        return await tool(workspace, arguments)
    except ToolRefused as refused:
        return {"error": str(refused)}


def read_result(
    workspace: LoaderWorkspace, name: str, arguments: JsonObject, content: str
) -> JsonObject:
    """The result of a tool that an earlier attempt of the run has called.

    The variables of its program are gone; they are computed again when a later one needs them.
    """
    if name == EXECUTE_PYTHON:
        workspace.remember_program(read_text(arguments, "code"))
    result = decode_json(content)
    return result if isinstance(result, dict) else {}


def list_actions(result: JsonObject) -> list[JsonObject]:
    """What the user can load by the result."""
    actions = result.get("actions")
    items = actions if isinstance(actions, list) else []
    return [action for action in items if isinstance(action, dict)]


def drop_samples(value: JsonValue) -> JsonValue:
    """The result without the rows that only the user sees."""
    match value:
        case dict():
            return {key: drop_samples(v) for key, v in value.items() if key not in SAMPLES}
        case list():
            return [drop_samples(item) for item in value]
        case _:
            return value


async def _read_file(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    content = await workspace.read_file(read_text(arguments, "path"))
    lines = read_int(arguments, "max_lines")
    if lines is not None and lines > 0:
        content = "".join(islice(content.splitlines(keepends=True), lines))
    return {"content": content[:MAX_CONTENT]}


async def _write_file(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    path, size = await workspace.write_file(
        read_text(arguments, "path"), read_text(arguments, "content")
    )
    return {"path": path, "size": size}


async def _list_directory(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    return {"entries": list(await workspace.list_directory(read_text(arguments, "path")))}


async def _execute_python(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    output = await workspace.run_python(read_text(arguments, "code"))
    result: JsonObject = {"stdout": output.stdout, "error": output.error}
    if output.saved:
        saved = output.saved.items()
        result["saved_dataframes"] = {name: _encode_saved(preview) for name, preview in saved}
    return result


def _encode_saved(preview: TablePreview) -> JsonObject:
    return {
        "path": preview.path,
        "rows": preview.total_rows,
        "columns": list(preview.columns),
        "preview": list(preview.rows),
    }


async def _show_preview(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    names = read_texts(arguments, "saved_dfs")
    tables = arguments.get("tables")
    items = tables if isinstance(tables, list) else [tables]
    inline = [table for table in items if isinstance(table, dict)]
    if not names and not inline:
        return {"error": "Name saved_dfs, or give tables with name and data."}
    actions = [
        *[
            await _preview_action(workspace, name, _complete_file_name(name))
            for name in names[:MAX_PREVIEWS]
        ],
        *[await _save_and_preview(workspace, table) for table in inline[:MAX_PREVIEWS]],
    ]
    return {"actions": actions}


def _complete_file_name(name: str) -> str:
    return name if name.lower().endswith(_FILE_TYPES) else f"{name}.csv"


async def _save_and_preview(workspace: LoaderWorkspace, table: JsonObject) -> JsonObject:
    name = read_text(table, "name") or "table"
    try:
        path, _ = await workspace.write_file(f"{name}.csv", read_text(table, "data"))
    except ToolRefused as refused:
        return {"type": "preview_table", "name": name, "error": str(refused)}
    return await _preview_action(workspace, name, path)


async def _preview_action(workspace: LoaderWorkspace, name: str, path: str) -> JsonObject:
    action: JsonObject = {"type": "preview_table", "name": name}
    try:
        preview = await workspace.preview_file(path, rows=PREVIEW_ROWS)
    except ToolRefused as refused:
        return {**action, "error": str(refused)}
    return {
        **action,
        "columns": list(preview.columns),
        "sample_rows": list(preview.rows),
        "total_rows": preview.total_rows,
        "csv_scratch_path": preview.path,
    }


async def _list_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    sources = await workspace.list_sources()
    source_id, path = read_text(arguments, "source_id"), arguments.get("path") or []
    if not source_id:
        return catalogue.summarise_sources(sources)
    if not isinstance(path, list):
        return {"error": "path must be a list of folder names"}
    source = next((source for source in sources if source.id == source_id), None)
    if source is None:
        summary = catalogue.summarise_sources(sources)
        return {"error": f"There is no source {source_id}.", **summary}
    folder = [str(part) for part in path]
    return catalogue.list_folder(source, folder, read_text(arguments, "filter"))


async def _find_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    query = read_text(arguments, "query").strip()
    if not query:
        return {"error": "query must be a regular expression"}
    sources = await workspace.list_sources()
    entries = catalogue.list_entries(sources, read_text(arguments, "scope").strip())
    fields = read_texts(arguments, "fields") or catalogue.FIELDS
    texts = [entry.join_fields(fields) for entry in entries]
    matches = [entries[index] for index in await workspace.match_pattern(query, texts)]
    for pattern in read_texts(arguments, "exclude"):
        names = [entry.table.name for entry in matches]
        excluded = set(await workspace.match_pattern(pattern, names))
        matches = [entry for index, entry in enumerate(matches) if index not in excluded]
    if not matches:
        return catalogue.report_no_match(sources)
    return {"results": [entry.encode() for entry in matches[: _read_result_limit(arguments)]]}


def _read_result_limit(arguments: JsonObject) -> int:
    limit = read_int(arguments, "limit")
    return max(1, min(catalogue.USUAL_FOUND if limit is None else limit, catalogue.MAX_FOUND))


async def _describe_data(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    source_id = read_text(arguments, "source_id")
    key = read_text(arguments, "table_key")
    if not source_id or not key:
        return {"error": "Both source_id and table_key are required."}
    entry = catalogue.find_entry(await workspace.list_sources(), source_id, key)
    if entry is None:
        return {"error": f"There is no table {key} in {source_id}."}
    return {"result": (await workspace.describe_table(entry.source, entry.table))[:MAX_DESCRIPTION]}


async def _propose_load_plan(workspace: LoaderWorkspace, arguments: JsonObject) -> JsonObject:
    candidates = arguments.get("candidates")
    items = candidates if isinstance(candidates, list) else [candidates]
    if not any(isinstance(item, dict) for item in items):
        return {"error": "candidates must be a list of objects with source_id and table_key."}
    sources = await workspace.list_sources()
    plan = catalogue.build_load_plan(sources, items, read_text(arguments, "reasoning"))
    return await workspace.connected.complete_plan(plan)


_TOOLS: dict[str, _Tool] = {
    "read_file": _read_file,
    "write_file": _write_file,
    "list_directory": _list_directory,
    EXECUTE_PYTHON: _execute_python,
    "show_user_data_preview": _show_preview,
    "list_data": _list_data,
    "find_data": _find_data,
    "describe_data": _describe_data,
    "propose_load_plan": _propose_load_plan,
}
