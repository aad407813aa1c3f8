"""Questions back to the user (seed 001, clarify; rules of the clarify event)."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.agents.analyst.chart.clarify import parse_questions
from yarrow.product_events.analyst import QuestionKind, QuestionOption, UserQuestion


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
