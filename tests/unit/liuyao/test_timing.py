"""应期: in the order of time, with the year, within the period of the question."""

import re
from datetime import date
from random import Random

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.liuyao import derive, write_reading
from yarrow.liuyao.reading.period import find_period

TODAY = date(2026, 8, 16)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("今年财运如何", TODAY, date(2026, 12, 31)),
        ("那下半年再换呢", TODAY, date(2026, 12, 31)),
        ("明年上半年", date(2027, 1, 1), date(2027, 6, 30)),
        ("上半年如何", date(2027, 1, 1), date(2027, 6, 30)),
        ("明年三月", date(2027, 3, 1), date(2027, 3, 31)),
        ("十一月份", date(2026, 11, 1), date(2026, 11, 30)),
        ("下个月", date(2026, 9, 1), date(2026, 9, 30)),
        ("三个月内能成吗", TODAY, date(2026, 11, 14)),
        ("五年内", TODAY, date(2031, 8, 15)),
        ("年底前", TODAY, date(2026, 12, 31)),
        ("明天出行", date(2026, 8, 17), date(2026, 8, 17)),
        ("next year?", date(2027, 1, 1), date(2027, 12, 31)),
        ("within 3 months", TODAY, date(2026, 11, 14)),
        ("in March", date(2027, 3, 1), date(2027, 3, 31)),
        # 16 August 2026 is a Sunday.
        ("周末会下雨吗", TODAY, TODAY),
        ("下周末出行", date(2026, 8, 22), date(2026, 8, 23)),
        ("下周三面试", date(2026, 8, 19), date(2026, 8, 19)),
        ("周六的考试", date(2026, 8, 22), date(2026, 8, 22)),
        ("Will it rain on Saturday?", date(2026, 8, 22), date(2026, 8, 22)),
        ("next Friday", date(2026, 8, 21), date(2026, 8, 21)),
    ],
)
def test_period_is_found_in_the_question(question, start, end):
    period = find_period(question, TODAY)

    assert period is not None
    assert (period.start, period.end) == (start, end)


@pytest.mark.parametrize("question", ["换工作如何", "2020年的事", "13月", "每周三的课", ""])
def test_no_period_is_made_up(question):
    assert find_period(question, TODAY) is None


@few_examples
@given(casts)
def test_times_are_in_order_and_within_the_period(cast):
    for question in ("今年财运如何", "下个月能成吗", "什么时候"):
        timing = write_reading(derive(replace(cast, question=question))).timing
        starts = [month.start for month in timing.months]
        assert list(timing.days) == sorted(timing.days)
        assert starts == sorted(starts)
        if timing.period is not None:
            assert all(timing.period.start <= day <= timing.period.end for day in timing.days)
            assert all(start <= timing.period.end for start in starts)
            assert all(month.end >= timing.period.start for month in timing.months)


def test_a_month_after_the_end_of_the_year_is_not_offered_for_this_year():
    # In August a 未 month lies in the next year.
    for lines in ("少阳 少阴 少阳 少阴 少阳 少阴", "少阴 少阴 少阴 少阴 少阴 少阴"):
        cast = replace(
            cast_at("2026-08-16T09:00:00+08:00", lines),
            question="今年财运如何",
            question_type="财运",
        )
        text = write_reading(derive(cast)).conclusion[2].text
        assert "2027" not in text.replace("此后最近", "")[:60]


def test_each_time_has_its_year():
    text = write_reading(derive(cast_at("2026-12-28T09:00:00+08:00"))).conclusion[2].text

    assert "年" in text
    assert text.count("月（20") == 2


def test_the_month_of_the_cast_is_named_with_its_end():
    # Of the month of 亥, from 2026-11-07 (立冬) to the day before 大雪 on 2026-12-07.
    named = 0
    for seed in range(200):
        lines = " ".join(Random(seed).choices(("少阳", "少阴", "老阳", "老阴"), k=6))
        text = write_reading(derive(cast_at("2026-11-18T09:00:00+08:00", lines))).conclusion[2].text
        named += "本月亥月（至2026年12月6日）" in text
        starts = re.findall(r"（(\d+)年(\d+)月(\d+)日[^）]{2}起）", text)
        assert all(date(*map(int, start)) > date(2026, 11, 18) for start in starts)
    assert named > 5


@pytest.mark.parametrize(
    "question",
    ["上周三丢的钱包能找到吗", "我周一丢的手机能找到吗",
     "last weekend I lost my keys, will I find them?",
     "周五之前能收到钱吗", "下下周三面试如何", "四周一定能好吗"],
)  # fmt: skip
def test_a_day_that_is_no_limit_of_the_question_bounds_nothing(question: str) -> None:
    assert find_period(question, date(2026, 11, 18)) is None
