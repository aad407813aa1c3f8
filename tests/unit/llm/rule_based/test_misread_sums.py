"""Sums that were computed from half of what a question says."""

import pytest

from yarrow.llm.rule_based.intents import ArithmeticIntent
from yarrow.llm.rule_based.questions import find_intents
from yarrow.tools.calculate import evaluate_expression, write_number


@pytest.mark.parametrize(
    "text",
    [
        "3 plus what is 5?",
        "3 times what is 12",
        "3加几等于5",
        "3乘几等于12",
        "5乘多少等于-20",
        "12除以几等于3",
        "10 equals -5 + 15",
        "十等于负五加十五吗",
        "5是-3加8吗",
        "10: -2",
        "3加5，乘以2等于几",
        "what is 5 plus 3, times 2",
    ],
)
def test_word_inside_a_sum_is_not_dropped(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text",
    ["3 + 4!", "3! + 4!", "10!/8!", "10! / 8!", "5! * 2", "10₂ + 1", "20% 50", "20 percent 50"],
)
def test_sign_without_a_clear_meaning_is_refused(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text",
    [
        "1-800-273-8255",
        "555-123-4567",
        "400-800-8820",
        "138-0013-8000",
        "0571-88886666",
        "978-3-16-148410-0",
        "2026-11",
        "2023-2024",
    ],
)
def test_number_of_a_telephone_book_or_month_is_no_sum(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text, value",
    [
        ("what is 10² + 1", "101"),
        ("5² + 12²", "169"),
        ("10²加1", "101"),
        ("2³ * 3", "24"),
        ("10⁻³ * 5", "0.005"),
        ("2026-1990等于多少", "36"),
        ("10-4-3", "3"),
        ("What is 17 * 23!", None),
        ("17乘23！", "391"),
        ("负三的平方", "9"),
        ("5减3的平方", "-4"),
        ("负二的四次方是多少", "16"),
        ("请问5减负二的立方", "13"),
        ("1 - 2的4次方", "-15"),
        ("20%50", "20"),
    ],
)
def test_sum_has_the_value_of_all_its_signs(text: str, value: str | None) -> None:
    intents, _ = find_intents([text])

    assert [_compute(intent) for intent in intents] == ([value] if value else [])


@pytest.mark.parametrize(
    "text, value",
    [
        ("一万两千加两百", "12200"),
        ("两千零五减五", "2000"),
        ("两个", None),
        ("五两加三两", None),
        ("十二两减二两", None),
        ("3两加5两", None),
        ("一百两加五两", None),
    ],
)
def test_ounce_is_not_the_digit_two(text: str, value: str | None) -> None:
    intents, _ = find_intents([text])

    assert [_compute(intent) for intent in intents] == ([value] if value else [])


@pytest.mark.parametrize("text", ["5 c 3 f in c", "1000 Mb in MB", "1 Gb in MB", "8 Kb in bytes"])
def test_two_temperatures_and_bits_are_not_converted(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize("text", ["打8折后160的商品本来多少钱", "打八折后160元的鞋子没打折多少钱"])
def test_price_before_a_discount_is_not_discounted_again(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text",
    [
        "五点五十减三点二十",
        "八点四十减七点二十等于多少",
        "几十加五",
        "5加十几",
        "五加一千多",
        "一百多加数十",
        "二三十加一",
        "三四百加一",
        "五十五十加一",
        "十十加一",
        "一百百加一",
    ],
)
def test_time_or_vague_number_is_no_number(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text, value",
    [
        ("百八十加二", "182"),
        ("两百万零五十加一", "2000051"),
        ("三千五百亿加一千万", "350010000000"),
        ("一亿零三十加一", "100000031"),
        ("三点一五加一", "4.15"),
        ("二零二六减十", "2016"),
        ("一百加十等于几", "110"),
        ("三百加一千多少", "1300"),
    ],
)
def test_number_in_chinese_words_has_its_value(text: str, value: str) -> None:
    (intent,), _ = find_intents([text])

    assert _compute(intent) == value


def test_result_of_two_sums_is_not_continued() -> None:
    assert find_intents(["3+5 和 7*8", "times 2"]) == ([], False)
    assert find_intents(["What is 3 + 4 and 5 * 6?", "plus 1"]) == ([], False)


def _compute(intent: object) -> str:
    assert isinstance(intent, ArithmeticIntent)
    return write_number(evaluate_expression(intent.expression))[0]
