"""Read the token counts of an answer. Impossible ones are ignored: the answer is still good."""

import msgspec
from msgspec import Struct

from yarrow.llm.model import InvalidUsageChunk, UsageChunk

MAX_TOKENS = 20_000_000
"""Twice the largest context window there is. A run sums its calls in a 32-bit column."""
MAX_USAGE_BYTES = 4096


class _Usage(Struct, gc=False):
    prompt_tokens: msgspec.Raw = msgspec.Raw(b"0")
    completion_tokens: msgspec.Raw = msgspec.Raw(b"0")


def read_usage(usage: msgspec.Raw) -> UsageChunk | InvalidUsageChunk | None:
    """The counts of a `usage` value; None if it is absent or null."""
    text = bytes(usage)
    if text in (b"", b"null"):
        return None
    if len(text) > MAX_USAGE_BYTES:
        return InvalidUsageChunk()
    try:
        counts = msgspec.json.decode(text, type=_Usage)
    except msgspec.DecodeError:
        return InvalidUsageChunk()
    sent, received = _read_count(counts.prompt_tokens), _read_count(counts.completion_tokens)
    return InvalidUsageChunk() if sent is None or received is None else UsageChunk(sent, received)


def _read_count(count: msgspec.Raw) -> int | None:
    """A whole number that a model can have counted; null means that it did not count."""
    text = bytes(count).decode()
    if text == "null":
        return 0
    is_number = text.isdecimal() and len(text) <= len(str(MAX_TOKENS))
    return int(text) if is_number and int(text) <= MAX_TOKENS else None
