"""Close connections whose client sends its request too slowly, or what no request has, or does not
read the response.

uvicorn waits for ever, and reads heads, chunk extensions, trailers and pipelined requests without a
limit: one connection could fill the memory and block the event loop.
"""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from yarrow.http.upgrade_offers import UpgradeIgnoringParser

TOO_LARGE = "The head of the request is too large."


class BoundedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a deadline for the head and for the body of a request, and limits for
    what is not its body.

    Bytes extend the deadline of a body. Time in which we do not read does not count. A request that
    is cut off ends like one whose client has disconnected.
    """

    HEAD_S: ClassVar[float] = 20.0
    BODY_S: ClassVar[float] = 30.0
    BODY_BYTES_PER_S: ClassVar[int] = 4096
    """What extends the deadline of a body by a second; slower than any network in use."""

    READ_S: ClassVar[float] = 60.0
    """For the client to read what is buffered, and again for each `BODY_BYTES_PER_S` of that time
    that it reads; an export holds a slot of the sandbox meanwhile."""
    HEAD_BYTES: ClassVar[int] = 64 * 1024
    """Of a head, and of chunk sizes, extensions and trailers beyond `FRAME_SHARE`."""
    FRAME_SHARE: ClassVar[int] = 2
    """Bytes that frame a byte of the body: chunks of three bytes have fewer."""
    PIPELINED: ClassVar[int] = 32
    """Requests that wait for the response to the first one."""
    PIECE_BYTES: ClassVar[int] = 16 * 1024
    """Parsed before the limits are checked."""

    _frame_bytes = 0
    """Of the present request, without its body."""
    _timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _body_bytes = 0
    _body_began = 0.0

    parser: UpgradeIgnoringParser

    def __init__(self, *options: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*options, **named)
        self.parser = UpgradeIgnoringParser(self)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), self.PIECE_BYTES):
            if self.transport.is_closing():
                return
            piece = data[start : start + self.PIECE_BYTES]
            self._frame_bytes += len(piece)
            super().data_received(piece)
            if self._frame_bytes > self.HEAD_BYTES + self.FRAME_SHARE * self._body_bytes:
                self._refuse_request()
        if self._timer is None and self._is_between_requests():
            self._expect_head()  # blank lines end uvicorn's timer of idle connections
        if len(data) > self.PIECE_BYTES and not self.flow.read_paused:
            # uvloop reads up to 8 MB before it lets other tasks run.
            self.flow.pause_reading()
            self.loop.call_soon(self._resume_reading)

    def on_message_begin(self) -> None:
        self._frame_bytes = self._body_bytes = 0
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._stop_timer()
        self._body_bytes, self._body_began = 0, self.loop.time()
        self._timer = self.loop.call_later(self.BODY_S, self._check_body)
        super().on_headers_complete()
        if len(self.pipeline) > self.PIPELINED:
            self.transport.close()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        self._frame_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.has_lost_body():
            return
        self._stop_timer()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_read_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_read_timer()
        self._expect_read()

    def resume_writing(self) -> None:
        self._stop_read_timer()
        super().resume_writing()

    def _expect_read(self) -> None:
        """Abort the connection unless its client reads as fast as bodies have to be sent."""
        unread = self.transport.get_write_buffer_size()
        self._read_timer = self.loop.call_later(self.READ_S, self._check_read, unread)

    def _check_read(self, unread: int) -> None:
        was_read = unread - self.transport.get_write_buffer_size()
        if was_read >= self.READ_S * self.BODY_BYTES_PER_S:
            self._expect_read()
        else:
            self.transport.abort()

    def _resume_reading(self) -> None:
        if not self.transport.is_closing():
            self.flow.resume_reading()

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _refuse_request(self) -> None:
        if self.transport.is_closing():
            return
        if self._is_between_requests():
            self.send_400_response(TOO_LARGE)
        else:
            self.transport.close()

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

    def _stop_read_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None
