"""The repr of values with secrets, so that no log line, traceback or failed assertion shows one."""

from msgspec import Struct
from msgspec.structs import fields


def format_without_secret(value: Struct, secret: str) -> str:
    """Return the usual repr of a struct, without the field named `secret`."""
    names = (field.name for field in fields(value) if field.name != secret)
    shown = ", ".join(f"{name}={getattr(value, name)!r}" for name in names)
    return f"{type(value).__qualname__}({shown})"
