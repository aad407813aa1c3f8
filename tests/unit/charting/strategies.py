"""Any small table, and any chart wished from its columns."""

from hypothesis import strategies as st
from tests.loose_json import JsonObject

from yarrow.charting import ChartType
from yarrow.charting.chart_types import KNOWN, NEEDED

NAMES = (
    "date",
    "year",
    "月份",
    "地区",
    "sales",
    "占比",
    "a.b",
    "x[0]",
    "it's",
    "rank",
    "lat",
    "lon",
)
WORDS = (
    "华东",
    "华南",
    "North",
    "Q1",
    "2024-Q3",
    "三月",
    "Mon",
    "10-20",
    "<5",
    "",
    "total",
    "合计",
)

finite = st.one_of(
    st.integers(-1000, 10**7),
    st.floats(-1e6, 1e6, width=32),
    st.sampled_from((1e300, 1e-12)),
    st.integers(1990, 2030),
)
numbers = finite | st.sampled_from((float("nan"), float("inf")))
texts = st.one_of(
    st.sampled_from(WORDS),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds")),
    st.text(max_size=6),
)
others = (st.integers(0, 5), texts, st.sampled_from(WORDS), st.booleans())


@st.composite
def tables(draw: st.DrawFn, *, nulls: bool = True) -> list[JsonObject]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    columns = [st.none() | kind for kind in (numbers, *others)] if nulls else (finite, *others)
    kinds = {name: draw(st.sampled_from(columns)) for name in names}
    row = st.fixed_dictionaries(kinds)
    return draw(st.lists(row, min_size=1, max_size=12))


@st.composite
def wishes(draw: st.DrawFn) -> tuple[list[JsonObject], JsonObject]:
    """A table and a chart of it that names only its columns, but whichever."""
    rows = draw(tables())
    chart = draw(st.sampled_from(ChartType))
    fields = st.sampled_from(sorted(rows[0]))
    channels = draw(st.sets(st.sampled_from(sorted(KNOWN[chart])))) | set(NEEDED[chart])
    config: JsonObject = draw(
        st.sampled_from(
            (
                {},
                {"regressionMethod": "poly", "polyOrder": 3, "innerRadius": 50, "title": "标题"},
                {"regressionMethod": "log", "stack": "normalize", "interpolate": "step"},
                {"colorScheme": "blues", "projection": "mercator", "projectionCenter": [100, 30]},
                {"regressionMethod": 7, "colorScheme": [], "opacity": "x", "binCount": 12},
            )
        )
    )
    encodings = {str(channel): draw(fields) for channel in sorted(channels)}
    return rows, {"chart_type": str(chart), "encodings": encodings, "config": config}
