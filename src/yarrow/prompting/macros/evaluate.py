"""Evaluate a parsed template from left to right, innermost macros first."""

from collections.abc import Sequence
from typing import assert_never

from yarrow.prompting.macros.comparison import compare_values, is_truthy, strip_quotes
from yarrow.prompting.macros.expansion import ABSENT, ExpansionState, KeepRaw, MacroCall
from yarrow.prompting.macros.macro_names import (
    NOOP,
    ORIGINAL,
    TRIM,
    VALUE_KEYS,
    MacroEffect,
    MacroSpec,
)
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
    SyntaxDefect,
    TemplateNode,
    TemplatePiece,
    TemplatePieces,
)
from yarrow.prompting.macros.parse import parse_template
from yarrow.prompting.macros.values import format_value


class MacroOutput:
    """Collects text up to a limit."""

    __slots__ = ("_parts", "_room", "_skips_newlines", "_trim_barrier", "was_cut")

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._room = limit
        self._skips_newlines = False
        self._trim_barrier = 0
        self.was_cut = False

    def add(self, text: str) -> None:
        if self._skips_newlines:
            text = text.lstrip("\r\n")
        if not text:
            return
        self._skips_newlines = False
        if len(text) > self._room:
            self.was_cut = True
            text = text[: self._room]
        self._room -= len(text)
        self._parts.append(text)

    def trim(self) -> None:
        """Remove the newlines directly before and after this point."""
        while len(self._parts) > self._trim_barrier:
            last = self._parts.pop()
            kept = last.rstrip("\r\n")
            self._room += len(last) - len(kept)
            if kept:
                self._parts.append(kept)
                break
        self._skips_newlines = True

    def stop_trim(self) -> None:
        """Protect the text before this point from trimming, and cancel a pending trim."""
        self._trim_barrier = len(self._parts)
        self._skips_newlines = False

    def text(self) -> str:
        return "".join(self._parts)


class MacroEvaluator:
    """Evaluates one text."""

    def __init__(self, state: ExpansionState) -> None:
        self._state = state
        self._max_depth = state.max_depth

    def evaluate(self, pieces: TemplatePieces) -> str:
        """Return the pieces as text, cut at the length limit."""
        if isinstance(pieces, str):
            return pieces
        limit = self._state.max_length
        texts = [
            piece if isinstance(piece, str) else self._evaluate_node(piece) for piece in pieces
        ]
        if self._state.trims:
            text, was_cut = _join_trimmed(pieces, texts, limit)
        else:
            text = "".join(texts)
            was_cut = len(text) > limit
        if was_cut:
            self._warn_cut(limit)
        return text[:limit]

    def _warn_cut(self, limit: int) -> None:
        self._state.cut = True
        self._state.warn_once(
            MacroWarningCode.EXPANDED_LENGTH_LIMIT_EXCEEDED,
            f"cut after {limit} characters",
            name="",
            start=0,
        )

    def _evaluate_node(self, node: TemplateNode) -> str:
        """Evaluate a node, unless the text has used up its steps or depth."""
        if not isinstance(node, (MacroNode, IfNode)):
            return self._keep_raw(node, node.macro_name, node.defect)
        state = self._state
        if state.steps >= state.limits.steps:
            return self._keep_over_limit(node, MacroWarningCode.STEP_LIMIT_EXCEEDED)
        if state.depth >= self._max_depth:
            return self._keep_over_limit(node, MacroWarningCode.DEPTH_LIMIT_EXCEEDED)
        state.steps += 1
        state.depth += 1
        try:
            return (
                self._evaluate_macro(node)
                if isinstance(node, MacroNode)
                else self._evaluate_if(node)
            )
        except KeepRaw as error:
            return self._keep_raw(node, node.name, SyntaxDefect(error.code, error.message))
        finally:
            state.depth -= 1

    def _keep_over_limit(self, node: MacroNode | IfNode, code: MacroWarningCode) -> str:
        self._state.warn_once(code, "the rest stays as it is", name=node.name, start=node.start)
        return self._state.source[node.start : node.end]

    def _keep_raw(self, node: TemplateNode, name: str, defect: SyntaxDefect) -> str:
        state = self._state
        raw = state.source[node.start : node.end]
        state.warn(defect.code, defect.message, name=name, start=node.start, end=node.end)
        kind, branch = MacroTraceKind.RAW, None
        if isinstance(node, IfNode):
            kind, branch = MacroTraceKind.IF, SelectedBranch.RAW
        state.trace(name, raw, start=node.start, end=node.end, kind=kind, branch=branch)
        return raw

    def _evaluate_macro(self, node: MacroNode) -> str:
        state, spec = self._state, node.spec
        if not node.args and (named_value := self._read_value(node)) is not None:
            name, result = named_value
        elif spec is not None and spec.effect is not None:
            name, result = spec.name, self._run_effect(node, spec, spec.effect)
        elif spec is not None:
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "this macro takes no arguments")
        elif (stored := state.variables.read_merged(node.key)) is not ABSENT:
            name, result = node.key, format_value(stored)
        else:
            return self._keep_unknown(node)
        state.log.used[name] = None
        state.trace(name, result, start=node.start, end=node.end, kind=MacroTraceKind.MACRO)
        return result

    def _run_effect(self, node: MacroNode, spec: MacroSpec, effect: MacroEffect) -> str:
        if not spec.accepts_count(len(node.args)):
            raise KeepRaw(MacroWarningCode.ARG_ARITY_INVALID, "a wrong number of arguments")
        state = self._state
        if not node.args:
            self._warn_hidden_variable(node, spec.name)
            return effect(
                MacroCall(state, spec.name, (), node.start, node.end, self._expand_outlet)
            )
        was_cut, state.cut = state.cut, False
        args = [arg if isinstance(arg, str) else self.evaluate(arg) for arg in node.args]
        try:
            return effect(
                MacroCall(state, spec.name, args, node.start, node.end, self._expand_outlet)
            )
        finally:
            state.cut = state.cut or was_cut

    def _read_value(self, node: MacroNode) -> tuple[str, str] | None:
        """Return an environment value with its name; None if the name is not one of them."""
        spec = node.spec
        if spec is None or spec.effect is not None:
            key = node.name.lower()
            if key not in self._state.values and key not in self._state.environment.values:
                return None
            name, value = (spec.name if spec else key), self._look_up_value(key)
        else:
            name, value = spec.name, self._look_up_spec(spec)
            if value is None and spec.from_variable:
                return name, self._read_variable_value(node, spec)
            if spec is ORIGINAL:
                value = self._read_original(value)
        self._warn_hidden_variable(node, name)
        if value is None:
            self._add_warning(
                node, MacroWarningCode.VALUE_MISSING, "there is no such value now", name
            )
        return name, value or ""

    def _look_up_value(self, key: str) -> str | None:
        state = self._state
        return state.values[key] if key in state.values else state.environment.values.get(key)

    def _look_up_spec(self, spec: MacroSpec) -> str | None:
        """Return the value under any of the macro's names or fallbacks."""
        for key in VALUE_KEYS[spec.name]:
            if (value := self._look_up_value(key)) is not None:
                return value
        return None

    def _read_original(self, original: str | None) -> str | None:
        """Return the overridden text on first use, empty text afterwards."""
        already_used, self._state.original_used = self._state.original_used, original is not None
        return "" if already_used else original

    def _read_variable_value(self, node: MacroNode, spec: MacroSpec) -> str:
        stored = self._state.variables.read_merged(spec.name)
        if stored is ABSENT and (default := self._state.environment.defaults.get(spec.name)):
            return default
        if stored is ABSENT:
            self._add_warning(
                node, MacroWarningCode.VALUE_MISSING, "there is no such value now", spec.name
            )
            return ""
        return format_value(stored)

    def _warn_hidden_variable(self, node: MacroNode, name: str) -> None:
        variables = self._state.variables
        if variables.is_stored(name) or (node.key != name and variables.is_stored(node.key)):
            message = "the macro hides a stored variable of this name"
            self._add_warning(node, MacroWarningCode.READONLY_NAME_CONFLICT, message, name)

    def _add_warning(
        self, node: MacroNode, code: MacroWarningCode, message: str, name: str
    ) -> None:
        self._state.warn(code, message, name=name, start=node.start, end=node.end)

    def _keep_unknown(self, node: MacroNode) -> str:
        """Keep an unknown macro, but evaluate macros inside it, as SillyTavern does."""
        state = self._state
        name = node.name or node.key
        self._add_warning(
            node, MacroWarningCode.UNKNOWN, "no macro and no variable has this name", name
        )
        if isinstance(node.body, str):
            result = state.source[node.start : node.end]
        else:
            result = "{{" + self.evaluate(node.body) + "}}"
        state.trace(name, result, start=node.start, end=node.end, kind=MacroTraceKind.RAW)
        return result

    def _evaluate_if(self, node: IfNode) -> str:
        state = self._state
        if isinstance(node.condition, SyntaxDefect):
            raise KeepRaw(node.condition.code, node.condition.message)
        chosen = self._is_true(node.condition)
        state.log.used["if"] = None
        result = self.evaluate(node.then if chosen else node.otherwise)
        branch = SelectedBranch.THEN if chosen else SelectedBranch.ELSE
        state.trace(
            "if", result, start=node.start, end=node.end, kind=MacroTraceKind.IF, branch=branch
        )
        return result

    def _is_true(self, condition: Condition) -> bool:
        match condition:
            case ConditionOperand():
                return is_truthy(self._evaluate_word(condition))
            case ComparisonCondition(left, comparison, right):
                return compare_values(
                    self._evaluate_operand(left), comparison, self._evaluate_operand(right)
                )
            case NotCondition(inner):
                return not self._is_true(inner)
            case AndCondition(parts):
                return all(self._is_true(part) for part in parts)
            case OrCondition(parts):
                return any(self._is_true(part) for part in parts)
            case _:
                assert_never(condition)

    def _evaluate_operand(self, operand: ConditionOperand) -> str:
        text = self.evaluate(operand.pieces)
        return strip_quotes(text) if operand.unquote else text

    def _evaluate_word(self, operand: ConditionOperand) -> str:
        """Evaluate an operand that is not compared: a bare word may name a macro.

        Testing whether a value exists does not report it as missing.
        """
        node = operand.named
        if node is None or not self._is_readable(node):
            return self._evaluate_operand(operand)
        spec = node.spec
        if spec is not None and spec.effect is None and not spec.from_variable:
            self._state.log.used[spec.name] = None
            return self._look_up_spec(spec) or ""
        return self._evaluate_node(node)

    def _is_readable(self, node: MacroNode) -> bool:
        if node.spec is not None:
            return node.spec.least == 0
        exists = self._look_up_value(node.name.lower()) is not None
        return exists or self._state.variables.is_stored(node.key)

    def _expand_outlet(self, name: str) -> str:
        state = self._state
        if name in state.inside:
            raise KeepRaw(MacroWarningCode.CYCLE_DETECTED, "the outlet contains itself")
        template = parse_template(state.outlets.get(name, ""))
        saved = state.source, state.trims, state.max_length, state.place, state.inside
        state.source, state.trims = template.source, template.trims
        state.max_length = min(state.max_length, len(state.source) + state.limits.expanded_length)
        state.place = f"{state.place}/outlet:{name}"
        state.inside = (*state.inside, name)
        try:
            return self.evaluate(template.pieces)
        finally:
            state.source, state.trims, state.max_length, state.place, state.inside = saved


def _join_trimmed(
    pieces: Sequence[TemplatePiece], texts: Sequence[str], limit: int
) -> tuple[str, bool]:
    """Join the texts, applying `{{trim}}` and `{{noop}}`; also return whether the limit was
    exceeded.
    """
    output = MacroOutput(limit)
    for piece, text in zip(pieces, texts, strict=True):
        spec = piece.spec if isinstance(piece, MacroNode) else None
        if isinstance(piece, MacroNode) and spec is TRIM and not piece.args:
            output.trim()
        elif spec is NOOP:
            output.stop_trim()
        else:
            output.add(text)
    return output.text(), output.was_cut
