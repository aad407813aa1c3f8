"""Which turns a run builds on, and the chart types as the prompt lists them."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject

from yarrow.agents.analyst.chart.prompt import (
    describe_chart_types,
    list_libraries,
    select_path,
)
from yarrow.charting import ChartType
from yarrow.ids import MessageId, SessionId
from yarrow.sessions.model import Message, MessageDetails, Role


def turn(key: str, builds_on: str = "") -> list[Message]:
    """A question and its answer."""
    options = {"builds_on": builds_on} if builds_on else {}
    return [said(key, Role.USER, options), said(key, Role.ASSISTANT, {})]


def said(key: str, role: Role, options: JsonObject) -> Message:
    return Message(
        id=MessageId(uuid4()),
        session_id=SessionId(uuid4()),
        seq=1,
        role=role,
        content="",
        tool_name=None,
        details=MessageDetails(run_key=key, options=options),
        created_at=datetime.now(UTC),
    )


TREE = [*turn("a"), *turn("b", "a"), *turn("c", "a"), *turn("d", "b"), *turn("e")]


def keys(builds_on: str, history: list[Message] = TREE) -> str:
    path = select_path(history, builds_on)
    assert len({message.id for message in path}) == len(path)
    return "".join(message.details.run_key for message in path)


def test_only_the_way_to_the_pause_is_remembered() -> None:
    assert [keys(key) for key in "abcd"] == ["aa", "aabb", "aacc", "aabbdd"]


def test_a_turn_that_names_nothing_follows_the_one_before() -> None:
    assert keys("") == "aabbddee"


def test_a_deleted_turn_ends_the_way() -> None:
    assert keys("d", [*turn("a"), *turn("d", "b")]) == "dd"
    assert keys("b", turn("a")) == ""


def test_a_new_session_has_no_way() -> None:
    assert keys("", []) == ""


def line_of(chart: ChartType) -> str:
    [line] = [
        line for line in describe_chart_types().splitlines() if line.startswith(f"- {chart.value}:")
    ]
    return line.partition(": ")[2]


@pytest.mark.parametrize(
    "chart, channels",  # reference, chart types and their channels
    [
        (ChartType.SCATTER, "x*, y*, color, size, facets"),
        (ChartType.LINE, "x*, y*, color, strokeDash, facets"),
        (ChartType.PIE, "color*, size, facets"),
        (ChartType.KPI_CARD, "metric, value*, goal"),
        (ChartType.CANDLESTICK, "x*, open*, high*, low*, close*, facets"),
        (ChartType.WORLD_MAP, "color, size, longitude*, latitude*"),
    ],
)
def test_every_channel_of_a_chart_is_named(chart: ChartType, channels: str) -> None:
    assert line_of(chart).partition(" (")[0] == channels


@pytest.mark.parametrize(
    "chart, key",
    [
        (ChartType.SCATTER, "opacity"),
        (ChartType.REGRESSION, "regressionMethod"),
        (ChartType.REGRESSION, "polyOrder"),
        (ChartType.LINE, "interpolate"),
        (ChartType.PIE, "innerRadius"),
        (ChartType.HEATMAP, "colorScheme"),
        (ChartType.WORLD_MAP, "projectionCenter"),
    ],
)
def test_the_config_of_a_chart_is_named(chart: ChartType, key: str) -> None:
    assert key in line_of(chart)


def test_every_chart_has_its_line() -> None:
    assert all(line_of(chart) for chart in ChartType)


def test_only_installed_libraries_are_named() -> None:
    assert list_libraries({"pandas": "pandas", "no_such_module": "nothing"}) == ["pandas"]
