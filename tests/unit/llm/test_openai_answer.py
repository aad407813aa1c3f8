"""What an endpoint sends, read into chunks."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loose_json import JsonObject, JsonValue

from yarrow.kit.json import encode_json
from yarrow.llm.errors import (
    ModelBroken,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelUnreachable,
)
from yarrow.llm.model import (
    Chunk,
    FinishChunk,
    FinishReason,
    InvalidUsageChunk,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)
from yarrow.llm.openai_answer import AnswerReader, join_texts

STOP = FinishChunk(FinishReason.STOP)
DONE = b"data: [DONE]\n\n"


def event(value: JsonObject) -> bytes:
    return b"data: " + encode_json(value) + b"\n\n"


def delta(finish: str | None = None, **fields: object) -> bytes:
    return event({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def read(*pieces: bytes) -> list[Chunk]:
    reader = AnswerReader()
    chunks = [chunk for piece in pieces for chunk in reader.feed(piece)]
    return chunks + list(reader.close())


def tool(index: int | None, call_id: str = "", name: str = "", arguments: str = "") -> JsonObject:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}


ANSWER = (
    delta(role="assistant", content="")
    + delta(reasoning_content="因为")
    + delta(content="你好 ")
    + delta(content="🙂")
    + delta(tool_calls=[tool(0, "a", "look", '{"q":')])
    + delta(tool_calls=[tool(0, arguments='"雨"}')])
    + delta("tool_calls")
    + event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}})
    + DONE
)
CHUNKS = [
    ReasoningChunk("因为"),
    TextChunk("你好 "),
    TextChunk("🙂"),
    ToolCallChunk(0, "a", "look", '{"q":'),
    ToolCallChunk(0, "", "", '"雨"}'),
    UsageChunk(3, 5),
    FinishChunk(FinishReason.TOOL_CALLS),
]


@given(st.lists(st.integers(0, len(ANSWER))), st.booleans())
def test_any_cut_of_the_bytes_gives_the_same_chunks(cuts: list[int], crlf: bool) -> None:
    answer = ANSWER.replace(b"\n", b"\r\n") if crlf else ANSWER
    edges = [0, *sorted(cuts), len(answer)]

    pieces = [answer[a:b] for a, b in pairwise(edges)]

    assert read(*pieces) == CHUNKS


def test_finish_is_last_and_usage_comes_once_however_often_it_was_sent() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    early = event({"choices": [{"delta": {"content": "a"}}], "usage": usage})
    late = event({"choices": [], "usage": usage | {"completion_tokens": 2}})

    assert read(early, delta("stop"), late, DONE) == [TextChunk("a"), UsageChunk(1, 2), STOP]


def test_usage_that_is_null_later_is_kept() -> None:
    early = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})

    assert read(early, event({"choices": [], "usage": None}), delta("stop")) == [
        UsageChunk(1, 2),
        STOP,
    ]


@pytest.mark.parametrize("usage", [{"prompt_tokens": -1}, {"completion_tokens": "many"}, 7])
def test_impossible_usage_does_not_cost_the_answer(usage: JsonValue) -> None:
    counted = event({"choices": [], "usage": usage})

    assert read(delta("stop", content="a"), counted, DONE) == [
        TextChunk("a"),
        InvalidUsageChunk(),
        STOP,
    ]


def test_an_empty_reasoning_is_read_once() -> None:
    events = delta(content="a", reasoning_content="") + delta(
        "stop", content="b", reasoning_content=""
    )

    assert read(events) == [ReasoningChunk(""), TextChunk("a"), TextChunk("b"), STOP]


def test_reasoning_under_its_other_name_is_read_once() -> None:
    assert read(delta("stop", reasoning="hm")) == [ReasoningChunk("hm"), STOP]
    assert read(delta("stop", reasoning="hm", reasoning_content="hm"))[0] == ReasoningChunk("hm")


def test_unknown_finish_reason_is_other() -> None:
    assert read(delta("eos"), DONE) == [FinishChunk(FinishReason.OTHER)]


def test_done_without_finish_reason_is_an_end() -> None:
    assert read(delta(content="a"), DONE) == [TextChunk("a"), FinishChunk(FinishReason.OTHER)]


def test_finish_reason_without_done_is_an_end() -> None:
    assert read(delta("stop", content="a")) == [TextChunk("a"), STOP]


def test_stream_that_just_ends_was_cut_off() -> None:
    with pytest.raises(ModelUnreachable):
        read(delta(content="a"))


def test_calls_that_share_an_index_are_told_apart_by_id() -> None:
    chunks = read(
        delta(tool_calls=[tool(0, "a", "f", "{}")]), delta("stop", tool_calls=[tool(0, "b", "g")])
    )

    assert chunks[:2] == [ToolCallChunk(0, "a", "f", "{}"), ToolCallChunk(1, "b", "g", "")]
    assert chunks[2] == FinishChunk(FinishReason.TOOL_CALLS)


def test_id_and_name_repeated_in_each_piece_are_given_once() -> None:
    chunks = read(
        delta(tool_calls=[tool(0, "a", "f", "{")]),
        delta("stop", tool_calls=[tool(0, "a", "f", "}")]),
    )

    assert chunks[:2] == [ToolCallChunk(0, "a", "f", "{"), ToolCallChunk(0, "", "", "}")]


def test_call_without_an_id_gets_one() -> None:
    assert read(delta("stop", tool_calls=[tool(None, name="f")]))[0] == ToolCallChunk(
        0, "call_0", "f", ""
    )


def test_call_without_a_name_cannot_be_read() -> None:
    with pytest.raises(ModelBroken):
        read(delta(tool_calls=[tool(0, "a")]))


@pytest.mark.parametrize(
    "error, expected",
    [
        ({"code": 429}, ModelRateLimited),
        ({"code": "400"}, ModelRefused),
        ({"code": 503}, ModelUnreachable),
        ({"code": "server_error", "message": "secret"}, ModelUnreachable),
        ("secret", ModelRefused),
    ],
)
def test_error_in_the_stream_is_told_by_its_code_and_loses_no_text_before_it(
    error: JsonValue, expected: type[ModelError]
) -> None:
    chunks = AnswerReader().feed(delta(content="a") + event({"error": error}))

    assert next(chunks) == TextChunk("a")
    with pytest.raises(expected) as failure:
        next(chunks)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("payload", [b"{", b"[]", b'{"choices":7}', b'{"choices":["\xff"]}'])
def test_unreadable_event_is_broken(payload: bytes) -> None:
    with pytest.raises(ModelBroken):
        read(b"data: " + payload + b"\n\n")


def test_whole_completion_gives_the_chunks_of_a_stream() -> None:
    message = {
        "content": "hi",
        "reasoning_content": "hm",
        "tool_calls": [tool(None, "a", "f", "{}")],
    }
    body = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }

    assert list(AnswerReader().read_whole(encode_json(body))) == [
        ReasoningChunk("hm"),
        TextChunk("hi"),
        ToolCallChunk(0, "a", "f", "{}"),
        UsageChunk(1, 2),
        FinishChunk(FinishReason.TOOL_CALLS),
    ]


def test_json_that_is_no_completion_is_broken() -> None:
    with pytest.raises(ModelBroken):
        list(AnswerReader().read_whole(b'{"object":"list"}'))


def test_neighbouring_texts_are_joined_and_nothing_else() -> None:
    call = ToolCallChunk(0, "c", "look", "")
    chunks: list[Chunk] = [TextChunk("a"), TextChunk("b"), call, TextChunk("c")]
    chunks += [ReasoningChunk("d"), TextChunk("e")]

    assert list(join_texts(chunks)) == [
        TextChunk("ab"),
        call,
        TextChunk("c"),
        ReasoningChunk("d"),
        TextChunk("e"),
    ]


def test_joined_texts_before_an_error_are_not_lost() -> None:
    def read() -> Iterator[Chunk]:
        yield TextChunk("a")
        yield TextChunk("b")
        raise ModelBroken

    chunks = join_texts(read())

    assert next(chunks) == TextChunk("ab")
    with pytest.raises(ModelBroken):
        next(chunks)
