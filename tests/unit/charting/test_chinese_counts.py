"""Without a model: 有多少门店 asks how many stores there are, as `how many stores` does."""

import pytest
from tests.unit.charting.question_table import QuestionTable

STORES = """
    SELECT ['朝阳店', '海淀店', '丰台店'][i * i % 7 % 3 + 1] AS 门店,
        ['饮料', '零食', '日用品', '饮料'][i % 4 + 1] AS 品类, i * 37 % 100 + 1 AS 销售额
    FROM range(30) AS t(i)
"""
STORES_TABLE = QuestionTable("stores", STORES)


@pytest.mark.parametrize(
    "question",
    [
        *("有多少门店", "有多少家门店", "有几家门店", "有几个门店", "门店有多少", "门店数量"),
        *("门店个数", "门店总数", "门店的数量是多少", "門店數量", "有多少家門店"),
    ],
)
def test_the_values_of_a_name_are_counted(question: str) -> None:
    drawn = STORES_TABLE.ask(question)

    assert drawn.chart is not None
    assert [row["门店"] for row in drawn.chart.rows] == [3]


@pytest.mark.parametrize(
    "question", ["各门店的品类数量", "各门店品类数量", "每个门店有多少种品类", "各门店有几种品类"]
)
def test_the_values_of_a_name_are_counted_by_another(question: str) -> None:
    drawn = STORES_TABLE.ask(question)

    counts = STORES_TABLE.pairs("SELECT 门店, count(DISTINCT 品类) FROM stores GROUP BY 1")
    assert drawn.values("门店", "品类") == counts


@pytest.mark.parametrize("question", ["各门店数量", "按门店统计数量", "门店的数量分布"])
def test_rows_are_counted_by_a_grouping(question: str) -> None:
    drawn = STORES_TABLE.ask(question)

    assert drawn.values("门店", "_count") == STORES_TABLE.pairs(
        "SELECT 门店, count(*) FROM stores GROUP BY 1"
    )
    assert not any("没有读取" in note for note in drawn.notes), drawn.notes
