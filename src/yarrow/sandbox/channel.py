"""Job side of a job's socket: frames of a length and JSON, some followed by bytes."""

import socket
import struct
from collections.abc import Iterable, Iterator

import msgspec

from yarrow.isolation.cpu_time import limit_cpu_time
from yarrow.sandbox.messages import MAX_FRAME_BYTES, JobFiles, Request, Response

LENGTH = struct.Struct("!I")
CHUNK = 256 * 1024

_requests = msgspec.json.Decoder(Request)
_files = msgspec.json.Decoder(JobFiles)
_encoder = msgspec.json.Encoder()


class JobChannel:
    """Reads requests, writes responses; blocking."""

    def __init__(self, sock: socket.socket, *, cpu_s: int) -> None:
        self._socket = sock
        self._cpu_s = cpu_s

    def read_files(self) -> JobFiles:
        """The first frame, which comes before any request."""
        return _files.decode(self.receive(LENGTH.unpack(self.receive(LENGTH.size))[0]))

    def requests(self) -> Iterator[Request]:
        """Requests until the server closes the socket; each may use the same processor time."""
        while head := self.receive(LENGTH.size):
            request = _requests.decode(self.receive(LENGTH.unpack(head)[0]))
            limit_cpu_time(self._cpu_s)
            yield request

    def respond(self, response: Response, body: Iterable[bytes] = ()) -> None:
        """Send a response and the bytes that follow it; the first part in the same packet."""
        frame = _encoder.encode(response)
        if len(frame) > MAX_FRAME_BYTES:
            raise OverflowError("the answer is too large")
        parts = iter(body)
        self._socket.sendall(b"".join((LENGTH.pack(len(frame)), frame, next(parts, b""))))
        for part in parts:
            self._socket.sendall(part)

    def receive(self, size: int) -> bytes:
        """Exactly `size` bytes; none if the server closed the socket."""
        data = bytearray()
        while len(data) < size:
            part = self._socket.recv(min(CHUNK, size - len(data)))
            if not part:
                return b""
            data += part
        return bytes(data)
