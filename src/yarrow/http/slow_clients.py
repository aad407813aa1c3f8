"""Close connections whose client sends its request too slowly; uvicorn waits for ever."""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class TimedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a deadline for the head and for the body of a request.

    Bytes extend the deadline of a body. Time in which we do not read does not count. A request that
    is cut off ends like one whose client has disconnected.
    """

    HEAD_S: ClassVar[float] = 20.0
    BODY_S: ClassVar[float] = 30.0
    BODY_BYTES_PER_S: ClassVar[int] = 4096
    """What extends the deadline of a body by a second; slower than any network in use."""

    _timer: asyncio.TimerHandle | None = None
    _body_bytes = 0
    _body_began = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._stop_timer()
        self._body_bytes, self._body_began = 0, self.loop.time()
        self._timer = self.loop.call_later(self.BODY_S, self._check_body)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stop_timer()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.HEAD_S, self.transport.close)

    def _check_body(self) -> None:
        now = self.loop.time()
        end = self._body_began + self.BODY_S + self._body_bytes / self.BODY_BYTES_PER_S
        if self.flow.read_paused:
            end = now + self.BODY_S
        if end <= now:
            self.transport.close()
        else:
            self._timer = self.loop.call_at(end, self._check_body)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
