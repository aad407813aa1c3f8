"""What was said before, made fit for a model's endpoint."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from yarrow.llm.model import ChatMessage, ChatRole


def only_answered_calls(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Drop calls nobody answered and answers to no call: endpoints refuse both.

    An answer belongs to the call right before it: models use the same ids in every turn.
    """
    kept: list[ChatMessage] = []
    for place, message in enumerate(messages):
        if message.role is ChatRole.TOOL:
            continue
        behind = takewhile(lambda m: m.role is ChatRole.TOOL, messages[place + 1 :])
        answers = {answer.tool_call_id: answer for answer in behind}
        calls = tuple(call for call in message.tool_calls if call.id in answers)
        if message.role is ChatRole.ASSISTANT and not message.text and not calls:
            continue
        kept.append(replace(message, tool_calls=calls))
        kept += [answers[call.id] for call in calls]
    return kept
