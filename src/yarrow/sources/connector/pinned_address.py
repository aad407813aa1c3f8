"""Let this process resolve one host only, to the address that the server has checked."""

import socket
from typing import Any


class HostNotPinned(OSError):
    """A driver wanted to reach another host than that of its source."""


def pin_address(host: str, ip: str, port: int) -> None:
    """Replace the resolver of Python's sockets, which drivers in Python use."""
    resolve = socket.getaddrinfo

    def resolve_pinned(
        wanted: bytes | str | None, wanted_port: bytes | str | int | None, *arguments: int
    ) -> list[Any]:
        name = wanted.decode() if isinstance(wanted, bytes) else wanted
        if name not in {host, ip} or int(wanted_port or 0) not in {0, port}:
            raise HostNotPinned("only the host of the source may be reached")
        return list(resolve(ip, wanted_port, *arguments))

    socket.getaddrinfo = resolve_pinned  # type: ignore[assignment]
