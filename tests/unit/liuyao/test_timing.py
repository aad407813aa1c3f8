"""应期: in the order of time, with the year, within the period of the question."""

import re
from dataclasses import replace
from datetime import date
from random import Random

import pytest
from hypothesis import given
from tests.unit.liuyao.oracle import cast_at
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.liuyao import derive, read
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
    ],
)
def test_period_is_found_in_the_question(question, start, end):
    period = find_period(question, TODAY)

    assert period is not None
    assert (period.start, period.end) == (start, end)


@pytest.mark.parametrize("question", ["换工作如何", "2020年的事", "13月", ""])
def test_no_period_is_made_up(question):
    assert find_period(question, TODAY) is None


@few_examples
@given(casts)
def test_times_are_in_order_and_within_the_period(cast):
    for question in ("今年财运如何", "下个月能成吗", "什么时候"):
        timing = read(derive(replace(cast, question=question))).timing
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
        text = read(derive(cast)).conclusion[2].text
        assert "2027" not in text.replace("此后最近", "")[:60]


def test_each_time_has_its_year():
    text = read(derive(cast_at("2026-12-28T09:00:00+08:00"))).conclusion[2].text

    assert "年" in text
    assert text.count("月（20") == 2


def test_the_month_of_the_cast_is_named_with_its_end():
    # Of the month of 亥, from 2026-11-07 (立冬) to the day before 大雪 on 2026-12-07.
    named = 0
    for seed in range(200):
        lines = " ".join(Random(seed).choices(("少阳", "少阴", "老阳", "老阴"), k=6))
        text = read(derive(cast_at("2026-11-18T09:00:00+08:00", lines))).conclusion[2].text
        named += "本月亥月（至2026年12月6日）" in text
        starts = re.findall(r"（(\d+)年(\d+)月(\d+)日[^）]{2}起）", text)
        assert all(date(*map(int, start)) > date(2026, 11, 18) for start in starts)
    assert named > 5
