"""From parts and turns to messages."""

from collections.abc import Iterable

from yarrow.prompting.assembly.parts import Part
from yarrow.prompting.messages import PromptMessage

_BLANK_LINE = "\n\n"


def join_parts(parts: Iterable[Part | PromptMessage]) -> list[PromptMessage]:
    """Neighbours of one role become one message, but turns of the history stay apart."""
    messages: list[PromptMessage] = []
    run: list[Part | PromptMessage] = []
    holds_turn = False
    for part in parts:
        is_turn = isinstance(part, PromptMessage)
        if run and (part.role is not run[0].role or (holds_turn and is_turn)):
            messages.append(_joined(run))
            run, holds_turn = [], False
        run.append(part)
        holds_turn = holds_turn or is_turn
    return [*messages, _joined(run)] if run else messages


def _joined(run: list[Part | PromptMessage]) -> PromptMessage:
    if len(run) == 1 and isinstance(run[0], PromptMessage):
        return run[0]
    texts = (part.content if isinstance(part, PromptMessage) else part.text for part in run)
    return PromptMessage(run[0].role, _BLANK_LINE.join(texts))
