"""Carry out one request: check the query, log in, list tables or write the result."""

import os
from collections.abc import Callable

from yarrow.sources.connector.build_select import build_select
from yarrow.sources.connector.check_sql import SqlRefused, check_query, write_checked
from yarrow.sources.connector.driver import (
    DIALECTS,
    DriverError,
    DriverMissing,
    LoginDenied,
    QueryTimedOut,
    SourceDriver,
    SourceUnreachable,
    open_driver,
)
from yarrow.sources.connector.messages import (
    ConnectorRequest,
    ConnectorResponse,
    ConnectorStatus,
    ConnectorVerb,
)
from yarrow.sources.connector.write_catalogue import write_catalogue
from yarrow.sources.connector.write_parquet import ResultWriter

MAX_MESSAGE_CHARS = 500
HIDDEN = "***"
MIN_SECRET_CHARS = 4
NO_MEMORY = "the result does not fit into memory; choose fewer columns or shorten large values"

_STATUSES: dict[type[Exception], ConnectorStatus] = {
    SqlRefused: ConnectorStatus.REFUSED,
    DriverMissing: ConnectorStatus.NO_DRIVER,
    LoginDenied: ConnectorStatus.DENIED,
    SourceUnreachable: ConnectorStatus.UNAVAILABLE,
    QueryTimedOut: ConnectorStatus.TIMED_OUT,
    DriverError: ConnectorStatus.FAILED,
    MemoryError: ConnectorStatus.FAILED,
}


def carry_out_request(
    request: ConnectorRequest, set_driver: Callable[[SourceDriver], None]
) -> tuple[ConnectorResponse, bytes]:
    try:
        return _carry_out(request, set_driver)
    except tuple(_STATUSES) as error:
        status = next(_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES)
        text = NO_MEMORY if isinstance(error, MemoryError) else error
        return ConnectorResponse(status, _redact_password(str(text), request.address.password)), b""


def _carry_out(
    request: ConnectorRequest, set_driver: Callable[[SourceDriver], None]
) -> tuple[ConnectorResponse, bytes]:
    sql = _write_sql(request)
    driver = open_driver(request.address, request.limits)
    set_driver(driver)
    match request.verb:
        case ConnectorVerb.PING:
            return ConnectorResponse(ConnectorStatus.DONE, version=driver.read_version()), b""
        case ConnectorVerb.CATALOGUE:
            limit = request.limits.tables
            catalogue = write_catalogue(driver.list_tables(limit + 1), limit=limit)
            done = ConnectorResponse(
                ConnectorStatus.DONE,
                rows=catalogue.table_count,
                is_truncated=catalogue.is_truncated,
            )
            return done, b"\n".join(catalogue.batches)
        case ConnectorVerb.QUERY:
            return _run_query(request, driver, sql), b""


def _write_sql(request: ConnectorRequest) -> str:
    """Checked before anything is connected to."""
    if request.verb is not ConnectorVerb.QUERY:
        return ""
    dialect, rows = DIALECTS[request.address.kind], request.limits.rows
    if request.selection is not None:
        return write_checked(build_select(request.selection, dialect), dialect, rows=rows)
    return check_query(request.sql, dialect, rows=rows)


def _run_query(request: ConnectorRequest, driver: SourceDriver, sql: str) -> ConnectorResponse:
    with os.fdopen(request.output, "wb", closefd=False) as file:
        written = ResultWriter(file, driver.query(sql), request.limits).write()
    return ConnectorResponse(
        ConnectorStatus.DONE,
        sql=sql,
        columns=list(written.columns),
        rows=written.rows,
        cut=written.cut,
        notes=list(written.notes),
    )


def _redact_password(text: str, password: str) -> str:
    """Without the password; to hide one of three letters would show which letters it has."""
    hidden = text.replace(password, HIDDEN) if len(password) >= MIN_SECRET_CHARS else text
    return " ".join(hidden.split())[:MAX_MESSAGE_CHARS]
