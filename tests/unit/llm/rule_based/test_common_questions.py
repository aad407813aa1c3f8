"""Common questions that the rules answer, and those beside them that they must not.

Expected amounts were worked out by hand; zones are those of IANA.
"""

from decimal import Decimal

import pytest

from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.greetings import Courtesy, CourtesyIntent
from yarrow.llm.rule_based.intents import ArithmeticIntent, Intent
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.search_questions import SearchIntent
from yarrow.llm.rule_based.time_questions import TimeIntent
from yarrow.tools.calculate import evaluate_expression, write_number


@pytest.mark.parametrize(
    "text, value",
    [
        ("add 10% to 200", "220"),
        ("add an 8.5% tip to $40", "43.4"),
        ("what is 10% more than 200?", "220"),
        ("15 percent less than 80", "68"),
        ("subtract 10% from 200", "180"),
        ("take 25% off $80", "60"),
        ("在200的基础上加10%", "220"),
        ("200的基础上减少15%是多少", "170"),
        ("一件200元的衣服打八折多少钱", "160"),
        ("一双299元的鞋打七五折是多少", "224.25"),
        ("200元打八折便宜多少钱", "40"),
        ("299打八五折能省多少", "44.85"),
        ("how much do I save with 10% off 200", "20"),
        ("1/3 of 90", "30"),
        ("3/4 of 1,200", "900"),
        ("what percentage is 30 of 120", "25"),
        ("30占120百分之几", "25"),
        ("华氏98.6度是多少摄氏度", "37"),
        ("50 divided by 20%", "250"),
        ("sqrt 169", "13"),
        ("根号169", "13"),
        ("20% tip on 85 split 4 ways", "25.5"),
        ("85块加20%小费一共多少", "102"),
        ("300元先打八折再打九折", "216"),
        ("八折后是240，原价多少", "300"),
        ("20%是50，总数是多少", "250"),
        ("if 20% is 50 what is 100%", "250"),
        ("月薪一万二年薪多少", "144000"),
        ("what is 3/8 as a decimal", "0.375"),
        ("5'11 in cm", "180.34"),
        ("1米75等于多少厘米", "175"),
        ("12 stone in kg", "76.20351816"),
        ("60 mph in km/h", "96.56064"),
        ("一公顷多少亩", "15"),
        ("一斤等于几两", "10"),
        ("70公斤多少斤", "140"),
        ("37度是多少华氏度", "98.6"),
        ("零下10摄氏度是多少华氏度", "14"),
        ("摄氏37度是华氏多少度", "98.6"),
    ],
)
def test_an_amount_is_asked_for_in_few_words(text: str, value: str) -> None:
    (intent,), asks_more = find_intents([text])

    assert isinstance(intent, ArithmeticIntent)
    assert not asks_more
    assert Decimal(write_number(evaluate_expression(intent.expression))[0]) == Decimal(value)


@pytest.mark.parametrize(
    "text, zones",
    [
        ("time in Tokyo, London", ["Asia/Tokyo", "Europe/London"]),
        ("Tokyo, Paris time now", ["Asia/Tokyo", "Europe/Paris"]),
        ("东京和伦敦的时间", ["Asia/Tokyo", "Europe/London"]),
        ("东京 伦敦现在几点", ["Asia/Tokyo", "Europe/London"]),
        ("What time is it PST?", ["America/Los_Angeles"]),
        ("time in est", ["America/New_York"]),
        ("JST time", ["Asia/Tokyo"]),
        ("how many hours is LA behind London", ["America/Los_Angeles", "Europe/London"]),
        ("time in NYC and LA", ["America/New_York", "America/Los_Angeles"]),
        ("WHAT TIME IS IT IN LA PAZ", ["America/La_Paz"]),
        ("现在PST几点", ["America/Los_Angeles"]),
        ("time difference between PST and EST", ["America/Los_Angeles", "America/New_York"]),
        ("What is today's date", []),
        ("what's today?", []),
        ("today's date", []),
    ],
)
def test_the_time_of_places_and_abbreviations(text: str, zones: list[str]) -> None:
    (intent,), _ = find_intents([text])

    assert isinstance(intent, TimeIntent)
    assert ([place.zone for place in intent.places], intent.unknown) == (zones, "")


@pytest.mark.parametrize(
    "text, unknown",
    [
        ("time in Vancouver, Washington", "Vancouver, Washington"),
        ("time in Rome, New York", "Rome, New York"),
        ("time in Perth, Scotland", "Perth, Scotland"),
        ("time in New Orleans, LA", "New Orleans, LA"),
        ("time in la rochelle", "la rochelle"),
        *((f"what time is it in {name}", name) for name in ("CST", "IST", "BST", "MST")),
    ],
)
def test_a_name_of_several_places_is_not_guessed(text: str, unknown: str) -> None:
    (intent,), _ = find_intents([text])

    assert isinstance(intent, TimeIntent)
    assert intent.unknown == unknown


@pytest.mark.parametrize(
    "text, intent",
    [
        ("tomorrow's date", DateIntent(days=1)),
        ("Tomorrow’s date please", DateIntent(days=1)),
        ("the day after tomorrow's date?", DateIntent(days=2)),
        ("can you tell me yesterday's date", DateIntent(days=-1)),
        ("date tomorrow", DateIntent(days=1)),
        ("next Wednesday's date", WeekdayIntent("wednesday", is_past=False)),
        ("明天几号", DateIntent(days=1)),
        ("下周三是几号", DateIntent(weekday="wednesday", week="next")),
        ("我1990年3月3日出生，今年多少岁", DateIntent(until="1990-03-03", is_age=True)),
        ("我1990年3月3日生的，今年多大", DateIntent(until="1990-03-03", is_age=True)),
        ("2026年1月1日到2026年3月1日共多少天", DateIntent("2026-01-01", until="2026-03-01")),
    ],
)
def test_the_date_of_a_day_is_asked_for_in_few_words(text: str, intent: Intent) -> None:
    assert find_intents([text]) == ([intent], False)


@pytest.mark.parametrize(
    "text",
    [
        "add 10% to 200 and then",
        "add 10% to 200 people's salaries",
        "add 10% tip to 200 and split it",
        "add 10% to the bill of 200 between 4 people",
        "add 10% sales to 200 rows",
        "add a 10% discount to 200",
        "add 10% to 200 each month for a year",
        "add 10% to 200 twice",
        "subtract 10% from 200 in Excel",
        "take 10% off 200 then add tax",
        "take 10% of 200",
        "remove 10% from 200 rows",
        "10% more than 200 people think",
        "is 10% more than 200 a lot?",
        "10% less than 200 calories",
        "how much do I save with 10% off 200 if I buy two?",
        "how much do I save at 5% on 200",
        "what happened tomorrow",
        "what is happening tomorrow",
        "how was yesterday's date?",
        "how was your date yesterday",
        "tomorrow's date with Anna",
        "cancel tomorrow's date",
        "remind me of tomorrow's date",
        "is tomorrow's date a Friday the 13th?",
        "I have a date tomorrow",
        "where should we go on our date tomorrow",
        "date tomorrow with him?",
        "what to wear for tomorrow's date",
        "today's date night",
        "today's date palm harvest",
        "what happened on today's date in history",
        "tomorrow's date in the Hebrew calendar",
        "tomorrow's date minus 30 days",
        "what's the best time in Tokyo, London",
        "best time to visit Tokyo, London",
        "time in Manchester, Boston airport",
        "flight time in Tokyo, London",
        "flight time between Tokyo, London",
        "东京和伦敦的时间哪个早",
        "东京和伦敦的时间差",
        "东京和伦敦的开会时间",
        "东京和伦敦几点开会",
        "东京和伦敦几点天亮",
        "东京和伦敦哪个时间好",
        "PST meaning",
        "what does PST mean",
        "PST to EST flight",
        "What is PST?",
        "is PST the same as PDT?",
        "9am PST",
        "what is 9am PST in EST",
        "when does PST change to PDT",
        "EST 1990",
        "what time does the EST market open",
        "JST corporation time",
        "time in pst during summer",
        "200打八折再减20",
        "200打八折满100减30",
        "200打八折后再打九折是多少",
        "200打八折两件多少钱",
        "两件200元的衣服打八折多少钱",
        "买一件200元的衣服打八折，买三件呢",
        "一件200元的衣服打八折贵不贵",
        "一件200元的衣服涨价后打八折多少钱",
        "200元打八折便宜吗",
        "200打八折和打七折哪个便宜",
        "200打八折划算吗",
        "我1990年3月3日生的，今年属什么",
        "学生1990年3月3日出生，今年多少岁算成年",
        "whats today special",
        "what is today about",
        "what percentage is 30 of 120 people",
        "1/3 of 90 people are ill",
        "1/3 of 90 and 5",
        "华氏98.6度算发烧吗",
        "体温摄氏37度是华氏多少度正常吗",
        "2026年1月1日到3月1日多少天休假",
        "1月1日到3月1日多少工作日",
        "30占120百分之几的人",
        "打八折比原价便宜多少",
        "200加10%的糖",
        "200元加10%服务费AA两个人",
        "在200人的基础上加10%",
        "在200基础上增加10%是谁提出的",
        "200减10%的人",
        "明天几号线停运",
        "明天几号出发",
        "明天几号开会",
        "明天是几号公布成绩",
        "下周三几号楼开会",
        "下周三是几号考试",
        "下周三有什么安排",
        "明天发生了什么",
        "next Wednesday's date with Anna",
        "next Wednesday's weather",
        "is next Wednesday's date a holiday",
        "打八折便宜多少 200",
        "200打八折后是原价的多少",
        "what do I save at $40 with 25% off",
        "how much is saved for $40 at 25% off",
    ],
)
def test_a_question_with_more_words_is_left_alone(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "first, later, intent",
    [
        ("明天几号", "下周三呢", DateIntent(weekday="wednesday", week="next")),
        ("明天几号", "那下下周三是几号", DateIntent(days=7, weekday="wednesday", week="next")),
        ("tomorrow's date", "and next Friday?", WeekdayIntent("friday", is_past=False)),
        ("what date is next Friday", "and last Monday's?", WeekdayIntent("monday", is_past=True)),
        ("200打八折", "再打九折是多少", ArithmeticIntent("(200 * 8 / 10) * 9 / 10")),
    ],
)
def test_a_later_question_names_another_weekday_or_discount(
    first: str, later: str, intent: Intent
) -> None:
    assert find_intents([first, later]) == ([intent], False)


@pytest.mark.parametrize(
    "first, later",
    [
        ("明天几号", "下周三开会呢"),
        ("明天几号", "那下周呢"),
        ("tomorrow's date", "and Monday morning?"),
        ("200打八折", "那打七折呢"),
        ("200打八折", "再打九折的衣服"),
    ],
)
def test_a_later_question_with_more_words_is_left_alone(first: str, later: str) -> None:
    assert find_intents([first, later]) == ([], False)


def test_the_singular_of_a_word_is_searched_for() -> None:
    found, _ = find_intents(["search my past sessions for hexagrams"])

    assert found == [SearchIntent("hexagram")]


@pytest.mark.parametrize(
    "questions, value",
    [
        (["what is 20% of 50", "and of 80?"], "16"),
        (["15% of 200", "what about 20%?"], "40"),
        (["15% of 200", "what about 20%?", "and 300?"], "60"),
        (["一百的百分之二十是多少", "那百分之三十呢"], "30"),
        (["5 miles in km", "and 10?"], "16.09344"),
        (["70公斤多少斤", "那80呢"], "160"),
        (["10 km in miles", "and in meters?", "and 20?"], "20000"),
        (["how many seconds in an hour", "and in a day?"], "86400"),
    ],
)
def test_a_sum_is_asked_again_with_another_number_or_unit(questions: list[str], value: str) -> None:
    (intent,), asks_more = find_intents(questions)

    assert isinstance(intent, ArithmeticIntent)
    assert not asks_more
    assert Decimal(write_number(evaluate_expression(intent.expression))[0]) == Decimal(value)


@pytest.mark.parametrize(
    "questions", [["100 + 50", "and 70?"], ["200打八折", "那七折呢"], ["and 10?"]]
)
def test_a_number_that_may_stand_for_several_repeats_no_sum(questions: list[str]) -> None:
    assert find_intents(questions) == ([], False)


@pytest.mark.parametrize(
    "questions, until",
    [
        (["how many days until christmas", "and until new year?"], "01-01"),
        (["离圣诞节还有几天", "那元旦呢"], "01-01"),
    ],
)
def test_days_are_counted_again_to_another_day(questions: list[str], until: str) -> None:
    assert find_intents(questions) == ([DateIntent(until=until)], False)


@pytest.mark.parametrize("text", ["that's wrong", "this is useless", "你说错了", "答非所问"])
def test_a_complaint_gets_an_apology(text: str) -> None:
    assert find_intents([text]) == ([CourtesyIntent(Courtesy.INSULT)], False)
