"""Stored entries folded into the turns a model reads."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

import msgspec

from yarrow.prompting.messages import Role

_BLANK_LINE = "\n\n"


class EntryRole(StrEnum):
    """Who wrote a stored entry; a narrator speaks for the assistant."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    NARRATOR = "narrator"


_ROLES = {
    EntryRole.USER: Role.USER,
    EntryRole.ASSISTANT: Role.ASSISTANT,
    EntryRole.SYSTEM: Role.SYSTEM,
    EntryRole.NARRATOR: Role.ASSISTANT,
}


class ViolationCode(StrEnum):
    """What a history should not look like."""

    ADJACENT_ASSISTANT_FLOORS = "adjacent_assistant_floors"


class HistoryEntry(msgspec.Struct, frozen=True, gc=False):
    """One stored message; without a floor it is the current input.

    What `is_authored` is a card's greeting: its macros run. A person's or a model's never do.
    `number` counts the chat's messages from nought, hidden ones too.
    """

    role: EntryRole
    content: str
    floor_id: str | None
    message_id: str | None = None
    floor_no: int | None = None
    is_authored: bool = False
    number: int | None = None


class HistoryTurn(msgspec.Struct, frozen=True, gc=False):
    """Entries that the model reads as one message, and where they came from."""

    role: Role
    content: str
    floor_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()


class MergedGroup(msgspec.Struct, frozen=True):
    """User entries that became one turn."""

    effective_role: Role
    source_floor_ids: tuple[str, ...]
    source_message_ids: tuple[str, ...]
    includes_current_input: bool


class Violation(msgspec.Struct, frozen=True):
    """Two floors next to each other that should not be."""

    code: ViolationCode
    floor_ids: tuple[str, ...]


class HistoryTrace(msgspec.Struct, frozen=True):
    """How the turns came about; merges and violations of the whole history, windowed or not."""

    raw_entry_count: int
    effective_turn_count: int
    selected_turn_count: int
    trailing_user_source_floor_ids: tuple[str, ...]
    merged_user_groups: tuple[MergedGroup, ...]
    violations: tuple[Violation, ...]


class FoldedHistory(msgspec.Struct, frozen=True):
    """`turns` end before the trailing user turn, which is the message to answer."""

    turns: tuple[HistoryTurn, ...]
    effective_user_message: str | None
    trace: HistoryTrace


def fold_history(entries: Sequence[HistoryEntry], *, max_turns: int | None = None) -> FoldedHistory:
    """The last `max_turns` turns, the current one among them; it is never cut off."""
    groups = _group(entries)
    turns = [_turn(group) if len(group) > 1 else _turn_of_one(group[0]) for group in groups]
    selected = turns if max_turns is None else turns[-max(1, max_turns) :]
    tail = selected[-1] if selected and selected[-1].role is Role.USER else None
    return FoldedHistory(
        turns=tuple(selected[:-1] if tail else selected),
        effective_user_message=tail.content if tail else None,
        trace=HistoryTrace(
            raw_entry_count=len(entries),
            effective_turn_count=len(turns),
            selected_turn_count=len(selected),
            trailing_user_source_floor_ids=tail.floor_ids if tail else (),
            merged_user_groups=tuple(_merges(groups, turns)),
            violations=tuple(_violations(turns)),
        ),
    )


def _group(entries: Sequence[HistoryEntry]) -> list[list[HistoryEntry]]:
    groups: list[list[HistoryEntry]] = []
    last_role = None
    for entry in entries:
        role = _ROLES[entry.role]
        if role is last_role and _belong_together(role, groups[-1][-1], entry):
            groups[-1].append(entry)
        else:
            groups.append([entry])
            last_role = role
    return groups


def _belong_together(role: Role, before: HistoryEntry, entry: HistoryEntry) -> bool:
    """Of two entries of one role: a user's words go on over floors, an answer is one floor's."""
    match role:
        case Role.USER:
            return True
        case Role.ASSISTANT:
            return before.floor_id == entry.floor_id
        case Role.SYSTEM:
            return False


def _turn(group: Sequence[HistoryEntry]) -> HistoryTurn:
    floor_ids = (entry.floor_id for entry in group if entry.floor_id is not None)
    return HistoryTurn(
        role=_ROLES[group[0].role],
        content=_BLANK_LINE.join(entry.content for entry in group),
        floor_ids=tuple(dict.fromkeys(floor_ids)),
        message_ids=tuple(entry.message_id for entry in group if entry.message_id is not None),
    )


def _turn_of_one(entry: HistoryEntry) -> HistoryTurn:
    """The usual case, on a short way: long histories consist of little else."""
    return HistoryTurn(
        _ROLES[entry.role],
        entry.content,
        () if entry.floor_id is None else (entry.floor_id,),
        () if entry.message_id is None else (entry.message_id,),
    )


def _merges(
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
        if len(group) > 1 and turn.role is Role.USER
    ]


def _violations(turns: Sequence[HistoryTurn]) -> list[Violation]:
    return [
        Violation(ViolationCode.ADJACENT_ASSISTANT_FLOORS, before.floor_ids + turn.floor_ids)
        for before, turn in pairwise(turns)
        if before.role is Role.ASSISTANT and turn.role is Role.ASSISTANT
    ]
