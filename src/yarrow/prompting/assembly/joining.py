"""From parts and turns to messages."""

from collections.abc import Iterable

from yarrow.prompting.assembly.parts import Part
from yarrow.prompting.messages import PromptMessage

_BLANK_LINE = "\n\n"


def join_parts(parts: Iterable[Part | PromptMessage]) -> list[PromptMessage]:
    """Neighbours of one role become one message, but turns of the history stay apart."""
    runs: list[list[Part | PromptMessage]] = []
    role, holds_turn = None, False
    for part in parts:
        is_turn = isinstance(part, PromptMessage)
        if part.role is role and not (holds_turn and is_turn):
            runs[-1].append(part)
            holds_turn = holds_turn or is_turn
        else:
            runs.append([part])
            role, holds_turn = part.role, is_turn
    return [_joined(run) for run in runs]


def _joined(run: list[Part | PromptMessage]) -> PromptMessage:
    first = run[0]
    if len(run) == 1 and isinstance(first, PromptMessage):
        return first
    texts = [part.content if isinstance(part, PromptMessage) else part.text for part in run]
    return PromptMessage(first.role, _BLANK_LINE.join(texts))
