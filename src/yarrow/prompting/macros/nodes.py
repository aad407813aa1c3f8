"""What a text with macros is made of.

A run of pieces without any node is a plain string, so that most of a prompt needs no walking.
Positions are offsets into the text the nodes were read from.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from yarrow.prompting.macros.catalogue import MacroSpec
from yarrow.prompting.macros.model import MacroWarningCode


@dataclass(frozen=True, slots=True)
class MacroNode:
    """`{{name::a::b}}`, its shorthand or its angle alias; `spec` is None for names we lack.

    `key` is the whole inside when that is literal: a stored variable may be called so.
    """

    start: int
    end: int
    name: str
    spec: MacroSpec | None
    args: tuple["TemplatePieces", ...]
    body: "TemplatePieces"
    key: str


@dataclass(frozen=True, slots=True)
class IfNode:
    """`{{if …}}…{{else}}…{{/if}}`, with a condition that can be judged or the reason why not."""

    name: ClassVar[str] = "if"

    start: int
    end: int
    condition: "Condition | SyntaxDefect"
    then: "TemplatePieces"
    otherwise: "TemplatePieces"


@dataclass(frozen=True, slots=True)
class RawNode:
    """A stretch that stays as it is, and why."""

    start: int
    end: int
    macro_name: str
    defect: "SyntaxDefect"


@dataclass(frozen=True, slots=True)
class SyntaxDefect:
    """Why something cannot be evaluated."""

    code: MacroWarningCode
    message: str


TemplateNode: TypeAlias = MacroNode | IfNode | RawNode
TemplatePiece: TypeAlias = str | TemplateNode
TemplatePieces: TypeAlias = str | tuple[TemplatePiece, ...]


class ComparisonOperator(StrEnum):
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
class ConditionOperand:
    """A value in a condition.

    A bare word that stands alone may be the name of a macro: then `named` would read it.
    """

    pieces: TemplatePieces
    named: MacroNode | None = None
    unquote: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonCondition:
    """Two values and how they must relate."""

    left: ConditionOperand
    comparison: ComparisonOperator
    right: ConditionOperand


@dataclass(frozen=True, slots=True)
class NotCondition:
    """`not …`"""

    inner: "Condition"


@dataclass(frozen=True, slots=True)
class AndCondition:
    """`… and …`"""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class OrCondition:
    """`… or …`"""

    parts: tuple["Condition", ...]


Condition: TypeAlias = (
    ConditionOperand | ComparisonCondition | NotCondition | AndCondition | OrCondition
)


@dataclass(frozen=True, slots=True)
class MacroTemplate:
    """A text, read. Where nothing trims, pieces are simply joined."""

    source: str
    pieces: TemplatePieces
    trims: bool
