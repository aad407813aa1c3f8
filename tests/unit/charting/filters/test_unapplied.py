"""What would pick rows but is ambiguous or not understood is told, and picks none."""

import pytest
from tests.unit.charting.question_table import QuestionTable, open_table

from yarrow.charting import TableFacts, read_question

TWO_DATES = """
    SELECT DATE '2022-01-01' + (i % 700)::INTEGER AS order_date,
        DATE '2022-01-05' + (i % 700)::INTEGER AS ship_date,
        ['Japan', 'USA'][i % 2 + 1] AS origin, ['USA', 'Chile'][i % 2 + 1] AS destination,
        [10, 20, 30][i % 3 + 1] AS weight
    FROM range(25000) AS t(i)
"""


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("weight by origin in 2022", "several columns have times (order_date, ship_date); name"),
        ("weight by order_date for the USA", "it is a value of several columns (origin, dest"),
        ("weight by origin above 5", "'above 5' of the question is not applied: name the column"),
    ],
)
def test_what_may_mean_several_columns_picks_no_rows(question: str, note: str) -> None:
    drawn = QuestionTable("freight", TWO_DATES).ask(question)

    assert drawn.where == ""
    assert any(note in told for told in drawn.notes), drawn.notes


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("weight by origin with ship_date in 2022", '"ship_date" >= '),
        ("weight by order_date for destination USA", "\"destination\" IN ('USA')"),
    ],
)
def test_the_name_of_the_column_decides(question: str, where: str) -> None:
    assert where in QuestionTable("freight", TWO_DATES).ask(question).where


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("revenue in Atlantis by product", "'Atlantis' of the question is not read"),
        ("revenue by product in North America", "'North America' of the question is not read"),
        ("revenue by product compared to Apple", "'Apple' of the question is not applied"),
        ("revenue by product as a percentage of Apple", "'Apple' of the question is not applied"),
        ("revenue of Apple and all others by month", "'Apple' of the question is not applied"),
        ("revenue by region last year", "'last year' of the question is not applied: it depends"),
        ("revenue by region from 2022", "it may mean that time only, or all since"),
        ("regions with revenue above 500", "it may mean single rows or each region as a whole"),
        ("no North or South revenue", "'South' of the question is not read"),
        ("bottom 5% of countries by revenue", "'bottom 5%' of the question is not read"),
        ("price over 20 km by region", "the unit of price is not known"),
        ("revenue by region with price over 50 or in Japan", "what 'or' means"),
        ("revenue by region in Q5", "'Q5' of the question is not read"),
    ],
)
def test_what_is_not_certain_is_told(question: str, note: str) -> None:
    drawn = open_table("sales").ask(question)

    assert drawn.where == ""
    assert any(note in told for told in drawn.notes), drawn.notes


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("去年各地区销售额", "问题中的“去年”没有用来筛选：它取决于今天的日期"),
        ("火星各产品销售额", "问题中的“火星”没有读取"),
        ("销售额超过500的城市", "可能指单行，也可能指每个城市的总体"),
        ("各产品的销售额比北方", "问题中的“北方”没有用来筛选"),
    ],
)
def test_what_is_not_certain_is_told_in_chinese(question: str, note: str) -> None:
    drawn = open_table("订单").ask(question)

    assert drawn.where == ""
    assert any(note in told for told in drawn.notes), drawn.notes


@pytest.mark.parametrize(
    "question",
    [
        "bar chart of revenue by region",
        "How does revenue develop over time?",
        "show me the average price of each product, please",
        "Which region has the highest revenue?",
        "compare total quantity across countries",
        "revenue in descending order by country",
        "Compare revenue across different regions",
        "Can you show us the yearly revenue in terms of region?",
        "Is there a relationship between revenue and price?",
    ],
)
def test_words_that_pick_nothing_are_not_told(question: str) -> None:
    drawn = open_table("sales").ask(question)

    assert drawn.where == ""
    assert drawn.reading.unapplied == ()


@pytest.mark.parametrize(
    "question",
    [
        "请画出各地区销售额的柱状图",
        "每个城市的平均销售额是多少？",
        "销售额随时间的变化趋势",
        "哪种产品的销售额最高",
    ],
)
def test_chinese_words_that_pick_nothing_are_not_told(question: str) -> None:
    drawn = open_table("订单").ask(question)

    assert drawn.where == ""
    assert drawn.reading.unapplied == ()


@pytest.mark.parametrize(
    ("table", "question", "odd", "between"),
    [
        ("sales", "total revenue by region for Apple in 2022 with price above 5", "zorb", " "),
        ("sales", "Which 3 products have the highest revenue since March 2022?", "zorb", " "),
        ("sales", "monthly revenue in the North and South excluding Japan", "A", " "),
        ("订单", "最近三个月上海和北京的平均销售额走势", "鑫", ""),
        ("订单", "除了北方以外销售额大于5的前3个城市", "鑫", ""),
    ],
)
def test_no_word_of_a_question_is_dropped_in_silence(
    table: str, question: str, odd: str, between: str
) -> None:
    shape, facts = open_table(table).shape, open_table(table).look_up(question)
    words = question.split(between) if between else list(question)
    for at in range(1, len(words) + 1):
        text = between.join([*words[:at], odd, *words[at:]])
        reading = read_question(text, shape, facts)

        told = [*reading.unknown_columns, *(words.words for words in reading.unapplied)]
        assert any(odd in words for words in told), text


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("revenue by region for us customers", "us customers"),
        ("revenue by region where revenue > price", ">"),
        ("revenue growth by region", "growth"),
        ("year over year change of revenue", "year over year"),
        ("revenue month-on-month", "month-on-month"),
        ("growth year over year of revenue", "growth, year over year"),
        ("average daily revenue by month", "daily"),
        ("monthly revenue of the best region", "best"),
        ("worst region by revenue", "worst"),
        ("revenue by region above average", "above average"),
        ("share of revenue by region over time", "share of"),
        ("revenue by region or product", "or"),
        ("revenue by region barring Japan", "barring Japan"),
        ("revenue by region on weekends", "weekends"),
        ("revenue per quantity by region", "per quantity"),
        ("revenue divided by quantity by region", "divided by quantity"),
        ("average price by region for days in the North", "days"),
    ],
)
def test_words_that_would_change_the_chart_are_told(question: str, words: str) -> None:
    notes = open_table("sales").ask(question).notes

    assert f"'{words}' of the question is not read and has no effect" in notes


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("苹果汁的销售额", "苹果汁"),
        ("3月上旬各城市销售额", "3月上旬"),
        ("第5名城市的销售额", "第5名"),
    ],
)
def test_a_part_of_a_longer_chinese_word_picks_no_rows(question: str, words: str) -> None:
    drawn = open_table("订单").ask(question)

    assert drawn.where == ""
    assert f"问题中的“{words}”没有读取，不起作用" in drawn.notes


def test_a_number_that_a_column_is_said_to_be_picks_its_rows() -> None:
    assert open_table("订单").ask("数量为5的各城市销售额").where == '"数量" = 5'
    assert (
        open_table("sales").ask("revenue by region where quantity is 5").where == '"quantity" = 5'
    )


def test_what_a_question_counts_is_counted_once() -> None:
    drawn = open_table("sales").ask("number of days by region")

    (count, *others) = open_table("sales").select(
        "SELECT count(DISTINCT order_date) FROM sales GROUP BY region"
    )
    assert set(drawn.values("region", "order_date").values()) == {n for (n,) in [count, *others]}


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("average income where married is no", "\"married\" IN ('false')"),
        ("how many towns are married", "\"married\" IN ('true')"),
        ("how many towns are not married", "(\"married\" IN ('true')) IS NOT TRUE"),
        ("会员是的各town的income", "\"会员\" IN ('true')"),
        ("各town的income，会员为否", "\"会员\" IN ('false')"),
        ("各town的平均income是？", ""),
        ("income最高的town是：", ""),
        ("各town的会员是？", ""),
        ("会员是多少", ""),
        ("会员是否影响income", ""),
    ],
)
def test_yes_and_no_pick_rows_of_a_boolean_column(question: str, where: str) -> None:
    flag = "married" if "married" in question else "会员"
    columns = f"['Ulm', 'Bonn'][i % 2 + 1] AS town, i % 3 = 0 AS {flag}, i AS income"
    table = QuestionTable("people", f"SELECT {columns} FROM range(90) t(i)")

    assert table.ask(question).where == where


@pytest.mark.parametrize("column", ["carton", "wage", "mileage"])
def test_the_end_of_a_word_is_no_unit(column: str) -> None:
    sql = f"SELECT ['Ulm', 'Bonn'][i % 2 + 1] AS town, i AS {column} FROM range(90) t(i)"
    unit = "tons" if column == "carton" else "years old"

    asked = QuestionTable("things", sql).ask(f"{column} over 20 {unit} by town")

    assert asked.where == ""


def test_values_that_are_common_words_pick_nothing_by_chance() -> None:
    sql = (
        "SELECT ['in', 'bar', 'Total', 'OR', 'x'][i % 5 + 1] AS kind, i AS size FROM range(90) t(i)"
    )
    table = QuestionTable("things", sql)

    assert table.ask("bar chart of total size by kind in this table").where == ""
    assert table.ask("total size excluding Total").where == "(\"kind\" IN ('Total')) IS NOT TRUE"
    assert table.ask("total size in OR").where == "\"kind\" IN ('OR')"


def test_without_a_lookup_no_value_is_applied() -> None:
    reading = read_question("revenue in Japan", open_table("sales").shape, TableFacts())

    assert reading.conditions == ()
    assert [unapplied.words for unapplied in reading.unapplied] == ["Japan"]
