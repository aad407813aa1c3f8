"""Days and times that only a calendar or a clock knows, as the tools are asked for them."""

import pytest

from yarrow.llm.rule_based.clock_questions import ClockIntent, read_clock
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.intents import Intent
from yarrow.llm.rule_based.places import PlaceZone
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.time_questions import TimeIntent

NEW_YORK = PlaceZone("New York", "America/New_York")
BEIJING = PlaceZone("Beijing", "Asia/Shanghai")
BORN = DateIntent(until="1990-05-20", is_age=True)


@pytest.mark.parametrize(
    "text, intent",
    [
        ("下周三是几号", DateIntent(weekday="wednesday", week="next")),
        ("下下周二是哪天", DateIntent(weekday="tuesday", week="next", days=7)),
        ("這週五幾號", DateIntent(weekday="friday", week="this")),
        ("上周日是几月几号？", DateIntent(weekday="sunday", week="last")),
        ("What date is this Saturday?", DateIntent(weekday="saturday")),
        ("what date is next Friday?", WeekdayIntent("friday", is_past=False)),
        ("what was last Monday's date", WeekdayIntent("monday", is_past=True)),
        ("两个月后是几号", DateIntent(months=2)),
        ("What day is it in two months?", DateIntent(months=2)),
        ("what's the date a year from now", DateIntent(months=12)),
        ("two weeks from today", DateIntent(days=14)),
        ("what date is 90 days from today", DateIntent(days=90)),
        ("90 days from 2026-03-01", DateIntent("2026-03-01", days=90)),
        ("What is the date two days after 2024-01-01?", DateIntent("2024-01-01", days=2)),
        ("2026年3月1日之后90天是几号", DateIntent("2026-03-01", days=90)),
        ("how many weeks until Christmas", DateIntent(until="12-25", in_weeks=True)),
        ("还有几天过年", DateIntent(until="lunar-new-year")),
        ("今年还剩多少天", DateIntent(until="12-31")),
        ("how many days are left in this year", DateIntent(until="12-31")),
        ("端午节是哪天", DateIntent("lunar-05-05")),
        ("今年中秋節是星期幾", DateIntent("lunar-08-15", year="this")),
        ("2027年春节是几号", DateIntent("2027-01-01", until="lunar-new-year", is_when=True)),
        ("What day was Christmas last year?", DateIntent("12-25", year="last")),
        ("how many days are in February 2028", DateIntent("2028-02-01", until="2028-03-01")),
        ("2026年12月有多少天", DateIntent("2026-12-01", until="2027-01-01")),
        ("I was born on May 20, 1990. How old am I?", BORN),
        ("我1990年5月20日出生，今年几岁", BORN),
        ("When it is 9am in New York what time is it in Beijing?",
         ClockIntent("09:00", NEW_YORK, (BEIJING,))),
        ("if it's 15:30 in Beijing, what is it in New York?",
         ClockIntent("15:30", BEIJING, (NEW_YORK,))),
        ("北京时间晚上8点半是纽约几点",
         ClockIntent("20:30", PlaceZone("北京", "Asia/Shanghai"),
                     (PlaceZone("纽约", "America/New_York"),))),
        ("如果北京是早上八点，伦敦几点",
         ClockIntent("08:00", PlaceZone("北京", "Asia/Shanghai"),
                     (PlaceZone("伦敦", "Europe/London"),))),
        ("巴黎20:00是北京几点",
         ClockIntent("20:00", PlaceZone("巴黎", "Europe/Paris"),
                     (PlaceZone("北京", "Asia/Shanghai"),))),
        ("What time will it be in 3 hours?", ClockIntent(minutes=180)),
        ("二十分钟后是几点", ClockIntent(minutes=20)),
    ],
)  # fmt: skip
def test_a_day_or_time_is_named_for_the_tool(text: str, intent: Intent) -> None:
    assert find_intents([text]) == ([intent], False)


@pytest.mark.parametrize(
    "text",
    [
        "今年还有几天年假",
        "how many days left in this year of my contract",
        "今年除夕是几号",
        "when is Easter 2027",
        "how old was I on 2020-01-01",
        "how old is the Eiffel tower",
        "下周三天气怎么样",
        "What should I do next Friday?",
        "what date is next Friday in the Hijri calendar",
        "我的虚岁是多少，1990年5月20日出生",
        "is 9am in New York too early to call Beijing?",
        "When it is 9am in New York and 3pm in Paris what time is it in Beijing?",
        "25:00 in New York is what time in Beijing",
        "how many hours is SJ behind London",
        "三天后会下雨吗",
        "现在的时间戳是多少",
    ],
)
def test_other_days_and_times_are_left_alone(text: str) -> None:
    assert find_intents([text])[0] == []


@pytest.mark.parametrize("text", ["the time at the south pole", "what time is it at Easter"])
def test_a_direction_or_feast_is_no_place(text: str) -> None:
    (intent,), _ = find_intents([f"tell me {text}" if text.startswith("the") else text])

    assert isinstance(intent, TimeIntent)
    assert intent.places == ()
    assert intent.unknown


@pytest.mark.parametrize(
    "text, at", [("北京时间晚上12点是纽约几点", "00:00"), ("北京夜里2点是纽约几点", "02:00")]
)
def test_twelve_at_night_is_midnight(text: str, at: str) -> None:
    clock = read_clock(text)

    assert clock is not None
    assert clock.at == at


def test_half_an_hour_more_is_counted() -> None:
    assert read_clock("2小时半后是几点") == ClockIntent(minutes=150)
