"""What the analyst's model is told."""

from collections.abc import Iterator, Sequence
from functools import cache

from yarrow.agents.analyst.chart_list import chart_list
from yarrow.agents.analyst.desk import TableFacts
from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.conversation.history import pair_calls, recall_messages, text_message
from yarrow.charting import Column
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.llm.model import ChatMessage, ChatRole, ImagePart, ToolSpec
from yarrow.runs.agent import RunContext
from yarrow.sessions.model import Message, Role

CELL_CHARS = 80
SAMPLE_ROWS = 5
SAMPLE_CHARS = 1000
"""How much of a table's rows goes into a prompt."""
TABLES_IN_DETAIL = 10

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
REPAIR = "[CODE ERROR]\n{error}\n\nMend it and answer with a new visualize action."
OBSERVED = """\
[OBSERVATION] {instruction}
The chart was made. Its table {table} has {rows} rows: {columns}
First rows: {sample}"""
FAILED = "[OBSERVATION] {instruction}\nThis step FAILED: {error}"

LANGUAGES = {
    "zh": "Simplified Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "ru": "Russian",
    "ar": "Arabic",
    "hi": "Hindi",
    "nl": "Dutch",
    "pl": "Polish",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "th": "Thai",
    "id": "Indonesian",
    "uk": "Ukrainian",
    "sv": "Swedish",
}


def language_line(code: str) -> str:
    """In which language to write; nothing for English, which models write anyway."""
    if code in ("", "en"):
        return ""
    return f"Write everything that the user reads in {LANGUAGES.get(code, code)}."


def system_prompt(
    given: AnalystInput, tables: Sequence[TableFacts], *, can_run_python: bool
) -> str:
    """The instructions, the user's own rules, the tables, and what was done before."""
    parts = (
        _instructions(can_run_python=can_run_python),
        given.exploration_rules,
        given.coding_rules,
        language_line(given.language),
        tables_text(given, tables),
        thread_text(given),
    )
    return "\n\n".join(part for part in parts if part)


@cache
def _instructions(*, can_run_python: bool) -> str:
    how, rules = (BY_PYTHON, PYTHON_RULES) if can_run_python else (BY_SQL, SQL_RULES)
    return INSTRUCTIONS.format(how=how, rules=rules, charts=chart_list())


def describe_table(table: TableFacts) -> str:
    """A table in a few lines: its columns with types and counts, and its first rows."""
    columns = [_describe_column(column) for column in table.shape.columns]
    sample = encode_json([clipped(row) for row in table.sample_rows[:SAMPLE_ROWS]]).decode()
    return "\n".join(
        [
            f"Table {table.name}: {table.shape.row_count} rows",
            *columns,
            f"First rows: {sample[:SAMPLE_CHARS]}",
        ]
    )


def _describe_column(column: Column) -> str:
    if not column.is_counted:
        return f"- {column.name} ({column.dtype.value})"
    empty = f", {column.nulls} empty" if column.nulls else ""
    return f"- {column.name} ({column.dtype.value}, {column.distinct} distinct{empty})"


def clipped(row: JsonObject) -> JsonObject:
    """A row whose long texts are cut, to be shown and not to be reckoned with."""
    return {key: _clip(value) for key, value in row.items()}


def _clip(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and len(value) > CELL_CHARS:
        return value[:CELL_CHARS] + "…"
    return value


def tables_text(given: AnalystInput, tables: Sequence[TableFacts]) -> str:
    """The tables the user looks at in detail, the rest by name."""
    primary = set(given.primary_tables)
    ordered = sorted(tables, key=lambda table: table.name not in primary)
    detail = [describe_table(table) for table in ordered[:TABLES_IN_DETAIL]]
    others = [
        f"- {table.name}: {', '.join(column.name for column in table.shape.columns)}"
        for table in ordered[TABLES_IN_DETAIL:]
    ]
    further = ["Further tables:\n" + "\n".join(others)] if others else []
    return "\n\n".join([*detail, *further]) or "There are no tables yet."


def thread_text(given: AnalystInput) -> str:
    """What the user did before: the thread that is gone on with, and the others in passing."""
    threads = (
        _steps("The user continues this thread", given.focused_thread),
        _steps("Other threads", given.other_threads),
    )
    return "\n\n".join(thread for thread in threads if thread)


def _steps(title: str, steps: Sequence[JsonValue]) -> str:
    if not steps:
        return ""
    return f"{title}:\n" + "\n".join(f"- {_step(step)}" for step in steps)


def _step(step: JsonValue) -> str:
    if not isinstance(step, dict):
        return str(step)
    said = {key: value for key, value in step.items() if value not in (None, "", [], {}, "Auto")}
    return encode_json(said).decode()


def opening(
    context: RunContext,
    given: AnalystInput,
    tables: Sequence[TableFacts],
    *,
    can_run_python: bool,
) -> list[ChatMessage]:
    """The prompt of a run: instructions, what was said before, and the question."""
    system = system_prompt(given, tables, can_run_python=can_run_python)
    images = tuple(ImagePart(url) for url in given.images)
    said = [
        *(recall_raw(said.role, said.content) for said in given.said_before),
        *recall_messages(context.history, _to_chat),
        ChatMessage(ChatRole.USER, context.run.input.text, images),
    ]
    return [ChatMessage(ChatRole.SYSTEM, system), *pair_calls(said)]


def recall_raw(role: str, content: str) -> ChatMessage:
    """A message of a conversation that the client kept; its instructions are not ours."""
    said = ChatRole.ASSISTANT if role == ChatRole.ASSISTANT else ChatRole.USER
    return ChatMessage(said, content)


def _to_chat(message: Message) -> Iterator[ChatMessage]:
    """A message as its text, or as its action and what came of it."""
    output = message.details.output or {}
    if message.role is not Role.ASSISTANT or not output.get("action"):
        yield from text_message(message)
    else:
        action = encode_json(output["action"]).decode()
        yield ChatMessage(ChatRole.ASSISTANT, action, reasoning=message.details.reasoning)
    if observed := output.get("observed"):
        yield ChatMessage(ChatRole.USER, observed)


def _object(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties)}


_STRING: JsonObject = {"type": "string"}

THINK = ToolSpec(
    "think",
    "Tell the user in a sentence what you are considering. Changes nothing.",
    _object(message=_STRING),
)
INSPECT = ToolSpec(
    "inspect_source_data",
    "Columns, types, counts and first rows of tables.",
    _object(table_names={"type": "array", "items": _STRING}),
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
