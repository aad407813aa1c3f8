"""The rules by which charts are drawn (reference §10), and what is never drawn."""

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource
from tests.unit.charting.test_schema import compiled

from yarrow.charting import (
    ChartSize,
    FieldMeaning,
    SemanticType,
    compile_chart,
    parse_intent,
)
from yarrow.charting.errors import (
    ChartChannelsMissing,
    ChartFieldsMissing,
    ChartWithoutNumbers,
    ChartWithoutRows,
)

SALES: list[JsonObject] = [
    {"region": region, "quarter": quarter, "sales": amount}
    for region, amounts in {"North": (30, 40), "South": (70, 10), "East": (5, 8)}.items()
    for quarter, amount in zip(("Q1", "Q2"), amounts, strict=True)
]


def spec_of(rows: list[JsonObject], chart: str, encodings: JsonObject, **config) -> JsonObject:
    return compiled(rows, {"chart_type": chart, "encodings": encodings, "config": config}).spec


def test_missing_fields_are_named_with_those_that_exist() -> None:
    with pytest.raises(ChartFieldsMissing) as caught:
        spec_of(SALES, "bar", {"x": "region", "y": "profit", "color": "shop"})

    assert caught.value.missing == ("profit", "shop")
    assert caught.value.available == ("region", "quarter", "sales")


def test_a_table_without_rows_has_no_chart() -> None:
    with pytest.raises(ChartWithoutRows):
        compile_chart(parse_intent({"type": "bar"}), RowSource([]))


def test_rows_without_any_value_have_no_chart() -> None:
    rows: list[JsonObject] = [{"day": "2024-01-01", "sales": None}, {"day": None, "sales": 3}]

    with pytest.raises(ChartWithoutRows):
        spec_of(rows, "line", {"x": "day", "y": "sales"})


def test_a_chart_needs_its_channels() -> None:
    with pytest.raises(ChartChannelsMissing) as caught:
        spec_of(SALES, "line", {"x": "quarter"})

    assert caught.value.channels == ("y",)


def test_what_is_measured_must_be_numbers() -> None:
    with pytest.raises(ChartWithoutNumbers):
        spec_of(SALES, "radar", {"x": "region", "y": "quarter"})


def test_a_histogram_bins_and_counts() -> None:
    histogram = spec_of(SALES, "histogram", {"x": "sales"})
    encoding = histogram["encoding"]

    assert (encoding["x"]["type"], encoding["x"]["bin"]["binned"]) == ("quantitative", True)
    counts = [row[encoding["y"]["field"]] for row in histogram["data"]["values"]]
    assert sum(counts) == len(SALES)


def test_a_heatmap_has_nominal_axes() -> None:
    rows = [{"year": 2020 + n, "week": n, "sales": 2.5 * n} for n in range(3)]

    encoding = spec_of(rows, "heatmap", {"x": "year", "y": "week", "color": "sales"})["encoding"]

    assert (encoding["x"]["type"], encoding["y"]["type"]) == ("nominal", "nominal")


@pytest.mark.parametrize(
    ("columns", "width", "is_written"),
    [(5, 400, True), (13, {"step": 40}, True), (30, None, False)],
)
def test_a_heatmap_writes_numbers_only_where_they_fit(
    columns: int, width: object, is_written: bool
) -> None:
    rows = [{"day": f"d{n}", "shop": "a", "mpg": 27.1234 + n} for n in range(columns)]

    spec = spec_of(rows, "heatmap", {"x": "day", "y": "shop", "color": "mpg"})

    written = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert bool(written) is is_written
    if is_written:
        assert spec["width"] == width
        assert written[0]["encoding"]["text"]["format"] == ",.1f"


def test_a_boxplot_has_a_nominal_and_a_quantitative_axis() -> None:
    rows = [{"grade": n % 3, "points": n} for n in range(30)]

    spec = spec_of(rows, "boxplot", {"x": "grade", "y": "points"})

    assert spec["encoding"]["x"]["type"] == "nominal"
    assert {layer["encoding"]["y"]["type"] for layer in spec["layer"]} == {"quantitative"}
    assert [row["_middle"] for row in spec["data"]["values"]] == [13.5, 14.5, 15.5]


def test_a_pie_has_angles_by_size_and_nominal_colours() -> None:
    spec = spec_of(SALES[::2], "pie", {"size": "sales", "color": "region"}, innerRadius=50)

    assert spec["encoding"]["theta"]["type"] == "quantitative"
    arc = spec["layer"][0]
    assert arc["encoding"]["color"]["type"] == "nominal"
    assert arc["mark"]["innerRadius"] == arc["mark"]["outerRadius"] / 2


def test_a_pie_has_at_most_seven_wedges() -> None:
    rows = [{"shop": f"s{n}", "sales": 100 - n} for n in range(12)]

    chart = compiled(rows, {"type": "pie", "encodings": {"size": "sales", "color": "shop"}})

    wedges = {row["shop"]: row["sales"] for row in chart.spec["data"]["values"]}
    assert list(wedges) == ["s0", "s1", "s2", "s3", "s4", "s5", "Other"]
    assert wedges["Other"] == sum(100 - n for n in range(6, 12))
    assert chart.notes


def test_grouped_bars_stand_side_by_side() -> None:
    wish = {"x": "region", "y": "sales", "group": "quarter"}

    assert spec_of(SALES, "grouped_bar", wish)["encoding"]["xOffset"]["field"] == "quarter"


def test_grouped_bars_may_be_grouped_by_colour() -> None:
    wish = {"x": "region", "y": "sales", "color": "quarter"}

    assert spec_of(SALES, "group_bar", wish)["encoding"]["xOffset"]["field"] == "quarter"


def test_bars_over_time_stand_on_ordinal_places() -> None:
    rows = [{"day": f"2024-01-0{n}", "sales": n * 10.5} for n in range(1, 6)]

    assert spec_of(rows, "bar", {"x": "day", "y": "sales"})["encoding"]["x"]["type"] == "ordinal"
    assert spec_of(rows, "line", {"x": "day", "y": "sales"})["encoding"]["x"]["type"] == "temporal"


def test_a_column_facet_is_wrapped_after_six() -> None:
    spec = spec_of(SALES, "bar", {"x": "quarter", "y": "sales", "facet": "region"})

    assert (spec["columns"], spec["facet"]["field"]) == (6, "region")


def test_a_row_and_a_column_make_a_grid() -> None:
    rows = [row | {"kind": "a"} for row in SALES]
    wish = {"x": "quarter", "y": "sales", "column": "region", "row": "kind"}

    assert set(spec_of(rows, "bar", wish)["facet"]) == {"row", "column"}


def test_beyond_68_places_the_largest_stay_and_the_axis_says_so() -> None:
    rows = [{"shop": f"s{n:03d}", "sales": n} for n in range(100)]

    chart = compiled(rows, {"type": "bar", "encodings": {"x": "shop", "y": "sales"}})

    domain = chart.spec["encoding"]["x"]["scale"]["domain"]
    assert len(chart.spec["data"]["values"]) == 68
    assert (domain[0], domain[67], domain[68]) == ("s099", "s032", "… 32 items omitted")
    assert "32 items omitted" in chart.notes[0]


def test_68_places_are_all_shown() -> None:
    rows = [{"shop": f"s{n:03d}", "sales": n} for n in range(68)]

    assert compiled(rows, {"type": "bar", "encodings": {"x": "shop", "y": "sales"}}).notes == ()


def test_at_most_20_rows_of_panels() -> None:
    rows = [{"shop": f"s{n:03d}", "kind": "ab"[n % 2], "sales": n} for n in range(25)]

    wish = {"type": "bar", "encodings": {"x": "kind", "y": "sales", "row": "shop"}}

    assert len({row["shop"] for row in compiled(rows, wish).spec["data"]["values"]}) == 20


@pytest.mark.parametrize("chart", ["line", "area"])
def test_lines_and_areas_drop_rows_without_a_value(chart: str) -> None:
    rows = [{"day": f"2024-01-0{n}", "sales": None if n == 2 else n} for n in range(1, 6)]

    spec = spec_of(rows, chart, {"x": "day", "y": "sales"})

    assert [row["sales"] for row in spec["data"]["values"]] == [1, 3, 4, 5]


def test_months_follow_the_calendar() -> None:
    rows = [{"month": month, "sales": n} for n, month in enumerate(("Mar", "Dec", "Jan"))]

    encoding = spec_of(rows, "line", {"x": "month", "y": "sales"})["encoding"]

    assert encoding["x"]["sort"] == ["Jan", "Mar", "Dec"]


def test_years_become_text_on_a_time_axis() -> None:
    rows = [{"year": 2020 + n, "sales": n * 1.5} for n in range(4)]

    spec = spec_of(rows, "line", {"x": "year", "y": "sales"})

    assert spec["encoding"]["x"]["type"] == "temporal"
    assert spec["data"]["values"][0]["year"] == "2020"


def test_whole_days_look_the_same_in_every_time_zone() -> None:
    rows = [{"day": f"2024-01-0{n}T00:00:00.000", "sales": n} for n in range(1, 4)]

    spec = spec_of(rows, "line", {"x": "day", "y": "sales"})

    assert spec["encoding"]["x"]["scale"] == {"type": "utc"}
    assert spec["data"]["values"][0]["day"] == "2024-01-01"


@pytest.mark.parametrize(
    ("names", "angle"),
    [
        ([f"s{n}" for n in range(9)], 0),
        ([f"s{n}" for n in range(30)], -45),
        (["a long label", "b", "c", "d"], 0),
        (["a longer label here", "b", "c", "d"], -45),
        (["笔记本电脑类", "b", "c", "d", "e"], 0),
        (["笔记本电脑类", "b", "c", "d", "e", "f"], -45),
    ],
)
def test_labels_turn_where_they_would_not_fit(names: list[str], angle: int) -> None:
    rows = [{"shop": name, "sales": 3} for name in names]

    x = spec_of(rows, "bar", {"x": "shop", "y": "sales"})["encoding"]["x"]

    assert x["axis"]["labelAngle"] == angle


@pytest.mark.parametrize(("places", "width"), [(12, 400), (13, {"step": 20})])
def test_more_than_twelve_places_get_a_step_each(places: int, width: object) -> None:
    rows = [{"shop": f"s{n}", "sales": n} for n in range(places)]

    spec = spec_of(rows, "bar", {"x": "shop", "y": "sales"})

    assert (spec["width"], spec["height"]) == (width, 300)


def test_a_size_may_be_given() -> None:
    wish = parse_intent({"type": "scatter", "encodings": {"x": "sales", "y": "sales"}})

    spec = compile_chart(wish, RowSource(SALES), size=ChartSize(640, 200)).spec

    assert (spec["width"], spec["height"]) == (640, 200)


def test_tooltips_show_every_field() -> None:
    tips = spec_of(SALES, "bar", {"x": "region", "y": "sales", "color": "quarter"})["encoding"]

    assert {tip["field"] for tip in tips["tooltip"]} == {"region", "sales", "quarter"}


def test_rows_of_one_place_are_summed_not_drawn_over_each_other() -> None:
    chart = compiled(SALES, {"type": "bar", "encodings": {"x": "region", "y": "sales"}})

    summed = {row["region"]: row["sales"] for row in chart.spec["data"]["values"]}
    assert summed == {"North": 70, "South": 80, "East": 13}
    assert "summed" in chart.notes[0]


def test_prices_are_averaged() -> None:
    rows = [{"shop": "a", "price": 2.0}, {"shop": "a", "price": 4.0}, {"shop": "b", "price": 1.0}]

    spec = spec_of(rows, "bar", {"x": "shop", "y": "price"})

    assert [row["price"] for row in spec["data"]["values"]] == [3.0, 1.0]


def test_bars_begin_at_zero_and_narrow_ranges_of_points_do_not() -> None:
    rows = [{"shop": name, "weight": 90.0 + n} for n, name in enumerate("abcdef")]

    bars = spec_of(rows, "bar", {"x": "shop", "y": "weight"})["encoding"]["y"]["scale"]
    dots = spec_of(rows, "scatter", {"x": "shop", "y": "weight"})["encoding"]["y"]["scale"]

    assert (bars["zero"], dots["zero"]) == (True, False)


def test_display_names_and_units_are_the_titles() -> None:
    chart = compile_chart(
        parse_intent({"type": "bar", "encodings": {"x": "region", "y": "sales"}}),
        RowSource(SALES),
        meanings={"sales": FieldMeaning(SemanticType.AMOUNT, unit="USD")},
        display_names={"region": "地区"},
    )

    encoding = chart.spec["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("地区", "sum of sales (USD)")


@pytest.mark.parametrize(("share", "axis"), [(0.25, {"format": ".0%"}), (25, {"format": ",d"})])
def test_shares_are_percent_whichever_way_they_are_told(share: float, axis: JsonObject) -> None:
    rows = [{"shop": "a", "占比": share}, {"shop": "b", "占比": share * 2}]

    y = spec_of(rows, "bar", {"x": "shop", "y": "占比"})["encoding"]["y"]

    assert y["axis"].items() >= axis.items()
    assert (y["title"] == "占比 (%)") == (share > 1)


def test_names_that_vega_reads_as_paths_are_replaced_in_the_rows() -> None:
    rows = [{"a.b": "x", "c[0]": 1.5}, {"a.b": "y", "c[0]": 2.5}]

    spec = spec_of(rows, "bar", {"x": "a.b", "y": "c[0]"})

    assert spec["data"]["values"][0] == {"a_b": "x", "c_0_": 1.5}
    assert spec["encoding"]["x"]["title"] == "a.b"


def test_a_waterfall_begins_where_the_last_bar_ended() -> None:
    rows = [
        {"step": "start", "amount": 10},
        {"step": "gain", "amount": 5},
        {"step": "loss", "amount": -8},
        {"step": "total", "amount": 7},
    ]

    values = spec_of(rows, "waterfall", {"x": "step", "y": "amount"})["data"]["values"]

    assert [(row["_from"], row["_to"]) for row in values] == [(0, 10), (10, 15), (15, 7), (0, 7)]


def test_a_bump_chart_ranks_the_largest_first() -> None:
    values = spec_of(SALES, "bump", {"x": "quarter", "y": "sales", "color": "region"})["data"]

    ranks = {(r["quarter"], r["region"]): r["_rank"] for r in values["values"]}
    assert [ranks["Q1", region] for region in ("South", "North", "East")] == [1, 2, 3]
    assert [ranks["Q2", region] for region in ("North", "South", "East")] == [1, 2, 3]


def test_maps_leave_out_what_is_not_on_earth() -> None:
    rows = [{"lon": 121.5, "lat": 31.2}, {"lon": 500.0, "lat": 0.0}]

    chart = compiled(rows, {"type": "map", "encodings": {"longitude": "lon", "latitude": "lat"}})

    assert len(chart.spec["data"]["values"]) == 1
    assert any("1 row lies outside" in note for note in chart.notes)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (("2025-01", "2025-02"), ["2025-01", "2025-02"]),
        (("2025年1月", "2025年12月"), ["2025-01", "2025-12"]),
        (("Jan 2025", "Feb 2025"), ["2025-01", "2025-02"]),
        (("2025Q1", "2025-Q2"), ["2025-Q1", "2025-Q2"]),
        (("2025-W3", "2025-W12"), ["2025-W03", "2025-W12"]),
        (("2025-01-05", "2025-02-05"), ["2025-01-05", "2025-02-05"]),
        (("2025-01", "2025-01-15"), ["2025-01-01", "2025-01-15"]),
    ],
)
@pytest.mark.parametrize("chart", ["bar", "grouped bar", "stacked bar", "heatmap"])
def test_places_in_time_are_as_fine_as_they_were_given(
    chart: str, given: tuple[str, str], shown: list[str]
) -> None:
    rows: list[JsonObject] = [{"when": w, "shop": "A", "sales": n} for n, w in enumerate(given, 1)]
    channels: JsonObject = {"x": "when", "y": "sales", "color": "shop"}
    if chart == "heatmap":
        channels = {"x": "when", "y": "shop", "color": "sales"}

    spec = spec_of(rows, chart, channels)

    assert [row["when"] for row in spec["data"]["values"]] == shown


def test_a_column_of_days_first_is_read_so_throughout() -> None:
    rows: list[JsonObject] = [{"date": f"{day:02d}/02/2024", "sales": day} for day in range(1, 28)]

    values = spec_of(rows, "line", {"x": "date", "y": "sales"})["data"]["values"]

    assert [row["date"] for row in values] == [f"2024-02-{day:02d}" for day in range(1, 28)]


def test_moments_within_a_second_stay_apart() -> None:
    rows: list[JsonObject] = [{"at": f"2024-01-01T00:00:01.{n:03d}", "ms": n} for n in range(50)]

    assert len(spec_of(rows, "line", {"x": "at", "y": "ms"})["data"]["values"]) == 50
