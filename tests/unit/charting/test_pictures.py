"""Faults that were seen in pictures of classic datasets, each held by the spec."""

import json
from datetime import date, timedelta

import pytest
from tests.loose_json import JsonObject
from tests.unit.charting.row_source import RowSource

from yarrow.charting import (
    ChartLanguage,
    ChartType,
    CompiledChart,
    DType,
    chart_question,
    compile_chart,
    parse_intent,
    read_question,
    read_shape,
)
from yarrow.charting.calendar_names import MONTH_NAMES, WEEKDAY_NAMES
from yarrow.charting.value_order import sort_values
from yarrow.rendering.render import render_svg


def compile_rows(
    chart: str,
    rows: list[JsonObject],
    encodings: JsonObject,
    *,
    config: JsonObject | None = None,
    language: ChartLanguage = ChartLanguage.EN,
    types: dict[str, DType] | None = None,
) -> CompiledChart:
    request: JsonObject = {"chart_type": chart, "encodings": encodings, "config": config or {}}
    intent = parse_intent(request, language=language)
    return compile_chart(intent, RowSource(rows, types), language=language)


def sales(names: list[str]) -> list[JsonObject]:
    return [{"name": name, "units": 10 * at + 1} for at, name in enumerate(names)]


class TestOrientation:
    @pytest.mark.parametrize("chart", ["horizontal bar", "hbar", "横向柱状图"])
    def test_a_horizontal_bar_lies(self, chart: str) -> None:
        made = compile_rows(chart, sales(["a", "b"]), {"x": "name", "y": "units"})

        encoding = made.spec["encoding"]
        assert (encoding["x"]["field"], encoding["y"]["field"]) == ("units", "name")
        assert {str(c): name for c, name in made.intent.encodings.items()} == {
            "y": "name",
            "x": "units",
        }

    def test_a_horizontal_count_lies(self) -> None:
        made = compile_rows("horizontal bar", sales(["a", "b", "b"]), {"x": "name"})

        encoding = made.spec["encoding"]
        assert (encoding["x"]["field"], encoding["y"]["field"]) == ("_count", "name")

    def test_what_is_drawn_can_be_drawn_again(self) -> None:
        rows = sales(["a", "b", "b"])
        first = compile_rows("horizontal bar", rows, {"x": "name"})

        again = compile_chart(first.intent, RowSource(rows))

        assert again.spec == first.spec

    def test_an_upright_bar_stays_upright(self) -> None:
        made = compile_rows("bar", sales(["a", "b"]), {"x": "name", "y": "units"})

        assert made.spec["encoding"]["y"]["field"] == "units"

    @pytest.mark.parametrize(
        "question", ["a horizontal bar chart of units by name", "各name的units横向条形图"]
    )
    def test_a_question_may_want_it(self, question: str) -> None:
        source = RowSource(sales(["a", "b"]))
        shape = read_shape(source, tuple(source.columns))

        chart = chart_question(read_question(question, shape), shape)[0]

        spec = compile_chart(chart.intent, source).spec
        assert spec["encoding"]["x"]["field"] == "units"


class TestShares:
    def rows(self) -> list[JsonObject]:
        return [
            {"region": region, "kind": kind, "sales": 40_000 + at}
            for at, (region, kind) in enumerate([(r, k) for r in "ab" for k in "xyz"])
        ]

    @pytest.mark.parametrize("chart", ["100% Stacked Bar Chart", "normalized stacked bar"])
    def test_a_normalised_stack_reads_percent(self, chart: str) -> None:
        made = compile_rows(chart, self.rows(), {"x": "region", "y": "sales", "color": "kind"})

        y = made.spec["encoding"]["y"]
        assert (y["stack"], y["axis"]) == ("normalize", {"format": ".0%"})
        assert y["title"] == "share of sales"

    def test_its_title_is_chinese(self) -> None:
        made = compile_rows(
            "Area Chart",
            self.rows(),
            {"x": "region", "y": "sales", "color": "kind"},
            config={"stack": "normalize"},
            language=ChartLanguage.ZH,
        )

        assert made.spec["encoding"]["y"]["title"] == "sales占比"

    def test_small_numbers_beside_large_ones_are_no_thousandths(self) -> None:
        rows: list[JsonObject] = [{"a": 10.0**n, "b": n} for n in range(-3, 6)]

        spec = compile_rows("Scatter Plot", rows, {"x": "a", "y": "b"}).spec

        assert 0.001 in spec["encoding"]["x"]["axis"]["values"]
        svg = render_svg(spec)
        assert [label for label in (">0.001<", ">1k<", ">100k<") if label not in svg] == []

    def test_changes_in_thousands_are_no_percentages(self) -> None:
        rows: list[JsonObject] = [
            {"month": f"2024-{n:02}", "change": -100 * n} for n in range(1, 7)
        ]

        made = compile_rows("Waterfall Chart", rows, {"x": "month", "y": "change"})

        assert made.spec["layer"][0]["encoding"]["y"]["title"] == "change"


class TestYears:
    def rows(self, years: range) -> list[JsonObject]:
        return [{"year": year, "a": year % 7 + 0.5, "b": year % 11 + 0.25} for year in years]

    def test_few_years_are_separate_colours(self) -> None:
        made = compile_rows(
            "Scatter Plot", self.rows(range(2000, 2010)), {"x": "a", "y": "b", "color": "year"}
        )

        color = made.spec["encoding"]["color"]
        assert color["type"] == "ordinal"
        assert made.spec["data"]["values"][0]["year"] == "2000"

    def test_many_years_are_a_gradient_of_numbers(self) -> None:
        made = compile_rows(
            "Scatter Plot", self.rows(range(1950, 2010)), {"x": "a", "y": "b", "color": "year"}
        )

        color = made.spec["encoding"]["color"]
        assert (color["type"], color["legend"]["format"]) == ("quantitative", "d")

    def test_early_years_have_no_thousands_separator(self) -> None:
        made = compile_rows("Line Chart", self.rows(range(1565, 1700)), {"x": "year", "y": "a"})

        assert made.spec["encoding"]["x"]["axis"]["format"] == "d"


AT: JsonObject = {"longitude": "lon", "latitude": "lat"}


class TestMaps:
    PLACES: tuple[JsonObject, ...] = (
        {"lon": -149.9, "lat": 61.2, "city": "Anchorage"},
        {"lon": -157.9, "lat": 21.3, "city": "Honolulu"},
        {"lon": -87.6, "lat": 41.9, "city": "Chicago"},
        {"lon": -66.1, "lat": 18.4, "city": "San Juan"},
    )

    @pytest.mark.parametrize(
        "chart, feature, shapes", [("World Map", "countries", 160), ("US Map", "states", 51)]
    )
    def test_maps_have_borders_inside_the_spec(self, chart: str, feature: str, shapes: int) -> None:
        made = compile_rows(chart, list(self.PLACES), AT)

        (outline,) = [
            layer["data"] for layer in made.spec["layer"] if "format" in layer.get("data", {})
        ]
        assert outline["format"] == {"type": "topojson", "feature": feature}
        assert len(outline["values"]["objects"][feature]["geometries"]) >= shapes
        assert len(json.dumps(made.spec)) < 60_000

    def test_the_states_are_drawn_by_their_projection(self) -> None:
        made = compile_rows("US Map", list(self.PLACES), AT)

        assert made.spec["projection"] == {"type": "albersUsa"}
        assert len(made.rows) == 3
        assert made.notes == ("1 row lies outside the United States",)

    def test_a_world_map_refuses_the_projection_of_the_states(self) -> None:
        config: JsonObject = {"projection": "albersUsa", "projectionCenter": [10, 0]}
        made = compile_rows("World Map", list(self.PLACES), AT, config=config)

        assert made.spec["projection"] == {"type": "equalEarth", "rotate": [-10.0, 0.0, 0]}
        assert made.notes == ("albersUsa shows only the United States; drawn as equalEarth",)

    def test_the_projection_of_the_states_may_be_named_for_them(self) -> None:
        config: JsonObject = {"projection": "albersUsa"}
        made = compile_rows("US Map", list(self.PLACES), AT, config=config)

        assert made.spec["projection"] == {"type": "albersUsa"}
        assert made.notes == ("1 row lies outside the United States",)


class TestTime:
    def days(self, count: int) -> list[JsonObject]:
        first = date(2012, 1, 1)
        return [
            {"date": (first + timedelta(days=at)).isoformat(), "rain": at % 9, "kind": "a"}
            for at in range(count)
        ]

    @pytest.mark.parametrize("chart", ["Bar Chart", "Boxplot"])
    def test_1461_days_are_grouped_and_told(self, chart: str) -> None:
        made = compile_rows(
            chart, self.days(1461), {"x": "date", "y": "rain"}, types={"date": DType.DATE}
        )

        assert len({row["date"] for row in made.spec["data"]["values"]}) <= 120
        assert "date is grouped by month" in made.notes

    def test_labels_at_the_ends_of_an_axis_are_not_pushed_together(self) -> None:
        made = compile_rows("Line Chart", self.days(300), {"x": "date", "y": "rain"})

        assert made.spec["config"]["axisX"]["labelFlush"] is False
        assert made.spec["config"]["axis"]["labelSeparation"] > 0


class TestOrder:
    @pytest.mark.parametrize("names", [*MONTH_NAMES, *WEEKDAY_NAMES])
    def test_months_and_weekdays_are_in_order_in_every_language(self, names: str) -> None:
        ordered = [name.capitalize() for name in names.split("|")]
        shuffled = sorted(ordered, key=lambda name: name[::-1])

        made = compile_rows("Bar Chart", sales(shuffled), {"x": "name", "y": "units"})

        assert made.spec["encoding"]["x"]["sort"] == ordered

    def test_other_names_are_sorted_by_size(self) -> None:
        made = compile_rows("Bar Chart", sales(["May", "Ann", "June"]), {"x": "name", "y": "units"})

        assert made.spec["encoding"]["x"]["sort"]["field"] == "units"

    def test_full_stops_and_mixed_lengths_do_not_matter(self) -> None:
        assert sort_values(["Mar.", "jan", "February"], None) != ["jan", "February", "Mar."]
        made = compile_rows(
            "Bar Chart", sales(["Mar.", "jan", "February"]), {"x": "name", "y": "units"}
        )

        assert made.spec["encoding"]["x"]["sort"] == ["jan", "February", "Mar."]


class TestManySeries:
    def rows(self, series: int, extra: str = "") -> list[JsonObject]:
        names = [f"c{at}" for at in range(series)]
        names[-1] = extra or names[-1]
        return [
            {"year": year, "name": name, "rate": 50 + at / 10}
            for at, name in enumerate(names)
            for year in (2000, 2010, 2020)
        ]

    def test_142_series_are_ten_and_a_grey_rest_that_is_told(self) -> None:
        made = compile_rows(
            "Line Chart", self.rows(142), {"x": "year", "y": "rate", "color": "name"}
        )

        color = made.spec["encoding"]["color"]["scale"]
        assert len(color["domain"]) == len(set(color["range"])) == 11
        assert (color["domain"][-1], color["range"][-1]) == ("Other", "#B0B0B0")
        assert "name: the 10 largest are shown, 132 others are gathered in Other" in made.notes
        assert any("rate is averaged" in note for note in made.notes)

    @pytest.mark.parametrize("chart", ["Line Chart", "Scatter Plot", "Density Plot"])
    def test_a_series_called_other_is_not_mixed_with_the_rest(self, chart: str) -> None:
        rows = self.rows(20, extra="Other") + self.rows(20, extra="Other")[-3:]

        made = compile_rows(chart, rows, {"x": "year", "y": "rate", "color": "name"})

        drawn = {str(row["name"]) for row in made.spec["data"]["values"]}
        assert {"Other", "Other (10)"} <= drawn


class TestLabels:
    def test_short_labels_stay_upright(self) -> None:
        rows: list[JsonObject] = [{"hour": hour, "n": hour % 5 + 1} for hour in range(24)]

        made = compile_rows("Bar Chart", rows, {"x": "hour", "y": "n"})

        assert made.spec["encoding"]["x"]["axis"]["labelAngle"] == 0

    def test_long_labels_turn_and_stay_distinct(self) -> None:
        names = [f"Harry Potter and the very long story, part {n}" for n in range(8)]

        axis = compile_rows("Bar Chart", sales(names), {"x": "name", "y": "units"}).spec[
            "encoding"
        ]["x"]["axis"]

        assert axis["labelAngle"] == -45
        assert axis["labelLimit"] >= 5.6 * len(names[0])

    def test_numbers_of_a_waterfall_have_room(self) -> None:
        rows: list[JsonObject] = [{"step": f"s{n}", "v": -12_345_678 - n} for n in range(20)]

        made = compile_rows("Waterfall Chart", rows, {"x": "step", "y": "v"})

        assert made.spec["width"]["step"] >= 5 * len("-12,345,678")
        assert made.spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["decrease"]

    def test_numbers_of_a_crowded_waterfall_are_left_to_tooltips(self) -> None:
        rows: list[JsonObject] = [{"step": f"s{n}", "v": n} for n in range(200)]

        made = compile_rows("Waterfall Chart", rows, {"x": "step", "y": "v"})

        assert len(made.spec["layer"]) == 1

    def test_large_sizes_are_short_in_the_legend(self) -> None:
        rows: list[JsonObject] = [
            {"a": n + 0.5, "b": n + 0.1, "people": n * 10**8} for n in range(9)
        ]

        made = compile_rows("bubble", rows, {"x": "a", "y": "b", "size": "people"})

        assert ">200M<" in render_svg(made.spec)

    @pytest.mark.parametrize(
        ("language", "labels"),
        [
            (ChartLanguage.EN, (">0<", ">60M<", ">200M<")),
            (ChartLanguage.ZH, (">0<", ">6,000万<", ">2亿<")),
            (ChartLanguage.HANT, (">0<", ">6,000萬<", ">2億<")),
        ],
    )
    def test_long_numbers_have_the_units_of_the_language(
        self, language: ChartLanguage, labels: tuple[str, ...]
    ) -> None:
        rows: list[JsonObject] = [
            {"city": name, "people": n * 10**8} for n, name in enumerate("abc")
        ]

        made = compile_rows("bar", rows, {"x": "city", "y": "people"}, language=language)

        svg = render_svg(made.spec)
        assert [label for label in labels if label not in svg] == []

    @pytest.mark.parametrize(
        ("language", "label"), [(ChartLanguage.EN, ">12.3M<"), (ChartLanguage.ZH, ">1,235万<")]
    )
    def test_long_numbers_in_cells_are_short(self, language: ChartLanguage, label: str) -> None:
        rows: list[JsonObject] = [
            {"a": a, "b": b, "n": 12_345_678 if a == b else 10} for a in "xy" for b in "xy"
        ]

        made = compile_rows("heatmap", rows, {"x": "a", "y": "b", "color": "n"}, language=language)

        svg = render_svg(made.spec)
        assert label in svg
        assert ">10<" in svg


def test_a_pyramid_of_ages_measures_people() -> None:
    rows: list[JsonObject] = [
        {"age": age, "sex": sex, "people": 1_000_000 - age * 9_001 + len(sex)}
        for age in range(0, 95, 5)
        for sex in ("men", "women")
    ]

    made = compile_rows("Pyramid Chart", rows, {"x": "people", "y": "age", "color": "sex"})

    assert made.intent.chart_type is ChartType.PYRAMID
    assert made.spec["encoding"]["y"]["field"] == "age"
