"""What fields mean: registered, named, stored. The expectations are the reference's (§10)."""

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.unit.charting.row_source import infer_shape

from yarrow.charting import (
    ChartColumn,
    DType,
    FieldKind,
    FieldMeaning,
    SemanticType,
    field_kind,
    guess_meaning,
)
from yarrow.charting.columns import KIND_OF, find_kind_by_name
from yarrow.charting.dates import has_days_first, normalise_date
from yarrow.charting.value_order import sort_values

REGISTERED = {
    "temporal": "DateTime Date Time Timestamp YearMonth YearQuarter YearWeek Year",
    "ordinal": "Quarter Month Week Day Hour Decade Rank Range",
    "quantitative": "Duration Amount Price Quantity Temperature Percentage Profit PercentageChange "
    "Sentiment Correlation Count Number Score Latitude Longitude",
    "nominal": "ID Country State City Region Address ZipCode Name Category Status Boolean "
    "Direction Unknown",
}

NAMED = {
    "temporal": "date created_at updated_at order_date timestamp datetime time year Created_At "
    "下单日期 创建时间 年份",
    "ordinal": "month quarter week day hour decade year_month year_quarter rank ranking user_rank "
    "priority_level tier 月份 季度 排名",
    "quantitative": "revenue_sum total_sales avg_price count_orders mean_temperature max_score "
    "min_cost profit_change growth_rate pct_change lat lon latitude longitude REVENUE_SUM "
    "订单数量 金额 销售额 占比 增长率 平均价格 销售额(万元)",
    "nominal": "user_name product_category status group_id country city region brand company "
    "productName 地区 产品名称 客户编号 省份",
}


def column(name: str, dtype: DType, *values: JsonValue, distinct: int | None = None) -> ChartColumn:
    return ChartColumn(name, dtype, distinct or len(set(values)), samples=values)


def test_there_are_44_semantic_types_and_each_has_a_kind() -> None:
    assert len(SemanticType) == 44
    assert {kind: sorted(t for t in SemanticType if KIND_OF[t] == kind) for kind in REGISTERED} == {
        kind: sorted(names.split()) for kind, names in REGISTERED.items()
    }


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in NAMED.items() for name in names.split()]
)
def test_names_tell_how_a_field_is_read(name: str, kind: str) -> None:
    assert find_kind_by_name(name) == kind


@pytest.mark.parametrize("name", ["x", "value", "col_a", "data", "info", "列甲"])
def test_names_without_a_signal_tell_nothing(name: str) -> None:
    assert find_kind_by_name(name) is None


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (column("x", DType.INTEGER, 2019, 2020, 2021), FieldKind.ORDINAL),
        (column("x", DType.INTEGER, 1, 2, 3, distinct=20), FieldKind.ORDINAL),
        (column("x", DType.INTEGER, 1, 2, 3, distinct=21), FieldKind.QUANTITATIVE),
        (column("x", DType.NUMBER, 0.5, distinct=50), FieldKind.QUANTITATIVE),
        (column("x", DType.STRING, "2024-01-01", "2024-02-01", "n/a"), FieldKind.NOMINAL),
        (
            column("x", DType.STRING, *[f"2024-01-0{day}" for day in range(1, 8)], "a", "b", "c"),
            FieldKind.TEMPORAL,
        ),
        (column("x", DType.BOOLEAN, True, False), FieldKind.NOMINAL),
        (column("x", DType.DATETIME, "2024-01-01T00:00:00"), FieldKind.TEMPORAL),
        (column("x", DType.DURATION, 12), FieldKind.QUANTITATIVE),
    ],
)
def test_stored_values_decide_last(given: ChartColumn, kind: FieldKind) -> None:
    assert field_kind(given, row_count=100, meaning=None) is kind


def test_half_unique_numbers_are_quantities() -> None:
    few = column("x", DType.INTEGER, 1, 2, 3, distinct=10)

    assert field_kind(few, row_count=20, meaning=None) is FieldKind.QUANTITATIVE
    assert field_kind(few, row_count=21, meaning=None) is FieldKind.ORDINAL


def test_what_is_registered_beats_the_name() -> None:
    year = column("year", DType.INTEGER, 1, 2, 3)
    meaning = FieldMeaning(SemanticType.COUNT)

    assert field_kind(year, row_count=3, meaning=meaning) is FieldKind.QUANTITATIVE


def test_a_name_gives_way_to_values_that_contradict_it() -> None:
    waiting = column("response_time", DType.NUMBER, 12.5, 13.5, distinct=90)
    bands = column("price", DType.STRING, "cheap", "dear")

    assert field_kind(waiting, row_count=100, meaning=None) is FieldKind.QUANTITATIVE
    assert field_kind(bands, row_count=2, meaning=None) is FieldKind.NOMINAL
    assert guess_meaning(bands) is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (2024, "2024"),
        ("2024年", "2024"),
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("2024-03", "2024-03-01"),
        ("2024年3月", "2024-03-01"),
        ("2024-Q3", "2024-07-01"),
        ("2024第三季度", "2024-07-01"),
        ("2024-W02", "2024-01-08"),
        ("2020-W53", "2020-12-28"),
        ("2021-W53", None),
        ("12/31/2024", "2024-12-31"),
        ("Mar 2024", "2024-03-01"),
        ("Mar 1 2000", "2000-03-01"),
        ("March 21, 2000", "2000-03-21"),
        ("12-Jun-98", "1998-06-12"),
        ("12-Jun-1998", "1998-06-12"),
        ("March 5, 2024", "2024-03-05"),
        ("2026-03-15T00:00:00.000", "2026-03-15"),
        ("2026-03-15 14:30", "2026-03-15T14:30:00"),
        ("2026-03-15T14:30:00Z", "2026-03-15T14:30:00Z"),
        ("2026-03-15T14:30:00.25Z", "2026-03-15T14:30:00.250Z"),
        ("2026-03-15T00:00:00.010000", "2026-03-15T00:00:00.010"),
        ("2024-13-01", None),
        ("hello", None),
        (17, None),
        (True, None),
    ],
)
def test_dates_have_one_form(written: JsonValue, read: str | None) -> None:
    assert normalise_date(written) == read


def test_one_day_above_twelve_tells_how_a_column_writes_its_days() -> None:
    assert has_days_first(["01/12/2024", None, "31/12/2024"])
    assert not has_days_first(["01/12/2024", "12/31/2024"])
    assert normalise_date("01/12/2024", days_first=True) == "2024-12-01"


@pytest.mark.parametrize(
    ("values", "meaning"),
    [
        ("Jan Feb Mar Apr Dec", SemanticType.MONTH),
        ("january February MARCH", SemanticType.MONTH),
        ("1月 2月 10月 12月", SemanticType.MONTH),
        ("一月 二月 三月 十月 十二月", SemanticType.MONTH),
        ("Mon Tue Wed Sun", SemanticType.DAY),
        ("周一 周二 周六 周日", SemanticType.DAY),
        ("星期一 星期三 星期天", SemanticType.DAY),
        ("Q1 Q2 Q3 Q4", SemanticType.QUARTER),
        ("第一季度 第二季度 第三季度 第四季度", SemanticType.QUARTER),
        ("<5 5-10 10-20 100-200 ≥200", SemanticType.RANGE),
        ("2023-Q4 2024-Q1 2024-Q2", None),
    ],
)
def test_months_days_quarters_and_ranges_have_their_order(values: str, meaning) -> None:
    wanted = values.split()

    assert sort_values(sorted(wanted, reverse=True), meaning) == wanted


def test_the_shape_of_rows_has_their_types() -> None:
    rows: list[JsonObject] = [
        {"d": "2024-01-01", "t": "2024-01-01T10:00:00", "i": 1, "n": 1, "b": True, "s": "x"},
        {"d": "2024-01-02", "t": "2024-01-02T11:30:00", "i": 2, "n": 1.5, "b": None, "s": "y"},
    ]

    shape = infer_shape(rows, name="t")

    assert [c.dtype.value for c in shape.columns] == [
        *("string", "string", "integer", "number", "boolean", "string")
    ]
    assert (shape.row_count, shape.columns[4].nulls, shape.columns[4].distinct) == (2, 1, 1)


@pytest.mark.parametrize(
    "levels",
    [
        "5-17|18-24|25-34|55+",
        "<18|18–64|≥65",
        "0-9 岁|10-19 岁|20-29 岁",
        "0~1.5|1.5~3|3~10",
        "(-10.5, -2.0]|(-2.0, 5.0]|(5.0, 40.0]|(40.0, 300.0]|(300.0, inf]",
        "Strongly disagree|Disagree|Neutral|Agree|Strongly agree",
        "Very low|Low|Medium|High|Very high",
        "low|high",
        "Never|Rarely|Sometimes|Often|Always",
        "Poor|Fair|Good|Very good|Excellent",
        "非常不满意|不满意|一般|满意|非常满意",
        "从不|偶尔|有时|经常|总是",
    ],
)
def test_ranges_and_levels_have_their_order_without_a_registered_meaning(levels: str) -> None:
    ordered: list[JsonValue] = [*levels.split("|")]
    found = column("answer", DType.STRING, *ordered[::-1])

    meaning = guess_meaning(found)

    assert field_kind(found, row_count=900, meaning=None) is FieldKind.ORDINAL
    assert sort_values(ordered[::-1], meaning) == ordered


@pytest.mark.parametrize(
    "names",
    [
        "2024-01|2024-02|2024-03",
        "01-02|03-04",
        "3-1|2-5",
        "a-b|c-d",
        "555-0100|555-0199",
        "+4912|+4913",
        "high|tide",
        "18-24|teachers",
    ],
)
def test_other_texts_are_no_ranges(names: str) -> None:
    assert guess_meaning(column("answer", DType.STRING, *names.split("|"))) is None


@pytest.mark.parametrize(
    "ordered",
    [
        ["[1.0.0, 2.0.0)", "[2.0.0, 3.0.0)"],
        ["(-0.001, 9.5]", "(9.5, 1e+03]", "(1e+03, 2000.0]"],
        ["(-inf, 0]", "(0, 10]", "(10, inf)"],
    ],
)
def test_intervals_are_sorted_and_versions_are_texts(ordered: list[str]) -> None:
    assert sort_values(ordered[::-1], None) == ordered
