"""The prompts of the analyst, and its tools as the model sees them.

A pause can be answered more than once. Each answer is a turn of the same session that names the
run whose pause it answers, so the turns are a tree that is stored as a list. The prompt has the
path from the root to the run, without the other answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec

from yarrow.agents.analyst.chart.transcript import (
    find_created_tables,
    find_described_tables,
    restore_messages,
)
from yarrow.agents.analyst.input import BUILDS_ON, AnalystInput, ClientMessage
from yarrow.agents.analyst.prompt import (
    INSPECT,
    describe_tables,
    describe_threads,
    write_language_rule,
)
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.agents.conversation.history import pair_calls, to_text_message
from yarrow.charting import ChartChannel, ChartType
from yarrow.charting.chart_types import FACETS, KNOWN, NEEDED
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatRole, ImagePart, ToolSpec
from yarrow.runs.agent import RunContext
from yarrow.sessions.model import Message, Role

INSTRUCTIONS = """\
You are a data analyst. You explore tables and answer the user's question with charts.

Work in steps. First look at the data with tools if you need to. Then take exactly one action by
answering with a single JSON object (nothing is shown to the user but what the object says):

- {{"action": "visualize", "thought": "…",
   "display_instruction": "one sentence, **key words** bold", "input_tables": ["…"],
   {how}, "chart": {{"chart_type": "…", "encodings": {{"x": "…", "y": "…"}},
   "config": {{}}}}, "field_metadata": {{"column": "semantic type"}}}}
- {{"action": "clarify", "thought": "…", "questions": [{{"text": "…", "options": ["…", "…"]}}]}}
   only when the question cannot be answered without knowing more; at most 3 questions
- {{"action": "explain", "thought": "…", "explanation": "…", "options": ["follow-up", "…"]}}
   when words answer better than a chart
- {{"action": "delegate", "thought": "…", "target": "data_loading" or "report_gen",
   "options": ["…"]}}
   when the user wants new data or a written report
- {{"action": "summary", "thought": "…", "summary": "what was found, in a few sentences"}}
   when the question has been answered

{rules}

{charts}
Encoded fields must be columns of the table you make. Do not bin histograms or compute
regressions yourself; give a pie its value as `size`; use long form for radar; at most 7 wedges."""

_LINES = "interpolate: linear, monotone, step"
_STACK = "stack: zero, normalize, center"
_MAP = "projection: equalEarth, mercator, albers, orthographic; projectionCenter: [lon, lat]"

_CONFIG: Mapping[ChartType, str] = {
    ChartType.SCATTER: "opacity: 0 to 1",
    ChartType.REGRESSION: "regressionMethod: linear, log, exp, pow, quad, poly; polyOrder",
    ChartType.BAR: _STACK,
    ChartType.STACKED_BAR: _STACK,
    ChartType.HISTOGRAM: "binCount: 2 to 200",
    ChartType.LINE: _LINES,
    ChartType.AREA: f"{_LINES}; stack: normalize",
    ChartType.PIE: "innerRadius: 0 to 95",
    ChartType.HEATMAP: "colorScheme: viridis, blues, redblue, …",
    ChartType.WORLD_MAP: _MAP,
    ChartType.US_MAP: _MAP,
}

CHART_TYPES_HEADING = """\
Chart types, their channels (* must be given) and config keys. A config may always have a title,
and where facets is listed, the channels column and row divide the chart:"""

BY_PYTHON = '"code": "Python", "output_variable": "name"'
BY_SQL = '"sql": "one DuckDB SELECT"'

PYTHON_RULES = """\
Code is Python with pandas (pd), numpy (np) and duckdb. The tables are DataFrames by their names,
also for duckdb.sql('SELECT … FROM "NAME"'), and files: pd.read_parquet('data/NAME.parquet').
Leave the table to draw in `output_variable`.
Instead of code you may give "sql", one DuckDB SELECT over the tables by name. Prefer it where it
is enough: to filter, join, group, count and add up."""
OPTIONAL_LIBRARIES = {"scipy": "scipy", "sklearn": "scikit-learn (sklearn)"}
"""Modules of the extra `science`, as the prompt names them if they are installed."""

SQL_RULES = "Queries are DuckDB SQL over the tables by name; quote names with double quotes."

FORMAT_ONLY = (
    "Answer with one JSON object for your next action and nothing else, as the instructions say."
)
NEW_TABLES = "Tables that are new in the workspace:"
REPAIR = "[CODE ERROR]\n{error}\n\nCorrect it and answer with a new visualize action."
OBSERVED = """\
[OBSERVATION] {instruction}
The chart was made. Its table {table} has {rows} rows: {columns}
First rows: {sample}"""
FAILED = "[OBSERVATION] {instruction}\nThis step FAILED: {error}"


def build_system_prompt(
    analyst_input: AnalystInput, tables: Sequence[TableSummary], *, can_run_python: bool
) -> str:
    """The instructions, the rules of the user, the tables and the earlier steps."""
    parts = (
        _build_instructions(can_run_python=can_run_python),
        analyst_input.exploration_rules,
        analyst_input.coding_rules,
        write_language_rule(analyst_input.language),
        describe_tables(analyst_input, tables),
        describe_threads(analyst_input),
    )
    return "\n\n".join(part for part in parts if part)


@cache
def _build_instructions(*, can_run_python: bool) -> str:
    how, rules = (BY_PYTHON, PYTHON_RULES) if can_run_python else (BY_SQL, SQL_RULES)
    if can_run_python and (names := list_libraries()):
        rules = f"{rules}\nCode may import {' and '.join(names)} too."
    return INSTRUCTIONS.format(how=how, rules=rules, charts=describe_chart_types())


def list_libraries(modules: Mapping[str, str] = OPTIONAL_LIBRARIES) -> list[str]:
    """The optional libraries that are installed; programs run with the server's packages."""
    return [name for module, name in modules.items() if find_spec(module) is not None]


def build_prompt(
    context: RunContext,
    analyst_input: AnalystInput,
    tables: Sequence[TableSummary],
    *,
    can_run_python: bool,
) -> list[ChatMessage]:
    """The prompt of a run: instructions, history and the question.

    Tables that are new since the conversation began are described with the question: the system
    prompt stays as it was.
    """
    first, new = split_tables(context.history, tables)
    system = build_system_prompt(analyst_input, first, can_run_python=can_run_python)
    text = context.run.input.text
    if new:
        text = f"{NEW_TABLES}\n\n{describe_tables(analyst_input, new)}\n\n{text}"
    images = tuple(ImagePart(url) for url in analyst_input.images)
    messages = [
        *(_to_chat_message(message) for message in analyst_input.client_messages),
        *restore_messages(context.history, _make_chat_messages),
        ChatMessage(ChatRole.USER, text, images),
    ]
    return [ChatMessage(ChatRole.SYSTEM, system), *pair_calls(messages)]


def split_tables(
    history: Sequence[Message], tables: Sequence[TableSummary]
) -> tuple[list[TableSummary], list[TableSummary]]:
    """The tables that the system prompt describes, and those that came later from elsewhere."""
    described = find_described_tables(history)
    if described is None:
        return list(tables), []
    known = described | find_created_tables(history)
    first = [table for table in tables if table.name in described]
    return first, [table for table in tables if table.name not in known]


def _to_chat_message(message: ClientMessage) -> ChatMessage:
    """A message of a conversation that the client stored; its system messages are not ours."""
    is_assistant = message.role == ChatRole.ASSISTANT
    return ChatMessage(ChatRole.ASSISTANT if is_assistant else ChatRole.USER, message.content)


def _make_chat_messages(message: Message) -> Iterator[ChatMessage]:
    """A message as its text, or as its action and the observation that followed."""
    output = message.details.output or {}
    if message.role is not Role.ASSISTANT or not output.get("action"):
        yield from to_text_message(message)
    else:
        action = encode_json(output["action"]).decode()
        yield ChatMessage(ChatRole.ASSISTANT, action, reasoning=message.details.reasoning)
    if isinstance(observed := output.get("observed"), str):
        yield ChatMessage(ChatRole.USER, observed)


def _build_object_schema(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties)}


_STRING: JsonObject = {"type": "string"}

THINK = ToolSpec(
    "think",
    "Tell the user in a sentence what you are considering. Changes nothing.",
    _build_object_schema(message=_STRING),
)
RUN_SQL = ToolSpec(
    "run_sql",
    "Run one DuckDB SELECT over the tables and see its first rows.",
    _build_object_schema(purpose=_STRING, query=_STRING),
)
EXPLORE = ToolSpec(
    "explore",
    "Run Python (pandas, numpy, duckdb) and see what it prints. Variables stay.",
    _build_object_schema(purpose=_STRING, code=_STRING),
)


def list_tools(*, can_run_python: bool) -> tuple[ToolSpec, ...]:
    always = (INSPECT, RUN_SQL, THINK)
    return (*always, EXPLORE) if can_run_python else always


def select_path(history: Sequence[Message], run_key: str) -> tuple[Message, ...]:
    """The messages of the run and of all runs it builds on; everything if no run is named.

    A deleted turn ends the path: nothing before it can be known.
    """
    parents = _find_parents(history)
    keys = list(parents)
    key = run_key or (keys[-1] if keys else "")
    path: set[str] = set()
    while key in keys:
        path.add(key)
        keys = keys[: keys.index(key)]
        key = parents[key] or (keys[-1] if keys else "")
    return tuple(message for message in history if message.details.run_key in path)


def _find_parents(history: Sequence[Message]) -> dict[str, str]:
    """The runs of the session, oldest first, each with the run it names; empty for none."""
    parents: dict[str, str] = {}
    for message in history:
        key = message.details.run_key
        parent = parents.setdefault(key, "")
        if message.role is Role.USER and not parent:
            parents[key] = str(message.details.options.get(BUILDS_ON, ""))
    return parents


def describe_chart_types() -> str:
    """One line for each chart type."""
    return "\n".join([CHART_TYPES_HEADING, *(_describe_chart_type(chart) for chart in ChartType)])


def _describe_chart_type(chart: ChartType) -> str:
    known = KNOWN[chart]
    channels = [
        _mark_if_needed(chart, channel) for channel in ChartChannel if channel in known - FACETS
    ]
    facets = ["facets"] if known >= FACETS else []
    config = f" (config {_CONFIG[chart]})" if chart in _CONFIG else ""
    return f"- {chart.value}: {', '.join([*channels, *facets])}{config}"


def _mark_if_needed(chart: ChartType, channel: ChartChannel) -> str:
    return f"{channel.value}*" if channel in NEEDED[chart] else channel.value
