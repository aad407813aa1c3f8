"""Questions that were answered with another day, time, balance or search than the one asked."""

import pytest

from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.intents import Intent
from yarrow.llm.rule_based.places import PlaceZone
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.search_questions import SearchIntent
from yarrow.llm.rule_based.time_questions import TimeIntent

BEIJING = PlaceZone("北京", "Asia/Shanghai")
LONDON = (PlaceZone("伦敦", "Europe/London"),)


@pytest.mark.parametrize(
    "text",
    [
        "后天的后天是几号",
        "明天的明天是星期几",
        "what day is tomorrow's tomorrow",
        "what date is Monday week",
        "两三天后是几号",
        "三天后的三天后是几号",
        "昨天和今天是几号",
        "what date was yesterday and today",
        "how many days until Christmas and New Year",
        "how many days until March 3 2027 from Jan 1 2027",
        "三五天后是星期几",
        "七八个月后是几号",
        "八月十五是几号",
        "七月七是几月几号",
        "三月三是哪天",
        "九月九是星期几",
        "离八月十五还有几天",
    ],
)
def test_day_that_two_words_or_the_lunar_calendar_may_name_is_refused(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text, intent",
    [
        ("what date was this Monday?", WeekdayIntent("monday", is_past=True)),
        ("what date was Monday?", WeekdayIntent("monday", is_past=True)),
        ("北京夜里八点，伦敦几点", ClockIntent("20:00", BEIJING, LONDON)),
        ("北京夜里一点，伦敦几点", ClockIntent("01:00", BEIJING, LONDON)),
        ("下一个周五是几号", WeekdayIntent("friday", is_past=False)),
        ("上一个周五是几号", WeekdayIntent("friday", is_past=True)),
        ("下个周五是几号", DateIntent(weekday="friday", week="next")),
        ("how many days are between Christmas and New Year", DateIntent("12-25", until="01-01")),
        ("how many days from Christmas to New Year", DateIntent("12-25", until="01-01")),
        ("hi, what time will it be in 2 hours?", ClockIntent(minutes=120)),
        ("and what time is it in 5 minutes", ClockIntent(minutes=5)),
        ("北京晚上八点，伦敦几点", ClockIntent("20:00", BEIJING, LONDON)),
    ],
)
def test_day_and_time_are_those_that_are_asked_for(text: str, intent: Intent) -> None:
    assert find_intents([text]) == ([intent], False)


@pytest.mark.parametrize(
    "text",
    [
        "北京晚上一点，伦敦几点",
        "北京夜里七点，伦敦几点",
        "what is time?",
        "if it's 3 now what time is it in 5 hours",
        "suppose it is noon, what time will it be in 2 hours",
        "时间是什么",
        "9 in the morning in Tokyo, what time in Paris?",
        "It is 9 in the evening in Tokyo. What time is it in Paris?",
    ],
)
def test_unclear_time_is_not_answered_with_another(text: str) -> None:
    assert find_intents([text])[0] == []


@pytest.mark.parametrize("text", ["I'm not in Tokyo. What time is it?", "我不在伦敦。现在几点？"])
def test_place_that_is_denied_is_not_the_one_of_the_question(text: str) -> None:
    assert find_intents([text]) == ([TimeIntent()], False)


@pytest.mark.parametrize("text", ["What time is it in Ürümqi?", "新疆现在几点"])
def test_place_of_two_clocks_has_no_single_zone(text: str) -> None:
    (intent,), _ = find_intents([text])

    assert isinstance(intent, TimeIntent)
    assert not intent.places
    assert intent.unknown


@pytest.mark.parametrize(
    "text",
    [
        "did I mention Lisbon or Madrid?",
        "search my past sessions for Lisbon and tell me what it cost",
        "how many times did I mention Lisbon",
        "what did I ask first in this chat",
        "我们这个会话里聊过里斯本吗",
        "search my past sessions from last week",
        "在聊天记录里查里斯本花了多少钱",
        "我们之前聊过里斯本还是马德里",
        "我提到过几次里斯本",
    ],
)
def test_search_that_words_cannot_do_is_refused(text: str) -> None:
    assert find_intents([text])[0] == []


@pytest.mark.parametrize(
    "text, query",
    [
        ("what did I say about Lisbon yesterday", "Lisbon"),
        ("search my past sessions for Lisbon and Madrid", "Lisbon Madrid"),
        ("我们之前聊过里斯本和马德里吗", "里斯本 马德里"),
        ("我们之前聊过世界和平吗", "世界和平"),
        ("search my past sessions for Oregon", "Oregon"),
    ],
)
def test_words_of_a_search_are_those_of_its_matter(text: str, query: str) -> None:
    assert find_intents([text]) == ([SearchIntent(query)], False)


@pytest.mark.parametrize(
    "text",
    [
        "I have 50 points and spend 20, how many points are left?",
        "I had fifty points, how many points do I have left?",
        "I have 50 points. How many points are left?",
    ],
)
def test_points_of_a_sum_are_not_those_of_the_account(text: str) -> None:
    assert find_intents([text])[0] == []
