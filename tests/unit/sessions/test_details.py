"""The stored form of message details: other programs read these keys with SQL."""

import pytest
from tests.loose_json import JsonObject, decode_json

from yarrow.kit.json import encode_json
from yarrow.sessions.model import (
    NARRATOR,
    MessageDetails,
    MessageImage,
    MessageToolCall,
    MessageToolResult,
)
from yarrow.sessions.store import decode_details

CALL = MessageToolCall("c1", "show", "{}")

STORED: list[tuple[MessageDetails, JsonObject]] = [
    (MessageDetails(), {}),
    (
        MessageDetails(
            run_key="r1",
            images=(MessageImage("a/b.png", "image/png"),),
            options={"runtime_mode": "chat"},
            tool_results=(MessageToolResult("c1", "done"),),
        ),
        {
            "run_id": "r1",
            "images": [["a/b.png", "image/png"]],
            "options": {"runtime_mode": "chat"},
            "tool_results": [["c1", "done"]],
        },
    ),
    (
        MessageDetails(
            tool_calls=(CALL,), output={"answer": "卦"}, products={"board": 1}, reasoning="hm"
        ),
        {
            "tool_calls": [["c1", "show", "{}"]],
            "agent_output": {"answer": "卦"},
            "produced": {"board": 1},
            "reasoning": "hm",
        },
    ),
    (MessageDetails(private={"a": [1]}), {"private": {"a": [1]}}),
    (
        MessageDetails(tool_call=CALL, answer_id="m1", call_text="Look:", output={}),
        {
            "tool_call": ["c1", "show", "{}"],
            "answer_id": "m1",
            "said": "Look:",
            "agent_output": {},
        },
    ),
    (
        MessageDetails(greeting=True, speaker="Mira", shown_role=NARRATOR, extra={"a": [1]}),
        {"greeting": True, "name": "Mira", "role": "narrator", "extra": {"a": [1]}},
    ),
]


@pytest.mark.parametrize(("details", "stored"), STORED)
def test_details_are_stored_under_the_names_of_the_column(
    details: MessageDetails, stored: JsonObject
) -> None:
    assert decode_json(encode_json(details)) == stored
    assert decode_details(encode_json(stored)) == details


def test_unknown_keys_of_other_versions_are_ignored() -> None:
    assert decode_details('{"run_id": "r1", "later": [1]}') == MessageDetails(run_key="r1")


def test_values_that_were_computed_empty_are_not_stored() -> None:
    empty = "".join(part for part in ("",) if part)
    details = MessageDetails(run_key=empty, images=tuple(iter(())), options={})

    assert encode_json(details) == b"{}"
