"""Check that a text is one read-only SELECT, and write it anew from its syntax tree.

The source executes the rewritten text, never the original: what a comment or another quirk of its
parser would add is not in the tree. The session at the source is read-only as well.
"""

from collections.abc import Iterator
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

MAX_SQL_CHARS = 100_000
ONE_SELECT = "only one SELECT is allowed, and nothing after it"
NO_SETTINGS = "SETTINGS and FORMAT are not allowed; this server sets the limits of a query"
NO_PARAMETERS = "parameters are not allowed; write the values into the query"

_FORBIDDEN: Final = (
    exp.DDL,
    exp.DML,
    exp.Command,
    exp.Into,
    exp.Lock,
    exp.Copy,
    exp.Set,
    exp.Use,
    exp.Pragma,
    exp.Attach,
    exp.Detach,
    exp.Transaction,
    exp.Commit,
    exp.Rollback,
    exp.Kill,
    exp.LoadData,
    exp.Drop,
    exp.Alter,
    exp.Export,
)
_DENIED: Final[dict[str, tuple[str, ...]]] = {
    "postgres": (
        *("pg_read_", "pg_ls_", "pg_stat_file", "pg_file_", "lo_", "dblink", "set_config"),
        *("pg_terminate_backend", "pg_cancel_backend", "pg_reload_conf", "pg_rotate_logfile"),
        *("pg_advisory", "pg_try_advisory", "pg_logical_", "pg_replication_", "pg_create_"),
        *("pg_drop_", "pg_switch_", "pg_promote", "pg_backup", "pg_wal_", "pg_notify", "pg_log_"),
        *("query_to_xml", "table_to_xml", "cursor_to_xml", "schema_to_xml", "database_to_xml"),
        *("pg_export_snapshot", "pg_current_logfile", "ts_stat", "nextval", "setval"),
    ),
    "mysql": ("load_file", "get_lock", "release_", "benchmark", "master_", "source_", "sys_"),
    "sqlite": ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fsdir"),
    "duckdb": ("getenv", "read_", "glob", "which_secret", "duckdb_secrets", "query"),
    "clickhouse": ("file", "executable", "catboost", "url", "remote", "getserversetting"),
    "bigquery": ("external_query",),
    "snowflake": ("system$", "get_presigned_url", "ai_", "snowflake.cortex"),
}
"""Beginnings of functions that read files, reach other hosts, lock, or run SQL of their own."""
_TABLE_FUNCTIONS: Final[dict[str, frozenset[str]]] = {
    "sqlite": frozenset({"json_each", "json_tree", "generate_series"}),
    "duckdb": frozenset({"generate_series", "range", "unnest", "json_each", "json_tree"}),
    "clickhouse": frozenset({"numbers", "generate_series", "generateseries", "zeros", "values"}),
    "mysql": frozenset({"json_table"}),
    "bigquery": frozenset({"unnest", "generate_array"}),
    "snowflake": frozenset({"flatten", "generator", "table"}),
}
"""Functions that may be used as tables; in PostgreSQL all but the denied ones."""


class SqlRefused(Exception):
    """The text is not what may be sent to a source; the message says why."""


def check_query(sql: str, dialect: str, *, rows: int) -> str:
    """The query as it is sent: limited to `rows` rows. Raises `SqlRefused`."""
    try:
        return _write_sql(_limit_rows(_parse_select(sql, dialect), rows), dialect)
    except RecursionError:
        raise SqlRefused("the query is nested too deeply") from None


def write_checked(query: exp.Query, dialect: str, *, rows: int) -> str:
    """The text of a query that was built here; it must be read as what was built."""
    limited = _limit_rows(query, rows)
    text = _write_sql(limited, dialect)
    if _list_literals(_parse_select(text, dialect)) != _list_literals(limited):
        raise SqlRefused("a value cannot be written safely in the source's dialect")
    return text


def _parse_select(sql: str, dialect: str) -> exp.Query:
    if len(sql) > MAX_SQL_CHARS or "\0" in sql:
        raise SqlRefused(f"a query has at most {MAX_SQL_CHARS} characters, and no NUL")
    try:
        statements = [tree for tree in sqlglot.parse(sql, dialect=dialect) if tree is not None]
    except SqlglotError as error:
        raise SqlRefused(f"the query cannot be parsed: {_read_first_line(error)}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise SqlRefused(ONE_SELECT)
    tree = statements[0]
    for node in tree.walk():
        _check_node(node, dialect)
    return tree


def _check_node(node: exp.Expr, dialect: str) -> None:
    if isinstance(node, _FORBIDDEN) and not isinstance(node, exp.Query):
        raise SqlRefused(f"{ONE_SELECT}: {type(node).__name__.upper()} is not allowed")
    if isinstance(node, exp.Query) and (node.args.get("settings") or node.args.get("format")):
        raise SqlRefused(NO_SETTINGS)
    if isinstance(node, exp.Placeholder) or (
        isinstance(node, exp.Parameter) and dialect != "mysql"
    ):
        raise SqlRefused(NO_PARAMETERS)
    if isinstance(node, exp.Func):
        for name in _list_function_names(node):
            if name.startswith(_DENIED.get(dialect, ())):
                raise SqlRefused(f"the function {name} is not allowed")
    allowed = _TABLE_FUNCTIONS.get(dialect)
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Func) and allowed is not None:
        names = set(_list_function_names(node.this))
        if not names & allowed:
            raise SqlRefused(f"{min(names)} is not allowed as a table")


def _list_function_names(node: exp.Func) -> Iterator[str]:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        yield node.name.lower()
        return
    yield from (name.lower() for name in node.sql_names())


def _limit_rows(query: exp.Query, rows: int) -> exp.Query:
    """One row more than is kept, to see whether there are more."""
    limit = query.args.get("limit")
    if limit is None:
        return query.limit(rows + 1, copy=True)
    value = limit.expression if _counts_rows(query) else None
    if isinstance(value, exp.Literal) and value.is_int and int(value.this) <= rows:
        return query
    return exp.select("*").from_(query.subquery("limited")).limit(rows + 1)


def _counts_rows(query: exp.Query) -> bool:
    """Not LIMIT n BY, which is for each value, nor WITH TIES or PERCENT."""
    limit, offset = query.args.get("limit"), query.args.get("offset")
    by = [part for part in (limit, offset) if part is not None and part.expressions]
    return isinstance(limit, exp.Limit) and not by and not limit.args.get("limit_options")


def _write_sql(query: exp.Query, dialect: str) -> str:
    try:
        return query.sql(dialect=dialect, comments=False, normalize_functions=False)
    except SqlglotError as error:
        raise SqlRefused(f"the query cannot be used: {_read_first_line(error)}") from None


def _list_literals(query: exp.Query) -> list[str]:
    return sorted(str(node.this) for node in query.find_all(exp.Literal))


def _read_first_line(error: SqlglotError) -> str:
    return str(error).splitlines()[0][:200]
