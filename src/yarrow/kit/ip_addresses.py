"""IP addresses: which are public, and which are one client's."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")
"""All public IPv6 addresses but those of NAT64. Python calls more of them global, such as networks'
own translators (64:ff9b:1::/48) and site-local addresses (fec0::/10)."""
_CLIENT_PREFIX = 64
"""Bits that networks give to one client, which chooses the rest of its address."""


def is_public(address: str) -> bool:
    """Whether this is an IP address outside of the server's own network."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        inner = _find_embedded_ipv4(ip)
        if ip not in _UNICAST and ip not in _NAT64:
            return False
        return ip.is_global and (inner is None or _is_public_ipv4(inner))
    return _is_public_ipv4(ip)


def find_client_network(address: str) -> str:
    """What limits per address count: an IPv4 address, the network of an IPv6 one, or the text."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(IPv6Network((int(ip), _CLIENT_PREFIX), strict=False))


def is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def normalise_host(host: str) -> str:
    return host.lower().rstrip(".")


def _is_public_ipv4(ip: IPv4Address) -> bool:
    return ip.is_global and not ip.is_multicast


def _find_embedded_ipv4(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a router or the kernel would use instead."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour
