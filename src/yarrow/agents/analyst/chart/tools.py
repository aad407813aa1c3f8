"""The tools with which the analyst gathers facts."""

from collections.abc import Awaitable, Callable

from yarrow.agents.analyst.arguments import text_argument, text_arguments
from yarrow.agents.analyst.chart.prompt import THINK
from yarrow.agents.analyst.prompt import describe_table
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed
from yarrow.kit.json import JsonObject
from yarrow.tables.rules import table_name

MAX_STDOUT = 8000
CUT = "… (truncated)"


async def call_tool(workspace: AnalystWorkspace, name: str, arguments: JsonObject) -> JsonObject:
    """What the tool says: `stdout`, and `error` if it failed."""
    tool = _TOOLS.get(name)
    if tool is None:
        known = ", ".join([*_TOOLS, THINK.name])
        return {"stdout": "", "error": f"There is no tool {name}. Known tools: {known}."}
    return await tool(workspace, arguments)


async def _inspect(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    names = text_arguments(arguments, "table_names")
    if not names:
        return _lacking("inspect_source_data", "table_names", "names of tables")
    found = await workspace.summarise(names)
    there = {table.name for table in found}
    missing = [name for name in names if not there & {name, table_name(name)}]
    said = [describe_table(table) for table in found]
    said += [f"Table {name}: not found" for name in missing]
    return {"stdout": _cut("\n\n".join(said) or "no table was named")}


async def _run_sql(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    query = text_argument(arguments, "query")
    if not query.strip():
        return _lacking("run_sql", "query", "one SELECT")
    try:
        return {"stdout": _cut(await workspace.run_query(query))}
    except CodeFailed as failure:
        return {"stdout": "", "error": str(failure)}


async def _explore(workspace: AnalystWorkspace, arguments: JsonObject) -> JsonObject:
    code = text_argument(arguments, "code")
    if not code.strip():
        return _lacking("explore", "code", "Python")
    explored = await workspace.run_python(code)
    said: JsonObject = {"stdout": _cut(explored.stdout)}
    if explored.error:
        said["error"] = explored.error
    return said


def _lacking(tool: str, argument: str, what: str) -> JsonObject:
    return {"stdout": "", "error": f"{tool} was called without its argument {argument}: {what}."}


_TOOLS: dict[str, Callable[[AnalystWorkspace, JsonObject], Awaitable[JsonObject]]] = {
    "inspect_source_data": _inspect,
    "run_sql": _run_sql,
    "explore": _explore,
}


def as_told(said: JsonObject) -> str:
    """A tool's answer for the model."""
    if error := said.get("error"):
        return f"{said.get('stdout', '')}\nError: {error}".strip()
    return str(said["stdout"]) or "(no output)"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_STDOUT else text[:MAX_STDOUT] + CUT
