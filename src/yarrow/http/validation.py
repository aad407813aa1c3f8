"""From pydantic's errors to our `InvalidInput`."""

from collections.abc import Mapping, Sequence
from typing import Any

from yarrow.errors import InvalidInput

_ENUMERATIONS = frozenset({"enum", "literal_error"})
"""Messages that list the allowed values. In all others the part after a comma may be input."""

_WORDINGS = {
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "extra_forbidden": "unknown field",
    "missing": "field required",
    "uuid_parsing": "must be a UUID",
    "union_tag_invalid": "its type or role is not one we know",
    "json_invalid": "must be valid JSON",
}


def to_invalid_input(errors: Sequence[Mapping[str, Any]]) -> InvalidInput:
    """The first of pydantic's errors; the message never repeats what the client sent."""
    first = errors[0]
    path = ".".join(str(part) for part in first["loc"] if part not in {"body", "query", "path"})
    raised = first.get("ctx", {}).get("error")
    if isinstance(raised, ValueError):
        return InvalidInput(str(raised), field=path or None)
    message: str = first["msg"]
    if first["type"] not in _ENUMERATIONS:
        message = message.split(",", maxsplit=1)[0].split(" - ", maxsplit=1)[0]
    message = _WORDINGS.get(first["type"], message)
    message = message[0].lower() + message[1:]
    return InvalidInput(f"{path or 'body'}: {message}", field=path or None)
