"""Start a connector process for one request and read its response.

The credentials of a source are decrypted for the request, sent through a pipe and gone with the
process. A request that is cancelled, or takes too long, is cancelled at the source as well.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from yarrow.errors import YarrowError
from yarrow.kit.child_process import ChildFailed, ChildProcess
from yarrow.kit.limiter import Limiter
from yarrow.kit.notes import CodedNote
from yarrow.sandbox.model import Column
from yarrow.sources.connector.messages import (
    ConnectorLimits,
    ConnectorRequest,
    ConnectorResponse,
    ConnectorStatus,
    ConnectorVerb,
)
from yarrow.sources.errors import (
    SourceBusy,
    SourceDenied,
    SourceDriverMissing,
    SourceQueryFailed,
    SourceQueryRefused,
    SourceTimedOut,
    SourceUnavailable,
)
from yarrow.sources.model import (
    SourceAddress,
    SourceCatalogue,
    SourceQuery,
)

MODULE = "yarrow.sources.connector.child"
START_TIMEOUT_S = 60.0
PING_TIMEOUT_S = 30.0
MARGIN_S = 30.0
"""Longer than the source's own limit: for start, connection and writing."""
CANCEL_GRACE_S = 3.0
MAX_CATALOGUE_BYTES = 20 * 1024 * 1024
"""More than the connector's own limit, by the brackets and commas of its batches."""
MAX_TABLES = 20_000
MEMORY_BYTES = 2 * 1024 * 1024 * 1024
WAIT_S = 30.0
LOST = "the connection to the source was lost; nothing was stored"


class QueryResult(Struct, frozen=True):
    """A result that was written to a file."""

    columns: tuple[Column, ...]
    row_count: int
    sql: str
    cut: str
    notes: tuple[CodedNote, ...]


class Connector:
    """Carries out requests at sources: at most `slots` at once, `per_account` for one account."""

    def __init__(
        self, *, slots: int, per_account: int, timeout_s: float, max_rows: int, max_bytes: int
    ) -> None:
        self.max_rows = max_rows
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._limiter = Limiter(slots, per_owner=per_account, timeout_s=WAIT_S, busy=SourceBusy)

    async def ping(self, address: SourceAddress, *, owner: str) -> str:
        """Log in and read the source's version."""
        request = self._build_request(ConnectorVerb.PING, address, seconds=PING_TIMEOUT_S)
        response, _ = await self._carry_out(request, owner=owner)
        return response.version

    async def fetch_catalogue(self, address: SourceAddress, *, owner: str) -> SourceCatalogue:
        request = self._build_request(ConnectorVerb.CATALOGUE, address)
        response, body = await self._carry_out(request, owner=owner)
        return SourceCatalogue(body.splitlines(), response.rows, response.is_truncated)

    async def query(
        self, address: SourceAddress, query: SourceQuery, *, file: Path, owner: str
    ) -> QueryResult:
        """Write the rows of a query to a new Parquet file, which jobs of any user may read."""
        rows = min(query.row_limit or self.max_rows, self.max_rows)
        output = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            request = self._build_request(
                ConnectorVerb.QUERY, address, query=query, rows=rows, output=output
            )
            response, _ = await self._carry_out(request, owner=owner)
        finally:
            os.close(output)
        columns = tuple(Column(column.name, column.type) for column in response.columns)
        return QueryResult(
            columns, response.rows, response.sql, response.cut, tuple(response.notes)
        )

    def _build_request(
        self,
        verb: ConnectorVerb,
        address: SourceAddress,
        *,
        query: SourceQuery | None = None,
        rows: int = 0,
        output: int = -1,
        seconds: float | None = None,
    ) -> ConnectorRequest:
        seconds = self._timeout_s if seconds is None else min(seconds, self._timeout_s)
        limits = ConnectorLimits(rows, self._max_bytes, seconds, MAX_TABLES, MEMORY_BYTES)
        sql, selection = ("", None) if query is None else (query.sql, query.selection)
        return ConnectorRequest(verb, address, limits, sql, selection, output)

    async def _carry_out(
        self, request: ConnectorRequest, *, owner: str
    ) -> tuple[ConnectorResponse, bytes]:
        async with self._limiter.slot(owner):
            child = ChildProcess(
                (sys.executable, "-P", "-m", MODULE),
                env=_build_environment(),
                start_timeout_s=START_TIMEOUT_S,
            )
            try:
                await child.start(pass_fds=[request.output] if request.output >= 0 else ())
                response, body = await child.request(
                    request,
                    response=ConnectorResponse,
                    timeout_s=request.limits.seconds + MARGIN_S,
                    max_body=MAX_CATALOGUE_BYTES,
                    grace_s=CANCEL_GRACE_S,
                )
            except TimeoutError:
                raise SourceTimedOut(request.limits.seconds) from None
            except ChildFailed:
                raise SourceUnavailable(LOST) from None
            finally:
                await child.kill()
        if response.status is not ConnectorStatus.DONE:
            raise _to_error(request, response)
        return response, body


def _to_error(request: ConnectorRequest, response: ConnectorResponse) -> YarrowError:
    match response.status:
        case ConnectorStatus.DENIED:
            return SourceDenied()
        case ConnectorStatus.REFUSED:
            return SourceQueryRefused(response.message, field="sql")
        case ConnectorStatus.TIMED_OUT:
            return SourceTimedOut(request.limits.seconds)
        case ConnectorStatus.NO_DRIVER:
            return SourceDriverMissing(request.address.kind, response.message)
        case ConnectorStatus.FAILED:
            return SourceQueryFailed(f"the source says: {response.message}", field="sql")
        case ConnectorStatus.UNAVAILABLE | ConnectorStatus.DONE:
            return SourceUnavailable(f"the source cannot be reached: {response.message}")


def _build_environment() -> Mapping[str, str]:
    """No setting of the server, and no home with passwords of its user."""
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
