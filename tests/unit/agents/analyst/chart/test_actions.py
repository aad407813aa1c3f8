"""Actions as models write them, strong and weak."""

import pytest
from tests.loose_json import JsonObject

from yarrow.agents.analyst.chart.actions import (
    Clarify,
    Delegate,
    Explain,
    Summarise,
    UnknownAction,
    UnusableReply,
    Visualize,
    parse_action,
)
from yarrow.product_events.analyst import QuestionOption

CHART: JsonObject = {"chart_type": "bar", "encodings": {"x": "a"}}


def test_a_chart_step_is_read() -> None:
    action = parse_action({"action": "visualize", "code": "df = 1", "chart": CHART})

    assert isinstance(action, Visualize)
    assert (action.code, action.chart, action.output_variable) == ("df = 1", CHART, "result")


def test_nested_fields_may_come_as_json_text() -> None:
    action = parse_action({"chart": '{"chart_type": "bar"}', "sql": "select 1"}, name="visualize")

    assert isinstance(action, Visualize)
    assert action.chart == {"chart_type": "bar"}


@pytest.mark.parametrize(
    "raw, kind",
    [
        ({"action": "clarify", "questions": [{"text": "A?"}]}, Clarify),
        ({"action": "explain", "explanation": "Because."}, Explain),
        ({"action": "summary", "summary": "Done."}, Summarise),
        ({"action": "delegate", "target": "report_gen", "options": ["Write"]}, Delegate),
    ],
)
def test_every_action_is_known(raw: JsonObject, kind: type) -> None:
    assert isinstance(parse_action(raw), kind)


@pytest.mark.parametrize(
    "raw, reason",
    [
        ({"action": "visualize", "chart": CHART}, "Missing fields: code"),
        ({"action": "visualize"}, "Missing fields: code, chart"),
        ({"action": "clarify", "questions": [{}]}, "No usable question"),
        ({"action": "delegate", "target": "x", "options": ["a"]}, "Unknown target or no options"),
        ({}, "The object has no action"),
    ],
)
def test_what_cannot_be_done_says_why(raw: JsonObject, reason: str) -> None:
    assert parse_action(raw) == UnusableReply(reason)


def test_an_action_nobody_knows_is_told_by_its_name() -> None:
    assert parse_action({"action": "dance"}) == UnknownAction("dance")


def test_an_explanation_has_follow_up_questions() -> None:
    action = parse_action({"action": "explain", "explanation": "So.", "options": ["More"]})

    assert action == Explain("", "So.", (QuestionOption("More"),))
