"""A macro run: expands the texts of one assembly in prompt order."""

from collections.abc import Mapping

from msgspec.structs import replace

from yarrow.prompting.macros.evaluate import MacroEvaluator
from yarrow.prompting.macros.expansion import (
    EXCERPT_LENGTH,
    ExpansionState,
    MacroLog,
    VariableOverlay,
)
from yarrow.prompting.macros.model import (
    DRY_PHASES,
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroReport,
    MacroWarning,
    MacroWarningCode,
)
from yarrow.prompting.macros.parse import has_macros, parse_template

_DEFAULT_LIMITS = MacroLimits()


class MacroRun:
    """One run per assembly: a variable that one text writes is seen by the next.

    `outlets` is raw lore by outlet name; it is expanded where `{{outlet::name}}` occurs.
    """

    def __init__(
        self,
        environment: MacroEnvironment,
        *,
        phase: MacroPhase,
        limits: MacroLimits = _DEFAULT_LIMITS,
    ) -> None:
        self.outlets: Mapping[str, str] = {}
        self._environment, self._phase, self._limits = environment, phase, limits
        self._variables = VariableOverlay(environment)
        self._log = MacroLog()

    def expand(self, text: str, *, place: str, values: Mapping[str, str] | None = None) -> str:
        """Expand the macros of a text; `values` override macro values in this text only."""
        if not has_macros(text):
            return text
        if self._phase is MacroPhase.IMPORT:
            self._log.warnings.append(_import_warning(text))
            return text
        return self._expand_text(text, self._variables, self._log, place=place, values=values)

    def peek(self, text: str, *, place: str) -> str:
        """Return what `expand` would return now, without side effects."""
        if self._phase is MacroPhase.IMPORT or not has_macros(text):
            return text
        return self._expand_text(text, self._variables.fork(), MacroLog(), place=place, values=None)

    def expand_greeting(self, text: str, *, place: str, is_past: bool) -> str:
        """Expand a greeting: seeded by the chat, so it reads the same in every prompt.

        Once the chat has continued its writes are stored already, and expansion has no effects.
        """
        if self._phase is MacroPhase.IMPORT or not has_macros(text):
            return text
        variables, log = self._variables, self._log
        if is_past:
            variables, log = variables.fork(), MacroLog()
        environment = replace(self._environment, seed=self._environment.chat_id)
        return self._expand_text(
            text, variables, log, place=place, values=None, environment=environment
        )

    def fork(self) -> "MacroRun":
        """Return an independent run that continues from the current state."""
        copy = MacroRun(self._environment, phase=self._phase, limits=self._limits)
        copy.outlets = self.outlets
        copy._variables, copy._log = self._variables.fork(), self._log.copy()
        return copy

    @property
    def write_count(self) -> int:
        return len(self._log.mutations)

    def reset_report(self) -> None:
        """Clear the report; variables keep their values."""
        self._log = MacroLog()

    def report(self) -> MacroReport:
        """Return what has happened so far."""
        log = self._log
        mutations = tuple(log.mutations)
        return MacroReport(
            warnings=tuple(log.warnings),
            used_names=tuple(log.used),
            mutation_preview=mutations if self._phase in DRY_PHASES else (),
            staged_mutations=mutations if self._phase is MacroPhase.ASSEMBLE else (),
            traces=tuple(log.traces),
        )

    def _expand_text(
        self,
        text: str,
        variables: VariableOverlay,
        log: MacroLog,
        *,
        place: str,
        values: Mapping[str, str] | None,
        environment: MacroEnvironment | None = None,
    ) -> str:
        template = parse_template(text)
        state = ExpansionState(
            environment=environment or self._environment,
            phase=self._phase,
            limits=self._limits,
            variables=variables,
            log=log,
            outlets=self.outlets,
            values=values or {},
            source=text,
            trims=template.trims,
            place=place,
            max_length=len(text) + self._limits.expanded_length,
        )
        return MacroEvaluator(state).evaluate(template.pieces)


def _import_warning(text: str) -> MacroWarning:
    return MacroWarning(
        MacroWarningCode.EVAL_PHASE_DISALLOWED,
        "an imported text is kept as it is",
        macro_name="",
        raw_text=text[:EXCERPT_LENGTH],
    )
