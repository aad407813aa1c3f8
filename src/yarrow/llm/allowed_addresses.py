"""Which addresses of models clients may bring, by the patterns of `YARROW_LLM_ALLOWED_BASES`.

A pattern is compared part by part: scheme, host, port and path. `*` stays inside its part, so
`http://*.example.com/*` does not allow `http://10.0.0.1/x.example.com/`. Addresses of the server's
own network (loopback, private, link-local) are allowed only if a pattern has that host without a
wildcard.
"""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec import Struct

from yarrow.errors import InvalidInput, Misconfigured
from yarrow.kit.ip_addresses import is_ip, is_public, normalise_host

if TYPE_CHECKING:
    from yarl import URL

SETTING = "YARROW_LLM_ALLOWED_BASES"
NOT_ALLOWED = "model.api_base is not one that this server allows"

_PATTERN = re.compile(
    r"(?P<scheme>https?|\*)://(?P<host>\[[^\]/]+\]|[^/:?#@\[\]\s]+)(?::(?P<port>[\d*?]+))?(?P<path>/.*)?"
)
_ANYTHING = "*://*:*"
_DEFAULT_PORTS = {"http": ("80",), "https": ("443",), "*": ("80", "443")}
_WILDCARDS = frozenset("*?")
_NOT_PLAIN = re.compile(r"[?#]|//[^/]*@")
"""A query, a fragment or a user, empty ones too: behind `?` or `#` the path that we append would be
none, so that a client could post to any path."""
_DOTS = re.compile(r"(?:^|[/\\])\.\.?(?:[/\\]|$)")
"""Left in a decoded path if they were encoded; some endpoints resolve them all the same."""


class AddressDenied(OSError):
    """A host name has only addresses that clients may not reach."""


class AddressPattern(Struct, frozen=True):
    """One pattern in its parts."""

    scheme: str
    host: str
    port: str
    """Empty: the default port of the scheme."""
    path: str

    @property
    def names_host(self) -> bool:
        """Whether the host has no wildcard: the operator means that very host."""
        return not _WILDCARDS & set(self.host)

    def matches(self, url: "URL") -> bool:
        return (
            self.scheme in (url.scheme, "*")
            and self.matches_host(url.raw_host or "", url.port or 0)
            and fnmatchcase(url.path, self.path)
        )

    def matches_host(self, host: str, port: int) -> bool:
        ports = (self.port,) if self.port else _DEFAULT_PORTS[self.scheme]
        return fnmatchcase(normalise_host(host), self.host) and any(
            fnmatchcase(str(port), allowed) for allowed in ports
        )


def parse_pattern(text: str) -> AddressPattern:
    """Split a pattern; `*` alone allows every public address, no path allows every path."""
    match = _PATTERN.fullmatch(_ANYTHING if text.strip() == "*" else text.strip())
    if match is None:
        raise Misconfigured(f"{SETTING} must have patterns such as https://api.openai.com/*")
    host = normalise_host(match["host"].strip("[]"))
    return AddressPattern(match["scheme"], host, match["port"] or "", match["path"] or "*")


class AllowedAddresses:
    """The patterns of the setting."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [parse_pattern(text) for text in patterns]

    def require(self, base_url: str) -> None:
        """Raise `InvalidInput` unless a pattern allows the address.

        A host name is resolved later, when it is connected to: see `checked_resolver.py`.
        """
        from yarl import URL  # noqa: PLC0415 - imported with aiohttp, for the first model

        try:
            url = URL(base_url)
        except ValueError:
            raise InvalidInput(NOT_ALLOWED, field="model.api_base") from None
        host, port = url.raw_host or "", url.port or 0
        is_plain = not (_NOT_PLAIN.search(base_url) or _DOTS.search(url.path))
        is_allowed = is_plain and any(pattern.matches(url) for pattern in self._patterns)
        if not is_allowed or (_looks_numeric(host) and not self._allows_ip(host, port)):
            raise InvalidInput(NOT_ALLOWED, field="model.api_base")

    def names(self, host: str, port: int) -> bool:
        """Whether a pattern has exactly this host, so that its addresses may be private."""
        return any(
            pattern.names_host and pattern.matches_host(host, port) for pattern in self._patterns
        )

    def _allows_ip(self, host: str, port: int) -> bool:
        return is_public(host) or (is_ip(host) and self.names(host, port))


def _looks_numeric(host: str) -> bool:
    """Whether aiohttp connects without a resolver; `127.1` is such a host and no IP address."""
    return ":" in host or host.replace(".", "").isdigit()
