"""Parts of prompts that the analyst's agents share: tables, earlier steps, the language."""

from collections.abc import Sequence

from msgspec.structs import replace

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.charting import ChartColumn, ChartLanguage, find_question_language
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue, encode_json
from yarrow.language.languages import find_english_name
from yarrow.llm.model import ToolSpec
from yarrow.sessions.model import Message, Role

CELL_CHARS = 80
SAMPLE_ROWS = 5
SAMPLE_CHARS = 1000
"""How much of a table's rows goes into a prompt."""
TABLES_IN_DETAIL = 10

INSPECT = ToolSpec(
    "inspect_source_data",
    "Columns, types, counts and first rows of tables.",
    {
        "type": "object",
        "properties": {"table_names": {"type": "array", "items": {"type": "string"}}},
        "required": ["table_names"],
    },
)


def write_language_rule(code: str) -> str:
    """The instruction to write in a language; empty for English, the default of models."""
    if code in ("", "en"):
        return ""
    return f"Write everything that the user reads in {find_english_name(code)}."


def describe_table(table: TableSummary) -> str:
    """A table in a few lines: its columns with types and counts, and its first rows."""
    columns = [_describe_column(column) for column in table.shape.columns]
    sample = encode_json([clip_row(row) for row in table.sample_rows[:SAMPLE_ROWS]]).decode()
    return "\n".join(
        [
            f"Table {table.name}: {table.shape.row_count} rows",
            *columns,
            f"First rows: {sample[:SAMPLE_CHARS]}",
        ]
    )


def _describe_column(column: ChartColumn) -> str:
    if not column.is_counted:
        return f"- {column.name} ({column.dtype.value})"
    empty = f", {column.nulls} empty" if column.nulls else ""
    return f"- {column.name} ({column.dtype.value}, {column.distinct} distinct{empty})"


def clip_row(row: JsonMapping) -> JsonObject:
    """The row with long texts cut, for a prompt."""
    return {key: _clip_value(value) for key, value in row.items()}


def _clip_value(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and len(value) > CELL_CHARS:
        return value[:CELL_CHARS] + "…"
    return value


def describe_tables(analyst_input: AnalystInput, tables: Sequence[TableSummary]) -> str:
    """The first tables in detail, those that the user looks at before others; the rest by name."""
    primary = set(analyst_input.primary_tables)
    ordered = sorted(tables, key=lambda table: table.name not in primary)
    detail = [describe_table(table) for table in ordered[:TABLES_IN_DETAIL]]
    others = [
        f"- {table.name}: {', '.join(column.name for column in table.shape.columns)}"
        for table in ordered[TABLES_IN_DETAIL:]
    ]
    further = ["Further tables:\n" + "\n".join(others)] if others else []
    return "\n\n".join([*detail, *further]) or "There are no tables yet."


def describe_threads(analyst_input: AnalystInput) -> str:
    """The earlier steps of the user: the thread that continues, and the others."""
    threads = (
        _describe_thread("The user continues this thread", analyst_input.focused_thread),
        _describe_thread("Other threads", analyst_input.other_threads),
    )
    return "\n\n".join(thread for thread in threads if thread)


def _describe_thread(title: str, steps: Sequence[JsonValue]) -> str:
    if not steps:
        return ""
    return f"{title}:\n" + "\n".join(f"- {_describe_step(step)}" for step in steps)


def _describe_step(step: JsonValue) -> str:
    if not isinstance(step, dict):
        return str(step)
    fields = {key: value for key, value in step.items() if value not in (None, "", [], {}, "Auto")}
    return encode_json(fields).decode()


_OTHER_SCRIPTS = frozenset(("", "zh", "zh-Hant", "ja", "ko", "ru", "uk", "ar", "hi", "th"))
"""Languages of a client in which a question of Latin letters is not written."""


def use_question_language(
    analyst_input: AnalystInput,
    question: str,
    tables: Sequence[TableSummary],
    *,
    history: Sequence[Message] = (),
) -> AnalystInput:
    """The input in the language of the question, or of the last question that gives a clue.

    Names of columns are no clue; nor are characters of both scripts, which leave it to the client.
    Which of the languages in Latin letters it is, is not guessed: the
    language of the client stays if it is one of them.
    """
    earlier = [message.content for message in reversed(history) if message.role is Role.USER]
    shapes = [table.shape for table in tables]
    is_hant = analyst_input.chart_language is ChartLanguage.HANT
    chinese = ChartLanguage.HANT if is_hant else ChartLanguage.ZH
    for text in (question, *earlier):
        match find_question_language(text, shapes, chinese=chinese):
            case ChartLanguage.ZH | ChartLanguage.HANT as language:
                return replace(analyst_input, language=language.value)
            case ChartLanguage.EN:
                if analyst_input.language in _OTHER_SCRIPTS:
                    return replace(analyst_input, language="en")
                return analyst_input
            case None:
                continue
    return analyst_input
