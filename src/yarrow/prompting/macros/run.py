"""A macro run: the texts of one assembly, in the order in which they stand in the prompt."""

from collections.abc import Mapping
from dataclasses import replace

from yarrow.prompting.macros.evaluate import MacroEvaluator
from yarrow.prompting.macros.expansion import EXCERPT_LENGTH, ExpansionState, MacroLog
from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroReport,
    MacroWarning,
    MacroWarningCode,
)
from yarrow.prompting.macros.parse import has_macros, parse_template
from yarrow.prompting.macros.variables import VariableOverlay

_DEFAULT_LIMITS = MacroLimits()
_PREVIEW_PHASES = frozenset({MacroPhase.PREVIEW, MacroPhase.DRY_RUN})


class MacroRun:
    """One for a whole assembly: what one text writes, the next one reads.

    `outlets` is raw lore by outlet name; it is expanded where `{{outlet::name}}` stands.
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
        self._journal = MacroLog()

    def expand(self, text: str, *, place: str, values: Mapping[str, str] | None = None) -> str:
        """The text with its macros evaluated; `values` are for this text only."""
        if not has_macros(text):
            return text
        if self._phase is MacroPhase.IMPORT:
            self._journal.warnings.append(_import_warning(text))
            return text
        return self._expanded(text, self._variables, self._journal, place=place, values=values)

    def peek(self, text: str, *, place: str) -> str:
        """What `expand` would give here and now, without any consequence."""
        if self._phase is MacroPhase.IMPORT or not has_macros(text):
            return text
        return self._expanded(text, self._variables.fork(), MacroLog(), place=place, values=None)

    def expand_greeting(self, text: str, *, place: str, is_past: bool) -> str:
        """A text that the chat began with: its dice fall alike in every prompt of the chat.

        Once the chat has gone on its writes are stored, and it is only read.
        """
        if self._phase is MacroPhase.IMPORT or not has_macros(text):
            return text
        variables, journal = self._variables, self._journal
        if is_past:
            variables, journal = variables.fork(), MacroLog()
        lasting = replace(self._environment, seed=self._environment.chat_id)
        return self._expanded(
            text, variables, journal, place=place, values=None, environment=lasting
        )

    def fork(self) -> "MacroRun":
        """A run that goes on from here by itself."""
        copy = MacroRun(self._environment, phase=self._phase, limits=self._limits)
        copy.outlets = self.outlets
        copy._variables, copy._journal = self._variables.fork(), self._journal.copy()
        return copy

    @property
    def write_count(self) -> int:
        return len(self._journal.mutations)

    def reset_report(self) -> None:
        """Tells only what happens from now on; what was written stays."""
        self._journal = MacroLog()

    def report(self) -> MacroReport:
        """What has happened so far."""
        journal = self._journal
        mutations = tuple(journal.mutations)
        return MacroReport(
            warnings=tuple(journal.warnings),
            used_names=tuple(journal.used),
            mutation_preview=mutations if self._phase in _PREVIEW_PHASES else (),
            staged_mutations=mutations if self._phase is MacroPhase.ASSEMBLE else (),
            traces=tuple(journal.traces),
        )

    def _expanded(
        self,
        text: str,
        variables: VariableOverlay,
        journal: MacroLog,
        *,
        place: str,
        values: Mapping[str, str] | None,
        environment: MacroEnvironment | None = None,
    ) -> str:
        template = parse_template(text)
        at = ExpansionState(
            environment=environment or self._environment,
            phase=self._phase,
            limits=self._limits,
            variables=variables,
            journal=journal,
            outlets=self.outlets,
            values=values or {},
            source=text,
            trims=template.trims,
            place=place,
            longest=len(text) + self._limits.expanded_length,
        )
        return MacroEvaluator(at).text(template.pieces)


def _import_warning(text: str) -> MacroWarning:
    return MacroWarning(
        MacroWarningCode.EVAL_PHASE_DISALLOWED,
        "an imported text is kept as it is",
        macro_name="",
        raw_text=text[:EXCERPT_LENGTH],
    )
