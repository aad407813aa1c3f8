"""The nodes of a parsed template.

Pieces without any node are a plain string, so that most of a prompt needs no evaluation. Positions
are offsets into the parsed text.
"""

from enum import StrEnum
from typing import ClassVar, TypeAlias

from msgspec import Struct

from yarrow.prompting.macros.macro_names import MacroSpec
from yarrow.prompting.macros.model import MacroWarningCode


class MacroNode(Struct, frozen=True):
    """`{{name::a::b}}`, its shorthand or its angle-bracket alias; `spec` is None for unknown names.

    `key` is the whole inside if it is literal: a stored variable may have that name.
    """

    start: int
    end: int
    name: str
    spec: MacroSpec | None
    args: tuple["TemplatePieces", ...]
    body: "TemplatePieces"
    key: str


class IfNode(Struct, frozen=True):
    """`{{if …}}…{{else}}…{{/if}}`, with a valid condition or its defect."""

    name: ClassVar[str] = "if"

    start: int
    end: int
    condition: "Condition | SyntaxDefect"
    then: "TemplatePieces"
    otherwise: "TemplatePieces"


class RawNode(Struct, frozen=True):
    """A range that stays as written, and why."""

    start: int
    end: int
    macro_name: str
    defect: "SyntaxDefect"


class SyntaxDefect(Struct, frozen=True):
    """Why something cannot be evaluated."""

    code: MacroWarningCode
    message: str


TemplateNode: TypeAlias = MacroNode | IfNode | RawNode
TemplatePiece: TypeAlias = str | TemplateNode
TemplatePieces: TypeAlias = str | tuple[TemplatePiece, ...]


class ComparisonOperator(StrEnum):
    """The operators of a condition, in lower case."""

    EQUAL = "=="
    UNEQUAL = "!="
    GREATER = ">"
    LESS = "<"
    AT_LEAST = ">="
    AT_MOST = "<="
    CONTAINS = "contains"
    STARTS_WITH = "startswith"


class ConditionOperand(Struct, frozen=True):
    """A value in a condition.

    A bare word that is not compared may name a macro; `named` is that macro.
    """

    pieces: TemplatePieces
    named: MacroNode | None = None
    unquote: bool = False


class ComparisonCondition(Struct, frozen=True):
    """Two operands and their operator."""

    left: ConditionOperand
    comparison: ComparisonOperator
    right: ConditionOperand


class NotCondition(Struct, frozen=True):
    """`not …`"""

    inner: "Condition"


class AndCondition(Struct, frozen=True):
    """`… and …`"""

    parts: tuple["Condition", ...]


class OrCondition(Struct, frozen=True):
    """`… or …`"""

    parts: tuple["Condition", ...]


Condition: TypeAlias = (
    ConditionOperand | ComparisonCondition | NotCondition | AndCondition | OrCondition
)


class MacroTemplate(Struct, frozen=True):
    """A parsed text. If `trims` is false, pieces are simply joined."""

    source: str
    pieces: TemplatePieces
    trims: bool
