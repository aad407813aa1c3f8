"""The exact messages of a run, stored with its last message and sent to no client.

A turn that continues repeats them byte for byte, so that the provider's prefix cache holds: with
tool calls, reminders and repairs, and with replies as the model wrote them.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import replace

from yarrow.agents.conversation.history import ToChat, recall_messages
from yarrow.kit.json import JsonValue
from yarrow.llm.model import ChatMessage, ImagePart
from yarrow.sessions.model import Message, Role

TRANSCRIPT, DESCRIBED = "transcript", "described"
"""Keys of a message's private details: the messages, and the tables of the system prompt."""
MADE = "table"
"""Key of a message's output: the table it made."""


def write_transcript(messages: Sequence[ChatMessage]) -> list[JsonValue]:
    """The messages as JSON; images are stored with the question."""
    return [msgspec.to_builtins(replace(message, images=())) for message in messages]


def restore_messages(history: Sequence[Message], to_chat: ToChat) -> Iterator[ChatMessage]:
    """The messages of earlier runs: exactly if they were stored, else made from what was."""
    for _, run in groupby(history, lambda message: message.details.run_key):
        messages = list(run)
        transcript = _find_private(messages, TRANSCRIPT)
        if isinstance(transcript, list) and transcript:
            yield from _read_transcript(transcript, messages)
        else:
            yield from recall_messages(messages, to_chat)


def find_described_tables(history: Sequence[Message]) -> frozenset[str] | None:
    """The tables that the system prompt of the conversation describes; None if it has none."""
    names = _find_private(history, DESCRIBED)
    return frozenset(map(str, names)) if isinstance(names, list) else None


def find_created_tables(history: Sequence[Message]) -> frozenset[str]:
    """The tables that the conversation made; its observations describe them."""
    outputs = (message.details.output or {} for message in history)
    return frozenset(str(output[MADE]) for output in outputs if MADE in output)


def _find_private(messages: Sequence[Message], key: str) -> JsonValue:
    values = (message.details.private for message in messages)
    return next((private[key] for private in values if key in private), None)


def _read_transcript(
    transcript: list[JsonValue], messages: Sequence[Message]
) -> Iterator[ChatMessage]:
    question, *others = msgspec.convert(transcript, list[ChatMessage])
    asked = next((message for message in messages if message.role is Role.USER), None)
    urls = asked.details.options.get("images") if asked is not None else None
    images = tuple(ImagePart(str(url)) for url in urls) if isinstance(urls, list) else ()
    yield replace(question, images=images)
    yield from others
