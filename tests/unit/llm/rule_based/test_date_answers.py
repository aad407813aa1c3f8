"""Sentences about the results of the tools for dates, times, sums and tables."""

import pytest

from yarrow.kit.json import JsonObject, encode_json
from yarrow.language.languages import Language
from yarrow.llm.rule_based.answers import CallResult, write_answer
from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.intents import ArithmeticIntent, DocsIntent, Intent
from yarrow.llm.rule_based.places import PlaceZone
from yarrow.llm.rule_based.table_questions import TableIntent
from yarrow.llm.rule_based.texts import RULE_TEXTS

AGE: JsonObject = {"date": "2026-11-18", "until": "1990-11-19", "weekday": "Monday", "days": -13148}
LATER: JsonObject = {"date": "2026-11-18", "until": "2026-12-25", "weekday": "Friday", "days": 37}
FRIDAYS: list[JsonObject] = [
    {"date": "2026-11-20", "weekday": "Friday", "days_from_today": 2},
    {"date": "2026-11-27", "weekday": "Friday", "days_from_today": 9},
]
TUESDAYS: list[JsonObject] = [
    {"date": "2026-11-17", "weekday": "Tuesday", "days_from_today": -1},
    {"date": "2026-11-24", "weekday": "Tuesday", "days_from_today": 6},
]
EVENING: JsonObject = {
    "iso": "2026-11-18T22:00:00+08:00",
    "weekday": "Wednesday",
    "timezone": "Asia/Shanghai",
}
CLOCK = ClockIntent(
    "09:00", PlaceZone("New York", "America/New_York"), (PlaceZone("Beijing", "Asia/Shanghai"),)
)


def answer(name: str, results: list[JsonObject], intent: Intent, language: Language) -> str:
    calls = [CallResult(name, {}, encode_json(result).decode()) for result in results]
    return write_answer(calls, intent, language)


@pytest.mark.parametrize(
    "name, results, intent, sentence",
    [
        ("calendar_date", [AGE], DateIntent(until="1990-11-19", is_age=True),
         "Born on 1990-11-19, one is 35 years old today; that is 13148 days."),
        ("calendar_date", [LATER], DateIntent(until="12-25", in_weeks=True),
         "It is 37 days (5 weeks + 2 days) until 2026-12-25 (Friday)."),
        ("calendar_date", [LATER], DateIntent("2026-01-01", until="12-25", is_when=True),
         "2026-12-25 is a Friday."),
        ("calendar_date", FRIDAYS, WeekdayIntent("friday", is_past=False),
         "The coming Friday is 2026-11-20; the Friday of next week is 2026-11-27."),
        ("calendar_date", TUESDAYS, WeekdayIntent("tuesday", is_past=False),
         "2026-11-24 is a Tuesday."),
        ("current_time", [EVENING], CLOCK,
         "When it is 09:00 in New York today, it is 22:00 on Wednesday, 2026-11-18 in Beijing."),
        ("current_time", [EVENING], ClockIntent(minutes=60),
         "It will be 22:00 on Wednesday, 2026-11-18 (Asia/Shanghai)."),
        ("calculate", [{"expression": "120 / 480 * 100", "value": "25", "exact": True}],
         ArithmeticIntent("120 / 480 * 100", "%"), "120 ÷ 480 × 100 = 25%"),
        ("calculate", [{"expression": "5 * 1609.344 / 1000", "value": "8.04672", "exact": True}],
         ArithmeticIntent("5 * 1609.344 / 1000", "km"), "5 × 1609.344 ÷ 1000 = 8.04672 km"),
    ],
)  # fmt: skip
def test_the_result_is_told_as_it_was_asked_for(
    name: str, results: list[JsonObject], intent: Intent, sentence: str
) -> None:
    assert answer(name, results, intent, Language.ENGLISH) == sentence


def test_a_section_that_is_only_the_nearest_says_so() -> None:
    section: JsonObject = {"title": "Model", "address": "/docs/m", "text": "Set it."}
    nearest: JsonObject = {"sections": [section], "missing": ["训练"]}

    said = answer("search_docs", [nearest], DocsIntent("怎么训练模型"), Language.HANS)

    assert said.startswith("文档里没有专讲“训练”的一节，以下是最接近的。")
    assert "Set it." in said


def test_a_guess_at_a_table_that_is_not_there_is_taken_back() -> None:
    guess = TableIntent("美国", is_guess=True)
    missing = CallResult("summarise_table", {}, "there is no table 美国; known: cars, 员工")

    assert "没有表 美国，现有 cars, 员工" in write_answer([missing], guess, Language.HANS)
    assert (
        answer("summarise_table", [{"tables": []}], guess, Language.HANS)
        == RULE_TEXTS[Language.HANS].no_model
    )


def test_words_that_the_docs_cannot_have_are_told_as_not_found() -> None:
    refused = CallResult("search_docs", {}, "query must name what to look for, such as: model")

    answer = write_answer([refused], DocsIntent("怎么打开微信"), Language.HANS)

    assert answer == RULE_TEXTS[Language.HANS].docs_nothing


def test_a_section_for_a_question_of_other_things_is_no_answer() -> None:
    section: JsonObject = {"title": "Accounts", "address": "/docs/a", "text": "Sign up."}
    found: JsonObject = {"sections": [section], "missing": ["bank"], "unknown": ["bank"]}

    said = answer("search_docs", [found], DocsIntent("open an account at a bank"), Language.ENGLISH)

    assert said == RULE_TEXTS[Language.ENGLISH].docs_nothing
