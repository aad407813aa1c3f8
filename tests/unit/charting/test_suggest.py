"""Charts and questions without a model: sensible, and never about what is not there."""

import re

import pytest
from hypothesis import given, settings
from tests.examples import scale_examples
from tests.loose_json import JsonObject
from tests.unit.charting.gallery import people, products, sales
from tests.unit.charting.question_table import open_table
from tests.unit.charting.row_source import RowSource, infer_shape
from tests.unit.charting.strategies import tables

from yarrow.charting import (
    ChartChannel,
    ChartColumn,
    ChartLanguage,
    ChartType,
    DType,
    QuestionTag,
    TableShape,
    chart_question,
    compile_chart,
    explain_reading,
    read_question,
    suggest_charts,
    suggest_questions,
)
from yarrow.charting.suggest import assign_roles
from yarrow.charting.words import SuggestionReason

DAILY: list[JsonObject] = [
    {"day": f"2024-01-{n:02d}", "visits": n * 37 % 101} for n in range(1, 29)
]
TWO = [{"height": 150 + n * 1.3, "weight": 50 + n * 0.9} for n in range(30)]
ONE = [{"speed": n * 1.7} for n in range(30)]
NAMES = [{"colour": ("red", "green", "blue")[n % 3]} for n in range(9)]


@pytest.mark.parametrize(
    ("rows", "chart"),
    [
        (DAILY, ChartType.LINE),
        (sales(), ChartType.LINE),
        (products(), ChartType.BAR),
        (TWO, ChartType.SCATTER),
        (ONE, ChartType.HISTOGRAM),
        (NAMES, ChartType.BAR),
        ([{"revenue": 12.5}], ChartType.KPI_CARD),
    ],
)
def test_the_first_chart_fits_the_table(rows: list[JsonObject], chart: ChartType) -> None:
    first = suggest_charts(infer_shape(rows))[0]

    assert first.intent.chart_type is chart
    assert compile_chart(first.intent, RowSource(rows)).spec


def test_better_charts_come_first_with_their_fields_as_title() -> None:
    found = suggest_charts(infer_shape(sales()))

    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert found[0].title == ("销售额", "月份", "地区")
    assert found[0].reason


@pytest.mark.parametrize("language", ChartLanguage)
@settings(max_examples=scale_examples(30))
@given(tables())
def test_a_chart_answers_a_question_about_its_fields(language, rows) -> None:
    for suggestion in suggest_charts(infer_shape(rows)):
        question = suggestion.question(language)
        assert question.endswith(("?", "？"))
        named = [field for field in suggestion.title if field in question]
        assert named or suggestion.reason is SuggestionReason.COORDINATES


@settings(max_examples=scale_examples(40))
@given(tables())
def test_a_suggestion_names_only_fields_that_exist(rows: list[JsonObject]) -> None:
    shape = infer_shape(rows)

    for suggestion in suggest_charts(shape):
        assert suggestion.intent.encodings
        assert set(suggestion.intent.encodings.values()) <= set(shape.names)


@settings(max_examples=scale_examples(40))
@given(tables(nulls=False))
def test_a_suggestion_can_be_drawn(rows: list[JsonObject]) -> None:
    """With gaps it may be impossible: two columns need not have values in the same row."""
    for suggestion in suggest_charts(infer_shape(rows)):
        assert compile_chart(suggestion.intent, RowSource(rows)).spec["data"]["values"]


@pytest.mark.parametrize("shape", [TableShape((), 0), TableShape((), 5), infer_shape([])])
def test_nothing_is_suggested_for_nothing(shape: TableShape) -> None:
    assert suggest_charts(shape) == ()
    assert suggest_questions(shape) == ()


@pytest.mark.parametrize("language", ChartLanguage)
@pytest.mark.parametrize("rows", [DAILY, sales(), products(), people(), ONE, NAMES])
def test_there_are_four_questions_with_four_tags(rows, language) -> None:  # reference, §4
    questions = suggest_questions(infer_shape(rows), language)

    assert len({question.tag for question in questions}) == 4
    assert QuestionTag.CROSS_DATA not in {question.tag for question in questions}


@pytest.mark.parametrize("language", ChartLanguage)
@pytest.mark.parametrize("table", ["sales", "movies", "cars", "订单"])
def test_every_word_of_a_suggested_question_is_read(table: str, language: ChartLanguage) -> None:
    asked = open_table(table)

    for question in suggest_questions(asked.shape, language):
        reading = read_question(question.text, asked.shape, asked.look_up(question.text))
        assert [*reading.unapplied] == [], question.text


@pytest.mark.parametrize("rows", [[{"a": None, "b": None}] * 5, [{"a": None}]])
def test_nothing_is_asked_of_a_table_without_a_value(rows: list[JsonObject]) -> None:
    assert suggest_questions(infer_shape(rows)) == ()
    assert suggest_charts(infer_shape(rows)) == ()


def test_nothing_is_asked_of_a_table_that_is_only_a_header() -> None:
    header = TableShape((ChartColumn("a", DType.STRING, 0), ChartColumn("b", DType.NUMBER, 0)), 0)

    assert suggest_questions(header) == ()
    assert suggest_questions([header, infer_shape(ONE)]) == suggest_questions(infer_shape(ONE))


@pytest.mark.parametrize("rows", [ONE, NAMES, [{**row, "empty": None} for row in ONE]])
def test_one_column_is_not_compared_with_others(rows: list[JsonObject]) -> None:
    words = " ".join(question.text for question in suggest_questions(infer_shape(rows)))

    assert "column" not in words
    assert "empty" not in words
    assert "correlation" not in words


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([{"a": 1.5, "b": 2.5}, {"a": 2.5, "b": 1.5}], "correlation"),
        ([{"a": n * 1.5, "b": 7.5} for n in range(9)], "correlation"),
        ([{"shop": shop, "sales": n * 1.5} for n, shop in enumerate("abcd")], "chance"),
    ],
)
def test_no_statistics_are_asked_that_the_rows_cannot_give(
    rows: list[JsonObject], word: str
) -> None:
    assert all(word not in question.text for question in suggest_questions(infer_shape(rows)))


@pytest.mark.parametrize("names", [("x", "y"), ("y", "x"), ("Y", "X")])
def test_columns_named_after_axes_lie_on_them(names: tuple[str, str]) -> None:
    rows = [dict(zip(names, (n * 1.3, 50 + n * 0.9), strict=True)) for n in range(30)]

    fields = suggest_charts(infer_shape(rows))[0].intent.encodings

    assert (fields[ChartChannel.X].lower(), fields[ChartChannel.Y].lower()) == ("x", "y")


def test_of_two_measures_the_first_lies_below() -> None:
    fields = suggest_charts(infer_shape(TWO))[0].intent.encodings

    assert fields == {ChartChannel.X: "height", ChartChannel.Y: "weight"}


@settings(max_examples=scale_examples(30))
@given(tables(), tables())
def test_goals_are_short_with_bold_words(one, other) -> None:  # reference, §4
    shapes = [infer_shape(one), infer_shape(other)]
    for language in ChartLanguage:
        for question in suggest_questions(shapes, language):
            assert len(question.goal.split()) < 10
            assert re.search(r"\*\*[^*]+\*\*", question.goal)
            assert question.text.strip()


def test_long_column_names_do_not_lengthen_goals() -> None:
    name = "total revenue of all shops in the whole country before any tax *estimated*"
    shape = TableShape((ChartColumn(name, DType.NUMBER, 90),), 100)

    assert all(len(question.goal.split()) < 10 for question in suggest_questions(shape))


def test_one_question_is_about_the_second_table() -> None:
    orders = infer_shape([{"city": "a", "sales": 1.5}, {"city": "b", "sales": 2.5}], name="orders")
    people = infer_shape([{"city": "a", "age": 31.5}, {"city": "b", "age": 42.5}], name="people")

    asked = suggest_questions([orders, people])

    assert ["age" in q.text for q in asked] == [q.tag is QuestionTag.BROADEN for q in asked]
    assert any("age" in q.text for q in asked)


AWKWARD: dict[str, list[JsonObject]] = {
    "a column called as a chart": [{"plot": f"p{n}", "gene": n * 1.37 % 7} for n in range(60)],
    "a column called as a share": [
        {"问题": f"Q{n % 4}", "比例": n * 7 % 50 + 0.5, "人数": n * 3} for n in range(12)
    ],
    "columns called as years": [
        {"land": "abcd"[n], "2018": n * 1.5, "2019": 9.5 - n} for n in range(4)
    ],
    "columns called as months": [
        {"产品": "甲乙丙丁"[n], "1月": n * 3, "合计": 9 - n} for n in range(4)
    ],
    "a column called as a total": [
        {"产品": v, "合计": n * 7 + 0.5} for n, v in enumerate(["甲", "合计"])
    ],
    "common words": [{"name": "abcd"[n], "value": n + 1} for n in range(4)],
    "units in brackets": [
        {"城市": "京沪"[n % 2], "年份": 2020 + n, "营收(万元)": n * 1.5} for n in range(4)
    ],
    "numbers of places": [{"stars": n % 5 + 1, "votes": n * 7 % 40} for n in range(100)],
    "no words": [{"😀": n * 0.37, "Total $ (USD)": n % 13, "a.b": n % 4} for n in range(30)],
    "sentences": [{"text": "so long. " * (9 + n % 3), "stars": n * 1.5} for n in range(20)],
    "unique texts": [{"item": f"x{n}", "weight": f"{n} kg"} for n in range(5)],
    "one row": [{"name": "Acme", "revenue": 1200, "cost": 900}],
    "places without a share": [{"store": f"S{n}", "revenue": n * 7 + 1} for n in range(60)],
}


@pytest.mark.parametrize("language", ChartLanguage)
@pytest.mark.parametrize("rows", AWKWARD.values(), ids=AWKWARD)
def test_a_suggested_question_is_answered_without_a_rest(rows, language) -> None:
    shape, charts = infer_shape(rows), []

    for question in suggest_questions(shape, language):
        reading = read_question(question.text, shape)
        charts.append(chart_question(reading, shape)[0])
        assert not [*explain_reading(reading, shape, charts[-1], language)], question.text
        assert compile_chart(charts[-1].intent, RowSource(rows)).spec

    shown = [(str(c.intent.chart_type), *sorted(c.intent.encodings.values())) for c in charts]
    assert shown
    assert len({*shown}) == len(shown)


def test_no_share_is_asked_of_what_does_not_add_up() -> None:
    rows = [{"depot": "ab"[n % 2], "temperature": n * 0.7 % 9} for n in range(30)]

    assert not [q for q in suggest_questions(infer_shape(rows)) if "share" in q.text]


def test_sentences_are_no_places() -> None:
    asked = suggest_questions(infer_shape(AWKWARD["sentences"]))

    assert not [q for q in asked if "text" in q.text]


def test_questions_are_asked_in_the_language_wished_for() -> None:
    asked = suggest_questions(infer_shape(DAILY), ChartLanguage.ZH)

    assert all(re.search(r"[\u4e00-\u9fff]", q.text) and q.text.endswith("？") for q in asked)


@pytest.mark.parametrize("code", ["iso_num", "zip", "year", "fips_code", "邮编"])
def test_codes_are_not_measured_in_questions(code: str) -> None:
    rows: list[JsonObject] = [
        {
            code: 1990 + n if code == "year" else 10_000 + 37 * n,
            "sales": n * 1.5,
            "shop": "ab"[n % 2],
        }
        for n in range(30)
    ]

    measures = [column.name for column in assign_roles(infer_shape(rows)).measures]

    assert measures == ["sales"]


@pytest.mark.parametrize("code", ["iso_num", "zip", "phone"])
def test_no_question_counts_the_values_of_a_code(code: str) -> None:
    rows = [{code: 100 + n, "grade": ("a", "b")[n % 2]} for n in range(30)]

    assert all(code not in question.text for question in suggest_questions(infer_shape(rows)))


def test_few_different_fractions_are_still_measured() -> None:
    rows = [{"year": 1990 + n % 30, "life": 60 + n % 12 / 4} for n in range(90)]

    assert [c.name for c in assign_roles(infer_shape(rows)).measures] == ["life"]
