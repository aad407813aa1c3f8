"""How closely a prompt follows SillyTavern."""

from enum import StrEnum


class PromptMode(StrEnum):
    """It decides where memory stands."""

    COMPAT_STRICT = "compat_strict"
    COMPAT_PLUS = "compat_plus"
    NATIVE = "native"
