"""Walks what was read and makes text of it, left to right, innermost first."""

from collections.abc import Sequence
from typing import assert_never

from yarrow.prompting.macros.catalogue import (
    NOOP,
    ORIGINAL,
    TRIM,
    VALUE_KEYS,
    MacroEffect,
    MacroSpec,
)
from yarrow.prompting.macros.expansion import ExpansionState, KeepRaw, MacroCall
from yarrow.prompting.macros.model import MacroTraceKind, MacroWarningCode, SelectedBranch
from yarrow.prompting.macros.nodes import (
    AndCondition,
    ComparisonCondition,
    Condition,
    ConditionOperand,
    IfNode,
    MacroNode,
    NotCondition,
    OrCondition,
    RawNode,
    SyntaxDefect,
    TemplateNode,
    TemplatePiece,
    TemplatePieces,
)
from yarrow.prompting.macros.parse import parse_template
from yarrow.prompting.macros.truth import compare_values, is_truthy, strip_quotes
from yarrow.prompting.macros.values import format_value
from yarrow.prompting.macros.variables import ABSENT


class MacroOutput:
    """Collects text up to a limit."""

    __slots__ = ("_left", "_parts", "_stops", "_swallows", "was_cut")

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit
        self._swallows = False
        self._stops = 0
        self.was_cut = False

    def add(self, text: str) -> None:
        if self._swallows:
            text = text.lstrip("\r\n")
        if not text:
            return
        self._swallows = False
        if len(text) > self._left:
            self.was_cut = True
            text = text[: self._left]
        self._left -= len(text)
        self._parts.append(text)

    def trim(self) -> None:
        """Takes away the newlines just before, and those to come."""
        while len(self._parts) > self._stops:
            last = self._parts.pop()
            kept = last.rstrip("\r\n")
            self._left += len(last) - len(kept)
            if kept:
                self._parts.append(kept)
                break
        self._swallows = True

    def stop_trim(self) -> None:
        """Nothing before this point is trimmed, and what was to be trimmed after it stays."""
        self._stops = len(self._parts)
        self._swallows = False

    def text(self) -> str:
        return "".join(self._parts)


class MacroEvaluator:
    """Evaluates one text."""

    def __init__(self, at: ExpansionState) -> None:
        self._at = at
        self._deepest = at.deepest

    def text(self, pieces: TemplatePieces) -> str:
        """The pieces as text, no longer than the limit."""
        if isinstance(pieces, str):
            return pieces
        limit = self._at.longest
        shown = [piece if isinstance(piece, str) else self._node(piece) for piece in pieces]
        if self._at.trims:
            text, was_cut = _join_trimmed(pieces, shown, limit)
        else:
            text = "".join(shown)
            was_cut = len(text) > limit
        if was_cut:
            self._note_cut(limit)
        return text[:limit]

    def _note_cut(self, limit: int) -> None:
        self._at.cut = True
        self._at.warn_once(
            MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED,
            f"cut after {limit} characters",
            name="",
            start=0,
        )

    def _node(self, node: TemplateNode) -> str:
        """Evaluates a node, unless the text has used up its steps or its depth."""
        if isinstance(node, RawNode):
            return self._kept(node, node.macro_name, node.defect)
        at = self._at
        if at.steps >= at.limits.steps:
            return self._over(node, MacroWarningCode.STEP_LIMIT_EXCEEDED)
        if at.depth >= self._deepest:
            return self._over(node, MacroWarningCode.DEPTH_LIMIT_EXCEEDED)
        at.steps += 1
        at.depth += 1
        try:
            return self._macro(node) if isinstance(node, MacroNode) else self._if(node)
        except KeepRaw as kept:
            return self._kept(node, node.name, SyntaxDefect(kept.code, kept.message))
        finally:
            at.depth -= 1

    def _over(self, node: MacroNode | IfNode, code: MacroWarningCode) -> str:
        self._at.warn_once(code, "the rest stays as it is", name=node.name, start=node.start)
        return self._at.source[node.start : node.end]

    def _kept(self, node: TemplateNode, name: str, defect: SyntaxDefect) -> str:
        at = self._at
        raw = at.source[node.start : node.end]
        at.warn(defect.code, defect.message, name=name, start=node.start, end=node.end)
        kind, branch = MacroTraceKind.RAW, None
        if isinstance(node, IfNode):
            kind, branch = MacroTraceKind.IF, SelectedBranch.RAW
        at.trace(name, raw, start=node.start, end=node.end, kind=kind, branch=branch)
        return raw

    def _macro(self, node: MacroNode) -> str:
        at, spec = self._at, node.spec
        if not node.args and (found := self._value(node)) is not None:
            name, result = found
        elif spec is not None and spec.effect is not None:
            name, result = spec.name, self._effect(node, spec, spec.effect)
        elif spec is not None:
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "this macro takes no arguments")
        elif (stored := at.variables.merged(node.key)) is not ABSENT:
            name, result = node.key, format_value(stored)
        else:
            return self._unknown(node)
        at.journal.used[name] = None
        at.trace(name, result, start=node.start, end=node.end, kind=MacroTraceKind.MACRO)
        return result

    def _effect(self, node: MacroNode, spec: MacroSpec, effect: MacroEffect) -> str:
        if not spec.takes(len(node.args)):
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "a wrong number of arguments")
        at = self._at
        if not node.args:
            self._refuse_variable(node, spec.name)
            return effect(MacroCall(at, spec.name, (), node.start, node.end, self._outlet))
        was_cut, at.cut = at.cut, False
        args = [arg if isinstance(arg, str) else self.text(arg) for arg in node.args]
        try:
            return effect(MacroCall(at, spec.name, args, node.start, node.end, self._outlet))
        finally:
            at.cut = at.cut or was_cut

    def _value(self, node: MacroNode) -> tuple[str, str] | None:
        """A value of the environment with its name; None if the name is none of its."""
        spec = node.spec
        if spec is None or spec.effect is not None:
            key = node.name.lower()
            if key not in self._at.values and key not in self._at.environment.values:
                return None
            name, given = (spec.name if spec else key), self._given(key)
        else:
            name, given = spec.name, self._known(spec)
            if given is None and spec.from_variable:
                return name, self._from_variable(node, spec)
            if spec is ORIGINAL:
                given = self._once(given)
        self._refuse_variable(node, name)
        if given is None:
            self._warn(node, MacroWarningCode.VALUE_MISSING, "there is no such value now", name)
        return name, given or ""

    def _given(self, key: str) -> str | None:
        at = self._at
        return at.values[key] if key in at.values else at.environment.values.get(key)

    def _known(self, spec: MacroSpec) -> str | None:
        """The value under any of the macro's names, or under those that stand in for it."""
        for key in VALUE_KEYS[spec.name]:
            if (given := self._given(key)) is not None:
                return given
        return None

    def _once(self, original: str | None) -> str | None:
        """The text that is overridden goes in once, however often it is asked for."""
        again, self._at.original_used = self._at.original_used, original is not None
        return "" if again else original

    def _from_variable(self, node: MacroNode, spec: MacroSpec) -> str:
        stored = self._at.variables.merged(spec.name)
        if stored is ABSENT and (default := self._at.environment.defaults.get(spec.name)):
            return default
        if stored is ABSENT:
            self._warn(
                node, MacroWarningCode.VALUE_MISSING, "there is no such value now", spec.name
            )
            return ""
        return format_value(stored)

    def _refuse_variable(self, node: MacroNode, name: str) -> None:
        variables = self._at.variables
        if variables.is_stored(name) or (node.key != name and variables.is_stored(node.key)):
            message = "the macro hides a stored variable of this name"
            self._warn(node, MacroWarningCode.READONLY_NAME_CONFLICT, message, name)

    def _warn(self, node: MacroNode, code: MacroWarningCode, message: str, name: str) -> None:
        self._at.warn(code, message, name=name, start=node.start, end=node.end)

    def _unknown(self, node: MacroNode) -> str:
        """Stays as it is; macros inside it are evaluated, as SillyTavern does."""
        at = self._at
        name = node.name or node.key
        self._warn(node, MacroWarningCode.UNKNOWN, "no macro and no variable has this name", name)
        if isinstance(node.body, str):
            result = at.source[node.start : node.end]
        else:
            result = "{{" + self.text(node.body) + "}}"
        at.trace(name, result, start=node.start, end=node.end, kind=MacroTraceKind.RAW)
        return result

    def _if(self, node: IfNode) -> str:
        at = self._at
        if isinstance(node.condition, SyntaxDefect):
            raise KeepRaw(node.condition.code, node.condition.message)
        chosen = self._holds(node.condition)
        at.journal.used["if"] = None
        result = self.text(node.then if chosen else node.otherwise)
        branch = SelectedBranch.THEN if chosen else SelectedBranch.ELSE
        at.trace(
            "if", result, start=node.start, end=node.end, kind=MacroTraceKind.IF, branch=branch
        )
        return result

    def _holds(self, condition: Condition) -> bool:
        match condition:
            case ConditionOperand():
                return is_truthy(self._alone(condition))
            case ComparisonCondition(left, comparison, right):
                return compare_values(self._operand(left), comparison, self._operand(right))
            case NotCondition(inner):
                return not self._holds(inner)
            case AndCondition(parts):
                return all(self._holds(part) for part in parts)
            case OrCondition(parts):
                return any(self._holds(part) for part in parts)
            case _:
                assert_never(condition)

    def _operand(self, operand: ConditionOperand) -> str:
        text = self.text(operand.pieces)
        return strip_quotes(text) if operand.unquote else text

    def _alone(self, operand: ConditionOperand) -> str:
        """A value that is not compared: a bare word may be the name of a macro.

        Asking whether there is a value is no use of it: nothing is reported as missing.
        """
        node = operand.named
        if node is None or not self._is_readable(node):
            return self._operand(operand)
        spec = node.spec
        if spec is not None and spec.effect is None and not spec.from_variable:
            self._at.journal.used[spec.name] = None
            return self._known(spec) or ""
        return self._node(node)

    def _is_readable(self, node: MacroNode) -> bool:
        if node.spec is not None:
            return node.spec.least == 0
        known = self._given(node.name.lower()) is not None
        return known or self._at.variables.is_stored(node.key)

    def _outlet(self, name: str) -> str:
        at = self._at
        if name in at.inside:
            raise KeepRaw(MacroWarningCode.CYCLE_DETECTED, "the outlet contains itself")
        template = parse_template(at.outlets.get(name, ""))
        outside = at.source, at.trims, at.longest, at.place, at.inside
        at.source, at.trims = template.source, template.trims
        at.longest = min(at.longest, len(at.source) + at.limits.expanded_length)
        at.place = f"{at.place}/outlet:{name}"
        at.inside = (*at.inside, name)
        try:
            return self.text(template.pieces)
        finally:
            at.source, at.trims, at.longest, at.place, at.inside = outside


def _join_trimmed(
    pieces: Sequence[TemplatePiece], shown: Sequence[str], limit: int
) -> tuple[str, bool]:
    """The texts joined, with `{{trim}}` and `{{noop}}` obeyed; and whether that was too long."""
    output = MacroOutput(limit)
    for piece, text in zip(pieces, shown, strict=True):
        spec = piece.spec if isinstance(piece, MacroNode) else None
        if isinstance(piece, MacroNode) and spec is TRIM and not piece.args:
            output.trim()
        elif spec is NOOP:
            output.stop_trim()
        else:
            output.add(text)
    return output.text(), output.was_cut
