"""A provider's words become a code (oracle, llm-classify)."""

from pathlib import Path

import pytest
from tests.loose_json import JsonObject, decode_json

from yarrow.journal import NumberedEvent
from yarrow.journal.events import FailureReason, RunFailed
from yarrow.llm.provider_failures import error_for_message
from yarrow.protocols.ndjson.streams.encode import LineEncoder, ToolCallName

CASES = Path(__file__).parents[4] / "data" / "data" / "cases.json"


def classified() -> list[JsonObject]:
    cases = decode_json(CASES.read_bytes())["cases"]
    return [case for case in cases if case["area"] == "llm-classify"]


@pytest.mark.parametrize("case", classified(), ids=lambda case: case["id"])
def test_model_error_messages_map_to_the_codes_of_the_oracle(case: JsonObject) -> None:
    reason = FailureReason(error_for_message(case["input"]).reason)

    written = LineEncoder(ToolCallName.TOOL_START, list).encode_batch(
        [NumberedEvent(1, RunFailed(0, reason))]
    )

    error = decode_json(written)["error"]
    assert {key: error[key] for key in ("code", "retry")} == case["expected"]
    assert case["input"] not in error["message"]
