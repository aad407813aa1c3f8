"""Events as lines (seed 001, event types)."""

import pytest
from tests.loose_json import JsonObject, decode_json

from yarrow.journal import NumberedEvent
from yarrow.journal.events import (
    FailureReason,
    MessageFinished,
    MessageStarted,
    Progressed,
    ReasoningDelta,
    RunEvent,
    RunFailed,
    RunRestarted,
    RunStarted,
    RunSucceeded,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
    UsageReported,
    Warned,
)
from yarrow.product_events import UntypedProduct
from yarrow.protocols.ndjson.errors import RETRY
from yarrow.protocols.ndjson.streams.encode import LineEncoder, ToolCallName

TRAJECTORY: list[JsonObject] = [{"role": "checkpoint"}]


def encoded(*events: RunEvent, call_name: ToolCallName = ToolCallName.TOOL_START) -> bytes:
    encoder = LineEncoder(call_name, lambda: TRAJECTORY)
    return encoder.encode_batch(
        [NumberedEvent(place, event) for place, event in enumerate(events, 1)]
    )


def lines(*events: RunEvent, call_name: ToolCallName = ToolCallName.TOOL_START) -> list[JsonObject]:
    return [decode_json(line) for line in encoded(*events, call_name=call_name).splitlines()]


def test_an_error_says_code_message_and_whether_to_try_again() -> None:  # DF020
    [line] = lines(RunFailed(0, FailureReason.MODEL_RATE_LIMITED))

    assert set(line) == {"type", "error"}
    assert set(line["error"]) == {"code", "message", "retry"}
    assert (line["error"]["code"], line["error"]["retry"]) == ("LLM_RATE_LIMIT", True)


def test_the_codes_that_may_be_tried_again_are_those_of_the_protocol() -> None:
    assert {code for code in RETRY if code.startswith("LLM_")} == {
        "LLM_RATE_LIMIT",
        "LLM_TIMEOUT",
        "LLM_SERVICE_ERROR",
    }


def test_a_warning_without_a_code_has_no_key_for_one() -> None:  # DF022
    assert lines(Warned("", "x")) == [{"type": "warning", "warning": {"message": "x"}}]


def test_every_text_delta_is_one_line() -> None:
    assert (
        encoded(TextDelta("m", 'a\n"字"'), TextDelta("m", "\u2028"))
        == (
            '{"type":"text_delta","content":"a\\n\\"字\\""}\n'
            '{"type":"text_delta","content":"\u2028"}\n'
        ).encode()
    )


@pytest.mark.parametrize(
    "event",
    [
        RunStarted(0),
        RunSucceeded(0, {}),
        MessageStarted("m"),
        MessageFinished("m", {"prompt": "secret"}),
        ReasoningDelta("m", "secret"),
        UsageReported("model", 1, 2),
        Progressed("building_context"),
    ],
)
def test_internal_events_have_no_line(event: RunEvent) -> None:
    assert encoded(event) == b""


@pytest.mark.parametrize("kind", ["clarify", "explain", "delegate"])
def test_a_pause_waits_until_the_run_is_settled(kind: str) -> None:
    pause = UntypedProduct(kind, {"iteration": 1})

    assert lines(pause) == []
    assert lines(pause, RunSucceeded(0, {})) == [
        {"type": kind, "iteration": 1, "trajectory": TRAJECTORY}
    ]
    [failed] = lines(pause, RunFailed(0, FailureReason.INTERNAL))
    assert failed["error"]["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize("kind", ["completion", "done"])
def test_last_line_is_sent_only_after_the_run_settled(kind: str) -> None:
    end = UntypedProduct(kind, {"x": 1})

    assert lines(end) == []
    assert lines(end, RunSucceeded(0, {})) == [{"type": kind, "x": 1}]


def test_no_field_of_an_event_replaces_its_type() -> None:
    assert encoded(UntypedProduct("question", {"text": "?", "type": "error"})) == (
        b'{"type":"question","text":"?"}\n'
    )


def called(name: str, arguments: str) -> list[RunEvent]:
    half = len(arguments) // 2
    pieces = (arguments[:half], arguments[half:])
    return [
        ToolCallStarted("c", name, "m"),
        *(ToolCallArguments("c", piece) for piece in pieces if piece),
        ToolCallFinished("c"),
    ]


def test_a_call_of_the_analyst_names_its_four_fields() -> None:
    assert lines(*called("run_sql", '{"query": "SELECT 1", "x": 2}')) == [
        {
            "type": "tool_start",
            "tool": "run_sql",
            "purpose": None,
            "code": None,
            "table_names": None,
            "query": "SELECT 1",
        }
    ]


def test_a_call_of_the_loader_carries_all_arguments() -> None:
    result = lines(
        *called("execute_python", '{"code": "1"}'),
        *called("list_data", "not json"),
        call_name=ToolCallName.TOOL_CALL,
    )

    assert result == [
        {"type": "tool_call", "tool": "execute_python", "code": "1", "args": {"code": "1"}},
        {"type": "tool_call", "tool": "list_data", "args": {}},
    ]


def test_tool_result_has_the_tools_name_and_content() -> None:
    answer = ToolReturned("c", "m", '{"stdout": "42", "tool": "x", "type": "y"}', failed=True)

    assert lines(*called("explore", ""), answer)[-1] == {
        "type": "tool_result",
        "tool": "explore",
        "status": "error",
        "stdout": "42",
    }


def test_a_run_that_began_again_says_so() -> None:
    assert lines(RunRestarted(2, 0)) == [{"type": "progress", "phase": "restarted"}]


def test_run_that_lost_its_worker_can_be_retried() -> None:
    [line] = lines(RunFailed(0, FailureReason.WORKER_LOST))

    assert line["error"]["code"] == "AGENT_ERROR"
    assert line["error"]["retry"] is True
