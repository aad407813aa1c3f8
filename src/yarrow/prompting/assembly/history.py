"""Turn stored messages into the turns of a prompt: visibility, greetings, regex rules, names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AssemblyInput, HistoryEntry, HistoryTurn, InputOrigin
from yarrow.prompting.assembly.result import (
    HistoryTrace,
    HistoryViolation,
    HistoryViolationCode,
    MergedGroup,
    RegexPhase,
    VisibilityTrace,
)
from yarrow.prompting.macros import MacroRun
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.policy import TurnRange, VisibilityMode, VisibilityPolicy
from yarrow.prompting.preset import NamesBehavior
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

_PLACEMENTS = {
    PromptRole.USER: RulePlacement.USER_INPUT,
    PromptRole.ASSISTANT: RulePlacement.AI_OUTPUT,
}


MergedEntries: TypeAlias = tuple[Sequence[HistoryEntry], HistoryTurn]
"""Entries that became one turn, and the turn."""


class FoldedHistory(Struct, frozen=True):
    """`turns` exclude the trailing user turn, which is the message to answer."""

    turns: tuple[HistoryTurn, ...]
    effective_user_message: str | None
    trace: HistoryTrace


class PromptTurns(Struct, frozen=True):
    """All turns, oldest first; the last one is the message to answer.

    `preprocessed` is the message as it is stored: after the rules for storage, before those for the
    prompt.
    """

    all: tuple[HistoryTurn, ...]
    preprocessed: str
    trace: HistoryTrace
    visibility: VisibilityTrace | None
    phases: tuple[RegexPhase, ...]
    is_group: bool
    """The lines name more than one character, as in a group chat."""

    @property
    def current(self) -> HistoryTurn:
        return self.all[-1]


class RegexRunner(Struct, frozen=True):
    """A session's enabled regex rules, with the engine and the macro expansion they need."""

    rules: Sequence[RegexRule]
    regexes: RegexEngine
    expand: Callable[[str], str]

    def apply(
        self, text: str, placement: RulePlacement, channel: RuleChannel, *, depth: int | None = None
    ) -> RuleOutcome:
        if not self.rules:
            return RuleOutcome(text)
        context = RuleContext(placement, channel, depth, self.expand)
        return apply_rules(self.rules, text, context, self.regexes)


def build_turns(
    inputs: AssemblyInput,
    history: Sequence[HistoryEntry],
    runner: RegexRunner,
    *,
    names: NamesBehavior,
    own_name: str,
) -> PromptTurns:
    """Build the turns of this prompt; the current message is the last one. `own_name` is that of
    the card's character."""
    is_group = _is_group(inputs.history)
    entries, visibility = filter_visible(history, inputs.policy.visibility)
    stored = _preprocess_message(inputs, runner)
    current = HistoryEntry(PromptRole.USER, stored.text)
    window = inputs.policy.source_selection.window
    folded = fold_history(
        [*entries, current],
        max_turns=window,
        own_name=own_name if _are_named(names, is_group=is_group) else None,
    )
    last = HistoryTurn(
        role=PromptRole.USER,
        content=stored.text
        if folded.effective_user_message is None
        else folded.effective_user_message,
        turn_ids=folded.trace.trailing_user_turn_ids,
    )
    shown, phases = _apply_prompt_rules((*folded.turns, last), runner)
    return PromptTurns(
        all=shown,
        preprocessed=stored.text,
        trace=folded.trace,
        visibility=visibility,
        phases=(_regex_phase("persist.user_input", [stored]), *phases),
        is_group=is_group,
    )


def _preprocess_message(inputs: AssemblyInput, runner: RegexRunner) -> RuleOutcome:
    text = inputs.message.text
    match inputs.message.origin:
        case InputOrigin.TYPED:
            return runner.apply(text, RulePlacement.USER_INPUT, RuleChannel.PERSIST)
        case InputOrigin.EDITED:
            return runner.apply(text, RulePlacement.USER_INPUT, RuleChannel.EDIT)
        case InputOrigin.STORED:
            return RuleOutcome(text)
        case _:
            assert_never(inputs.message.origin)


def _apply_prompt_rules(
    turns: tuple[HistoryTurn, ...], runner: RegexRunner
) -> tuple[tuple[HistoryTurn, ...], tuple[RegexPhase, ...]]:
    """Apply the prompt-only rules, newest turn first because the engine's time is limited."""
    if not any(rule.prompt_only for rule in runner.rules):
        return turns, (RegexPhase("prompt.user_input", ()),)
    outcomes: list[tuple[PromptRole, RuleOutcome]] = []
    shown: list[HistoryTurn] = []
    for depth, turn in enumerate(reversed(turns)):
        placement = _PLACEMENTS.get(turn.role)
        if placement is None:
            shown.append(turn)
            continue
        outcome = runner.apply(turn.content, placement, RuleChannel.PROMPT, depth=depth)
        outcomes.append((turn.role, outcome))
        shown.append(replace(turn, content=outcome.text) if outcome.applied else turn)
    by_user = [outcome for role, outcome in outcomes if role is PromptRole.USER]
    by_model = [outcome for role, outcome in outcomes if role is not PromptRole.USER]
    return tuple(reversed(shown)), (
        _regex_phase("prompt.user_input", by_user),
        _regex_phase("prompt.ai_output", by_model),
    )


def _regex_phase(name: str, outcomes: Sequence[RuleOutcome]) -> RegexPhase:
    """List each rule once; a rule that applied to some text is not listed as skipped."""
    applied = dict.fromkeys(rule for outcome in outcomes for rule in outcome.applied)
    skipped = dict.fromkeys(
        rule for outcome in outcomes for rule in outcome.skipped if rule.name not in applied
    )
    return RegexPhase(name, tuple(applied), tuple(skipped))


def _is_group(history: Sequence[HistoryEntry]) -> bool:
    speakers = {each.speaker for each in history if each.role is PromptRole.ASSISTANT}
    return len(speakers - {"", None}) > 1


def fold_history(
    entries: Sequence[HistoryEntry], *, max_turns: int | None = None, own_name: str | None = None
) -> FoldedHistory:
    """Merge entries into turns and keep the last `max_turns`; the current turn is always kept.

    With `own_name`, that of the card's character, replies are named: then those of different
    speakers are never merged.
    """
    turns, merged, adjacent = _merge_neighbours(entries, own_name)
    selected = turns if max_turns is None else turns[-max(1, max_turns) :]
    tail = selected[-1] if selected and selected[-1].role is PromptRole.USER else None
    return FoldedHistory(
        turns=tuple(selected[:-1] if tail else selected),
        effective_user_message=tail.content if tail else None,
        trace=HistoryTrace(
            raw_entry_count=len(entries),
            effective_turn_count=len(turns),
            selected_turn_count=len(selected),
            trailing_user_turn_ids=tail.turn_ids if tail else (),
            merged_user_groups=tuple(_list_merges(merged)),
            violations=tuple(_make_violation(turns, index) for index in adjacent),
        ),
    )


def _merge_neighbours(
    entries: Sequence[HistoryEntry], own_name: str | None
) -> tuple[list[HistoryTurn], list[MergedEntries], list[int]]:
    """Make the turns; also return those of several entries, and which of the model follow one.

    Runs for thousands of entries, nearly all of which are a turn as they are.
    """
    turns: list[HistoryTurn] = []
    groups: dict[int, list[HistoryEntry]] = {}
    adjacent: list[int] = []
    last, last_role = None, None
    for entry in entries:
        role = entry.role
        if role is not last_role or last is None:
            turns.append(entry)
        elif _share_turn(role, last, entry, own_name):
            groups.setdefault(len(turns) - 1, [last]).append(entry)
        else:
            if role is PromptRole.ASSISTANT and last.turn_id != entry.turn_id:
                adjacent.append(len(turns))
            turns.append(entry)
        last, last_role = entry, role
    for index, group in groups.items():
        turns[index] = _merge_entries(group)
    return turns, [(group, turns[index]) for index, group in groups.items()], adjacent


def _share_turn(
    role: PromptRole, before: HistoryEntry, entry: HistoryEntry, own_name: str | None
) -> bool:
    """Decide whether two consecutive entries of one role form one turn.

    User messages merge across turns; assistant messages merge only within one stored turn, and
    not those of two characters.
    """
    match role:
        case PromptRole.USER:
            return True
        case PromptRole.ASSISTANT:
            is_same = _is_same_speaker(before.speaker, entry.speaker, own_name)
            return before.turn_id == entry.turn_id and is_same
        case PromptRole.SYSTEM:
            return False


def _is_same_speaker(before: str | None, speaker: str | None, own_name: str | None) -> bool:
    """Whether one name can stand before both texts; a narrator has none."""
    if own_name is None:
        return not (before and speaker) or before == speaker
    return (own_name if before == "" else before) == (own_name if speaker == "" else speaker)


def _merge_entries(group: Sequence[HistoryEntry]) -> HistoryTurn:
    return HistoryTurn(
        role=group[0].role,
        content=_BLANK_LINE.join(entry.content for entry in group),
        turn_ids=tuple(dict.fromkeys(id_ for entry in group for id_ in entry.turn_ids)),
        message_ids=tuple(id_ for entry in group for id_ in entry.message_ids),
        speaker=_find_speaker(group),
    )


def _find_speaker(group: Sequence[HistoryEntry]) -> str | None:
    """The speaker of merged entries; of users, only one that all of them have."""
    speakers = list(dict.fromkeys(entry.speaker for entry in group))
    if len(speakers) == 1:
        return speakers[0]
    is_user = group[0].role is PromptRole.USER
    return "" if is_user else next((name for name in speakers if name), "")


def _list_merges(merged: Sequence[MergedEntries]) -> list[MergedGroup]:
    return [
        MergedGroup(
            effective_role=turn.role,
            source_turn_ids=turn.turn_ids,
            source_message_ids=turn.message_ids,
            includes_current_input=any(not entry.turn_ids for entry in group),
        )
        for group, turn in merged
        if turn.role is PromptRole.USER
    ]


def _make_violation(turns: Sequence[HistoryTurn], index: int) -> HistoryViolation:
    ids = turns[index - 1].turn_ids + turns[index].turn_ids
    return HistoryViolation(HistoryViolationCode.ADJACENT_ASSISTANT_TURNS, ids)


def filter_visible(
    entries: Sequence[HistoryEntry], policy: VisibilityPolicy
) -> tuple[Sequence[HistoryEntry], VisibilityTrace | None]:
    """Return the entries a prompt may show; the trace is None if there is no visibility rule."""
    if policy == VisibilityPolicy():
        return entries, None
    shown = [entry for entry in entries if _is_visible(entry, policy)]
    hidden = dict.fromkeys(
        entry.turn_id
        for entry in entries
        if entry.turn_id is not None and not _is_visible(entry, policy)
    )
    return shown, VisibilityTrace(policy.mode, tuple(hidden), len(entries) - len(shown))


def _is_visible(entry: HistoryEntry, policy: VisibilityPolicy) -> bool:
    if entry.turn_id in policy.hidden_turn_ids or _is_in_range(policy.hidden_turn_ranges, entry):
        return False
    match policy.mode:
        case VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN:
            return True
        case VisibilityMode.DENY_ALL_EXCEPT_VISIBLE:
            return entry.turn_id in policy.visible_turn_ids or _is_in_range(
                policy.visible_turn_ranges, entry
            )


def _is_in_range(ranges: Iterable[TurnRange], entry: HistoryEntry) -> bool:
    number = entry.turn_number
    return number is not None and any(turns.first <= number <= turns.last for turns in ranges)


def expand_greetings(inputs: AssemblyInput, run: MacroRun) -> Sequence[HistoryEntry]:
    """Expand the macros of the card's greetings; a greeting that becomes empty is dropped.

    Until the user has answered, variable writes of a greeting belong to the coming turn. Afterwards
    they are already stored with the first turn, and expansion has no effects.
    """
    history = inputs.history
    authored = len([entry for entry in history if entry.is_authored])
    if not authored:
        return history
    is_past = authored < inputs.chat.message_count
    expanded = [
        _expand_greeting(entry, run, is_past=is_past) if entry.is_authored else entry
        for entry in history
    ]
    return [entry for entry in expanded if entry.content or not entry.is_authored]


def _expand_greeting(entry: HistoryEntry, run: MacroRun, *, is_past: bool) -> HistoryEntry:
    place = f"greeting:{entry.message_id}"
    return replace(entry, content=run.expand_greeting(entry.content, place=place, is_past=is_past))


def name_turns(
    turns: Sequence[HistoryTurn],
    behavior: NamesBehavior,
    names: Mapping[PromptRole, str],
    *,
    is_group: bool,
) -> Sequence[PromptMessage]:
    """Make the messages of the turns; `names` are those of the persona and the card."""
    if not _are_named(behavior, is_group=is_group):
        return turns
    if behavior is NamesBehavior.GROUPS:
        names = {role: name for role, name in names.items() if role is not PromptRole.USER}
    return [_name_turn(turn, names, is_group=is_group) for turn in turns]


def _are_named(behavior: NamesBehavior, *, is_group: bool) -> bool:
    return behavior is NamesBehavior.ALWAYS or (behavior is NamesBehavior.GROUPS and is_group)


def choose_names(behavior: NamesBehavior, *, is_group: bool) -> NamesBehavior:
    """Off or always: names of a group count as always."""
    is_named = _are_named(behavior, is_group=is_group)
    return NamesBehavior.ALWAYS if is_named else NamesBehavior.OFF


def prefix_speaker(text: str, role: PromptRole, names: Mapping[PromptRole, str]) -> str:
    """Prefix `Name: `, unless the text already has the prefix or the role has no name."""
    name = names.get(role)
    if not name or text.startswith(f"{name}:"):
        return text
    return f"{name}: {text}"


def _name_turn(
    turn: HistoryTurn, names: Mapping[PromptRole, str], *, is_group: bool
) -> PromptMessage:
    """The message of a turn. Users have the name they had, in a group each character its own, and
    a narrator none."""
    if turn.speaker is None or turn.role not in names:
        return turn
    is_own = bool(turn.speaker) and (is_group or turn.role is PromptRole.USER)
    names = {turn.role: turn.speaker} if is_own else names
    return PromptMessage(turn.role, prefix_speaker(turn.content, turn.role, names))
