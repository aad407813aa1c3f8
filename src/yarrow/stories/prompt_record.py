"""The stored form of a prompt that was sent: what explanations and comparisons read."""

import zlib

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.prompting.assembly import PromptSnapshot, RuntimeTrace
from yarrow.prompting.model import PromptMessage
from yarrow.prompting.preset import PromptIntent
from yarrow.stories.prompts import TurnPrompt

_LEVEL = 3
"""A prompt of 100 kB takes a millisecond, and a fifth of the bytes."""


class PromptRecord(Struct, frozen=True):
    """The messages as they were sent, their trace, and the policy they were made with."""

    messages: tuple[PromptMessage, ...]
    snapshot: PromptSnapshot
    trace: RuntimeTrace
    intent: PromptIntent
    branch: str
    token_estimate: int
    available_for_reply: int
    policy: JsonObject
    source_map: JsonObject
    memory_summary: str | None = None
    limitations: tuple[str, ...] = ()


def make_record(prompt: TurnPrompt) -> PromptRecord:
    """Collect what is stored of a prompt."""
    result = prompt.assembly
    return PromptRecord(
        messages=result.messages,
        snapshot=result.snapshot,
        trace=result.trace,
        intent=result.diagnostics.prompt_intent,
        branch=prompt.state.branch,
        token_estimate=result.token_estimate,
        available_for_reply=result.available_for_reply,
        policy=prompt.policy.values,
        source_map=msgspec.to_builtins(prompt.policy.source_map),
        memory_summary=result.memory_summary,
        limitations=tuple(prompt.state.limitations),
    )


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(PromptRecord)


def compress_record(record: PromptRecord) -> bytes:
    return zlib.compress(_encoder.encode(record), _LEVEL)


def decompress_record(stored: bytes) -> PromptRecord:
    return _decoder.decode(zlib.decompress(stored))
