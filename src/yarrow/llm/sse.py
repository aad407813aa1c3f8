"""Split a byte stream into the `data` of server-sent events.

Works on bytes, so a character that two reads share is decoded whole. Line ends are LF or CRLF; a
lone CR, which the standard allows and no endpoint sends, is not a line end here.
"""

from yarrow.llm.errors import ModelBroken

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""A larger event means that the peer does not speak this protocol."""


class EventSplitter:
    """Turns reads into event payloads; buffers incomplete events."""

    __slots__ = ("_payload", "_tail")

    def __init__(self) -> None:
        self._tail = b""
        self._payload: bytes | None = None

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads completed by these bytes."""
        lines = (self._tail + data).split(b"\n")
        self._tail = lines.pop()
        if len(self._tail) > MAX_EVENT_BYTES:
            raise ModelBroken
        payload = self._payload
        complete: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                value = line[5:].strip()
                payload = value if payload is None else payload + b"\n" + value
            elif payload is not None and (not line or line == b"\r"):
                complete.append(payload)
                payload = None
        self._payload = payload
        return complete

    def close(self) -> list[bytes]:
        """The payload of a last event without its blank line."""
        return self.feed(b"\n\n")
