"""应期: in the order of time, with the year, within the period of the question."""

import re
from datetime import date, datetime, timedelta, timezone
from itertools import product
from random import Random

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at
from tests.unit.liuyao.strategies import casts, few_examples

from yarrow.liuyao import derive, write_follow_up, write_reading
from yarrow.liuyao.almanac import (
    find_civil_date,
    find_lunar_date,
    name_lunar_day,
    name_lunar_month,
)
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.timing import WEAK

TODAY = date(2026, 8, 16)
NOON = datetime(2026, 2, 23, 12, tzinfo=timezone(timedelta(hours=8)))


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
        ("三月之前能批下来吗", TODAY, date(2027, 2, 28)),
        ("九月底前能还吗", TODAY, date(2026, 9, 30)),
        ("周五之前能收到钱吗", TODAY, date(2026, 8, 20)),
        ("明年前三个月", date(2027, 1, 1), date(2027, 12, 31)),
        ("before March", TODAY, date(2027, 2, 28)),
        ("by Friday", TODAY, date(2026, 8, 21)),
        ("before the end of next month", TODAY, date(2026, 9, 30)),
        # Lunar dates as lunar_python 1.4.8 gives them.
        ("国庆去西藏顺利吗", date(2026, 10, 1), date(2026, 10, 7)),
        ("今年中秋能团聚吗", date(2026, 9, 25), date(2026, 9, 25)),
        ("春节前能脱单吗", TODAY, date(2027, 2, 5)),
        ("明年端午", date(2027, 6, 9), date(2027, 6, 9)),
        ("除夕能到家吗", date(2027, 2, 5), date(2027, 2, 5)),
        ("Will it come before Christmas?", TODAY, date(2026, 12, 24)),
        ("at Chinese New Year", date(2027, 2, 6), date(2027, 2, 12)),
        ("Sunday?", TODAY, TODAY),
        ("And Monday?", date(2026, 8, 17), date(2026, 8, 17)),
        ("How about Monday?", date(2026, 8, 17), date(2026, 8, 17)),
        ("星期五一定能收到通知吗", date(2026, 8, 21), date(2026, 8, 21)),
        ("下周五一起吃饭他会来吗", date(2026, 8, 21), date(2026, 8, 21)),
        ("这个月十五一定还钱吗", TODAY, date(2026, 8, 31)),
        ("五一去西藏顺利吗", date(2027, 5, 1), date(2027, 5, 5)),
        ("五一劳动节", date(2027, 5, 1), date(2027, 5, 5)),
        ("明年春节后能找到工作吗", date(2027, 1, 1), date(2027, 12, 31)),
        ("2028年春节能结婚吗", date(2028, 1, 26), date(2028, 2, 1)),
        ("中秋节前能到账吗", TODAY, date(2026, 9, 24)),
        ("国庆假期之前能到账吗", TODAY, date(2026, 9, 30)),
        ("国庆节的婚礼顺利吗", date(2026, 10, 1), date(2026, 10, 7)),
        ("国庆我的婚礼顺利吗", date(2026, 10, 1), date(2026, 10, 7)),
        ("this year's Christmas", date(2026, 12, 25), date(2026, 12, 25)),
        ("Will he be home for Christmas?", date(2026, 12, 25), date(2026, 12, 25)),
        ("Should I move next spring?", date(2027, 3, 1), date(2027, 5, 31)),
        ("Will it end this summer?", TODAY, date(2026, 8, 31)),
        ("in winter", date(2026, 12, 1), date(2027, 2, 28)),
        ("during the mid-autumn festival", date(2026, 9, 25), date(2026, 9, 25)),
        ("2028年能结婚吗", date(2028, 1, 1), date(2028, 12, 31)),
        ("2028年5月能结婚吗", date(2028, 5, 1), date(2028, 5, 31)),
        ("2028年下半年", date(2028, 7, 1), date(2028, 12, 31)),
        ("Will I marry in 2028?", date(2028, 1, 1), date(2028, 12, 31)),
        ("in May 2028", date(2028, 5, 1), date(2028, 5, 31)),
        ("2028呢", date(2028, 1, 1), date(2028, 12, 31)),
        ("Will I marry this May?", date(2027, 5, 1), date(2027, 5, 31)),
        ("今天面试能过吗", TODAY, TODAY),
        ("今天能到了吗", TODAY, TODAY),
        ("今年能升职了吗", TODAY, date(2026, 12, 31)),
        ("今年为了孩子要不要搬家", TODAY, date(2026, 12, 31)),
        ("半年内能复合吗", TODAY, date(2027, 2, 15)),
        ("今年的面试能过吗", TODAY, date(2026, 12, 31)),
        ("今年我的财运如何", TODAY, date(2026, 12, 31)),
        ("下周面试的话能过吗", date(2026, 8, 17), date(2026, 8, 23)),
        ("今年买的时候会跌吗", TODAY, date(2026, 12, 31)),
        ("Will I hear by Monday?", TODAY, date(2026, 8, 17)),
    ],
)
def test_period_is_found_in_the_question(question, start, end):
    period = find_period(question, TODAY)

    assert period is not None
    assert (period.start, period.end) == (start, end)


@pytest.mark.parametrize(
    "question",
    [
        "换工作如何",
        "2020年的事",
        "13月",
        "每周三的课",
        "",
        "去年国庆丢的",
        "last Christmas",
        "every Sunday",
        "车能通过年检吗",
        "王五一直不还钱",
        "春节后能找到工作吗",
        "国庆假期结束后能复合吗",
        "过年以来他一直不说话",
        "2024年春节认识的人还会来吗",
        "春节认识的人还会来吗",
        "去年的国庆",
        "前年国庆丢的",
        "上次国庆借的钱",
        "每年过年",
        "since christmas he is silent",
        "after the Chinese New Year",
        "every christmas",
        "last year's christmas",
        "at christmas last year",
        "Is the Sunday report good?",
        "Will Black Friday bring sales?",
        "Wednesday Addams",
        "月租2100能租到吗",
        "月租2100元的房子好吗",
        "押金2050能退吗",
        "月租2100年付",
        "Is a rent of 2100 fair?",
        "Can I live in 2050 dollars of debt?",
        "2100年会怎样",
        "this may change my life",
        "今天面试完了，能过吗",
        "今天面試完了",
        "今天丢了钥匙",
        "今天丟的鑰匙能找到嗎",
        "周一面试过了，能录取吗",
        "离婚半年了",
        "離婚半年了還能復合嗎",
        "今年离婚了，还能再婚吗",
        "I lost my keys today. Will I find them?",
        "Will I find the keys I lost today?",
        "I had an interview on Monday",
        "能买到周日看的那套房子吗",
        "下周面试的公司会录取我吗",
        "今年投的钱能回来吗",
        "这个月认识的女孩喜欢我吗",
    ],
)
def test_no_period_is_made_up(question):
    assert find_period(question, TODAY) is None


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("上半年呢", date(2028, 1, 1), date(2028, 6, 30)),
        ("五月呢", date(2028, 5, 1), date(2028, 5, 31)),
        ("国庆呢", date(2028, 10, 1), date(2028, 10, 7)),
        ("in spring?", date(2028, 3, 1), date(2028, 5, 31)),
        ("明年呢", date(2027, 1, 1), date(2027, 12, 31)),
        ("今年下半年呢", TODAY, date(2026, 12, 31)),
        ("下个月呢", date(2026, 9, 1), date(2026, 9, 30)),
    ],
)
def test_a_part_of_a_year_is_that_of_the_year_asked_about_before(question, start, end):
    period = find_period(question, TODAY, within=find_period("2028年能结婚吗", TODAY))

    assert period is not None
    assert (period.start, period.end) == (start, end)


def test_a_follow_up_stays_in_the_year_of_the_first_question():
    cast = replace(
        cast_at("2026-11-19T10:00:00+08:00"), question="2028年能结婚吗", question_type="感情"
    )

    period = write_follow_up(derive(cast), "上半年呢").timing.period

    assert period is not None
    assert (period.start, period.end) == (date(2028, 1, 1), date(2028, 6, 30))


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


@few_examples
@given(casts)
def test_a_journey_at_a_festival_has_no_day_to_leave_before_it(cast):
    cast = replace(cast, moment=NOON, question="国庆去西藏旅行顺利吗", question_type="出行")
    reading = write_reading(derive(cast))

    assert all(date(2026, 10, 1) <= day <= date(2026, 10, 7) for day in reading.timing.days)
    assert all("2026年10月" in one.text for one in reading.advice if "动身可取" in one.text)


@few_examples
@given(casts)
def test_three_times_are_told_at_most(cast):
    timing = write_reading(derive(cast)).timing

    assert 0 < len(timing.days) <= 3
    assert len(timing.months) <= 3


def test_a_weak_line_answers_on_its_own_day_too():
    # 待生旺: 丑 is weak in 亥 and without help from 子; the next day is 丑 itself.
    cast = replace(
        cast_at("2026-11-10T20:00:00+08:00", "老阳 老阳 少阴 老阳 老阴 少阴"),
        question="明天下雨吗",
        question_type="其他",
    )
    reading = write_reading(derive(cast))

    assert reading.timing.rule is WEAK
    assert reading.timing.days == (date(2026, 11, 11),)


def test_each_lunar_date_is_found_in_the_civil_calendar():
    for year, month, day in product(range(1899, 2101), range(1, 13), (1, 15, 29)):
        name = f"年{name_lunar_month(month)}{name_lunar_day(day)}"
        assert find_lunar_date(find_civil_date(year, month, day)).endswith(name)


def test_each_time_has_its_year():
    text = write_reading(derive(cast_at("2026-12-28T09:00:00+08:00"))).conclusion[2].text

    assert "年" in text
    assert text.count("月（20") == text.count("月（") > 1


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
     "三年前丢的戒指能找到吗", "下下周三面试如何", "四周一定能好吗"],
)  # fmt: skip
def test_a_day_that_is_no_limit_of_the_question_bounds_nothing(question: str) -> None:
    assert find_period(question, date(2026, 11, 18)) is None
