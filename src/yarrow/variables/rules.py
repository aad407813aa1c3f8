"""Decisions about variables: values in, a value or an error out."""

from collections.abc import Iterable, Sequence

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonValue, encode_json
from yarrow.variables.errors import VariablesFull
from yarrow.variables.model import (
    KEY_CHARS,
    NARROWEST_FIRST,
    SCOPE_MAX,
    VALUE_BYTES,
    Place,
    Resolved,
    Variable,
)


def require_key(key: str) -> None:
    """The key can be stored and found again."""
    if not 1 <= len(key) <= KEY_CHARS:
        raise InvalidInput(f"key must have 1 to {KEY_CHARS} characters", field="key")


def require_value(value: JsonValue) -> None:
    """The value is not larger than a variable may be."""
    if len(encode_json(value)) > VALUE_BYTES:
        raise InvalidInput(f"value must have at most {VALUE_BYTES} bytes as JSON", field="value")


def require_room(place: Place, count: int) -> None:
    """The place holds no more variables than it may."""
    if count > SCOPE_MAX:
        raise VariablesFull(place.scope, limit=SCOPE_MAX)


def require_distinct(named: Sequence[tuple[Place, str]]) -> None:
    """No variable is written twice at once: which value would hold?"""
    if len(set(named)) < len(named):
        raise InvalidInput("a batch must not write one variable twice", field="items")


def resolve(variables: Iterable[Variable]) -> tuple[Resolved, ...]:
    """Of each key the value in the narrowest scope, by key."""
    rank = {scope: n for n, scope in enumerate(NARROWEST_FIRST)}
    found: dict[str, Variable] = {}
    for variable in variables:
        other = found.get(variable.key)
        if other is None or rank[variable.place.scope] < rank[other.place.scope]:
            found[variable.key] = variable
    return tuple(Resolved(key, held.value, held.place.scope) for key, held in sorted(found.items()))
