"""Expands a text with everything filled in that a rule does not mention."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from msgspec import Struct

from yarrow.prompting.macros import (
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroReport,
    MacroRun,
    VariableMutation,
)

EVENING = datetime(2026, 4, 3, 20, 5, 7, tzinfo=timezone(timedelta(hours=8)))
"""A Friday."""

NAMES = {"user": "Player", "char": "Luna"}


class Expanded(Struct, frozen=True):
    text: str
    report: MacroReport

    @property
    def warnings(self) -> list[str]:
        """Codes in order, without the note that a dry run does not store."""
        codes = [warning.code.value for warning in self.report.warnings]
        return [code for code in codes if code != "macro_preview_side_effect_suppressed"]

    @property
    def staged(self) -> list[tuple[Any, ...]]:
        return [format_mutation(mutation) for mutation in self.report.staged_mutations]


def format_mutation(mutation: VariableMutation) -> tuple[Any, ...]:
    """`("set", "branch", "mood", "calm")`"""
    head = (mutation.kind.value, mutation.scope.value, mutation.key)
    return (*head, mutation.value) if head[0] == "set" else head


def environment(
    values: Mapping[str, str | None] = NAMES,
    *,
    local: Mapping[str, Any] | None = None,
    shared: Mapping[str, Any] | None = None,
    stored: Mapping[str, Any] | None = None,
    **others: Any,
) -> MacroEnvironment:
    others.setdefault("now", EVENING)
    return MacroEnvironment(values, local or {}, shared or {}, stored or {}, **others)


def start_run(
    phase: MacroPhase = MacroPhase.ASSEMBLE,
    limits: MacroLimits | None = None,
    **environment_fields: Any,
) -> MacroRun:
    return MacroRun(environment(**environment_fields), phase=phase, limits=limits or MacroLimits())


def expand(
    text: str,
    phase: MacroPhase = MacroPhase.ASSEMBLE,
    *,
    limits: MacroLimits | None = None,
    outlets: Mapping[str, str] | None = None,
    **environment_fields: Any,
) -> Expanded:
    run = start_run(phase, limits, **environment_fields)
    run.outlets = outlets or {}
    result = run.expand(text, place="test")
    return Expanded(result, run.report())
