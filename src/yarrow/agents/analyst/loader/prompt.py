"""The prompt of the loader, and its tools as the model sees them."""

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.prompt import write_language_rule
from yarrow.kit.json import JsonObject
from yarrow.llm.model import ChatMessage, ChatRole, ImagePart, ToolSpec

INSTRUCTIONS = """\
You help a user to bring data into a workspace. You have tools; nothing is loaded until the user
agrees, so always end by showing what would be loaded.

- Files the user uploaded lie in scratch/. Look with list_directory and read_file. Clean or
  combine them with execute_python: every DataFrame you leave in a variable is saved as
  scratch/<name>.csv. Then call show_user_data_preview with saved_dfs.
- For a table in the user's text or in a picture, write it as CSV and call show_user_data_preview
  with tables.
- For data that is already in a source, look with list_data, find_data and describe_data, then
  call propose_load_plan. Tables of connected databases are in sources/<name>; they may be huge, so
  filter and group there: columns, filters, group_by and aggregates of a candidate are computed by
  the database, and only the result is loaded.

Do not print whole tables as text, and do not invent rows: say so if data is missing.
Python has pandas (pd), numpy (np) and duckdb; tables of the workspace are
data/<name>.parquet. There is no network."""


def build_prompt(analyst_input: AnalystInput, text: str) -> list[ChatMessage]:
    """Instructions, the messages that the client sent, and the user's new message."""
    parts = (INSTRUCTIONS, write_language_rule(analyst_input.language))
    system = "\n\n".join(part for part in parts if part)
    images = tuple(ImagePart(url) for url in analyst_input.images)
    return [
        ChatMessage(ChatRole.SYSTEM, system),
        *(ChatMessage(ChatRole(m.role), m.content) for m in analyst_input.client_messages),
        ChatMessage(ChatRole.USER, text, images),
    ]


def _build_object_schema(required: tuple[str, ...] = (), **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required)}


_STRING: JsonObject = {"type": "string"}
_NUMBER: JsonObject = {"type": "integer"}
_STRINGS: JsonObject = {"type": "array", "items": _STRING}

_CANDIDATE = _build_object_schema(
    ("source_id", "table_key"),
    source_id=_STRING,
    table_key=_STRING,
    display_name=_STRING,
    row_limit=_NUMBER,
    filters={
        "type": "array",
        "items": _build_object_schema(
            ("column", "operator"), column=_STRING, operator=_STRING, value={}
        ),
    },
    columns=_STRINGS,
    group_by=_STRINGS,
    aggregates={
        "type": "array",
        "items": _build_object_schema(
            ("function",),
            function={
                "type": "string",
                "enum": ["sum", "avg", "min", "max", "count", "count_distinct"],
            },
            column=_STRING,
            alias=_STRING,
        ),
    },
)

PYTHON = ToolSpec(
    "execute_python",
    "Run Python and see what it prints. Variables stay; DataFrames are saved to scratch/.",
    _build_object_schema(("code",), code=_STRING),
)
_ALWAYS = (
    ToolSpec(
        "read_file",
        "Read a text file from scratch/.",
        _build_object_schema(("path",), path=_STRING, max_lines=_NUMBER),
    ),
    ToolSpec(
        "write_file",
        "Write a text file to scratch/.",
        _build_object_schema(("path", "content"), path=_STRING, content=_STRING),
    ),
    ToolSpec("list_directory", "List the files in scratch/.", _build_object_schema(path=_STRING)),
    ToolSpec(
        "show_user_data_preview",
        "Show tables to the user with a button that loads them: saved_dfs by name, or tables "
        "that you extracted, as CSV.",
        _build_object_schema(
            saved_dfs=_STRINGS,
            tables={
                "type": "array",
                "items": _build_object_schema(("name", "data"), name=_STRING, data=_STRING),
            },
        ),
    ),
    ToolSpec(
        "list_data",
        "Browse what can be loaded: the sources, or the folders and tables of one.",
        _build_object_schema(source_id=_STRING, path=_STRINGS, filter=_STRING),
    ),
    ToolSpec(
        "find_data",
        "Search names, descriptions and columns of tables by a regular expression. scope: all, "
        "workspace, connected, a source, or source:folder.",
        _build_object_schema(
            ("query",),
            query=_STRING,
            scope=_STRING,
            exclude=_STRINGS,
            fields=_STRINGS,
            limit=_NUMBER,
        ),
    ),
    ToolSpec(
        "describe_data",
        "Columns, row count and first rows of one table.",
        _build_object_schema(("source_id", "table_key"), source_id=_STRING, table_key=_STRING),
    ),
    ToolSpec(
        "propose_load_plan",
        "Propose tables of sources for the user to load.",
        _build_object_schema(
            ("candidates",),
            candidates={"type": "array", "items": _CANDIDATE},
            reasoning=_STRING,
        ),
    ),
)


def list_tools(*, can_run_python: bool) -> tuple[ToolSpec, ...]:
    return (*_ALWAYS, PYTHON) if can_run_python else _ALWAYS
