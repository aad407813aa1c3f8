"""Charts of the columns, kinds and aggregates that a question names, without a model."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource, infer_shape

from yarrow.charting import (
    Aggregate,
    ChartChannel,
    ChartLanguage,
    ChartSuggestion,
    ChartType,
    CompiledChart,
    DType,
    chart_question,
    compile_chart,
    explain_reading,
    find_question_language,
    read_question,
    read_shape,
)

CARS: list[JsonObject] = [
    {
        "region": ("north", "south", "west")[n % 3],
        "amount": n * 7 % 13,
        "mpg": 15 + n % 9,
        "order_date": f"2024-{n % 12 + 1:02d}-0{n % 9 + 1}",
        "model_year": 1970 + n % 10,
    }
    for n in range(60)
]
SALES: list[JsonObject] = [
    {"地区": ("北", "南")[n % 2], "销售金额": n * 7 % 13, "数量": n % 5} for n in range(40)
]


def answer(question: str, rows: list[JsonObject] = CARS) -> ChartSuggestion:
    shape = infer_shape(rows, name="cars")
    return chart_question(read_question(question, shape), shape)[0]


def explain(question: str, language: ChartLanguage = ChartLanguage.EN) -> list[str]:
    shape = infer_shape(CARS, name="cars")
    reading = read_question(question, shape)
    first = next(iter(chart_question(reading, shape)), None)
    return list(explain_reading(reading, shape, first, language))


@pytest.mark.parametrize(
    ("question", "chart", "fields"),
    [
        ("bar chart of mpg by region", ChartType.BAR, {"x": "region", "y": "mpg"}),
        ("MPG per Region", ChartType.BAR, {"x": "region", "y": "mpg"}),
        ("Bar chart: region, mpg", ChartType.BAR, {"x": "region", "y": "mpg"}),
        ("How does mpg differ by region?", ChartType.BAR, {"x": "region", "y": "mpg"}),
        ("mpg by model year", ChartType.LINE, {"x": "model_year", "y": "mpg"}),
        ("mpg over time", ChartType.LINE, {"x": "order_date", "y": "mpg"}),
        ("How does mpg develop?", ChartType.LINE, {"x": "order_date", "y": "mpg"}),
        ("金额的变化", ChartType.LINE, {"x": "order_date", "y": "amount"}),
        ("pie chart of amount by region", ChartType.PIE, {"color": "region", "size": "amount"}),
        ("pie by region", ChartType.PIE, {"color": "region"}),
        ("line chart of mpg", ChartType.LINE, {"x": "order_date", "y": "mpg"}),
        ("mpg vs amount", ChartType.SCATTER, {"x": "amount", "y": "mpg"}),
        ("scatter of mpg and amount", ChartType.SCATTER, {"x": "mpg", "y": "amount"}),
        ("histogram of mpg", ChartType.HISTOGRAM, {"x": "mpg"}),
        ("distribution of mpg by region", ChartType.BOXPLOT, {"x": "region", "y": "mpg"}),
        ("box plot of mpg by region", ChartType.BOXPLOT, {"x": "region", "y": "mpg"}),
        (
            "heatmap of amount by region and model_year",
            ChartType.HEATMAP,
            {"x": "region", "y": "model_year", "color": "amount"},
        ),
        (
            "amount by order date and region",
            ChartType.LINE,
            {"x": "order_date", "y": "amount", "color": "region"},
        ),
        ("各地区的金额柱状图", ChartType.BAR, {"x": "region", "y": "amount"}),
        ("各地区平均mpg", ChartType.BAR, {"x": "region", "y": "mpg"}),
        ("mpg的直方图", ChartType.HISTOGRAM, {"x": "mpg"}),
    ],
)
def test_a_question_is_answered_by_the_columns_it_names(
    question: str, chart: ChartType, fields: dict[str, str]
) -> None:
    intent = answer(question).intent

    assert (intent.chart_type, {c.value: f for c, f in intent.encodings.items()}) == (chart, fields)
    assert compile_chart(intent, RowSource(CARS)).spec


def test_what_changes_with_a_number_is_not_drawn_over_time() -> None:
    assert answer("how does mpg change with amount").intent.chart_type is ChartType.SCATTER


@pytest.mark.parametrize(
    ("question", "chart", "fields"),
    [
        ("各地区的金额柱状图", ChartType.BAR, {"x": "地区", "y": "销售金额"}),
        ("地区 数量 饼图", ChartType.PIE, {"color": "地区", "size": "数量"}),
        ("sales by region", ChartType.BAR, {"x": "地区", "y": "销售金额"}),
        ("按地区统计的数量折线图", ChartType.LINE, {"x": "地区", "y": "数量"}),
        ("销售金额和数量的散点图", ChartType.SCATTER, {"x": "销售金额", "y": "数量"}),
    ],
)
def test_chinese_columns_are_found_in_both_languages(
    question: str, chart: ChartType, fields: dict[str, str]
) -> None:
    intent = answer(question, SALES).intent

    assert (intent.chart_type, {c.value: f for c, f in intent.encodings.items()}) == (chart, fields)


@pytest.mark.parametrize(
    ("question", "aggregate"),
    [
        ("total mpg by region", Aggregate.SUM),
        ("sum of mpg per region", Aggregate.SUM),
        ("average amount by region", Aggregate.MEAN),
        ("max amount by region", Aggregate.MAX),
        ("minimum amount by region", Aggregate.MIN),
        ("median amount by region", Aggregate.MEDIAN),
        ("count by region", Aggregate.COUNT),
        ("number of rows by region", Aggregate.COUNT),
        ("count of amount by region", Aggregate.COUNT),
        ("number of amount by region", Aggregate.COUNT),
        ("各地区的金额合计", Aggregate.SUM),
        ("各地区的总金额", Aggregate.SUM),
        ("各地区的平均金额", Aggregate.MEAN),
        ("各地区的数量", Aggregate.COUNT),
        ("各地区最大的金额", Aggregate.MAX),
    ],
)
def test_a_named_aggregate_is_obeyed(question: str, aggregate: Aggregate) -> None:
    assert answer(question).intent.aggregates == {ChartChannel.Y: aggregate}


def test_a_word_that_is_a_column_is_no_aggregate() -> None:
    intent = answer("各地区的数量", SALES).intent

    assert (intent.encodings[ChartChannel.Y], intent.aggregates) == ("数量", {})


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("revenue by region", ["revenue"]),
        ("sum of horsepower by cylinders", ["horsepower", "cylinders"]),
        ("bar chart of the profit margin by region", ["profit margin"]),
        ("show `unit_price` by region", ["unit_price"]),
        ("各省的利润柱状图", ["省", "利润"]),
    ],
)
def test_a_column_that_does_not_exist_is_told(question: str, missing: list[str]) -> None:
    notes = explain(question)

    assert notes[: len(missing)] == [
        f"there is no column {name}; cars has region, amount, mpg, order_date, model_year"
        for name in missing
    ]


@pytest.mark.parametrize(
    "question",
    [
        "How does mpg differ by region?",
        "bar chart of mpg by region",
        "Show me the mpg of each region",
    ],
)
def test_nothing_is_told_about_a_question_that_is_read_whole(question: str) -> None:
    assert explain(question) == []


def test_what_is_guessed_chosen_or_left_out_is_told() -> None:
    assert explain("line chart of mpg") == [
        "the question does not name order_date; it was chosen by the shape of the data"
    ]
    assert explain("mpg by month") == ["month is read as the column order_date"]
    assert explain("histogram of mpg and amount") == [
        "amount is named in the question but not drawn"
    ]
    assert explain("mean and max of mpg by region") == [
        "only the first aggregate of the question is drawn: averaged"
    ]
    assert explain("sankey of mpg by region") == ["there is no chart of the kind sankey"]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("各地区的金额柱状图", ChartLanguage.ZH),
        ("bar chart of 销售金额 by 地区", ChartLanguage.EN),
        ("销售金额, 地区", None),
        ("??? 2024", None),
        ("地域ごとのグラフ", None),
    ],
)
def test_names_of_columns_are_no_clue_of_the_language(
    question: str, language: ChartLanguage | None
) -> None:
    assert find_question_language(question, [infer_shape(SALES)]) is language


def test_a_question_without_names_is_left_to_the_shape() -> None:
    shape = infer_shape(CARS)

    assert chart_question(read_question("Who sells most?", shape), shape) == ()


@pytest.mark.parametrize(
    ("question", "aggregate"),
    [
        ("what is the total amount?", Aggregate.SUM),
        ("median mpg", Aggregate.MEDIAN),
        ("平均 mpg 是多少", Aggregate.MEAN),
    ],
)
def test_an_aggregate_of_one_column_is_one_number(question: str, aggregate: Aggregate) -> None:
    chart = answer(question)

    assert chart.intent.chart_type is ChartType.KPI_CARD
    assert chart.intent.aggregates == {ChartChannel.VALUE: aggregate}


def test_an_aggregate_that_the_chart_does_not_have_is_told() -> None:
    assert explain("histogram of the average mpg") == [
        "mpg is not averaged: a Histogram is computed from all values"
    ]


@pytest.mark.parametrize("question", ["number of cars by region", "scatter plot of cars"])
def test_the_name_of_the_table_is_no_unknown_column(question: str) -> None:
    assert not [note for note in explain(question) if "no column" in note]


def draw_months(question: str) -> CompiledChart:
    days = [{"day": f"2024-0{n % 3 + 1}-{n % 28 + 1:02d}", "sales": n} for n in range(84)]
    rows = RowSource(days, types={"day": DType.DATE})
    shape = read_shape(rows, tuple(rows.columns))
    return compile_chart(chart_question(read_question(question, shape), shape)[0].intent, rows)


@pytest.mark.parametrize(
    "question", ["monthly sales", "total sales by month", "sales per month", "每月sales合计"]
)
def test_a_unit_of_time_in_the_question_is_that_of_the_chart(question: str) -> None:
    chart = draw_months(question)

    totals = {str(row["day"])[:7]: row["sales"] for row in chart.spec["data"]["values"]}
    expected = {f"2024-0{m + 1}": sum(n for n in range(84) if n % 3 == m) for m in range(3)}
    assert totals == expected
    assert any("month" in note for note in chart.notes)


def test_numbers_of_names_pick_nothing() -> None:
    rows: list[JsonObject] = [{"q1_2024": n, "region": "ab"[n % 2]} for n in range(9)]
    shape = infer_shape(rows, name="t")

    reading = read_question("100% stacked bar of q1_2024 by region", shape)

    assert (reading.conditions, reading.unapplied) == ((), ())


@pytest.mark.parametrize("question", ["top 3 regions by amount", "regions by amount"])
def test_places_may_be_compared_by_a_number(question: str) -> None:
    assert answer(question).intent.encodings == {"x": "region", "y": "amount"}


def test_different_values_are_counted_once() -> None:
    intent = answer("how many different model years per region").intent

    assert intent.encodings == {"x": "region", "y": "model_year"}
    assert intent.aggregates == {ChartChannel.Y: Aggregate.DISTINCT}


@pytest.mark.parametrize(
    ("question", "aggregate"),
    [("how many orders by region", Aggregate.SUM), ("counts of orders by region", Aggregate.COUNT)],
)
def test_numbers_that_are_counts_are_added(question: str, aggregate: Aggregate) -> None:
    rows: list[JsonObject] = [{"region": "ab"[n % 2], "orders": n * 7 % 40} for n in range(60)]

    assert answer(question, rows).intent.aggregates == {ChartChannel.Y: aggregate}


@pytest.mark.parametrize(
    "question",
    [
        """What's the average "count" by "group"?""",
        "what’s the average 'count' by 'group'?",
        "the regions' average “count” by “group”",
        "Group's average 'count' by 'group', what's it?",
        "各'group'的平均'count'",
        "各「group」的平均「count」",
    ],
)
def test_an_apostrophe_is_no_quotation_mark(question: str) -> None:
    rows: list[JsonObject] = [{"group": "ab"[n % 2], "count": n * 7 % 13} for n in range(40)]

    intent = answer(question, rows).intent

    assert intent.encodings == {"x": "group", "y": "count"}
    assert intent.aggregates == {ChartChannel.Y: Aggregate.MEAN}


def test_letters_of_vietnamese_are_no_ends_of_names() -> None:
    rows: list[JsonObject] = [{"vùng": "ab"[n % 2], "thu": n, "thuế": n * 2} for n in range(40)]

    assert answer("total thuế by vùng", rows).intent.encodings == {"x": "vùng", "y": "thuế"}
    assert "thu" not in answer("total thuếx by vùng", rows).intent.encodings.values()


@pytest.mark.parametrize(
    ("name", "question", "aggregates"),
    [
        ("growth", "growth by bank", {}),
        ("Value", "Show the value by bank", {}),
        ("change", "average change by bank", {ChartChannel.Y: Aggregate.MEAN}),
        ("数值", "各bank的数值合计", {ChartChannel.Y: Aggregate.SUM}),
        ("數值", "各bank的數值平均值", {ChartChannel.Y: Aggregate.MEAN}),
    ],
)
def test_a_column_may_be_called_like_a_common_word(
    name: str, question: str, aggregates: dict[ChartChannel, Aggregate]
) -> None:
    rows: list[JsonObject] = [
        {"bank": "abc"[n % 3], "sales": n, name: n * 7 % 31 / 2} for n in range(60)
    ]

    intent = answer(question, rows).intent

    assert intent.encodings == {"x": "bank", "y": name}
    assert intent.aggregates == aggregates


@pytest.mark.parametrize(
    "question", ["how does sales change by bank", "show sales growth by bank", "各bank的sales变化"]
)
def test_common_words_elsewhere_are_no_columns(question: str) -> None:
    rows: list[JsonObject] = [
        {"bank": "abc"[n % 3], "sales": n, "change": n % 7 / 2, "growth": n % 5 / 2, "变化": n / 3}
        for n in range(60)
    ]

    assert answer(question, rows).intent.encodings == {"x": "bank", "y": "sales"}


@pytest.mark.parametrize("repeats", [1, 3])
def test_numbers_that_name_things_are_counted_once(repeats: int) -> None:
    rows: list[JsonObject] = [
        {"respondent": 100 + n // repeats, "answer": "yes" if n % 2 else "no"} for n in range(180)
    ]

    intent = answer("How many respondents answered?", rows).intent

    assert intent.encodings == {"value": "respondent"}
    assert intent.aggregates == {ChartChannel.VALUE: Aggregate.DISTINCT}


@pytest.mark.parametrize("name", ["goals", "children", "people_served", "seats_left"])
def test_whole_numbers_with_a_name_in_the_plural_are_added(name: str) -> None:
    rows: list[JsonObject] = [{"team": "ab"[n % 2], name: n * 7 % 40} for n in range(60)]

    intent = answer(f"how many {name.replace('_', ' ')} by team", rows).intent

    assert intent.aggregates == {ChartChannel.Y: Aggregate.SUM}


@pytest.mark.parametrize(
    "question", ["share of amount by region", "percentage of amount per region"]
)
def test_shares_are_a_pie(question: str) -> None:
    intent = answer(question).intent

    assert intent.chart_type is ChartType.PIE
    assert intent.encodings == {"color": "region", "size": "amount"}


def test_a_chinese_count_of_orders_is_no_column() -> None:
    rows: list[JsonObject] = [{"订单编号": n, "地区": "北南"[n % 2]} for n in range(9)]

    intent = answer("各地区订单数", rows).intent

    assert intent.encodings == {"x": "地区"}
    assert intent.aggregates == {ChartChannel.Y: Aggregate.COUNT}


@pytest.mark.parametrize(
    "question", ["各地区销售金额", "2023年各地区销售金额", "各地区销售金额占比"]
)
def test_a_measure_right_after_a_place_is_measured(question: str) -> None:
    encodings = answer(question, SALES).intent.encodings

    assert set(encodings.values()) == {"地区", "销售金额"}
    assert encodings.get(ChartChannel.Y, encodings.get(ChartChannel.SIZE)) == "销售金额"


def test_a_column_with_a_common_name_is_averaged() -> None:
    rows: list[JsonObject] = [{"share": n * 7 % 50 / 50, "kind": "ab"[n % 2]} for n in range(99)]

    intent = answer("average share by kind", rows).intent

    assert (intent.encodings, intent.aggregates) == (
        {"x": "kind", "y": "share"},
        {ChartChannel.Y: Aggregate.MEAN},
    )


def test_rows_are_counted_by_the_name_of_their_table() -> None:
    intent = answer("cars per region").intent

    assert (intent.chart_type, intent.encodings) == (ChartType.BAR, {"x": "region"})
