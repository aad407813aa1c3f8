"""Fields of a patch: a value, None to clear it, or `UNCHANGED`."""

from enum import Enum, auto
from typing import Final, Literal, TypeAlias


class Unchanged(Enum):
    """The type of `UNCHANGED`; None cannot say it, since it clears a field."""

    UNCHANGED = auto()


UNCHANGED: Final = Unchanged.UNCHANGED
UnchangedField: TypeAlias = Literal[Unchanged.UNCHANGED]
