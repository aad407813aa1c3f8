"""Tool arguments: one class is the schema for the model and the validation."""

from typing import TypeVar

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.tools.model import ToolError

_NOT_FOR_MODELS = ("pattern", "default", "title")

WITHOUT_NUL = r"\A[^\x00]*\Z"
"""PostgreSQL cannot store NUL."""


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of one tool."""


A = TypeVar("A", bound=Arguments)


def build_parameters(kind: type[Arguments]) -> JsonObject:
    """The JSON Schema of the arguments, without what models do not need."""
    _, schemas = msgspec.json.schema_components([kind], ref_template="{name}")
    schema = schemas[kind.__name__]
    fields = {
        name: {key: value for key, value in field.items() if key not in _NOT_FOR_MODELS}
        for name, field in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": fields,
        "required": schema["required"],
        "additionalProperties": False,
    }


def read_arguments(kind: type[A], arguments: JsonObject) -> A:
    """Validate the arguments, null as missing; `ToolError` with a text for the model."""
    present = {name: value for name, value in arguments.items() if value is not None}
    try:
        return msgspec.convert(present, kind)
    except msgspec.ValidationError as error:
        reason = str(error).replace(f"matching regex {WITHOUT_NUL!r}", "without NUL")
        raise ToolError(f"wrong arguments: {make_printable(reason)}") from None


def make_printable(text: str) -> str:
    """The text on one line, without unprintable characters."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
