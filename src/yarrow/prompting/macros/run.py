"""A macro run: the texts of one assembly, in the order in which they stand in the prompt."""

from collections.abc import Mapping
from dataclasses import replace

from yarrow.prompting.macros.evaluate import Evaluator
from yarrow.prompting.macros.expansion import CLIPPED, Expansion, Journal
from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MacroLimits,
    MacroReport,
    MacroWarning,
    Phase,
    WarningCode,
)
from yarrow.prompting.macros.parse import has_macros, read_template
from yarrow.prompting.macros.variables import Variables

_USUAL_LIMITS = MacroLimits()
_PREVIEWED = frozenset({Phase.PREVIEW, Phase.DRY_RUN})


class MacroRun:
    """One for a whole assembly: what one text writes, the next one reads.

    `outlets` is raw lore by outlet name; it is expanded where `{{outlet::name}}` stands.
    """

    def __init__(
        self,
        environment: MacroEnvironment,
        *,
        phase: Phase,
        limits: MacroLimits = _USUAL_LIMITS,
    ) -> None:
        self.outlets: Mapping[str, str] = {}
        self._environment, self._phase, self._limits = environment, phase, limits
        self._variables = Variables(environment)
        self._journal = Journal()

    def expand(self, text: str, *, place: str, values: Mapping[str, str] | None = None) -> str:
        """The text with its macros evaluated; `values` are for this text only."""
        if not has_macros(text):
            return text
        if self._phase is Phase.IMPORT:
            self._journal.warnings.append(_unexpanded(text))
            return text
        return self._expanded(text, self._variables, self._journal, place=place, values=values)

    def peek(self, text: str, *, place: str) -> str:
        """What `expand` would give here and now, without any consequence."""
        if self._phase is Phase.IMPORT or not has_macros(text):
            return text
        return self._expanded(text, self._variables.fork(), Journal(), place=place, values=None)

    def begin_with(self, text: str, *, place: str, is_past: bool) -> str:
        """A text that the chat began with: its dice fall alike in every prompt of the chat.

        Once the chat has gone on its writes are stored, and it is only read.
        """
        if self._phase is Phase.IMPORT or not has_macros(text):
            return text
        variables, journal = self._variables, self._journal
        if is_past:
            variables, journal = variables.fork(), Journal()
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

    def forget_report(self) -> None:
        """Tells only what happens from now on; what was written stays."""
        self._journal = Journal()

    def report(self) -> MacroReport:
        """What has happened so far."""
        journal = self._journal
        mutations = tuple(journal.mutations)
        return MacroReport(
            warnings=tuple(journal.warnings),
            used_names=tuple(journal.used),
            mutation_preview=mutations if self._phase in _PREVIEWED else (),
            staged_mutations=mutations if self._phase is Phase.ASSEMBLE else (),
            traces=tuple(journal.traces),
        )

    def _expanded(
        self,
        text: str,
        variables: Variables,
        journal: Journal,
        *,
        place: str,
        values: Mapping[str, str] | None,
        environment: MacroEnvironment | None = None,
    ) -> str:
        template = read_template(text)
        at = Expansion(
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
        return Evaluator(at).text(template.pieces)


def _unexpanded(text: str) -> MacroWarning:
    return MacroWarning(
        WarningCode.EVAL_PHASE_DISALLOWED,
        "an imported text is kept as it is",
        macro_name="",
        raw_text=text[:CLIPPED],
    )
