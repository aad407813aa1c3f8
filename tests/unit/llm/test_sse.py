"""Events come out whole, wherever the network cut the bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.llm.answer_limits import MAX_EVENT_BYTES
from yarrow.llm.errors import ModelBroken
from yarrow.llm.sse import EventSplitter

PAYLOADS = st.lists(
    st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zs"]), min_size=1), max_size=8
)


def split(data: bytes) -> list[bytes]:
    splitter = EventSplitter()
    return [bytes(payload) for payload in splitter.feed(data) + splitter.close()]


@given(PAYLOADS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["data:", "data: "]), st.data())
def test_any_cut_of_the_bytes_gives_the_same_events(
    payloads: list[str], line_end: str, field: str, data: st.DataObject
) -> None:
    stream = "".join(f"{field}{p}{line_end}{line_end}" for p in payloads).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))

    splitter, events = EventSplitter(), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += splitter.feed(stream[start:end])

    assert [event.decode() for event in events + splitter.close()] == payloads


def test_comments_and_other_fields_are_no_data() -> None:
    assert split(b": ping\n\nevent: message\nid: 7\ndata: {}\n\nretry: 10\n\n") == [b"{}"]


def test_data_over_several_lines_is_one_event() -> None:
    assert split(b'data: {"a":\ndata: 1}\n\n') == [b'{"a":\n1}']


def test_last_event_needs_no_blank_line() -> None:
    assert split(b"data: [DONE]") == [b"[DONE]"]


def test_event_without_end_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(ModelBroken):
        EventSplitter().feed(b"data: " + b"x" * MAX_EVENT_BYTES)


def test_event_of_many_lines_is_refused_before_it_fills_the_memory() -> None:
    splitter, line = EventSplitter(), b"data: " + b"x" * 1023 + b"\n"

    splitter.feed(line * (MAX_EVENT_BYTES // 1024))
    with pytest.raises(ModelBroken):
        splitter.feed(line * 2)


def test_line_in_many_pieces_is_refused_before_it_fills_the_memory() -> None:
    splitter, piece = EventSplitter(), b"x" * 1024

    for _ in range(MAX_EVENT_BYTES // 1024):
        splitter.feed(piece)
    with pytest.raises(ModelBroken):
        splitter.feed(piece)
