"""Questions back to the user (seed 001, clarify; rules of the clarify event)."""

import pytest

from yarrow.agents.analyst.chart.clarify import normalised_questions
from yarrow.kit.json import JsonObject, JsonValue


def test_a_question_without_options_wants_free_text() -> None:  # DF051
    assert normalised_questions([{"text": " A? "}]) == [
        {"text": "A?", "responseType": "free_text", "required": True}
    ]


def test_options_are_objects_whatever_they_came_as() -> None:
    [question] = normalised_questions(
        [{"text": "A?", "options": ["x ", {"label": "y", "label_code": "c"}, "", 7, {"z": 1}]}]
    )

    assert question["responseType"] == "single_choice"
    assert question["options"] == [{"label": "x"}, {"label": "y", "label_code": "c"}]


def test_of_four_questions_three_are_asked() -> None:  # DF054
    raw = [{"text": text} for text in "1234"]

    assert [question["text"] for question in normalised_questions(raw)] == ["1", "2", "3"]


def test_only_the_first_three_count_and_a_bad_one_takes_a_place() -> None:
    raw = [{"text": "1"}, "bad", {"text": "3"}, {"text": "4"}]

    assert [question["text"] for question in normalised_questions(raw)] == ["1", "3"]


def test_at_most_six_options_are_read() -> None:
    [question] = normalised_questions([{"text": "A?", "options": list("abcdefgh")}])

    assert [option["label"] for option in question["options"]] == list("abcdef")


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"responseType": "single_choice"}, "single_choice"),
        ({"response_type": "free_text", "options": ["a"]}, "free_text"),
        ({"responseType": "other", "options": ["a"]}, "single_choice"),
    ],
)
def test_the_kind_of_answer_is_as_said_or_as_the_options_suggest(
    given: JsonObject, expected: str
) -> None:
    assert normalised_questions([{"text": "A?", **given}])[0]["responseType"] == expected


def test_codes_and_params_are_kept_and_ids_are_not() -> None:
    raw = {"id": "q1", "text_code": "agent.x", "text_params": {"n": 1}, "required": False}

    assert normalised_questions([raw]) == [
        {
            "text": "",
            "responseType": "free_text",
            "text_code": "agent.x",
            "text_params": {"n": 1},
            "required": False,
        }
    ]


@pytest.mark.parametrize("raw", [None, "text", {}, [], [None, 3, {}], [{"text": "  "}]])
def test_nothing_usable_gives_nothing(raw: JsonValue) -> None:
    assert normalised_questions(raw) == []
