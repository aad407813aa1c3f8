"""Frames on a job's socket, from the job's side: a length, then JSON."""

import socket
import struct
from collections.abc import Iterable, Iterator

import msgspec

from yarrow.sandbox.protocol import MAX_FRAME_BYTES, Answer, Files, Order

LENGTH = struct.Struct("!I")
CHUNK = 256 * 1024

_orders = msgspec.json.Decoder(Order)
_files = msgspec.json.Decoder(Files)
_encoder = msgspec.json.Encoder()


class Channel:
    """One job's way to the server."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock

    def files(self) -> Files:
        """What the job may see; before any order."""
        return _files.decode(self._exactly(LENGTH.unpack(self._exactly(LENGTH.size))[0]))

    def orders(self) -> Iterator[Order]:
        """What the server wants, until it goes away."""
        while head := self._exactly(LENGTH.size):
            yield _orders.decode(self._exactly(LENGTH.unpack(head)[0]))

    def answer(self, answer: Answer, behind: Iterable[bytes] = ()) -> None:
        """Say something, and what belongs to it; the first of that in one go with the words."""
        frame = _encoder.encode(answer)
        if len(frame) > MAX_FRAME_BYTES:
            raise OverflowError("the answer is too large")
        parts = iter(behind)
        self._socket.sendall(b"".join((LENGTH.pack(len(frame)), frame, next(parts, b""))))
        for part in parts:
            self._socket.sendall(part)

    def receive(self, size: int) -> bytes:
        """So many bytes that follow an order."""
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(CHUNK, size - len(parts)))
            if not part:
                return b""
            parts += part
        return bytes(parts)
