"""What may happen only in named places: broad excepts, SQL, the environment, streams."""

import ast
import re

from tests.architecture.source import Module, function_around, modules

BROAD_EXCEPTS = {
    ("http/middleware.py", "__call__"): "the HTTP edge",
    ("runs/executions.py", "await_or_log"): "around agents, settlements and memory jobs",
    ("db/repeat.py", "repeat_step"): "background loops continue until they fail ten times",
    ("sandbox/python_run.py", "execute_code"): "whatever foreign code raises is its result",
}
"""Where everything is caught, and logged once or converted."""

DEFERRED_IMPORTS = {
    ("accounts/tokens.py", "yarrow"): "cryptography, 9 MB, for outside issuers only",
    ("agents/analyst/chart/agent.py", "yarrow"): "patterns of questions, 80 ms, without a model",
    ("agents/analyst/loader/workspace.py", "yarrow"): "the detector of encodings, 60 ms",
    ("agents/analyst/questions/agent.py", "yarrow"): "the same patterns, for suggestions",
    ("attachments/open_storage.py", "yarrow"): "obstore, 4 MB, for servers that get files",
    ("kit/markdown_parser.py", "markdown_it"): "30 ms, for servers with manual or reports",
    ("kit/secrets_box.py", "cryptography"): "7 MB, for servers that store credentials",
    ("llm/allowed_addresses.py", "yarl"): "12 ms, with the first model of a client",
    ("llm/endpoint_model.py", "yarrow"): "aiohttp, 0.17 s and 10 MB, with the first request",
    ("llm/rule_based/model.py", "yarrow"): "patterns of rules, 0.14 s, without an endpoint",
    ("protocols/ndjson/reports/routes.py", "yarrow"): "markdown-it, 30 ms, for reports",
    ("runs/worker.py", "yarrow"): "PgQueuer, 0.1 s and 5 MB, once the server answers",
    ("sandbox/files/duration_units.py", "pyarrow"): "0.1 s, for Parquet files that Arrow wrote",
    ("sources/connector/child.py", "yarrow"): "an extra; its absence is an answer, not a crash",
    ("speech/open_recogniser.py", "yarrow"): "aiohttp, for servers with an endpoint",
    ("web/templating.py", "jinja2"): "6 MB and 50 ms, for servers whose pages are opened",
    ("http/telemetry.py", "opentelemetry"): "an optional extra, and slow to import",
}

SQL_FILES = ("store.py", "journal.py", "transitions.py", "duckdb_sql.py")
SQL_FOLDERS = ("db/", "sandbox/", "charting/filters/", "charting/reduce/", "sources/connector/")
"""The others speak to DuckDB or to data sources, in processes that cannot reach our database."""
SQL = re.compile(
    r"\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s|"
    r"(CREATE|ALTER|DROP)\s+(TABLE|INDEX|TYPE|FUNCTION|SCHEMA)|TRUNCATE\s|LISTEN\s|NOTIFY\s)"
)

SETS_RUN_STATUS = re.compile(
    r"INSERT\s+INTO\s+runs\b|UPDATE\s+runs\b[^;]*?\bSET\b(?:(?!\bFROM\b|\bWHERE\b)[^;])*?\bstatus\s*="
)

STREAM_TYPE = "text/event-stream"
STREAM_READERS = ("llm/",)
"""They read other servers' streams, or stand in for such a server; they do not serve ours."""

HTTP_FOLDERS = ("http/", "protocols/", "web/")


def test_everything_is_caught_only_at_the_named_boundaries() -> None:
    found = {
        (module.path, function_around(module, node))
        for module in modules()
        for node in (*module.select(ast.ExceptHandler), *module.select(ast.Call))
        if _catches_everything(node)
    }

    assert found == set(BROAD_EXCEPTS)


def test_imports_stand_at_the_top() -> None:
    found = {
        (module.path, name.partition(".")[0])
        for module in modules()
        for node in (*module.select(ast.Import), *module.select(ast.ImportFrom))
        if function_around(module, node)
        for name in _imported(node)
    }

    assert found == set(DEFERRED_IMPORTS)


def test_sql_lives_in_stores_and_the_journal() -> None:
    found = [
        module.at(node)
        for module in modules()
        if not module.path.endswith(SQL_FILES) and not module.path.startswith(SQL_FOLDERS)
        for node in module.literals()
        if SQL.match(_text(node))
    ]

    assert found == []


def test_transitions_have_every_statement_that_sets_the_status_of_a_run() -> None:
    found = {module.path for module in modules() if SETS_RUN_STATUS.search(module.text)}

    assert found == {"runs/transitions.py"}


def test_only_the_pool_commits() -> None:
    assert _calls("commit", outside=SQL_FOLDERS) == []


def test_only_settings_read_the_environment() -> None:
    found = [
        module.at(node)
        for module in modules()
        if module.path != "settings.py"
        for node in module.select(ast.Attribute)
        if node.attr in {"environ", "getenv", "environb"}
    ]

    assert found == []


def test_one_place_serves_event_streams() -> None:
    """A protocol may name the type once, as a constant, to read the `Accept` header with it."""
    found = [
        module.at(node)
        for module in modules()
        if module.path != "http/streaming.py" and not module.path.startswith(STREAM_READERS)
        for node in module.literals()
        if STREAM_TYPE in _text(node) and node not in _protocol_constants(module)
    ]

    assert found == []


def test_http_stays_at_the_edge() -> None:
    found = [
        module.at(node)
        for module in modules()
        if not module.path.startswith(HTTP_FOLDERS)
        for node in (*module.select(ast.Name), *module.select(ast.Attribute))
        if "HTTPException" in (getattr(node, "id", ""), getattr(node, "attr", ""))
    ]

    assert found == []


def _catches_everything(node: ast.AST) -> bool:
    match node:
        case ast.ExceptHandler(type=None):
            return True
        case ast.ExceptHandler(type=ast.Tuple(elts=kinds)):
            return any(_is_broad(kind) for kind in kinds)
        case ast.ExceptHandler(type=kind):
            return _is_broad(kind)
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=kinds):
            return any(_is_broad(kind) for kind in kinds)
        case _:
            return False


def _is_broad(kind: ast.expr | None) -> bool:
    return isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"}


def _imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module):
            return [module or "."]
        case _:
            return []


def _calls(method: str, *, outside: tuple[str, ...]) -> list[str]:
    return [
        module.at(node)
        for module in modules()
        if not module.path.startswith(outside)
        for node in module.select(ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == method
    ]


def _protocol_constants(module: Module) -> list[ast.AST]:
    if not module.path.startswith("protocols/"):
        return []
    return [node.value for node in module.tree.body if isinstance(node, ast.Assign)]


def _text(node: ast.Constant) -> str:
    value = node.value
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
