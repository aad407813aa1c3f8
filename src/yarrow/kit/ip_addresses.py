"""IP addresses: which are public, and which IPv4 address an IPv6 address stands for."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether this is an IP address outside of the server's own network."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    inner = _embedded_ipv4(ip) if isinstance(ip, IPv6Address) else None
    return ip.is_global and not ip.is_multicast and (inner is None or inner.is_global)


def is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def normalise_host(host: str) -> str:
    return host.lower().rstrip(".")


def _embedded_ipv4(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a router or the kernel would use instead."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour
