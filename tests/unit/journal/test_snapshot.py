"""What events amount to, and what is kept of them."""

from decimal import Decimal
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.loose_json import decode_json

from yarrow.errors import InvalidInput
from yarrow.ids import MessageId
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    RunEvent,
    RunRestarted,
    RunStarted,
    RunSucceeded,
    StepStarted,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
    UsageReported,
    encode_event,
)
from yarrow.journal.snapshot import (
    TokenPrice,
    build_messages,
    build_run_result,
    fold_events,
    require_valid_usage,
)
from yarrow.product_events.product import UntypedProduct
from yarrow.sessions.model import MessageToolCall, NewMessage, Role

A, B, T = (str(UUID(int=n)) for n in (1, 2, 3))

TOOL_LOOP: list[RunEvent] = [
    RunStarted(1_000),
    StepStarted("worker"),
    ToolCallStarted("c1", "current_time", A),
    ToolCallArguments("c1", '{"timezone":'),
    ToolCallArguments("c1", '"UTC"}'),
    ToolCallFinished("c1"),
    UsageReported("m", 10, 5),
    ToolReturned("c1", T, "noon"),
    MessageStarted(B),
    TextDelta(B, "It is "),
    TextDelta(B, "noon."),
    UsageReported("m", 20, 7),
    MessageFinished(B, {"status": "success", "answer": "It is noon."}),
]


def kept(events: list[RunEvent]) -> list[NewMessage]:
    ids = count(100)
    messages, _ = build_messages(
        fold_events(events),
        run_key="r",
        price=TokenPrice(Decimal(1), Decimal(2)),
        now_ms=1_250,
        new_id=lambda: UUID(int=next(ids)),
    )
    return messages


def test_text_tools_and_usage_add_up() -> None:
    snapshot = fold_events(TOOL_LOOP)

    assert snapshot.messages[B].text == "It is noon."
    assert snapshot.tools["c1"].arguments == '{"timezone":"UTC"}'
    assert (snapshot.input_tokens, snapshot.output_tokens) == (30, 12)
    assert snapshot.open_steps == ["worker"]


def test_a_restart_forgets_what_the_lost_attempt_said() -> None:
    snapshot = fold_events([*TOOL_LOOP, RunRestarted(2, 2_000, open_steps=("worker",))])

    assert snapshot.messages == {}
    assert snapshot.tools == {}
    assert snapshot.open_steps == []
    assert snapshot.began_ms == 2_000


def test_the_result_is_the_agents_own_or_its_last_words() -> None:
    assert build_run_result(fold_events(TOOL_LOOP)) == {
        "status": "success",
        "answer": "It is noon.",
    }
    plain: list[RunEvent] = [MessageStarted(A), TextDelta(A, "hi"), MessageFinished(A)]
    assert build_run_result(fold_events(plain)) == {
        "status": "success",
        "answer": "hi",
        "error": "",
    }


def test_an_ended_run_has_the_result_it_ended_with() -> None:
    assert fold_events([*TOOL_LOOP, RunSucceeded(9, {"answer": "noon"})]).result == {
        "answer": "noon"
    }


def test_a_product_of_an_old_journal_is_stored_only_if_it_was_kept() -> None:
    products = [UntypedProduct("chart", {"n": 1}), UntypedProduct("hint", {"n": 2}, kept=False)]

    assert list(fold_events([*TOOL_LOOP, *products]).products) == ["chart"]


def test_a_tool_loop_is_kept_as_a_tool_message_and_an_answer_with_the_figures() -> None:
    tool, answer = kept(TOOL_LOOP)

    assert (tool.role, tool.content, tool.tool_name) == (Role.TOOL, "noon", "current_time")
    assert (answer.role, answer.content) == (Role.ASSISTANT, "It is noon.")
    assert (answer.input_tokens, answer.output_tokens, answer.latency_ms) == (30, 12, 250)
    assert answer.cost == Decimal("0.000054")
    assert answer.details.output == {"status": "success", "answer": "It is noon."}


def test_a_call_for_a_clients_tool_is_kept_with_the_message_that_asks() -> None:
    (answer,) = kept(TOOL_LOOP[:6])

    call = MessageToolCall("c1", "current_time", '{"timezone":"UTC"}')
    assert answer.details.tool_calls == (call,)


def test_silence_is_kept_as_an_empty_answer() -> None:
    (answer,) = kept([RunStarted(1_000)])

    assert (answer.role, answer.content) == (Role.ASSISTANT, "")


def test_every_event_survives_the_journal() -> None:
    events = [*TOOL_LOOP, RunSucceeded(3, {"a": [1, {"b": "卦"}]}), RunRestarted(2, 9)]

    assert [msgspec.convert(decode_json(encode_event(e)), RunEvent) for e in events] == events


# seed 3, messages: token/cost non-negative, latency_ms null or non-negative
@pytest.mark.parametrize(
    "figures",
    [{"input_tokens": -1}, {"output_tokens": -1}, {"cost": Decimal(-1)}, {"latency_ms": -1}],
)
def test_negative_figures_are_refused(figures: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        require_valid_usage(NewMessage(MessageId(uuid4()), Role.ASSISTANT, "x", **figures))


def test_zero_and_unknown_figures_are_sound() -> None:
    require_valid_usage(NewMessage(MessageId(uuid4()), Role.ASSISTANT, "x", latency_ms=None))


def test_no_message_is_built_with_negative_usage() -> None:
    with pytest.raises(InvalidInput):
        kept([*TOOL_LOOP, UsageReported("m", -31, 0)])
