"""Each tool: what it tells the model, what it shows, what it refuses."""

from datetime import UTC, datetime

import jsonschema_rs
import pytest
from tests.ui_schema_page import broken_rules
from tests.unit.tools.calling import ACCOUNT, SESSION, Shelf, caller_in, tools

from yarrow.kit.json import JsonObject, decode_json
from yarrow.kit.language import Language
from yarrow.liuyao import DayBoundary
from yarrow.sessions.model import Role, SearchHit
from yarrow.tools.model import ToolError
from yarrow.tools.search_sessions import SNIPPET_CHARS, snippet_of
from yarrow.uischema import compile_stored_card

FOUND = SearchHit("Rain?", Role.USER, "will it rain", datetime(2026, 4, 1, 20, tzinfo=UTC))
CASTING = {"question": "换工作合适吗？", "lines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"]}

CALLS: dict[str, JsonObject] = {
    "current_time": {},
    "points_balance": {},
    "search_sessions": {"query": "rain"},
    "cast_hexagram": {"question": "Will it rain?"},
    "show_card": {"title": "Rain", "status": "warning", "items": ["Take a coat"]},
}


def test_every_tool_is_called_here() -> None:
    assert set(CALLS) == set(tools())


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", CALLS)
async def test_every_tool_makes_a_valid_card(name: str, language: Language) -> None:
    tool = tools(Shelf(found=(FOUND, FOUND)))[name]

    answer = await tool.call(CALLS[name], caller_in(language))

    card = compile_stored_card(answer.card or answer.answer_card)
    assert card is not None
    assert broken_rules(card) == []
    assert answer.text


@pytest.mark.parametrize("name", CALLS)
def test_schema_is_one_and_takes_what_the_tool_takes(name: str) -> None:
    schema = tools()[name].description.parameters

    jsonschema_rs.meta.validate(schema)
    judge = jsonschema_rs.Draft202012Validator(schema)
    assert judge.is_valid(CALLS[name])
    assert not judge.is_valid(CALLS[name] | {"unknown": 1})


@pytest.mark.parametrize("name", CALLS)
async def test_unknown_arguments_are_told_to_the_model(name: str) -> None:
    with pytest.raises(ToolError, match="unknown field `colour`"):
        await tools()[name].call(CALLS[name] | {"colour": "red"}, caller_in())


@pytest.mark.parametrize("name", CALLS)
async def test_null_is_as_good_as_left_out(name: str) -> None:
    optional = {"current_time": "timezone", "search_sessions": "limit", "cast_hexagram": "lines"}

    await tools()[name].call(CALLS[name] | {optional.get(name, "x"): None}, caller_in())


@pytest.mark.parametrize(
    "name, arguments, complaint",
    [
        ("current_time", {"timezone": "Mars/Olympus"}, "IANA name"),
        ("current_time", {"timezone": "../../etc/passwd"}, "IANA name"),
        ("current_time", {"timezone": "Asia"}, "IANA name"),
        ("current_time", {"timezone": "a\0"}, "IANA name"),
        ("current_time", {"timezone": 8}, "timezone"),
        ("search_sessions", {}, "query"),
        ("search_sessions", {"query": " "}, "at least one word"),
        ("search_sessions", {"query": "a\0"}, "without NUL"),
        ("search_sessions", {"query": "x" * 201}, "200"),
        ("search_sessions", {"query": "x", "limit": 11}, "limit"),
        ("cast_hexagram", {}, "question"),
        ("cast_hexagram", {"question": " "}, "must not be empty"),
        ("cast_hexagram", {"question": "x" * 301}, "300"),
        ("cast_hexagram", {"question": "x", "lines": ["少阳"]}, "lines"),
        ("cast_hexagram", {"question": "x", "lines": ["yang"] * 6}, "lines"),
        ("show_card", {}, "must show something"),
        ("show_card", {"title": "a\0"}, "control characters"),
        ("show_card", {"actions": [{"type": "link", "label": "x", "href": "file:///x"}]}, "https"),
    ],
)
async def test_wrong_arguments_are_told_in_words(
    name: str, arguments: JsonObject, complaint: str
) -> None:
    with pytest.raises(ToolError, match=complaint) as refused:
        await tools()[name].call(arguments, caller_in())

    assert str(refused.value).isprintable()


async def test_time_is_the_callers_unless_another_place_is_named() -> None:
    tool = tools()["current_time"]

    here = decode_json((await tool.call({}, caller_in())).text)
    there = decode_json((await tool.call({"timezone": "UTC"}, caller_in())).text)

    assert here == {
        "iso": "2026-04-03T20:30:00+08:00",
        "weekday": "Friday",
        "timezone": "Asia/Shanghai",
    }
    assert there["iso"] == "2026-04-03T12:30:00+00:00"


async def test_time_is_shown_in_the_callers_language() -> None:
    answer = await tools()["current_time"].call({}, caller_in(Language.HANT))

    assert answer.card == {
        "title": "20:30",
        "facts": {"日期": "2026-04-03 星期五", "時區": "Asia/Shanghai"},
    }


async def test_points_are_the_callers_own() -> None:
    shelf = Shelf()

    answer = await tools(shelf)["points_balance"].call({}, caller_in())

    assert shelf.asked == [(ACCOUNT,)]
    assert decode_json(answer.text) == {"balance": 100, "held": 20, "available": 80, "spent": 40}


async def test_search_leaves_out_the_session_it_is_called_from() -> None:
    shelf = Shelf(found=(FOUND,))

    answer = await tools(shelf)["search_sessions"].call({"query": " rain  snow "}, caller_in())

    assert shelf.asked == [(ACCOUNT, ("rain", "snow"), SESSION, 5)]
    (hit,) = decode_json(answer.text)["sessions"]
    assert hit == {
        "title": "Rain?",
        "date": "2026-04-02 04:00",
        "said_by": "user",
        "snippet": "will it rain",
    }


async def test_search_shows_odd_sessions_as_well() -> None:
    odd = SearchHit("\x07 ", Role.ASSISTANT, "a\x00\x1b[31m\n" * 200, FOUND.created_at)

    answer = await tools(Shelf(found=(odd,)))["search_sessions"].call({"query": "a"}, caller_in())

    card = compile_stored_card(answer.card)
    assert card is not None
    assert card["root"]["children"][1]["items"][0]["title"] == "Untitled session"


def test_snippet_is_the_piece_around_the_word() -> None:
    text = "起 " * 100 + "我想换工作" + " 落" * 100

    snippet = snippet_of(text, ["工作"])

    assert "我想换工作" in snippet
    assert (snippet[0], snippet[-1]) == ("…", "…")
    assert len(snippet) <= SNIPPET_CHARS + 2


async def test_given_lines_are_cast_as_given() -> None:
    answer = await tools(throws=())["cast_hexagram"].call(CASTING, caller_in(Language.HANS))

    told = decode_json(answer.text)
    assert (told["hexagram"], told["becomes"]) == ("水火既济", "风雷益")
    assert told["lines"] == CASTING["lines"]
    assert told["time"] == "2026-04-03 20:30 +08:00"
    assert told["reading"]["sign_level"].endswith("签")
    assert answer.card is not None
    assert answer.card["badges"] == [told["reading"]["sign_level"]]


async def test_coins_are_thrown_where_no_lines_are_given() -> None:
    tool = tools(throws=(0, 1, 2, 3, 0, 1))["cast_hexagram"]

    told = decode_json((await tool.call({"question": "下雨吗"}, caller_in())).text)

    assert told["lines"] == ["老阴", "少阳", "少阴", "老阳", "老阴", "少阳"]  # seed 0, huaCount


async def test_reading_is_in_the_callers_language() -> None:
    said = {}
    for language in Language:
        answer = await tools()["cast_hexagram"].call(CASTING, caller_in(language))
        said[language] = decode_json(answer.text)["reading"]["answer"]

    assert said[Language.HANS].startswith("就卦而论")
    assert said[Language.HANT].startswith("就卦而論")
    assert said[Language.ENGLISH].startswith("By the hexagram")


async def test_day_begins_when_the_profile_says() -> None:
    late = {"zone": "Etc/GMT-11"}  # 23:30 there
    tellings = [
        decode_json((await tools()["cast_hexagram"].call(CASTING, caller)).text)["pillars"]
        for caller in (
            caller_in(Language.HANS, **late, day_boundary=DayBoundary.LATE_ZI),
            caller_in(Language.HANS, **late, day_boundary=DayBoundary.MIDNIGHT),
        )
    ]

    assert tellings[0] != tellings[1]


async def test_where_no_verdict_is_drawn_no_sign_is_shown() -> None:
    asked = CASTING | {"question": "我想自杀，会成功吗"}

    answer = await tools()["cast_hexagram"].call(asked, caller_in(Language.HANS))

    assert "sign_level" not in decode_json(answer.text)["reading"]
    assert answer.card is not None
    assert answer.card["badges"] == []


async def test_a_models_card_goes_with_the_answer() -> None:
    answer = await tools()["show_card"].call({"title": "a", "image": None}, caller_in())

    assert (answer.card, answer.answer_card) == (None, {"title": "a"})
