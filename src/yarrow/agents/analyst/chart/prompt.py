"""The prompts of the analyst, and its tools as the model sees them."""

from collections.abc import Iterator, Sequence
from functools import cache

from yarrow.agents.analyst.chart.chart_list import describe_chart_types
from yarrow.agents.analyst.input import AnalystInput, ClientMessage
from yarrow.agents.analyst.prompt import (
    INSPECT,
    describe_tables,
    describe_threads,
    language_line,
)
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.agents.conversation.history import pair_calls, recall_messages, text_message
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

BY_PYTHON = '"code": "Python", "output_variable": "name"'
BY_SQL = '"sql": "one DuckDB SELECT"'

PYTHON_RULES = """\
Code is Python with pandas (pd), numpy (np) and duckdb. Tables are Parquet files:
pd.read_parquet('data/NAME.parquet'). Leave the table to draw in `output_variable`.
Instead of code you may give "sql", one DuckDB SELECT over the tables by name."""

SQL_RULES = "Queries are DuckDB SQL over the tables by name; quote names with double quotes."

FORMAT_ONLY = (
    "Answer with one JSON object for your next action and nothing else, as the instructions say."
)
REPAIR = "[CODE ERROR]\n{error}\n\nCorrect it and answer with a new visualize action."
OBSERVED = """\
[OBSERVATION] {instruction}
The chart was made. Its table {table} has {rows} rows: {columns}
First rows: {sample}"""
FAILED = "[OBSERVATION] {instruction}\nThis step FAILED: {error}"


def system_prompt(
    analyst_input: AnalystInput, tables: Sequence[TableSummary], *, can_run_python: bool
) -> str:
    """The instructions, the rules of the user, the tables and the earlier steps."""
    parts = (
        _instructions(can_run_python=can_run_python),
        analyst_input.exploration_rules,
        analyst_input.coding_rules,
        language_line(analyst_input.language),
        describe_tables(analyst_input, tables),
        describe_threads(analyst_input),
    )
    return "\n\n".join(part for part in parts if part)


@cache
def _instructions(*, can_run_python: bool) -> str:
    how, rules = (BY_PYTHON, PYTHON_RULES) if can_run_python else (BY_SQL, SQL_RULES)
    return INSTRUCTIONS.format(how=how, rules=rules, charts=describe_chart_types())


def build_prompt(
    context: RunContext,
    analyst_input: AnalystInput,
    tables: Sequence[TableSummary],
    *,
    can_run_python: bool,
) -> list[ChatMessage]:
    """The prompt of a run: instructions, history and the question."""
    system = system_prompt(analyst_input, tables, can_run_python=can_run_python)
    images = tuple(ImagePart(url) for url in analyst_input.images)
    messages = [
        *(_client_message(message) for message in analyst_input.client_messages),
        *recall_messages(context.history, _to_chat),
        ChatMessage(ChatRole.USER, context.run.input.text, images),
    ]
    return [ChatMessage(ChatRole.SYSTEM, system), *pair_calls(messages)]


def _client_message(message: ClientMessage) -> ChatMessage:
    """A message of a conversation that the client stored; its system messages are not ours."""
    is_assistant = message.role == ChatRole.ASSISTANT
    return ChatMessage(ChatRole.ASSISTANT if is_assistant else ChatRole.USER, message.content)


def _to_chat(message: Message) -> Iterator[ChatMessage]:
    """A message as its text, or as its action and the observation that followed."""
    output = message.details.output or {}
    if message.role is not Role.ASSISTANT or not output.get("action"):
        yield from text_message(message)
    else:
        action = encode_json(output["action"]).decode()
        yield ChatMessage(ChatRole.ASSISTANT, action, reasoning=message.details.reasoning)
    if isinstance(observed := output.get("observed"), str):
        yield ChatMessage(ChatRole.USER, observed)


def _object(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties)}


_STRING: JsonObject = {"type": "string"}

THINK = ToolSpec(
    "think",
    "Tell the user in a sentence what you are considering. Changes nothing.",
    _object(message=_STRING),
)
RUN_SQL = ToolSpec(
    "run_sql",
    "Run one DuckDB SELECT over the tables and see its first rows.",
    _object(purpose=_STRING, query=_STRING),
)
EXPLORE = ToolSpec(
    "explore",
    "Run Python (pandas, numpy, duckdb) and see what it prints. Variables stay.",
    _object(purpose=_STRING, code=_STRING),
)


def tool_specs(*, can_run_python: bool) -> tuple[ToolSpec, ...]:
    always = (INSPECT, RUN_SQL, THINK)
    return (*always, EXPLORE) if can_run_python else always
