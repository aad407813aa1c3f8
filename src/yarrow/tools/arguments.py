"""The arguments of a tool: one class is both the schema a model is told and the check."""

from typing import TypeVar

import msgspec

from yarrow.kit.json import JsonObject
from yarrow.tools.model import ToolError

_NOT_FOR_MODELS = ("pattern", "default", "title")

WITHOUT_NUL = r"\A[^\x00]*\Z"
"""The one character that PostgreSQL cannot keep."""


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tool is called with."""


A = TypeVar("A", bound=Arguments)


def parameters_of(kind: type[Arguments]) -> JsonObject:
    """The JSON Schema of the arguments, as short as it can be."""
    _, named = msgspec.json.schema_components([kind], ref_template="{name}")
    whole: JsonObject = named[kind.__name__]
    fields = {
        name: {key: value for key, value in field.items() if key not in _NOT_FOR_MODELS}
        for name, field in whole["properties"].items()
    }
    return {
        "type": "object",
        "properties": fields,
        "required": whole["required"],
        "additionalProperties": False,
    }


def read_arguments(kind: type[A], given: JsonObject) -> A:
    """The arguments, checked; null is as good as left out. What is wrong is told to the model."""
    named = {name: value for name, value in given.items() if value is not None}
    try:
        return msgspec.convert(named, kind)
    except msgspec.ValidationError as invalid:
        said = str(invalid).replace(f"matching regex {WITHOUT_NUL!r}", "without NUL")
        raise ToolError(f"wrong arguments: {printable(said)}") from None


def printable(text: str) -> str:
    """The text on one line, without what cannot be shown."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
