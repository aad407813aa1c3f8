"""Which hosts and folders sources may use on this server.

With accounts, a source is reached only if a pattern of `YARROW_SOURCE_ALLOWED_HOSTS` allows its
kind, host and port. Its host is resolved once, addresses of the server's own network are dropped
unless a pattern writes that host out, and the connector connects to the address that is returned
here: a name cannot change to another address between the check and the connection.
"""

import asyncio
import re
import socket
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from yarrow.errors import Misconfigured
from yarrow.kit.ip_addresses import is_public, normalise_host
from yarrow.sources.errors import SourceAddressDenied, SourceUnavailable
from yarrow.sources.model import FILE_KINDS, SourceAddress, SourceKind

SETTING = "YARROW_SOURCE_ALLOWED_HOSTS"
HOST_DENIED = f"this server does not allow the host and port; its operator sets {SETTING}"
FOLDER_DENIED = "this server does not allow the folder; its operator sets YARROW_SOURCE_FOLDERS"
OWN_DATABASE = "this is the database of the server itself"
RESOLVE_TIMEOUT_S = 10.0
DEFAULT_PORT = 5432

_PATTERN = re.compile(
    r"(?:(?P<kind>[a-z0-9*]+)://)?(?P<host>\[[^\]/]+\]|[^/:?#@\[\]\s]+):(?P<port>\d+|\*)"
)
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d*))?")
_WILDCARDS = frozenset("*?")


class HostPattern(Struct, frozen=True):
    """One allowed host; `*` stays inside its part."""

    kind: str
    host: str
    port: str

    @property
    def names_host(self) -> bool:
        """Whether the host has no wildcard: the operator means that very host."""
        return not _WILDCARDS & set(self.host)

    def matches(self, address: SourceAddress) -> bool:
        return (
            fnmatchcase(address.kind, self.kind)
            and fnmatchcase(normalise_host(address.host), self.host)
            and self.port in ("*", str(address.port))
        )


def parse_host_pattern(text: str) -> HostPattern:
    match = _PATTERN.fullmatch(text.strip())
    if match is None or match["kind"] not in {None, "*", *(kind.value for kind in SourceKind)}:
        raise Misconfigured(f"{SETTING} must have patterns such as postgresql://*.example.com:5432")
    host = normalise_host(match["host"].strip("[]"))
    return HostPattern(match["kind"] or "*", host, match["port"])


class AllowedHosts:
    """`hosts` None and `folders` None allow all, for a server with one local user only."""

    def __init__(
        self,
        *,
        hosts: Sequence[str] | None = None,
        folders: Sequence[Path] | None = None,
        own_database: str = "",
    ) -> None:
        self._patterns = None if hosts is None else [parse_host_pattern(text) for text in hosts]
        self._folders = None if folders is None else [folder.resolve() for folder in folders]
        self._own_database = own_database

    async def check(self, address: SourceAddress) -> SourceAddress:
        """The address with the IP address to connect to; raises `SourceAddressDenied`."""
        if address.kind in FILE_KINDS:
            self._require_folder(Path(address.database))
            return address
        patterns = self._patterns
        if patterns is not None and not any(pattern.matches(address) for pattern in patterns):
            raise SourceAddressDenied(HOST_DENIED)
        addresses = await _resolve_host(address.host, address.port)
        if patterns is None:
            return replace(address, ip=addresses[0])
        if not any(pattern.names_host and pattern.matches(address) for pattern in patterns):
            addresses = [ip for ip in addresses if is_public(ip)]
        own = await self._resolve_own_database()
        allowed = [ip for ip in addresses if (ip, address.port) not in own]
        if not allowed:
            raise SourceAddressDenied(OWN_DATABASE if addresses else HOST_DENIED)
        return replace(address, ip=allowed[0])

    def _require_folder(self, path: Path) -> None:
        """Links are followed first: one in an allowed folder may point anywhere."""
        if self._folders is None:
            return
        real = path.resolve()
        if not any(real == folder or folder in real.parents for folder in self._folders):
            raise SourceAddressDenied(FOLDER_DENIED)

    async def _resolve_own_database(self) -> set[tuple[str, int]]:
        places = _list_hosts(self._own_database)
        return {(ip, port) for host, port in places for ip in await _resolve_host(host, port)}


def _list_hosts(dsn: str) -> list[tuple[str, int]]:
    """Each host and port of a libpq URI, which may have several; sockets are left out.

    The `host` and `port` of its query replace those before the path. One port is for all hosts.
    """
    parts = urlsplit(dsn)
    options = parse_qs(parts.query)
    places = [_HOST_AND_PORT.fullmatch(text) for text in parts.netloc.rpartition("@")[2].split(",")]
    hosts = [unquote(place["host"]).strip("[]") if place else "" for place in places]
    ports = [(place["port"] or "") if place else "" for place in places]
    if "host" in options:
        hosts = options["host"][0].split(",")
    if "port" in options:
        ports = options["port"][0].split(",")
    if len(ports) != len(hosts):
        ports = [ports[0]] * len(hosts)
    return [
        (host, int(port or DEFAULT_PORT))
        for host, port in zip(hosts, ports, strict=True)
        if host and not host.startswith("/")
    ]


async def _resolve_host(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(RESOLVE_TIMEOUT_S):
            addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise SourceUnavailable("the source's host name cannot be resolved") from None
    return [str(entry[4][0]) for entry in addresses]
