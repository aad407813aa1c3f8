"""Server-sent events as bytes: the `data` of each event, wherever the reads were cut.

Works on bytes up to the event's end, so a character cut in two by the network is whole again
before anybody decodes it. Line ends are LF or CRLF; a lone CR, which the standard allows and no
endpoint sends, is not a line end here.
"""

from yarrow.llm.errors import ModelBroken

LARGEST_EVENT = 16 * 1024 * 1024
"""Bytes of one event; beyond it the peer is not speaking this protocol."""


class EventSplitter:
    """Turns reads into event payloads; keeps what is not yet complete."""

    __slots__ = ("_payload", "_tail")

    def __init__(self) -> None:
        self._tail = b""
        self._payload: bytes | None = None

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads completed by these bytes."""
        lines = (self._tail + data).split(b"\n")
        self._tail = lines.pop()
        if len(self._tail) > LARGEST_EVENT:
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
        """The payload of a last event that the peer did not end with a blank line."""
        return self.feed(b"\n\n")
