"""What a text with macros is made of.

A run of pieces without any node is a plain string, so that most of a prompt needs no walking.
Positions are offsets into the text the nodes were read from.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from yarrow.prompting.macros.catalogue import MacroSpec
from yarrow.prompting.macros.model import WarningCode


@dataclass(frozen=True, slots=True)
class Macro:
    """`{{name::a::b}}`, its shorthand or its angle alias; `spec` is None for names we lack.

    `key` is the whole inside when that is literal: a stored variable may be called so.
    """

    start: int
    end: int
    name: str
    spec: MacroSpec | None
    args: tuple["Pieces", ...]
    body: "Pieces"
    key: str


@dataclass(frozen=True, slots=True)
class If:
    """`{{if …}}…{{else}}…{{/if}}`, with a condition that can be judged or the reason why not."""

    name: ClassVar[str] = "if"

    start: int
    end: int
    condition: "Condition | Defect"
    then: "Pieces"
    otherwise: "Pieces"


@dataclass(frozen=True, slots=True)
class Raw:
    """A stretch that stays as it is, and why."""

    start: int
    end: int
    macro_name: str
    defect: "Defect"


@dataclass(frozen=True, slots=True)
class Defect:
    """Why something cannot be evaluated."""

    code: WarningCode
    message: str


Node: TypeAlias = Macro | If | Raw
Piece: TypeAlias = str | Node
Pieces: TypeAlias = str | tuple[Piece, ...]


class Comparison(StrEnum):
    """The operators of a condition, as written in lower case."""

    EQUAL = "=="
    UNEQUAL = "!="
    GREATER = ">"
    LESS = "<"
    AT_LEAST = ">="
    AT_MOST = "<="
    CONTAINS = "contains"
    STARTS_WITH = "startswith"


@dataclass(frozen=True, slots=True)
class Operand:
    """A value in a condition.

    A bare word that stands alone may be the name of a macro: then `named` would read it.
    """

    pieces: Pieces
    named: Macro | None = None
    unquote: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """Two values and how they must relate."""

    left: Operand
    comparison: Comparison
    right: Operand


@dataclass(frozen=True, slots=True)
class Negated:
    """`not …`"""

    inner: "Condition"


@dataclass(frozen=True, slots=True)
class AllOf:
    """`… and …`"""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`… or …`"""

    parts: tuple["Condition", ...]


Condition: TypeAlias = Operand | Compared | Negated | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Template:
    """A text, read. Where nothing trims, pieces are simply joined."""

    source: str
    pieces: Pieces
    trims: bool
