"""OpenAI-compatible endpoints: validated address, model and key."""

from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import SecretStr

from yarrow.errors import Misconfigured
from yarrow.kit.secret_repr import format_without_secret


class Endpoint(Struct, frozen=True):
    """The address of a model. `base_url` ends with the version, as in `…/v1`."""

    base_url: str
    model: str
    api_key: str = ""
    """Empty: no `Authorization` header is sent."""
    timeout_ms: int = 60_000
    """Longest wait for the next byte of a response."""
    answer_timeout_ms: int = 150_000
    """Time for a whole answer of a chat model; see `llm/answer_deadline.py`."""

    def __repr__(self) -> str:
        return format_without_secret(self, "api_key")

    @property
    def authorization(self) -> dict[str, str]:
        """The `Authorization` header, if there is a key."""
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}


def read_endpoint(
    base_url: str | None,
    api_key: SecretStr | None,
    *,
    model: str,
    timeout_ms: int,
    prefix: str,
) -> Endpoint | None:
    """The endpoint of the settings `{prefix}_BASE_URL` and `{prefix}_API_KEY`; None if unset."""
    address = read_address(base_url, setting=f"{prefix}_BASE_URL")
    if address is None:
        return None
    return Endpoint(address, model, read_key(api_key, setting=f"{prefix}_API_KEY"), timeout_ms)


def read_address(value: str | None, *, setting: str) -> str | None:
    """Validate an address and drop its last slash; None if it is empty, or `Misconfigured`.

    The value does not go into the message: it may hold a password.
    """
    address = (value or "").strip().rstrip("/")
    if not address:
        return None
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(f"{setting} must be a full address such as https://api.openai.com/v1")
    if "?" in address or "#" in address or "@" in parts.netloc:  # empty ones too
        raise Misconfigured(
            f"{setting} must be a plain address without user, query or fragment; "
            f"a key goes into {_name_key_setting(setting)}"
        )
    return address


def _name_key_setting(setting: str) -> str:
    """The name of the key's setting, from that of the address."""
    if setting.endswith("api_base"):
        return setting.removesuffix("api_base") + "api_key"
    return setting.removesuffix("BASE_URL") + "API_KEY"


def read_key(value: SecretStr | None, *, setting: str) -> str:
    """Validate a key; empty if there is none, `Misconfigured` if no header can carry it."""
    key = value.get_secret_value().strip() if value else ""
    if not (key.isascii() and key.isprintable()):
        raise Misconfigured(f"{setting} holds characters that no HTTP header may have")
    return key
