"""Chat files as SillyTavern writes them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loose_json import JsonObject, JsonValue

from yarrow.errors import InvalidInput
from yarrow.kit.json import decode_json, encode_json
from yarrow.prompting.errors import ChatUnreadable
from yarrow.prompting.formats.chat_dates import parse_date
from yarrow.prompting.formats.chat_writing import write_chat
from yarrow.prompting.formats.chats import (
    LINES_MAX,
    ChatFile,
    ChatLine,
    ChatSpeaker,
    read_chat,
    split_exchanges,
)

USER: JsonObject = {"name": "Ada", "is_user": True, "mes": "hi"}
REPLY: JsonObject = {"name": "Mira", "is_user": False, "mes": "hello"}


def speakers(*rows: JsonObject) -> list[list[str]]:
    """Who speaks on each floor."""
    floors = split_exchanges(read_chat(rows).lines)
    return [[line.speaker.value for line in floor] for floor in floors]


def test_a_user_line_opens_a_floor_and_the_reply_belongs_to_it() -> None:
    assert speakers(USER, REPLY, USER, REPLY) == [["user", "assistant"], ["user", "assistant"]]


def test_what_comes_before_the_user_is_the_greeting_floor() -> None:
    assert speakers(REPLY, REPLY, USER, REPLY) == [["assistant"] * 2, ["user", "assistant"]]


def test_two_user_lines_are_two_floors() -> None:
    assert speakers(USER, USER, REPLY) == [["user"], ["user", "assistant"]]


def test_floor_numbers_of_our_own_export_decide() -> None:
    rows = [REPLY | {"extra": {"floor_no": n}} for n in (0, 1, 1)]

    assert speakers(*rows) == [["assistant"], ["assistant", "assistant"]]


def test_a_header_is_distinguished_from_a_message() -> None:
    header: JsonObject = {
        "user_name": "Ada",
        "character_name": "Mira",
        "create_date": "2024-1-1 @00h00m",
    }

    with_one, without = read_chat([header, USER]), read_chat([USER])

    assert (with_one.user_name, with_one.character_name) == ("Ada", "Mira")
    assert len(with_one.lines) == len(without.lines) == 1


def test_the_shown_text_counts_where_it_differs_from_its_swipe() -> None:
    row = REPLY | {"mes": "edited", "swipes": ["a", "b"], "swipe_id": 1}

    (line,) = read_chat([row]).lines

    assert (line.swipes, line.active) == (("a", "edited"), 1)


@pytest.mark.parametrize("swipe_id", [None, -1, 9, "1", True])
def test_a_swipe_id_that_points_nowhere_is_found_by_its_text(swipe_id: JsonValue) -> None:
    row = REPLY | {"mes": "c", "swipes": ["a", "b", "c"], "swipe_id": swipe_id}

    (line,) = read_chat([row]).lines

    assert (line.swipes, line.active) == (("a", "b", "c"), 2)


def test_a_lost_swipe_is_empty() -> None:
    row = REPLY | {"mes": "c", "swipes": [None, "c"], "swipe_id": 1}

    (line,) = read_chat([row]).lines

    assert (line.swipes, line.active) == (("", "c"), 1)


def test_hidden_and_narrated_lines_are_kept_as_such() -> None:
    rows = [USER | {"is_system": True}, REPLY | {"extra": {"type": "narrator"}}]

    hidden, narrated = read_chat(rows).lines

    assert (hidden.hidden, hidden.speaker) == (True, ChatSpeaker.USER)
    assert narrated.speaker is ChatSpeaker.NARRATOR


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1_687_191_200_123, datetime(2023, 6, 19, 16, 13, 20, 123_000, tzinfo=UTC)),
        ("1687191200123", datetime(2023, 6, 19, 16, 13, 20, 123_000, tzinfo=UTC)),
        ("2023-06-19T16:13:20.123Z", datetime(2023, 6, 19, 16, 13, 20, 123_000, tzinfo=UTC)),
        ("2023-6-19 @16h 13m 20s 123ms", datetime(2023, 6, 19, 16, 13, 20, 123_000, tzinfo=UTC)),
        ("2023-06-19@16h13m20s", datetime(2023, 6, 19, 16, 13, 20, tzinfo=UTC)),
        ("June 19, 2023 4:13pm", datetime(2023, 6, 19, 16, 13, tzinfo=UTC)),
        ("June 19, 2023 12:05am", datetime(2023, 6, 19, 0, 5, tzinfo=UTC)),
    ],
)
def test_dates_are_read_in_all_the_ways_they_were_written(
    written: JsonValue, meant: datetime
) -> None:
    assert parse_date(written) == meant


@pytest.mark.parametrize(
    "written",
    [None, True, "", "yesterday", "9999-99-99", 10**30, [], {}, "0001-01-01T00:00:00+10:00"],
)
def test_a_date_that_cannot_be_read_is_none(written: JsonValue) -> None:
    assert parse_date(written) is None


def test_separators_inside_a_message_do_not_end_its_line() -> None:
    text = "a\u2028b\u0085c\x0bd"
    file = encode_json(USER | {"mes": text}).decode()

    (line,) = read_chat(file).lines

    assert line.swipes == (text,)


def test_blank_lines_a_byte_order_mark_and_carriage_returns_do_no_harm() -> None:
    file = "\ufeff" + encode_json(USER).decode() + "\r\n\r\n" + encode_json(REPLY).decode()

    assert len(read_chat(file).lines) == 2


@pytest.mark.parametrize(
    ("file", "line"), [("{", 1), ('{"mes": "a"}\n\n3', 3), ('{"mes": "a"}\n{"mes": null}', 2)]
)
def test_a_broken_line_is_named(file: str, line: int) -> None:
    with pytest.raises(ChatUnreadable) as refused:
        read_chat(file)

    assert refused.value.line == line


def test_a_nul_character_is_refused_and_the_text_that_looks_like_one_is_not() -> None:
    (line,) = read_chat(r'{"mes": "\\u0000"}').lines

    assert line.swipes == (r"\u0000",)
    with pytest.raises(ChatUnreadable):
        read_chat(r'{"mes": "a"}' + "\n" + r'{"mes": "\u0000"}')


def test_too_many_lines_or_texts_are_refused() -> None:
    with pytest.raises(InvalidInput):
        read_chat([USER] * (LINES_MAX + 2))
    with pytest.raises(InvalidInput):
        read_chat([REPLY | {"swipes": [""] * 200}] * 501)


_LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
_TEXTS = st.text(_LETTERS, max_size=20)
_LINES = st.builds(
    ChatLine,
    speaker=st.sampled_from(ChatSpeaker),
    swipes=st.lists(_TEXTS, min_size=1, max_size=1).map(tuple),
    name=st.text(_LETTERS, min_size=1, max_size=8),
    hidden=st.booleans(),
    sent_at=st.integers(0, 4_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC)),
    turn_number=st.integers(0, 9),
)
_SWIPED = st.builds(
    ChatLine,
    speaker=st.just(ChatSpeaker.ASSISTANT),
    swipes=st.lists(_TEXTS, min_size=3, max_size=3).map(tuple),
    active=st.integers(0, 2),
    name=st.just("Mira"),
)


@given(st.lists(st.one_of(_LINES, _SWIPED), max_size=6).map(tuple))
def test_what_is_written_is_read_back(lines: tuple[ChatLine, ...]) -> None:
    chat = ChatFile("Ada", "Mira", {"variables": {"a": [1]}}, lines)

    again = read_chat(write_chat(chat))

    assert [said(line) for line in again.lines] == [said(line) for line in lines]
    assert (again.user_name, again.character_name) == ("Ada", "Mira")
    assert again.metadata == {"variables": {"a": [1]}}


def said(line: ChatLine) -> tuple[object, ...]:
    """All but `extra`, which gains the word SillyTavern knows a narrator by."""
    return (line.speaker, line.swipes, line.active, line.name, line.hidden, line.sent_at)


_FIELDS = st.dictionaries(
    st.sampled_from(["force_avatar", "original_avatar", "title", "variables", "gen_id", "own"]),
    st.recursive(st.none() | st.integers(-9, 9) | _TEXTS, lambda each: st.lists(each, max_size=2)),
    max_size=4,
)
_EXTRA = st.dictionaries(st.sampled_from(["model", "reasoning", "token_count", "api"]), _TEXTS)
_TIMES = st.fixed_dictionaries({}, optional={"gen_started": _TEXTS, "gen_finished": _TEXTS})


@st.composite
def _draw_row(draw: st.DrawFn) -> JsonObject:
    row: JsonObject = {
        "name": draw(_TEXTS),
        "is_user": draw(st.booleans()),
        "is_system": draw(st.booleans()),
        "send_date": "2026-02-01T09:00:00.000Z",
        "mes": draw(_TEXTS),
        "extra": draw(_EXTRA),
    }
    row |= draw(_TIMES) | draw(_FIELDS)
    if draw(st.booleans()):
        swipes = [*draw(st.lists(_TEXTS, max_size=2)), row["mes"]]
        info = [draw(_TIMES) | {"extra": draw(_EXTRA)} for _ in swipes]
        row |= {"swipes": swipes, "swipe_id": len(swipes) - 1, "swipe_info": info}
    return row


@given(st.lists(_draw_row(), min_size=1, max_size=5))
def test_a_file_that_was_read_is_written_as_it_was(rows: list[JsonObject]) -> None:
    header: JsonObject = {"user_name": "Ada", "create_date": "x", "chat_metadata": {"a": 1}}

    written = write_chat(read_chat([header, *rows])).removesuffix("\n").split("\n")

    assert [decode_json(line) for line in written] == [header, *rows]
