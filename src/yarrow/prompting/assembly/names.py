"""Decide whose names the messages of the history have."""

from collections.abc import Mapping

from yarrow.prompting.assembly.history import HistoryTurn
from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.preset import NamesBehavior


def name_turns(
    inputs: AssemblyInput,
    turns: tuple[HistoryTurn, ...],
    behavior: NamesBehavior,
    names: Mapping[PromptRole, str],
) -> list[PromptMessage]:
    """Make the messages of the turns; `names` are those of the persona and the card."""
    is_group = _has_several_characters(inputs)
    match behavior:
        case NamesBehavior.ALWAYS:
            return [_name_turn(turn, names, is_group=is_group) for turn in turns]
        case NamesBehavior.GROUPS if is_group:
            names = {role: name for role, name in names.items() if role is not PromptRole.USER}
            return [_name_turn(turn, names, is_group=True) for turn in turns]
        case NamesBehavior.GROUPS | NamesBehavior.OFF:
            return [PromptMessage(turn.role, turn.content) for turn in turns]


def report_names(inputs: AssemblyInput, behavior: NamesBehavior) -> NamesBehavior:
    """Off or always: names of a group count as always."""
    is_off = behavior is NamesBehavior.OFF
    if is_off or (behavior is NamesBehavior.GROUPS and not _has_several_characters(inputs)):
        return NamesBehavior.OFF
    return NamesBehavior.ALWAYS


def with_speaker(text: str, role: PromptRole, names: Mapping[PromptRole, str]) -> str:
    """Prefix `Name: `, unless the text already has the prefix or the role has no name."""
    name = names.get(role)
    if not name or text.startswith(f"{name}:"):
        return text
    return f"{name}: {text}"


def _name_turn(
    turn: HistoryTurn, names: Mapping[PromptRole, str], *, is_group: bool
) -> PromptMessage:
    """The message of a turn; in a group each character has its own name."""
    if is_group and turn.speaker and turn.role is PromptRole.ASSISTANT:
        names = {turn.role: turn.speaker}
    return PromptMessage(turn.role, with_speaker(turn.content, turn.role, names))


def _has_several_characters(inputs: AssemblyInput) -> bool:
    """Whether the lines of the history name more than one character, as in a group chat."""
    return len({entry.speaker for entry in inputs.history} - {""}) > 1
