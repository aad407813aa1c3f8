"""The addresses that a server without accounts may listen on."""

from ipaddress import ip_address

from yarrow.errors import Misconfigured
from yarrow.settings import AuthMode


def require_safe_binding(auth: AuthMode, host: str) -> None:
    """Allow only loopback addresses without accounts: whoever connects is the local user."""
    if auth is AuthMode.OFF and not is_loopback(host):
        raise Misconfigured(
            "YARROW_AUTH=off serves one local user and must not listen on"
            f" {host or 'all addresses'}: use --host 127.0.0.1, or set YARROW_AUTH=jwt"
        )


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
