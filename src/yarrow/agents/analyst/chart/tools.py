"""The tools of the analyst: look at tables, run SQL and Python."""

from collections.abc import Awaitable, Callable

from yarrow.agents.analyst.arguments import read_text, read_texts
from yarrow.agents.analyst.chart.prompt import THINK
from yarrow.agents.analyst.prompt import describe_table
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed
from yarrow.kit.json import JsonObject, decode_json
from yarrow.tables.table_names import normalise_table_name

MAX_STDOUT = 8000
TRUNCATED = "… (truncated)"
EXPLORE = "explore"


async def call_tool(workspace: AnalystWorkspace, name: str, arguments: JsonObject) -> JsonObject:
    """The result of the tool: `stdout`, and `error` if it failed."""
    tool = _TOOLS.get(name)
    if tool is None:
        known = ", ".join([*_TOOLS, THINK.name])
        return {"stdout": "", "error": f"There is no tool {name}. Known tools: {known}."}
    return await tool(workspace, arguments)


def read_result(
    workspace: AnalystWorkspace, name: str, arguments: JsonObject, content: str
) -> JsonObject:
    """The result of a tool that an earlier attempt of the run has called.

    The variables of its program are gone; they are computed again when a later one needs them.
    """
    if name == EXPLORE:
        workspace.remember_program(read_text(arguments, "code"))
    result = decode_json(content)
    return result if isinstance(result, dict) else {"stdout": content}


async def _inspect_tables(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    names = read_texts(arguments, "table_names")
    if not names:
        return _report_missing("inspect_source_data", "table_names", "names of tables")
    tables = await workspace.summarise(names)
    known = {table.name for table in tables}
    missing = [name for name in names if not known & {name, normalise_table_name(name)}]
    parts = [describe_table(table) for table in tables]
    parts += [f"Table {name}: not found" for name in missing]
    return {"stdout": _truncate_output("\n\n".join(parts) or "no table was named")}


async def _run_sql(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    query = read_text(arguments, "query")
    if not query.strip():
        return _report_missing("run_sql", "query", "one SELECT")
    try:
        return {"stdout": _truncate_output(await workspace.run_query(query))}
    except CodeFailed as failure:
        return {"stdout": "", "error": str(failure)}


async def _run_python(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    code = read_text(arguments, "code")
    if not code.strip():
        return _report_missing("explore", "code", "Python")
    output = await workspace.run_python(code)
    result: JsonObject = {"stdout": _truncate_output(output.stdout)}
    if output.error:
        result["error"] = output.error
    return result


def _report_missing(tool: str, argument: str, what: str) -> JsonObject:
    return {"stdout": "", "error": f"{tool} was called without its argument {argument}: {what}."}


_TOOLS: dict[str, Callable[[AnalystWorkspace, JsonObject], Awaitable[JsonObject]]] = {
    "inspect_source_data": _inspect_tables,
    "run_sql": _run_sql,
    EXPLORE: _run_python,
}


def format_result(result: JsonObject) -> str:
    """The result as the model reads it."""
    if error := result.get("error"):
        return f"{result.get('stdout', '')}\nError: {error}".strip()
    return str(result["stdout"]) or "(no output)"


def _truncate_output(text: str) -> str:
    return text if len(text) <= MAX_STDOUT else text[:MAX_STDOUT] + TRUNCATED
