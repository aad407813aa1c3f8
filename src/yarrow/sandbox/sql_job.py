"""Jobs that read tables with DuckDB: queries, exports, and conversion of uploaded files."""

import re
from pathlib import Path

import duckdb
from msgspec.structs import replace

from yarrow.charting import ChartLanguage, compile_chart, parse_intent, read_meanings
from yarrow.charting.errors import ChartImpossible
from yarrow.charting.map_outlines import Outline, read_outline
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.channel import JobChannel
from yarrow.sandbox.chart_source import open_parquet
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.read import preview_file, read_file
from yarrow.sandbox.messages import (
    NEEDS_FRESH_PROCESS,
    WARM_FOLDER,
    ChartDrawn,
    ChartRefused,
    DrawChart,
    JobError,
    LinesChunk,
    LoadTable,
    PreviewFile,
    QueryFile,
    QueryRows,
    ReadFile,
    Request,
    Response,
    RunSql,
    SaveQuery,
    StartWarm,
    StreamLines,
)
from yarrow.sandbox.model import ChartRequest, TableResult
from yarrow.sandbox.query_errors import explain_query_error

_READ_ONLY = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
_ONE_STATEMENT = "one statement is run at a time"
_ONLY_READING = "only SELECT is run here"

_COPY_TO = re.compile(r"\bcopy\b.*\bto\b", re.IGNORECASE | re.DOTALL)
_QUOTED = (duckdb.token_type.comment, duckdb.token_type.string_const)
_SEMICOLON = ord(";")

_NOT_WARM = re.compile(
    r"information_schema|\b(duckdb|json_execute|parquet|pg|sqlite|pragma|read|sniff)_|_scan\b"
    r"|\b(from|join)\s*'|\b(show|describe|summarize|glob|setseed|getvariable|query)\b"
    r"|\b(checkpoint|current_setting)\b",
    re.IGNORECASE,
)
"""The catalogue, files, settings, the seed; and `query`, which runs a string that can be built."""

_NO_MEMORY = (
    "the query needs more memory than one job has; aggregate, filter rows or take fewer columns"
)

_connections: list[duckdb.DuckDBPyConnection] = []
"""Opened before the fork; one."""


def warm_up() -> None:
    """Open the database and load what a query or a chart needs."""
    database = duckdb_session.connect_restricted()
    database.execute("SELECT 1, 'x'").fetchall()
    _connections.append(database)
    for outline in Outline:
        read_outline(outline)


def answer_requests(channel: JobChannel) -> None:
    """Answer one request, with the database locked to the request's files."""
    request = next(channel.requests(), None)
    if request is None:
        return
    if isinstance(request, StartWarm):
        _serve_warm(request, _connections[0], channel)
        return
    try:
        response = _answer_request(request, _connections[0], channel)
    except FileUnreadable as unreadable:
        response = JobError(str(unreadable), unreadable.note)
    except (duckdb.OutOfMemoryException, MemoryError):
        response = JobError(_NO_MEMORY)
    except (duckdb.Error, OverflowError, ValueError, OSError) as error:
        response = JobError(explain_query_error(str(error))[:4000])
    channel.respond(response)


def _answer_request(
    request: Request, database: duckdb.DuckDBPyConnection, channel: JobChannel
) -> Response:
    match request:
        case RunSql():
            return _run_query(request, database)
        case StreamLines():
            return _stream_lines(request, database, channel)
        case SaveQuery():
            return _save_query(request, database)
        case DrawChart():
            return _draw_chart(request, database)
        case ReadFile():
            return read_file(request, database)
        case PreviewFile():
            return preview_file(request, database)
        case _:
            return JobError("this process reads tables only")


def _serve_warm(start: StartWarm, database: duckdb.DuckDBPyConnection, channel: JobChannel) -> None:
    """Answer queries of one workspace, each in a transaction that is rolled back.

    On any error answer `NEEDS_FRESH_PROCESS`; the caller reruns the query in a fresh process and
    reports that error.
    """
    Path(WARM_FOLDER).mkdir()
    duckdb_session.lock_to_folder(
        database, WARM_FOLDER, memory_mb=start.memory_mb, max_ms=start.max_ms
    )
    for request in channel.requests():
        if isinstance(request, LoadTable):
            Path(request.path).write_bytes(channel.receive(request.size))
            continue
        database.begin()
        try:
            _answer_warm(request, database, channel)
        except (duckdb.Error, MemoryError, OverflowError, ValueError, OSError):
            channel.respond(NEEDS_FRESH_PROCESS)
        database.rollback()


def _answer_warm(
    request: Request, database: duckdb.DuckDBPyConnection, channel: JobChannel
) -> None:
    match request:
        case RunSql(query=query) if _is_warm_query(database, query):
            duckdb_session.create_views(database, request.tables, numbered=request.numbered)
            channel.respond(_fetch_result(request, database))
        case SaveQuery(query=query) if _is_warm_query(database, query):
            duckdb_session.create_views(database, request.tables, numbered=False)
            saved = _write_parquet(request, database)
            data = Path(request.parquet).read_bytes()
            Path(request.parquet).unlink()
            if isinstance(saved, ChartRefused):
                channel.respond(saved)
            else:
                response = replace(saved, output_bytes=len(data))
                channel.respond(response, [data])
        case DrawChart():
            _create_filter_views(request, database)
            channel.respond(_compile_chart(request.chart, database, *_find_only_file(request)))
        case _:
            channel.respond(NEEDS_FRESH_PROCESS)


def _is_warm_query(database: duckdb.DuckDBPyConnection, query: str) -> bool:
    """Whether the query is a SELECT of its tables, which a rollback undoes completely.

    EXPLAIN is not: EXPLAIN ANALYZE executes its statement.
    """
    is_select = _parse_select(database, query).type is duckdb.StatementType.SELECT
    return is_select and _NOT_WARM.search(query) is None


def _run_query(request: RunSql, database: duckdb.DuckDBPyConnection) -> QueryRows:
    duckdb_session.create_views(database, request.tables, numbered=request.numbered)
    paths = list(request.tables.values())
    duckdb_session.lock_to_files(
        database, paths=paths, memory_mb=request.memory_mb, max_ms=request.max_ms
    )
    return _fetch_result(request, database)


def _fetch_result(request: RunSql, database: duckdb.DuckDBPyConnection) -> QueryRows:
    total = _count_rows(request, database)
    statement = _parse_select(database, request.query)
    database.execute(statement, request.parameters)
    columns = duckdb_session.list_result_columns(database)
    if zoned := duckdb_session.list_zoned_columns(database):
        database.execute(
            duckdb_session.cast_zones_to_text(statement.query, zoned), request.parameters
        )
    rows, truncated = duckdb_session.fetch_rows(
        database, columns, max_rows=request.max_rows, max_bytes=request.max_bytes
    )
    return QueryRows(TableResult(columns, rows, truncated, total))


def _count_rows(request: RunSql, database: duckdb.DuckDBPyConnection) -> int | None:
    if request.count_query is None:
        return None
    statement = _parse_select(database, request.count_query)
    row = database.execute(statement, request.parameters).fetchone()
    return int(row[0]) if row is not None else None


def _draw_chart(
    request: DrawChart, database: duckdb.DuckDBPyConnection
) -> ChartDrawn | ChartRefused:
    path, row_count = _find_only_file(request)
    _create_filter_views(request, database)
    duckdb_session.lock_to_files(
        database, paths=[path], memory_mb=request.memory_mb, max_ms=request.max_ms
    )
    return _compile_chart(request.chart, database, path, row_count)


def _create_filter_views(request: DrawChart, database: duckdb.DuckDBPyConnection) -> None:
    """The table by its name: the rank of a place is counted among all rows."""
    if request.chart.row_filter is not None:
        duckdb_session.create_views(database, request.tables, numbered=False)


def _find_only_file(request: DrawChart) -> tuple[str, int]:
    (path,) = request.tables.values()
    return path, request.row_count


def _compile_chart(
    request: ChartRequest, database: duckdb.DuckDBPyConnection, path: str, row_count: int
) -> ChartDrawn | ChartRefused:
    language = ChartLanguage(request.language)
    names = {field: name for field, name in request.display_names.items() if isinstance(name, str)}
    source = open_parquet(database, path, row_count)
    try:
        return ChartDrawn(
            compile_chart(
                parse_intent(request.chart, language=language),
                source,
                meanings=source.add_units(read_meanings(request.field_metadata)),
                display_names=names,
                language=language,
                row_filter=request.row_filter,
            )
        )
    except ChartImpossible as impossible:
        return ChartRefused(str(impossible))


def _save_query(
    request: SaveQuery, database: duckdb.DuckDBPyConnection
) -> QueryFile | ChartRefused:
    duckdb_session.create_views(database, request.tables, numbered=False)
    paths = [*request.tables.values(), request.parquet]
    duckdb_session.lock_to_files(
        database, paths=paths, memory_mb=request.memory_mb, max_ms=request.max_ms
    )
    return _write_parquet(request, database)


def _write_parquet(
    request: SaveQuery, database: duckdb.DuckDBPyConnection
) -> QueryFile | ChartRefused:
    query = _remove_semicolon(_parse_select(database, request.query).query)
    query, seconds = _convert_to_stored(database, query)
    key = duckdb_session.SECONDS_KEY
    metadata = f", KV_METADATA {{{key}: {quote_text(seconds.decode())}}}" if seconds else ""
    target = f"TO {quote_text(request.parquet)} (FORMAT parquet, USE_TMP_FILE false{metadata})"
    copied = database.execute(f"COPY (\n{query}\n) {target}").fetchone()
    header = duckdb_session.read_header(
        database,
        request.parquet,
        row_count=int(copied[0]) if copied is not None else 0,
        max_rows=request.max_rows,
        max_bytes=request.max_bytes,
    )
    if request.chart is None:
        return QueryFile(header)
    drawn = _compile_chart(request.chart, database, request.parquet, header.row_count)
    return drawn if isinstance(drawn, ChartRefused) else QueryFile(header, chart=drawn.chart)


def _convert_to_stored(database: duckdb.DuckDBPyConnection, query: str) -> tuple[str, bytes]:
    """The same rows without infinities, durations in seconds; and the names of the latter.

    Names of columns may repeat, so columns are selected by position.
    """
    described = database.execute(f"DESCRIBE\n{query}").fetchall()
    if all(duckdb_session.is_stored_as_is(native) for _, native, *_ in described):
        return query, b""
    durations = [name for name, native, *_ in described if native == duckdb_session.DURATION]
    seconds = duckdb_session.describe_unit(durations) if durations else b""
    positions = [f"c{position}" for position in range(len(described))]
    selected = ", ".join(
        f"{duckdb_session.write_stored_expression(position, native)} AS {quote_name(name)}"
        for position, (name, native, *_) in zip(positions, described, strict=True)
    )
    return f"FROM (\n{query}\n) AS made({', '.join(positions)}) SELECT {selected}", seconds


def _stream_lines(
    request: StreamLines, database: duckdb.DuckDBPyConnection, channel: JobChannel
) -> LinesChunk:
    """Send all chunks but the last, empty one, which is returned."""
    duckdb_session.create_views(database, request.tables, numbered=False)
    paths = list(request.tables.values())
    duckdb_session.lock_to_files(
        database, paths=paths, memory_mb=request.memory_mb, max_ms=request.max_ms
    )
    database.execute(_parse_select(database, request.query))
    while batch := database.fetchmany(10_000):
        lines = "".join(line for (line,) in batch).encode()
        channel.respond(LinesChunk(len(lines)), [lines])
    return LinesChunk(0)


def _parse_select(database: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The only statement of a query; `ValueError` if there are more, or if it writes."""
    statements = database.extract_statements(query)
    if len(statements) != 1:
        raise ValueError(_ONE_STATEMENT)
    if statements[0].type not in _READ_ONLY or _contains_copy(query):
        raise ValueError(_ONLY_READING)
    return statements[0]


def _remove_semicolon(query: str) -> str:
    """The statement up to its semicolon; a comment may follow that."""
    text = query.encode()
    ends = (
        start
        for start, kind in duckdb.tokenize(query)
        if kind not in _QUOTED and text[start] == _SEMICOLON
    )
    return text[: next(ends, len(text))].decode()


def _contains_copy(query: str) -> bool:
    """Whether the query has COPY … TO outside of quotes and comments.

    DuckDB reports `WITH x AS (COPY … TO …) SELECT` and EXPLAIN ANALYZE of a COPY as reading, but
    executes them, and a rollback does not undo them.
    """
    if _COPY_TO.search(query) is None:
        return False
    text, tokens = query.encode(), duckdb.tokenize(query)
    ends = [*(start for start, _ in tokens[1:]), len(text)]
    words = [
        text[start:end]
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind not in _QUOTED and not text.startswith(b'"', start)
    ]
    return _COPY_TO.search(b" ".join(words).decode("utf-8", "replace")) is not None
