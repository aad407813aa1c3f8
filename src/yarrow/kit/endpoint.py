"""An OpenAI-compatible endpoint as settings name it: an address, a model and a key, checked."""

from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import isfinite
from urllib.parse import urlsplit

from multidict import CIMultiDictProxy
from pydantic import SecretStr

from yarrow.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. `base_url` ends with the version, as in `…/v1`."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    """Empty: no `Authorization` header is sent."""
    timeout_ms: int = 60_000
    """Longest wait for the next byte of an answer."""


def read_address(given: str | None, *, setting: str) -> str | None:
    """The address without its last slash, None if there is none, or `Misconfigured`.

    What was given does not go into the message: it may hold a password.
    """
    address = (given or "").strip().rstrip("/")
    if not address:
        return None
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(f"{setting} must be a full address such as https://api.openai.com/v1")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise Misconfigured(
            f"{setting} must be a plain address without user, query or fragment; "
            f"a key goes into {_key_beside(setting)}"
        )
    return address


def _key_beside(setting: str) -> str:
    """What the key is called where the address is called `setting`."""
    if setting.endswith("api_base"):
        return setting.removesuffix("api_base") + "api_key"
    return setting.removesuffix("BASE_URL") + "API_KEY"


def read_key(given: SecretStr | None, *, setting: str) -> str:
    """The key, empty if there is none, or `Misconfigured` if no header can carry it."""
    key = given.get_secret_value().strip() if given else ""
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured(f"{setting} holds characters that no HTTP header may have")
    return key


def parse_retry_after(headers: CIMultiDictProxy[str]) -> float | None:
    """Seconds to wait, from `Retry-After` in either form; None if it says nothing usable.

    A date is measured against the response's own `Date`: the two clocks need not agree.
    """
    value = headers.get("Retry-After", "")
    with suppress(ValueError):
        seconds = float(value)
        return max(0.0, seconds) if isfinite(seconds) else None
    with suppress(ValueError, TypeError):
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (until - now).total_seconds())
    return None
