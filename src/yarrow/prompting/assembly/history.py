"""The history as this prompt may show it: visible floors, folded, through the prompt's rules."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AssemblyInput, EntryRole, HistoryEntry
from yarrow.prompting.assembly.result import (
    HistoryTrace,
    HistoryViolation,
    HistoryViolationCode,
    MergedGroup,
    RegexPhase,
    VisibilityTrace,
)
from yarrow.prompting.macros import MacroRun
from yarrow.prompting.model import PromptRole
from yarrow.prompting.policy import TurnRange, VisibilityMode, VisibilityPolicy
from yarrow.prompting.regex_engine.port import RegexEngine
from yarrow.prompting.regex_rules import (
    RegexRule,
    RuleChannel,
    RuleContext,
    RuleOutcome,
    RulePlacement,
    apply_rules,
)

_BLANK_LINE = "\n\n"

_PROMPT_ROLES = {
    EntryRole.USER: PromptRole.USER,
    EntryRole.ASSISTANT: PromptRole.ASSISTANT,
    EntryRole.SYSTEM: PromptRole.SYSTEM,
    EntryRole.NARRATOR: PromptRole.ASSISTANT,
}


class HistoryTurn(msgspec.Struct, frozen=True, gc=False):
    """Entries that the model reads as one message, and where they came from."""

    role: PromptRole
    content: str
    floor_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()


class FoldedHistory(msgspec.Struct, frozen=True):
    """`turns` end before the trailing user turn, which is the message to answer."""

    turns: tuple[HistoryTurn, ...]
    effective_user_message: str | None
    trace: HistoryTrace


def fold_history(entries: Sequence[HistoryEntry], *, max_turns: int | None = None) -> FoldedHistory:
    """The last `max_turns` turns, the current one among them; it is never cut off."""
    groups = _group_entries(entries)
    turns = [
        _merge_entries(group) if len(group) > 1 else _single_entry_turn(group[0])
        for group in groups
    ]
    selected = turns if max_turns is None else turns[-max(1, max_turns) :]
    tail = selected[-1] if selected and selected[-1].role is PromptRole.USER else None
    return FoldedHistory(
        turns=tuple(selected[:-1] if tail else selected),
        effective_user_message=tail.content if tail else None,
        trace=HistoryTrace(
            raw_entry_count=len(entries),
            effective_turn_count=len(turns),
            selected_turn_count=len(selected),
            trailing_user_source_floor_ids=tail.floor_ids if tail else (),
            merged_user_groups=tuple(_merged_groups(groups, turns)),
            violations=tuple(_violations(turns)),
        ),
    )


def _group_entries(entries: Sequence[HistoryEntry]) -> list[list[HistoryEntry]]:
    groups: list[list[HistoryEntry]] = []
    last_role = None
    for entry in entries:
        role = _PROMPT_ROLES[entry.role]
        if role is last_role and _share_turn(role, groups[-1][-1], entry):
            groups[-1].append(entry)
        else:
            groups.append([entry])
            last_role = role
    return groups


def _share_turn(role: PromptRole, before: HistoryEntry, entry: HistoryEntry) -> bool:
    """Of two entries of one role: a user's words go on over floors, an answer is one floor's."""
    match role:
        case PromptRole.USER:
            return True
        case PromptRole.ASSISTANT:
            return before.floor_id == entry.floor_id
        case PromptRole.SYSTEM:
            return False


def _merge_entries(group: Sequence[HistoryEntry]) -> HistoryTurn:
    floor_ids = (entry.floor_id for entry in group if entry.floor_id is not None)
    return HistoryTurn(
        role=_PROMPT_ROLES[group[0].role],
        content=_BLANK_LINE.join(entry.content for entry in group),
        floor_ids=tuple(dict.fromkeys(floor_ids)),
        message_ids=tuple(entry.message_id for entry in group if entry.message_id is not None),
    )


def _single_entry_turn(entry: HistoryEntry) -> HistoryTurn:
    """The usual case, on a short way: long histories consist of little else."""
    return HistoryTurn(
        _PROMPT_ROLES[entry.role],
        entry.content,
        () if entry.floor_id is None else (entry.floor_id,),
        () if entry.message_id is None else (entry.message_id,),
    )


def _merged_groups(
    groups: Sequence[Sequence[HistoryEntry]], turns: Sequence[HistoryTurn]
) -> list[MergedGroup]:
    return [
        MergedGroup(
            effective_role=turn.role,
            source_floor_ids=turn.floor_ids,
            source_message_ids=turn.message_ids,
            includes_current_input=any(entry.floor_id is None for entry in group),
        )
        for group, turn in zip(groups, turns, strict=True)
        if len(group) > 1 and turn.role is PromptRole.USER
    ]


def _violations(turns: Sequence[HistoryTurn]) -> list[HistoryViolation]:
    return [
        HistoryViolation(
            HistoryViolationCode.ADJACENT_ASSISTANT_FLOORS, before.floor_ids + turn.floor_ids
        )
        for before, turn in pairwise(turns)
        if before.role is PromptRole.ASSISTANT and turn.role is PromptRole.ASSISTANT
    ]


def filter_visible(
    entries: Sequence[HistoryEntry], policy: VisibilityPolicy
) -> tuple[Sequence[HistoryEntry], VisibilityTrace | None]:
    """The entries a prompt may show; no trace where there is no rule."""
    if policy == VisibilityPolicy():
        return entries, None
    shown = [entry for entry in entries if _is_visible(entry, policy)]
    hidden = dict.fromkeys(
        entry.floor_id
        for entry in entries
        if entry.floor_id is not None and not _is_visible(entry, policy)
    )
    return shown, VisibilityTrace(policy.mode, tuple(hidden), len(entries) - len(shown))


def _is_visible(entry: HistoryEntry, policy: VisibilityPolicy) -> bool:
    if entry.floor_id in policy.hidden_floor_ids or _is_in_range(policy.hidden_floor_ranges, entry):
        return False
    match policy.mode:
        case VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN:
            return True
        case VisibilityMode.DENY_ALL_EXCEPT_VISIBLE:
            return entry.floor_id in policy.visible_floor_ids or _is_in_range(
                policy.visible_floor_ranges, entry
            )


def _is_in_range(ranges: Iterable[TurnRange], entry: HistoryEntry) -> bool:
    number = entry.floor_no
    return number is not None and any(
        one.start_floor_no <= number <= one.end_floor_no for one in ranges
    )


def expand_greetings(given: AssemblyInput, run: MacroRun) -> Sequence[HistoryEntry]:
    """The history with the macros of its greetings run; one of which nothing is left goes.

    As long as nobody has answered, a greeting's writes belong to the coming turn. Afterwards
    they were kept with the first one.
    """
    history = given.history
    authored = sum(entry.is_authored for entry in history)
    if not authored:
        return history
    is_past = authored < given.chat.message_count
    run_through = [
        _expand_greeting(entry, run, is_past=is_past) if entry.is_authored else entry
        for entry in history
    ]
    return [entry for entry in run_through if entry.content or not entry.is_authored]


def _expand_greeting(entry: HistoryEntry, run: MacroRun, *, is_past: bool) -> HistoryEntry:
    place = f"greeting:{entry.message_id}"
    return replace(entry, content=run.begin_with(entry.content, place=place, is_past=is_past))


_PLACEMENTS = {
    PromptRole.USER: RulePlacement.USER_INPUT,
    PromptRole.ASSISTANT: RulePlacement.AI_OUTPUT,
}


class PromptTurns(msgspec.Struct, frozen=True):
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
class RegexRunner:
    """The rules of a session with what they need to run."""

    rules: Sequence[RegexRule]
    regexes: RegexEngine
    expand: Callable[[str], str]

    def __call__(
        self, text: str, placement: RulePlacement, channel: RuleChannel, *, depth: int | None = None
    ) -> RuleOutcome:
        if not self.rules:
            return RuleOutcome(text)
        context = RuleContext(placement, channel, depth, self.expand)
        return apply_rules(self.rules, text, context, self.regexes)


def build_turns(
    given: AssemblyInput, history: Sequence[HistoryEntry], ruling: RegexRunner
) -> PromptTurns:
    """The turns of this prompt with the message as the last one."""
    entries, visibility = filter_visible(history, given.policy.visibility)
    stored = _preprocess_message(given, ruling)
    current = HistoryEntry(EntryRole.USER, stored.text, floor_id=None)
    folded = fold_history([*entries, current], max_turns=given.policy.source_selection.window)
    last = HistoryTurn(
        role=PromptRole.USER,
        content=stored.text
        if folded.effective_user_message is None
        else folded.effective_user_message,
        floor_ids=folded.trace.trailing_user_source_floor_ids,
    )
    shown, phases = _apply_prompt_rules((*folded.turns, last), ruling)
    return PromptTurns(
        all=shown,
        preprocessed=stored.text,
        trace=folded.trace,
        visibility=visibility,
        phases=(_regex_phase("persist.user_input", [stored]), *phases),
    )


def _preprocess_message(given: AssemblyInput, ruling: RegexRunner) -> RuleOutcome:
    message = given.message
    if message.is_stored:
        return RuleOutcome(message.text)
    return ruling(message.text, RulePlacement.USER_INPUT, RuleChannel.PERSIST)


def _apply_prompt_rules(
    turns: tuple[HistoryTurn, ...], ruling: RegexRunner
) -> tuple[tuple[HistoryTurn, ...], tuple[RegexPhase, ...]]:
    """Newest first, because the time that rules may take is limited."""
    if not any(rule.prompt_only for rule in ruling.rules):
        return turns, (RegexPhase("prompt.user_input", ()),)
    outcomes: list[tuple[PromptRole, RuleOutcome]] = []
    shown: list[HistoryTurn] = []
    for depth, turn in enumerate(reversed(turns)):
        placement = _PLACEMENTS.get(turn.role)
        if placement is None:
            shown.append(turn)
            continue
        outcome = ruling(turn.content, placement, RuleChannel.PROMPT, depth=depth)
        outcomes.append((turn.role, outcome))
        shown.append(replace(turn, content=outcome.text) if outcome.applied else turn)
    by_user = [outcome for role, outcome in outcomes if role is PromptRole.USER]
    by_model = [outcome for role, outcome in outcomes if role is not PromptRole.USER]
    return tuple(reversed(shown)), (
        _regex_phase("prompt.user_input", by_user),
        _regex_phase("prompt.ai_output", by_model),
    )


def _regex_phase(name: str, outcomes: Sequence[RuleOutcome]) -> RegexPhase:
    """Each rule once; one that applied somewhere is not called skipped."""
    applied = dict.fromkeys(rule for outcome in outcomes for rule in outcome.applied)
    skipped = dict.fromkeys(
        one for outcome in outcomes for one in outcome.skipped if one.name not in applied
    )
    return RegexPhase(name, tuple(applied), tuple(skipped))
