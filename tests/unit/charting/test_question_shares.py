"""Without a model: the share of one value is a part of all rows, not of its own."""

import pytest
from tests.unit.charting.question_table import QuestionTable, open_table

from yarrow.charting import ChartType

STORES = """
    SELECT DATE '2022-11-01' + (i * 3)::INTEGER AS 日期,
        ['朝阳店', '海淀店', '丰台店'][i * i % 7 % 3 + 1] AS 门店,
        ['饮料', '零食', '日用品', '饮料'][i % 4 + 1] AS 品类, i * 37 % 100 + 1 AS 销售额,
        ['Leo', 'Mia', 'Noa', 'Kim', 'Ben', 'Eva', 'Tom', 'Zoe'][i % 8 + 1] AS 店员
    FROM range(300) AS t(i)
"""
STORES_TABLE = QuestionTable("stores", STORES)


@pytest.mark.parametrize(
    "question",
    [
        "朝阳店占总销售额多少",
        "朝阳店占多少销售额",
        "朝阳店占总销售额的比例",
        "朝阳店的销售额占比是多少",
        "朝陽店佔總銷售額多少",
        "what share of 销售额 is 朝阳店",
    ],
)
def test_a_share_of_one_value_is_drawn_beside_the_others(question: str) -> None:
    drawn = STORES_TABLE.ask(question)

    assert drawn.chart is not None
    assert drawn.chart.intent.chart_type is ChartType.PIE
    sums = STORES_TABLE.pairs("SELECT 门店, sum(销售额) FROM stores GROUP BY 1")
    assert drawn.values("门店", "销售额") == sums
    assert drawn.where == ""
    assert any("朝阳店" in note and "门店" in note for note in drawn.notes), drawn.notes


def test_a_share_of_rows_counts_all_rows() -> None:
    drawn = open_table("sales").ask("what percentage of rows are from the North")

    assert (drawn.where, set(drawn.values("region", "_count").values())) == ("", {7500})
    assert "'North' is drawn beside the other values of region, of which it is a share" in (
        drawn.notes
    )


def test_a_share_keeps_the_other_conditions() -> None:
    drawn = STORES_TABLE.ask("2023年朝阳店的销售额占比")

    sums = STORES_TABLE.pairs(
        "SELECT 门店, sum(销售额) FROM stores WHERE year(日期) = 2023 GROUP BY 1"
    )
    assert drawn.values("门店", "销售额") == sums


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("Leo的销售额占比", "\"店员\" IN ('Leo')"),
        ("朝阳店饮料的销售额占比", "\"门店\" IN ('朝阳店') AND \"品类\" IN ('饮料')"),
        ("朝阳店平均销售额占比", "\"门店\" IN ('朝阳店')"),
    ],
)
def test_a_share_that_is_not_drawn_is_told(question: str, where: str) -> None:
    drawn = STORES_TABLE.ask(question)

    assert drawn.where == where
    assert "问题中的“占比”没有读取，不起作用" in drawn.notes


def test_shares_within_the_rows_of_a_condition_stay_filtered() -> None:
    drawn = open_table("sales").ask("revenue share by region for Apple")

    assert drawn.where == "\"product\" IN ('Apple')"
