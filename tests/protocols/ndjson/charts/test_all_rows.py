"""Charts are made of all rows of their table, however many there are."""

import re
from io import StringIO

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import SUMMARY, AnalystClient, find_line, visualize
from tests.protocols.switchable_model import SwitchableModel

HALVES = 50_000


def make_halves() -> str:
    """50,000 rows `North` of 1, then 50,000 rows `South` of 3."""
    out = StringIO("region,revenue\n")
    out.seek(0, 2)
    out.write("North,1\n" * HALVES)
    out.write("South,3\n" * HALVES)
    return out.getvalue()


def make_days() -> str:
    """Thirty thousand readings over two years, in order."""
    lines = [
        f"2024-{1 + n // 2500 % 12:02d}-{1 + n % 28:02d} {n % 24:02d}:00:00,{n % 100}"
        if n < 15000
        else f"2025-{1 + (n - 15000) // 1250:02d}-{1 + n % 28:02d} {n % 24:02d}:00:00,{n % 100}"
        for n in range(30_000)
    ]
    return "at,level\n" + "\n".join(lines)


@pytest.fixture(scope="module")
def halves() -> str:
    return make_halves()


async def ask_for(
    analyst: AnalystClient,
    switchable: SwitchableModel,
    sql: str,
    chart: JsonObject,
) -> JsonObject:
    switchable.script([visualize(sql=sql, chart=chart), SUMMARY])
    lines = await analyst.ask(input_tables=[])
    result: JsonObject = find_line(lines, "result")["content"]["result"]
    return result


BARS: JsonObject = {"chart_type": "Bar Chart", "encodings": {"x": "region", "y": "revenue"}}
TOTALS = {"North": HALVES, "South": 3 * HALVES}


async def test_bars_of_a_query_sum_every_row(
    analyst: AnalystClient, switchable: SwitchableModel, halves: str
) -> None:
    await analyst.create_table("halves", halves)

    made = await ask_for(analyst, switchable, "SELECT * FROM halves", BARS)

    drawn = {row["region"]: row["revenue"] for row in made["vega_lite"]["data"]["values"]}
    assert drawn == TOTALS
    assert {row["region"]: row["revenue"] for row in made["content"]["rows"]} == TOTALS
    assert made["content"]["virtual"]["row_count"] == 2 * HALVES
    assert made["content"]["reduction"]["aggregates"] == {"revenue": "sum"}


@pytest.mark.parametrize(
    ("chart", "encodings"),
    [
        ("Histogram", {"x": "revenue", "color": "region"}),
        ("Density Plot", {"x": "revenue", "color": "region"}),
        ("Boxplot", {"x": "region", "y": "revenue"}),
    ],
)
async def test_a_client_that_draws_a_distribution_gets_an_even_sample_of_its_rows(
    analyst: AnalystClient,
    switchable: SwitchableModel,
    halves: str,
    chart: str,
    encodings: JsonObject,
) -> None:
    await analyst.create_table("halves", halves)
    wish: JsonObject = {"chart_type": chart, "encodings": encodings}

    made = await ask_for(analyst, switchable, "SELECT * FROM halves", wish)

    rows, reduction = made["content"]["rows"], made["content"]["reduction"]
    assert {(row["region"], row["revenue"]) for row in rows} == {("North", 1), ("South", 3)}
    assert 2300 < sum(row["region"] == "North" for row in rows) < 2700
    assert (reduction["table_rows"], reduction["sampled_rows"]) == (2 * HALVES, len(rows))
    assert reduction["chart_rows"] == len(made["vega_lite"]["data"]["values"])


async def test_a_histogram_counts_every_row(
    analyst: AnalystClient, switchable: SwitchableModel, halves: str
) -> None:
    await analyst.create_table("halves", halves)
    chart: JsonObject = {"chart_type": "Histogram", "encodings": {"x": "revenue"}}

    spec = (await ask_for(analyst, switchable, "SELECT * FROM halves", chart))["vega_lite"]

    key = spec["encoding"]["y"]["field"]
    assert sum(row[key] for row in spec["data"]["values"]) == 2 * HALVES


async def test_a_line_reaches_the_last_day(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    await analyst.create_table("days", make_days())
    chart: JsonObject = {"chart_type": "Line Chart", "encodings": {"x": "at", "y": "level"}}

    spec = (await ask_for(analyst, switchable, "SELECT * FROM days", chart))["vega_lite"]

    moments = [row["at"] for row in spec["data"]["values"]]
    assert min(moments)[:7] == "2024-01"
    assert max(moments)[:7] == "2025-12"


async def test_points_are_a_sample_of_all_rows_and_the_note_has_both_numbers(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    rows = "\n".join(f"{n},{n % 977}" for n in range(25_000))
    await analyst.create_table("points", f"a,b\n{rows}")
    chart: JsonObject = {"chart_type": "Scatter Plot", "encodings": {"x": "a", "y": "b"}}

    first = await ask_for(analyst, switchable, "SELECT * FROM points", chart)
    second = await ask_for(analyst, switchable, "SELECT * FROM points", chart)

    drawn = [row["a"] for row in first["vega_lite"]["data"]["values"]]
    assert len(drawn) == 5000
    assert all(2200 < sum(low <= a < low + 12_500 for a in drawn) < 2800 for low in (0, 12_500))
    assert any("5,000 of 25,000 rows" in note for note in first["notes"])
    assert first["vega_lite"] == second["vega_lite"]


async def test_a_rendered_table_is_drawn_from_all_rows(analyst: AnalystClient, halves: str) -> None:
    await analyst.create_table("halves", halves)
    body = {**BARS, "table_ref": "halves"}

    async with analyst.post("/api/agent/render-chart", body) as answer:
        svg = await answer.text()

    bars = dict(re.findall(r'aria-label="region: (\w+); sum of revenue: (\d+)', svg))
    assert {region: int(value) for region, value in bars.items()} == TOTALS


async def test_an_exported_report_is_drawn_from_all_rows(
    analyst: AnalystClient, halves: str
) -> None:
    await analyst.create_table("halves", halves)
    chart = {**BARS, "chart_id": "c1", "table_ref": "halves"}
    body = {"markdown": "# R\n\n![bars](chart://c1)\n", "charts": [chart]}

    async with analyst.post("/api/agent/export-report", body) as answer:
        page = await answer.text()

    assert "150000" in page.replace(",", "")


async def test_an_axis_of_moments_with_offsets_says_that_they_are_in_utc(
    analyst: AnalystClient,
) -> None:
    await analyst.create_table("calls", "at,calls\n2024-01-01T00:30:00+08:00,3\n")
    body = {"chart_type": "Bar Chart", "encodings": {"x": "at", "y": "calls"}, "table": "calls"}

    async with analyst.post("/api/agent/render-chart", body) as answer:
        svg = await answer.text()

    assert "at (UTC): 2023-12-31" in svg


@pytest.mark.parametrize(("name", "highest"), [("interest", 1.6), ("default_rate", 3.5)])
async def test_percentages_of_a_file_are_drawn_with_their_unit(
    analyst: AnalystClient, name: str, highest: float
) -> None:
    await analyst.create_table("rates", f"bank,{name}\nA,0.25%\nB,1.00%\nC,{highest}%\n")
    body = {"chart_type": "Bar Chart", "encodings": {"x": "bank", "y": name}, "table": "rates"}

    async with analyst.post("/api/agent/render-chart", body) as answer:
        svg = await answer.text()

    bars = re.findall(rf'aria-label="bank: (\w); {name} \(%\): ([\d.]+)"', svg)
    assert dict(bars) == {"A": "0.25", "B": "1", "C": str(highest)}
