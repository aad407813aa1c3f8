"""Frames on the pipes of a child process: two lengths, a JSON message, a body of bytes.

Without asyncio, so that children can import it.
"""

import struct
from typing import BinaryIO, NamedTuple, TypeVar

import msgspec

_LENGTHS = struct.Struct("!II")

Message = TypeVar("Message")


class FrameLengths(NamedTuple):
    """First bytes of a frame."""

    message: int
    body: int


LENGTHS_BYTES = _LENGTHS.size

_encoder = msgspec.json.Encoder()


def pack_frame(message: msgspec.Struct, body: bytes = b"") -> bytes:
    encoded = _encoder.encode(message)
    return b"".join((_LENGTHS.pack(len(encoded), len(body)), encoded, body))


def unpack_lengths(data: bytes) -> FrameLengths:
    return FrameLengths(*_LENGTHS.unpack(data))


def read_frame(stream: BinaryIO, kind: type[Message]) -> tuple[Message, bytes] | None:
    """The next frame of a blocking stream; None at its end."""
    if not (head := stream.read(LENGTHS_BYTES)):
        return None
    lengths = unpack_lengths(head)
    message = msgspec.json.decode(stream.read(lengths.message), type=kind)
    return message, stream.read(lengths.body)


def write_frame(stream: BinaryIO, message: msgspec.Struct, body: bytes = b"") -> None:
    stream.write(pack_frame(message, body))
    stream.flush()
