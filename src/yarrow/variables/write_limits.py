"""What may be written as a variable."""

from collections.abc import Sequence

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonValue, encode_json
from yarrow.variables.errors import VariablesFull
from yarrow.variables.model import (
    KEY_CHARS,
    SCOPE_MAX,
    VALUE_BYTES,
    ScopeRef,
)


def require_key(key: str) -> None:
    """Raise unless the key has an allowed length."""
    if not 1 <= len(key) <= KEY_CHARS:
        raise InvalidInput(f"key must have 1 to {KEY_CHARS} characters", field="key")


def require_value(value: JsonValue) -> None:
    """Raise if the value is too large."""
    if len(encode_json(value)) > VALUE_BYTES:
        raise InvalidInput(f"value must have at most {VALUE_BYTES} bytes as JSON", field="value")


def require_room(scope_ref: ScopeRef, count: int) -> None:
    """Raise if the scope has more variables than it may."""
    if count > SCOPE_MAX:
        raise VariablesFull(scope_ref.scope, limit=SCOPE_MAX)


def require_distinct(names: Sequence[tuple[ScopeRef, str]]) -> None:
    """Raise if a batch writes one variable twice: which value would win is undefined."""
    if len(set(names)) < len(names):
        raise InvalidInput("a batch must not write one variable twice", field="items")
