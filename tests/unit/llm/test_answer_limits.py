"""An answer is refused while it is read, as soon as it exceeds a limit."""

from collections.abc import Callable
from itertools import chain, repeat

import pytest
from benchmarks.hostile_model import event
from tests.loose_json import JsonObject

from yarrow.llm.answer_limits import (
    MAX_ANSWER_BYTES,
    MAX_ARGUMENTS_BYTES,
    MAX_CALLS,
    MAX_EVENT_BYTES,
    MAX_EVENT_PARTS,
    MAX_STREAM_BYTES,
    MAX_STREAM_EVENTS,
)
from yarrow.llm.errors import ModelBroken
from yarrow.llm.openai_answer import AnswerReader

KIB = "x" * 1024


def call(index: int, arguments: str = "") -> JsonObject:
    function = {"name": "f", "arguments": arguments}
    return {"tool_calls": [{"index": index, "id": f"call_{index}", "function": function}]}


def bytes_accepted(piece: bytes, measure: Callable[[bytes], int] = len) -> int:
    """How much of an endless repetition of the piece is read before it is refused."""
    reader, accepted = AnswerReader(), 0
    with pytest.raises(ModelBroken):
        for data in repeat(piece):
            list(reader.feed(data))
            accepted += measure(data)
    return accepted


@pytest.mark.parametrize("field", ["content", "reasoning_content", "reasoning"])
@pytest.mark.parametrize(("text", "size"), [(KIB, 1024), ("因" * 1024, 3072), ("🙂" * 256, 1024)])
def test_text_is_bounded_in_bytes(field: str, text: str, size: int) -> None:
    accepted = bytes_accepted(event({field: text}), lambda _: size)

    assert MAX_ANSWER_BYTES - size < accepted <= MAX_ANSWER_BYTES


def test_text_and_reasoning_are_bounded_together() -> None:
    piece = event({"content": KIB, "reasoning": KIB})

    assert bytes_accepted(piece, lambda _: 2048) == MAX_ANSWER_BYTES


def test_arguments_of_all_calls_are_bounded_together() -> None:
    reader = AnswerReader()
    list(chain.from_iterable(reader.feed(event(call(index))) for index in range(2)))

    with pytest.raises(ModelBroken):
        for index in range(2 * MAX_ARGUMENTS_BYTES // 1024):
            list(reader.feed(event(call(index % 2, KIB))))
    assert index == pytest.approx(MAX_ARGUMENTS_BYTES // 1024, abs=1)


def test_calls_are_bounded() -> None:
    reader = AnswerReader()
    chunks = [chunk for index in range(MAX_CALLS) for chunk in reader.feed(event(call(index)))]

    assert len(chunks) == MAX_CALLS
    with pytest.raises(ModelBroken):
        list(reader.feed(event(call(MAX_CALLS))))


def test_a_name_counts_as_arguments() -> None:
    long_name = {"index": 0, "id": "a", "function": {"name": "f" * (MAX_ARGUMENTS_BYTES + 1)}}

    with pytest.raises(ModelBroken):
        list(AnswerReader().feed(event({"tool_calls": [long_name]})))


def test_events_without_text_are_bounded() -> None:
    accepted = bytes_accepted(event({}) * 64, lambda data: data.count(b"data:"))

    assert accepted == MAX_STREAM_EVENTS


@pytest.mark.slow
def test_comments_are_bounded() -> None:
    assert bytes_accepted(b": wait\n\n" * 8192) == MAX_STREAM_BYTES


def test_an_event_is_bounded_wherever_it_is_cut() -> None:
    whole = event({"content": "x" * MAX_EVENT_BYTES})

    with pytest.raises(ModelBroken):
        list(AnswerReader().feed(whole))
    assert bytes_accepted(whole[:65536]) <= MAX_EVENT_BYTES


def test_an_event_of_many_objects_is_refused_before_it_is_decoded() -> None:
    few, many = (b'{"choices":[' + b"{}," * count + b"{}]}" for count in (9, MAX_EVENT_PARTS))

    assert list(AnswerReader().feed(b"data: " + few + b"\n\n")) == []
    with pytest.raises(ModelBroken):
        list(AnswerReader().feed(b"data: " + many + b"\n\n"))


def test_an_answer_that_is_not_streamed_has_the_same_limits() -> None:
    text = "x" * (MAX_ANSWER_BYTES + 1)
    body = b'{"choices":[{"message":{"content":"%b"},"finish_reason":"stop"}]}' % text.encode()

    with pytest.raises(ModelBroken):
        list(AnswerReader().read_whole(body))


def test_an_ordinary_long_answer_is_within_all_limits() -> None:
    reader = AnswerReader()
    chunks = [chunk for _ in range(60_000) for chunk in reader.feed(event({"content": " word"}))]

    assert len(chunks) == 60_000
