"""Actions as models write them, strong and weak, and questions back to the user (seed 001)."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.agents.analyst.chart.actions import (
    Clarify,
    Delegate,
    Explain,
    Summarise,
    UnknownAction,
    UnusableReply,
    Visualize,
    parse_action,
    parse_questions,
)
from yarrow.product_events.analyst import QuestionKind, QuestionOption, UserQuestion

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


def test_a_question_without_options_wants_free_text() -> None:  # DF051
    assert parse_questions([{"text": " A? "}]) == (UserQuestion("A?", QuestionKind.FREE_TEXT),)


def test_options_are_objects_whatever_they_came_as() -> None:
    [question] = parse_questions(
        [{"text": "A?", "options": ["x ", {"label": "y", "label_code": "c"}, "", 7, {"z": 1}]}]
    )

    assert question.kind is QuestionKind.SINGLE_CHOICE
    assert question.options == (QuestionOption("x"), QuestionOption("y", "c"))


def test_of_four_questions_three_are_asked() -> None:  # DF054
    raw = [{"text": text} for text in "1234"]

    assert [question.text for question in parse_questions(raw)] == ["1", "2", "3"]


def test_only_the_first_three_count_and_a_bad_one_takes_a_place() -> None:
    raw: list[JsonValue] = [{"text": "1"}, "bad", {"text": "3"}, {"text": "4"}]

    assert [question.text for question in parse_questions(raw)] == ["1", "3"]


def test_at_most_six_options_are_read() -> None:
    [question] = parse_questions([{"text": "A?", "options": list("abcdefgh")}])

    assert [option.label for option in question.options] == list("abcdef")


@pytest.mark.parametrize(
    "fields, kind",
    [
        ({"responseType": "single_choice"}, QuestionKind.SINGLE_CHOICE),
        ({"response_type": "free_text", "options": ["a"]}, QuestionKind.FREE_TEXT),
        ({"responseType": "other", "options": ["a"]}, QuestionKind.SINGLE_CHOICE),
    ],
)
def test_the_kind_of_answer_is_as_said_or_as_the_options_suggest(
    fields: JsonObject, kind: QuestionKind
) -> None:
    assert parse_questions([{"text": "A?", **fields}])[0].kind is kind


def test_codes_and_params_are_kept_and_ids_are_not() -> None:
    raw: JsonObject = {
        "id": "q1",
        "text_code": "agent.x",
        "text_params": {"n": 1},
        "required": False,
    }

    assert parse_questions([raw]) == (
        UserQuestion("", QuestionKind.FREE_TEXT, required=False, code="agent.x", params={"n": 1}),
    )


@pytest.mark.parametrize("raw", [None, "text", {}, [], [None, 3, {}], [{"text": "  "}]])
def test_nothing_usable_gives_nothing(raw: JsonValue) -> None:
    assert parse_questions(raw) == ()
