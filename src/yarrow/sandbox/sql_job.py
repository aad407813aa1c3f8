"""The trade of the process that reads tables: queries, exports, and files that become tables."""

import re
from pathlib import Path

import duckdb

from yarrow.sandbox import duckdb_session
from yarrow.sandbox.channel import Channel
from yarrow.sandbox.files import preview_file, read_file
from yarrow.sandbox.files.failure import Unreadable
from yarrow.sandbox.model import TableResult
from yarrow.sandbox.protocol import (
    ELSEWHERE,
    ROOM_FOLDER,
    Answer,
    Bring,
    Chunk,
    Failed,
    KeepTable,
    Kept,
    Made,
    OpenRoom,
    Order,
    PreviewFile,
    ReadFile,
    Rows,
    RunSql,
    SendLines,
)

_BOM = b"\xef\xbb\xbf"
_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
_ONE_STATEMENT = "Parser Error: one statement is run at a time"
_ONLY_READING = "Permission Error: only SELECT is run here"

_WRITING = re.compile(r"\bcopy\b.*\bto\b", re.IGNORECASE | re.DOTALL)
_QUOTED = (duckdb.token_type.comment, duckdb.token_type.string_const)

_END = ord(";")

_KEPT = Path(ROOM_FOLDER)
_NOT_PLAIN = re.compile(
    r"information_schema|\b(duckdb|json_execute|parquet|pg|sqlite|pragma|read|sniff)_|_scan\b"
    r"|\b(from|join)\s*'|\b(show|describe|summarize|glob|setseed|getvariable|query)\b"
    r"|\b(checkpoint|current_setting)\b",
    re.IGNORECASE,
)
"""`query` among them: it asks what a text says, which can be put together."""
_opened: list[duckdb.DuckDBPyConnection] = []


def warm_up() -> None:
    """Open the database and have it load what a query needs."""
    database = duckdb_session.connect_closed()
    database.execute("SELECT 1, 'x'").fetchall()
    _opened.append(database)


def work(channel: Channel) -> None:
    """One order: the database is locked for its files and for nothing else."""
    order = next(channel.orders(), None)
    if order is None:
        return
    if isinstance(order, OpenRoom):
        _stay(order, _opened[0], channel)
        return
    try:
        answer = _carry_out(order, _opened[0], channel)
    except Unreadable as unreadable:
        answer = Failed(str(unreadable), readable=True)
    except (duckdb.Error, MemoryError, OverflowError, ValueError, OSError) as error:
        answer = Failed(f"{type(error).__name__}: {error}"[:4000])
    channel.answer(answer)


def _carry_out(order: Order, database: duckdb.DuckDBPyConnection, channel: Channel) -> Answer:
    match order:
        case RunSql():
            return _run(order, database)
        case SendLines():
            return _send_lines(order, database, channel)
        case KeepTable():
            return _keep(order, database)
        case ReadFile():
            return read_file(order, database)
        case PreviewFile():
            return preview_file(order, database)
        case _:
            return Failed("this process reads tables only")


def _stay(room: OpenRoom, database: duckdb.DuckDBPyConnection, channel: Channel) -> None:
    """A room: plain queries of one workspace, one after the other.

    What goes wrong is said by a process of its own, so here it is only told that it did.
    """
    _KEPT.mkdir()
    duckdb_session.lock_room(database, ROOM_FOLDER, memory_mb=room.memory_mb, max_ms=room.max_ms)
    for order in channel.orders():
        if isinstance(order, Bring):
            (_KEPT / order.file).write_bytes(channel.receive(order.size))
            continue
        database.begin()
        try:
            _answer_in_room(order, database, channel)
        except (duckdb.Error, MemoryError, OverflowError, ValueError, OSError):
            channel.answer(ELSEWHERE)
        database.rollback()


def _answer_in_room(order: Order, database: duckdb.DuckDBPyConnection, channel: Channel) -> None:
    match order:
        case RunSql(query=query) if _is_plain(database, query):
            duckdb_session.show_tables(database, order.tables, numbered=order.numbered)
            channel.answer(_rows(order, database))
        case KeepTable(query=query) if _is_plain(database, query):
            duckdb_session.show_tables(database, order.tables, numbered=False)
            made = _keep_rows(order, database)
            data = Path(order.parquet).read_bytes()
            Path(order.parquet).unlink()
            channel.answer(Kept(made, len(data)), [data])
        case _:
            channel.answer(ELSEWHERE)


def _is_plain(database: duckdb.DuckDBPyConnection, query: str) -> bool:
    """A SELECT that asks its tables only: not what tables there are, no files, no dice of its own.

    EXPLAIN is none: it can carry out what it explains.
    """
    is_select = _only_statement(database, query).type is duckdb.StatementType.SELECT
    return is_select and _NOT_PLAIN.search(query) is None


def _run(order: RunSql, database: duckdb.DuckDBPyConnection) -> Rows:
    duckdb_session.show_tables(database, order.tables, numbered=order.numbered)
    paths = list(order.tables.values())
    duckdb_session.lock(database, paths=paths, memory_mb=order.memory_mb, max_ms=order.max_ms)
    return _rows(order, database)


def _rows(order: RunSql, database: duckdb.DuckDBPyConnection) -> Rows:
    total = _count(order, database)
    statement = _only_statement(database, order.query)
    database.execute(statement, order.parameters)
    columns = duckdb_session.described(database)
    if moments := duckdb_session.zoned(database):
        database.execute(duckdb_session.without_zones(statement.query, moments), order.parameters)
    rows, truncated = duckdb_session.fetch_rows(
        database, columns, max_rows=order.max_rows, max_bytes=order.max_bytes
    )
    return Rows(TableResult(columns, rows, truncated, total))


def _count(order: RunSql, database: duckdb.DuckDBPyConnection) -> int | None:
    if order.count_query is None:
        return None
    statement = _only_statement(database, order.count_query)
    found = database.execute(statement, order.parameters).fetchone()
    return int(found[0]) if found is not None else None


def _keep(order: KeepTable, database: duckdb.DuckDBPyConnection) -> Kept:
    duckdb_session.show_tables(database, order.tables, numbered=False)
    paths = [*order.tables.values(), order.parquet]
    duckdb_session.lock(database, paths=paths, memory_mb=order.memory_mb, max_ms=order.max_ms)
    return Kept(_keep_rows(order, database))


def _keep_rows(order: KeepTable, database: duckdb.DuckDBPyConnection) -> Made:
    query = _without_end(_only_statement(database, order.query).query)
    target = f"TO {duckdb_session.quote_text(order.parquet)} (FORMAT parquet, USE_TMP_FILE false)"
    counted = database.execute(f"COPY (\n{_with_numbers(database, query)}\n) {target}").fetchone()
    return duckdb_session.look_at(
        database,
        order.parquet,
        row_count=int(counted[0]) if counted is not None else 0,
        max_rows=order.max_rows,
        max_bytes=order.max_bytes,
    )


def _with_numbers(database: duckdb.DuckDBPyConnection, query: str) -> str:
    """The same rows, what is not a number as null; names may repeat, so places are selected."""
    described = database.execute(f"DESCRIBE\n{query}").fetchall()
    if not any(duckdb_session.may_be_no_number(native) for _, native, *_ in described):
        return query
    places = [f"c{at}" for at in range(len(described))]
    selected = ", ".join(
        f"{duckdb_session.number_or_null(place, native)} AS {duckdb_session.quote_name(name)}"
        for place, (name, native, *_) in zip(places, described, strict=True)
    )
    return f"FROM (\n{query}\n) AS made({', '.join(places)}) SELECT {selected}"


def _send_lines(order: SendLines, database: duckdb.DuckDBPyConnection, channel: Channel) -> Chunk:
    """Lines of text, many at a time."""
    duckdb_session.show_tables(database, order.tables, numbered=False)
    paths = list(order.tables.values())
    duckdb_session.lock(database, paths=paths, memory_mb=order.memory_mb, max_ms=order.max_ms)
    database.execute(_only_statement(database, order.query))
    while batch := database.fetchmany(10_000):
        lines = "".join(line for (line,) in batch).encode()
        channel.answer(Chunk(len(lines)), [lines])
    return Chunk(0)


def _only_statement(database: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    statements = database.extract_statements(query)
    if len(statements) != 1:
        raise ValueError(_ONE_STATEMENT)
    if statements[0].type not in _READING or _writes(query):
        raise ValueError(_ONLY_READING)
    return statements[0]


def _without_end(query: str) -> str:
    """One statement without the semicolon behind it, and what is said behind that."""
    text = query.encode()
    ends = (at for at, kind in duckdb.tokenize(query) if kind not in _QUOTED and text[at] == _END)
    return text[: next(ends, len(text))].decode()


def _writes(query: str) -> bool:
    """A SELECT may hold a COPY, `WITH x AS (COPY … TO …)`, and EXPLAIN ANALYZE carries one out.

    Neither is undone by a rollback. Words in quotes are names of columns, or values.
    """
    if _WRITING.search(query) is None:
        return False
    text, begins = query.encode(), duckdb.tokenize(query)
    ends = [*(at for at, _ in begins[1:]), len(text)]
    words = [
        text[at:end]
        for (at, kind), end in zip(begins, ends, strict=True)
        if kind not in _QUOTED and not text.startswith(b'"', at)
    ]
    return _WRITING.search(b" ".join(words).decode("utf-8", "replace")) is not None
