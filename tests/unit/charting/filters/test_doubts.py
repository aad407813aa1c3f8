"""Words that can turn a condition around: then none is applied, and it is told."""

import pytest
from tests.unit.charting.question_table import open_table


@pytest.mark.parametrize(
    "question",
    [
        "why did revenue drop in Japan by month",
        "Did revenue drop in 2022?",
        "revenue by month where country != Japan",
        "revenue by month for all countries but Japan",
        "revenue by region with quantity no greater than 5",
        "top 3 countries with the least revenue",
        "top 5 lowest revenue countries",
        "top 3 products by revenue in each region",
        "revenue by region for desk lamps, or in Japan",
        "revenue by region with price under 5 or over 10",
        "revenue by region with price over 1 000",
        "revenue in 2022 versus revenue in 2021",
        "revenue by region from Nov to Feb 2022",
        "revenue over 2022 by region",
        "revenue by region in the last quarter of 2022",
        "revenue by region in early 2022",
    ],
)
def test_an_uncertain_question_picks_no_rows(question: str) -> None:
    drawn = open_table("sales").ask(question)

    assert drawn.reading.conditions == ()
    assert drawn.reading.rank is None
    assert drawn.reading.unapplied


@pytest.mark.parametrize(
    "question",
    [
        "是不是北方的销售额最高",
        "没有北方的各产品销售额",
        "2022年初各地区销售额",
        "前3个销售额最低的城市",
    ],
)
def test_an_uncertain_chinese_question_picks_no_rows(question: str) -> None:
    drawn = open_table("订单").ask(question)

    assert drawn.reading.conditions == ()
    assert drawn.reading.rank is None
    assert drawn.reading.unapplied
