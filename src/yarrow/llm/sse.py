"""Split a byte stream into the `data` of server-sent events.

Works on bytes, so a character that two reads share is decoded whole. Line ends are LF or CRLF; a
lone CR, which the standard allows and no endpoint sends, is not a line end here.
"""

from typing import TypeAlias

from yarrow.llm.answer_limits import MAX_EVENT_BYTES
from yarrow.llm.errors import ModelBroken

Payload: TypeAlias = bytes | bytearray


class EventSplitter:
    """Turns reads into event payloads; buffers at most one incomplete event."""

    __slots__ = ("_payload", "_tail")

    def __init__(self) -> None:
        self._tail = bytearray()
        """The beginning of a line. It grows in place, so that each byte is copied once."""
        self._payload: Payload | None = None
        """The data of an incomplete event; a bytearray if it came in pieces."""

    def feed(self, data: bytes) -> list[Payload]:
        """The payloads completed by these bytes."""
        payload, tail = self._payload, self._tail
        lines: list[Payload] = data.split(b"\n")  # type: ignore[assignment]
        if tail and len(lines) > 1:
            tail += lines[0]
            lines[0] = tail
            self._tail = tail = bytearray()
        complete: list[Payload] = []
        last = lines.pop()
        for line in lines:
            if line.startswith(b"data:"):
                value = line[5:].strip()
                payload = value if payload is None else _join_lines(payload, value)
            elif payload is not None and (not line or line == b"\r"):
                complete.append(payload)
                payload = None
        self._payload = payload
        if last:
            tail += last
            if len(tail) + len(payload or b"") > MAX_EVENT_BYTES:
                raise ModelBroken
        return complete

    def close(self) -> list[Payload]:
        """The payload of a last event without its blank line."""
        return self.feed(b"\n\n")


def _join_lines(payload: Payload, value: Payload) -> bytearray:
    joined = payload if isinstance(payload, bytearray) else bytearray(payload)
    joined += b"\n"
    joined += value
    if len(joined) > MAX_EVENT_BYTES:
        raise ModelBroken
    return joined
