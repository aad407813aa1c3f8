"""The history as this prompt may show it: visible floors, folded, through the prompt's rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.assembly.visibility import visible
from yarrow.prompting.history import (
    EntryRole,
    HistoryEntry,
    HistoryTrace,
    HistoryTurn,
    fold_history,
)
from yarrow.prompting.messages import Role
from yarrow.prompting.regex_rules import (
    Channel,
    Placement,
    RegexRule,
    RuleContext,
    RuleOutcome,
    apply_rules,
)
from yarrow.prompting.regexes import Regexes
from yarrow.prompting.trace import RegexPhase, VisibilityTrace

_PLACEMENTS = {Role.USER: Placement.USER_INPUT, Role.ASSISTANT: Placement.AI_OUTPUT}


class Turns(msgspec.Struct, frozen=True):
    """All turns, oldest first; the last one is the message to answer.

    `preprocessed` is the message as it is stored, before the rules of the prompt.
    """

    all: tuple[HistoryTurn, ...]
    preprocessed: str
    trace: HistoryTrace
    visibility: VisibilityTrace | None
    phases: tuple[RegexPhase, ...]

    @property
    def current(self) -> HistoryTurn:
        return self.all[-1]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rules of a session with what they need to run."""

    rules: Sequence[RegexRule]
    regexes: Regexes
    expand: Callable[[str], str]

    def __call__(
        self, text: str, placement: Placement, channel: Channel, *, depth: int | None = None
    ) -> RuleOutcome:
        if not self.rules:
            return RuleOutcome(text)
        context = RuleContext(placement, channel, depth, self.expand)
        return apply_rules(self.rules, text, context, self.regexes)


def read_turns(given: AssemblyInput, history: Sequence[HistoryEntry], ruling: Ruling) -> Turns:
    """The turns of this prompt with the message as the last one."""
    entries, visibility = visible(history, given.policy.visibility)
    stored = _stored_message(given, ruling)
    current = HistoryEntry(EntryRole.USER, stored.text, floor_id=None)
    folded = fold_history([*entries, current], max_turns=given.policy.source_selection.window)
    last = HistoryTurn(
        role=Role.USER,
        content=stored.text
        if folded.effective_user_message is None
        else folded.effective_user_message,
        floor_ids=folded.trace.trailing_user_source_floor_ids,
    )
    shown, phases = _for_prompt((*folded.turns, last), ruling)
    return Turns(
        all=shown,
        preprocessed=stored.text,
        trace=folded.trace,
        visibility=visibility,
        phases=(_phase("persist.user_input", [stored]), *phases),
    )


def _stored_message(given: AssemblyInput, ruling: Ruling) -> RuleOutcome:
    message = given.message
    if message.is_stored:
        return RuleOutcome(message.text)
    return ruling(message.text, Placement.USER_INPUT, Channel.PERSIST)


def _for_prompt(
    turns: tuple[HistoryTurn, ...], ruling: Ruling
) -> tuple[tuple[HistoryTurn, ...], tuple[RegexPhase, ...]]:
    """Newest first, because the time that rules may take is limited."""
    if not any(rule.prompt_only for rule in ruling.rules):
        return turns, (RegexPhase("prompt.user_input", ()),)
    outcomes: list[tuple[Role, RuleOutcome]] = []
    shown: list[HistoryTurn] = []
    for depth, turn in enumerate(reversed(turns)):
        placement = _PLACEMENTS.get(turn.role)
        if placement is None:
            shown.append(turn)
            continue
        outcome = ruling(turn.content, placement, Channel.PROMPT, depth=depth)
        outcomes.append((turn.role, outcome))
        shown.append(replace(turn, content=outcome.text) if outcome.applied else turn)
    by_user = [outcome for role, outcome in outcomes if role is Role.USER]
    by_model = [outcome for role, outcome in outcomes if role is not Role.USER]
    return tuple(reversed(shown)), (
        _phase("prompt.user_input", by_user),
        _phase("prompt.ai_output", by_model),
    )


def _phase(name: str, outcomes: Sequence[RuleOutcome]) -> RegexPhase:
    """Each rule once; one that applied somewhere is not called skipped."""
    applied = dict.fromkeys(rule for outcome in outcomes for rule in outcome.applied)
    skipped = dict.fromkeys(
        one for outcome in outcomes for one in outcome.skipped if one.name not in applied
    )
    return RegexPhase(name, tuple(applied), tuple(skipped))
