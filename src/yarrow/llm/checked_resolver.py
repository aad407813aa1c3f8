"""Resolve host names to addresses that clients may reach."""

import socket

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from yarrow.kit.ip_addresses import is_public
from yarrow.llm.allowed_addresses import AddressDenied, AllowedAddresses


class CheckedResolver(AbstractResolver):
    """Resolves a host once and drops addresses that clients may not reach.

    aiohttp connects to the addresses that are returned here, so a name cannot change to another
    address between the check and the connection. Hosts that are IP addresses do not pass here:
    `AllowedAddresses.require` checks them.
    """

    def __init__(self, bases: AllowedAddresses, inner: AbstractResolver | None = None) -> None:
        self._bases = bases
        self._inner = inner or aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of the host; `AddressDenied` if none of them may be reached."""
        results = await self._inner.resolve(host, port, family)
        if self._bases.names(host, port):
            return results
        allowed = [result for result in results if is_public(result["host"])]
        if not allowed:
            raise AddressDenied("the host has no public address")
        return allowed

    async def close(self) -> None:
        await self._inner.close()
