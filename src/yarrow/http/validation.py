"""From pydantic's errors to our `InvalidInput`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonValue

_ENUMERATIONS = frozenset({"enum", "literal_error"})
"""Messages that list the allowed values. In all others the part after a comma may be input."""

_PLACES = frozenset({"body", "query", "path"})

_WORDINGS = {
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "is_instance_of": "must be a JSON object",
    "extra_forbidden": "unknown field",
    "missing": "field required",
    "uuid_parsing": "must be a UUID",
    "union_tag_invalid": "its type or role is not one we know",
    "json_invalid": "must be valid JSON",
}


def to_invalid_input(errors: Sequence[Mapping[str, Any]], value: JsonValue = None) -> InvalidInput:
    """The first of pydantic's errors; the message never repeats what the client sent.

    With the body as `value` the path has no tags of unions: `messages.0.id`.
    """
    first, named = errors[0], tuple(_drop_place(errors[0]["loc"]))
    if value is not None:
        first, named = _find_innermost(errors, value)
    path = ".".join(map(str, named))
    raised = first.get("ctx", {}).get("error")
    if isinstance(raised, ValueError):
        return InvalidInput(str(raised), field=path or None)
    message: str = first["msg"]
    if first["type"] not in _ENUMERATIONS:
        message = message.split(",", maxsplit=1)[0].split(" - ", maxsplit=1)[0]
    message = _WORDINGS.get(first["type"], message)
    message = message[0].lower() + message[1:]
    return InvalidInput(f"{path or 'body'}: {message}", field=path or None)


def _find_innermost(
    errors: Sequence[Mapping[str, Any]], value: JsonValue
) -> tuple[Mapping[str, Any], tuple[str | int, ...]]:
    """The first error, or the deepest one below its place: of the alternatives of a union, the one
    that looked into the value."""
    found, place = errors[0], tuple(_drop_tags(errors[0], value))
    start = len(place)
    for error in errors[1:]:
        inner = tuple(_drop_tags(error, value))
        if inner[:start] != place[:start]:
            break
        if len(inner) > len(place):
            found, place = error, inner
    return found, place


def _drop_place(loc: Sequence[str | int]) -> Sequence[str | int]:
    """Without the part of the request that FastAPI puts first; a field may have its name."""
    return loc[1:] if loc and loc[0] in _PLACES else loc


def _drop_tags(error: Mapping[str, Any], value: JsonValue) -> Iterator[str | int]:
    """The parts that lead through the value; a field or an item that is missing is not in it."""
    loc: Sequence[str | int] = error["loc"]
    for index, part in enumerate(loc):
        is_missing = error["type"] == "missing" and index == len(loc) - 1
        match value:
            case dict() if part in value:
                value = value[str(part)]
            case list() if isinstance(part, int) and part < len(value):
                value = value[part]
            case dict() | list() if is_missing:
                pass
            case _:
                continue
        yield part
