"""Bins hold the values that lie between their edges, and tell which rows they leave out."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_compile import spec_of

from yarrow.charting import compile_chart, parse_intent
from yarrow.charting.errors import ChartImpossible
from yarrow.rendering.render import render_svg

TENTHS: list[JsonObject] = [{"rating": tenth / 10} for tenth in range(21) for _ in range(3)]


def test_each_decimal_is_counted_in_the_bin_that_begins_with_it() -> None:
    bins = spec_of(TENTHS, "histogram", {"x": "rating"})["data"]["values"]

    assert {bin_["rating"]: bin_["_count"] for bin_ in bins} == {n / 10: 3 for n in range(21)}
    assert [bin_["_to"] for bin_ in bins[:-1]] == [bin_["rating"] for bin_ in bins[1:]]


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e12, 1e200])
def test_bins_of_tiny_and_of_huge_values_have_places_of_their_own(unit: float) -> None:
    rows: list[JsonObject] = [{"size": n * unit} for n in range(1000)]

    bins = spec_of(rows, "histogram", {"x": "size"})["data"]["values"]

    assert [bin_["_count"] for bin_ in bins] == [50] * 20
    assert [bin_["size"] / unit for bin_ in bins] == pytest.approx([50 * n for n in range(20)])


def test_a_line_over_many_decimals_has_each_in_its_step() -> None:
    rows: list[JsonObject] = [{"at": n / 1000, "load": 1} for n in range(20_000)]

    wish: JsonObject = {"x": "at", "y": {"field": "load", "aggregate": "count"}}
    drawn = spec_of(rows, "line", wish)["data"]["values"]

    assert {row["load_"] for row in drawn} == {10}


@pytest.mark.parametrize(
    ("chart", "wish"),
    [
        ("histogram", {"x": "rating"}),
        ("density", {"x": "rating"}),
        ("boxplot", {"x": "shop", "y": "rating"}),
    ],
)
def test_a_distribution_tells_how_many_rows_have_no_value(chart: str, wish: JsonObject) -> None:
    rows: list[JsonObject] = [
        {"shop": "ab"[n % 2], "rating": None if n % 4 == 0 else n / 10} for n in range(100)
    ]

    drawn = compile_chart(parse_intent({"chart_type": chart, "encodings": wish}), RowSource(rows))

    assert "25 rows without a value of rating are left out" in drawn.notes


@pytest.mark.parametrize("as_float", [False, True])
@pytest.mark.parametrize("count", [5, 11, 20])
def test_few_whole_numbers_have_a_bar_each_with_its_number_below(
    count: int, *, as_float: bool
) -> None:
    ratings = [float(n) if as_float else n for n in range(1, count + 1)]

    spec = spec_of([{"rating": n} for n in ratings for _ in range(3)], "histogram", {"x": "rating"})

    drawn = [(bin_["rating"], bin_["_to"], bin_["_count"]) for bin_ in spec["data"]["values"]]
    assert drawn == [(n - 0.5, n + 0.5, 3) for n in ratings]
    assert spec["encoding"]["x"]["axis"]["values"] == ratings
    assert 'aria-label="rating: 0.5 – 1.5; Count: 3"' in render_svg(spec)


@pytest.mark.parametrize("as_float", [False, True])
@pytest.mark.parametrize("count", [40, 50, 100, 900])
def test_each_bin_of_whole_numbers_has_equally_many_of_them(count: int, *, as_float: bool) -> None:
    rows: list[JsonObject] = [{"age": float(n) if as_float else n} for n in range(count)]

    bins = spec_of(rows, "histogram", {"x": "age"})["data"]["values"]

    assert len({bin_["_count"] for bin_ in bins}) == 1


def test_the_density_of_equal_values_is_highest_at_them() -> None:
    drawn = spec_of([{"v": 5.0}] * 9, "density", {"x": "v"})["data"]["values"]

    density = {row["v"]: row["_density"] for row in drawn}
    assert max(density, key=density.__getitem__) == pytest.approx(5, abs=0.02)


QUARTERS: list[JsonObject] = [
    {"region": "ab"[n % 2], "q1": float(n % 9), "n": n % 7, "middle": 1.5, "low_fence": 2.5}
    for n in range(60)
] + [{"region": "a", "q1": 90.0, "n": 80, "middle": 70.0, "low_fence": 60.0}]


@pytest.mark.parametrize("name", ["q1", "n", "middle", "low_fence"])
def test_columns_may_be_called_like_the_numbers_of_a_box(name: str) -> None:
    spec = spec_of(QUARTERS, "boxplot", {"x": "region", "y": name})

    dots = [row[name] for row in spec["data"]["values"] if row[name] is not None]
    assert max(dots) == max(row[name] for row in QUARTERS)


@pytest.mark.parametrize(
    ("chart", "wish", "shown"),
    [
        ("boxplot", {"color": "cat", "x": "cat", "y": "v"}, 10),
        ("density", {"x": "v", "color": "cat", "row": "cat"}, 20),
        ("histogram", {"x": "v", "row": "cat", "color": "cat"}, 20),
    ],
)
def test_a_column_of_many_values_may_be_in_two_channels(
    chart: str, wish: JsonObject, shown: int
) -> None:
    rows: list[JsonObject] = [{"cat": f"c{n % 25:02}", "v": n * 7 % 31} for n in range(500)]

    drawn = spec_of(rows, chart, wish)["data"]["values"]

    assert len({row["cat"] for row in drawn} - {"Other"}) == shown


@pytest.mark.parametrize(("chart", "size"), [("histogram", 1e308), ("density", 1e200)])
def test_numbers_too_far_apart_for_floats_are_refused_in_words(chart: str, size: float) -> None:
    rows: list[JsonObject] = [{"v": -size}, {"v": 0.0}, {"v": size}]

    with pytest.raises(ChartImpossible, match="the numbers of v lie too far apart"):
        spec_of(rows, chart, {"x": "v"})


def test_an_empty_option_leaves_the_other_one() -> None:
    rows: list[JsonObject] = [{"v": n / 4} for n in range(400)]

    bins = spec_of(rows, "histogram", {"x": "v"}, maxbins=5, binCount=None)["data"]["values"]

    assert [row["_count"] for row in bins] == [80] * 5
