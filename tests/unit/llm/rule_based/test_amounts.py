"""Percentages, discounts, shares and units as expressions for the calculator."""

from decimal import Decimal

import pytest

from yarrow.llm.rule_based.arithmetic import find_expression
from yarrow.llm.rule_based.intents import ArithmeticIntent, find_intent
from yarrow.llm.rule_based.questions import find_intents
from yarrow.tools.calculate import evaluate_expression, write_number


@pytest.mark.parametrize(
    "text, value, unit",
    [
        ("15% tip on 84.50", "12.675", ""),
        ("What's a 15% tip on $84.50?", "12.675", ""),
        ("原价299，打八折后多少", "239.2", ""),
        ("299元打八五折是多少钱", "254.15", ""),
        ("打9.5折後120元的衣服多少錢", "114", ""),
        ("A shirt costs $40 and is 25% off. What do I pay?", "30", ""),
        ("120 is what percent of 480?", "25", "%"),
        ("what percentage of 80 is 20", "25", "%"),
        ("20是80的百分之几", "25", "%"),
        ("从200涨到250涨了百分之多少", "25", "%"),
        ("From 250 to 200 is what percent decrease?", "-20", "%"),
        ("split 127.40 between 4 people", "31.85", ""),
        ("127.4元四个人平摊每人多少", "31.85", ""),
        ("120元12人平分", "10", ""),
        ("300块15个人平摊每人多少", "20", ""),
        ("100除以7余几", "2", ""),
        ("average of 3, 5 and 10", "6", ""),
        ("100，200和300的平均数", "200", ""),
        ("average of 1,000 and 2,000", "1500", ""),
        ("split $90 with 2 friends", "30", ""),
        ("2.5 million divided by 8", "312500", ""),
        ("multiply 6 by 7", "42", ""),
        ("subtract 3 from 10", "7", ""),
        ("30% off $80", "56", ""),
        ("80的一半", "40", ""),
        ("一个半小时是多少分钟", "90", "min"),
        ("half an hour in minutes", "30", "min"),
        ("一斤半是多少克", "750", "g"),
        ("两小时半是多少分钟", "150", "min"),
        ("split the bill of $90 with 2 friends", "30", ""),
        ("把120平均分给5个人", "24", ""),
        ("3、5、10的平均数", "6", ""),
        ("max of 3, 9, 4", "9", ""),
        ("the sum of 1 to 100", "5050", ""),
        ("7!", "5040", ""),
        ("is 17*23 391?", "391", ""),
        ("2+2=5?", "4", ""),
        ("convert 5 miles to km", "8.04672", "km"),
        ("100华氏度是多少摄氏度", "37.7777777778", "°C"),
        ("20 °C in F", "68", "°F"),
        ("1斤是多少克", "500", "g"),
        ("how many ounces in a pound", "16", "oz"),
        ("一天有多少秒", "86400", "s"),
        ("3 hours and 45 minutes in minutes", "225", "min"),
        ("how many feet are in 2 miles", "10560", "ft"),
        ("99乘99再减1", "9800", ""),
        ("3加4再乘5", "35", ""),
        ("compute 12*3 then add 5", "41", ""),
        ("100 - 10%", "90", ""),
        ("200 + 15%", "230", ""),
        ("3*40 + 10%", "132", ""),
        ("一百减百分之十", "90", ""),
        ("50% + 50%", "1", ""),
        ("10 - 7 % 4", "7", ""),
    ],
)
def test_an_everyday_amount_is_calculated(text: str, value: str, unit: str) -> None:
    (intent,), asks_more = find_intents([text])

    assert isinstance(intent, ArithmeticIntent)
    assert not asks_more
    assert intent.unit == unit
    assert Decimal(write_number(evaluate_expression(intent.expression))[0]) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "100 USD in CNY",
        "5 miles to kg",
        "how many pints are in a gallon",
        "满300打八折，买500多少钱",
        "299元打八折再减20",
        "10% of 50 and 60",
        "15% tip on $84.50 and €20",
        "if 3 pens cost 4.50 how much are 7 pens",
        "is it 5 miles to Boston?",
        "x = 5",
        "average of 100,200 and 300",
        "max of 100,200,300 and 5",
        "1234,567 + 1",
        "share 60 with 3",
        "0x10+1",
        "打8折后160元",
        "subtract 3 from 10*2",
        "2 million three hundred thousand plus 1",
    ],
)
def test_other_amounts_are_left_alone(text: str) -> None:
    assert find_intents([text])[0] == []


@pytest.mark.parametrize(
    "text, expressions",
    [
        ("算 3+5 和 7*8", ["3+5", "7*8"]),
        ("100+200，300+400等于多少", ["100+200", "300+400"]),
        ("100+200,300+400", ["100+200", "300+400"]),
    ],
)
def test_several_sums_are_all_calculated(text: str, expressions: list[str]) -> None:
    assert find_intents([text])[0] == [ArithmeticIntent(each) for each in expressions]


def test_a_sum_before_other_questions_is_not_dropped() -> None:
    intents, _ = find_intents(
        ["What's 5*6, what time is it in Paris and how many points do I have?"]
    )

    assert [type(intent).__name__ for intent in intents] == [
        "ArithmeticIntent",
        "TimeIntent",
        "PointsIntent",
    ]


def test_a_question_among_other_sentences_is_found() -> None:
    text = (
        "Hello, I hope you are well. My wife asked before we pack for the flight. "
        "What time is it in Lisbon right now? We wonder if the museums are open."
    )
    (intent,), asks_more = find_intents([text])

    assert intent == find_intent("What time is it in Lisbon?")
    assert asks_more


@pytest.mark.parametrize("text", [f"{'1' * 60} abc", "3 thousand " * 30 + "x"])
def test_long_numbers_before_a_word_end_the_search_at_once(text: str) -> None:
    assert find_expression(text) is None
