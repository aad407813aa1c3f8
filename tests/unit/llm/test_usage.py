"""Token counts as endpoints send them."""

import msgspec
import pytest
from tests.loose_json import JsonValue

from yarrow.kit.json import encode_json
from yarrow.llm.model import InvalidUsageChunk, UsageChunk
from yarrow.llm.usage import MAX_TOKENS, read_usage


def read(usage: JsonValue) -> UsageChunk | InvalidUsageChunk | None:
    return read_usage(msgspec.Raw(encode_json(usage)))


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}, (3, 5)),
        ({"prompt_tokens": MAX_TOKENS}, (MAX_TOKENS, 0)),
        ({"prompt_tokens": None, "completion_tokens": 5}, (0, 5)),
        ({}, (0, 0)),
    ],
)
def test_whole_numbers_are_counted(usage: JsonValue, counts: tuple[int, int]) -> None:
    assert read(usage) == UsageChunk(*counts)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -1},
        {"completion_tokens": MAX_TOKENS + 1},
        {"prompt_tokens": 5.5},
        {"prompt_tokens": 1e300},
        {"prompt_tokens": "many"},
        {"prompt_tokens": "٣"},
        {"prompt_tokens": True},
        {"prompt_tokens": [1]},
        {"prompt_tokens": 1, "note": "x" * 10_000},
        [1, 2],
        "many",
        7,
    ],
)
def test_impossible_counts_are_marked(usage: JsonValue) -> None:
    assert read(usage) == InvalidUsageChunk()


def test_a_number_of_a_thousand_digits_is_marked() -> None:
    usage = msgspec.Raw(b'{"prompt_tokens": ' + b"9" * 1000 + b"}")

    assert read_usage(usage) == InvalidUsageChunk()


@pytest.mark.parametrize("usage", [b"", b"null"])
def test_no_usage_is_no_fault(usage: bytes) -> None:
    assert read_usage(msgspec.Raw(usage)) is None
