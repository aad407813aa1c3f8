"""Frames on a job's socket, from the job's side: a length, then JSON."""

import socket
import struct
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from yarrow.datasets.sandbox.orders import MAX_FRAME_BYTES, Answer, Order

LENGTH = struct.Struct("!I")
_CHUNK = 256 * 1024

_orders = msgspec.json.Decoder(Order)
_encoder = msgspec.json.Encoder()


class Channel:
    """One job's way to the server."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock

    def orders(self) -> Iterator[Order]:
        """What the server wants, until it goes away."""
        while head := self._exactly(LENGTH.size):
            yield _orders.decode(self._exactly(LENGTH.unpack(head)[0]))

    def answer(self, answer: Answer) -> None:
        frame = _encoder.encode(answer)
        if len(frame) > MAX_FRAME_BYTES:
            raise OverflowError("the answer is too large")
        self._socket.sendall(LENGTH.pack(len(frame)))
        self._socket.sendall(frame)

    def send_file(self, file: BinaryIO) -> None:
        while chunk := file.read(_CHUNK):
            self._socket.sendall(chunk)

    def receive(self, size: int) -> bytes:
        """So many bytes that follow an order."""
        return self._exactly(size)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._socket.recv(min(_CHUNK, size - len(parts)))
            if not part:
                return b""
            parts += part
        return bytes(parts)
