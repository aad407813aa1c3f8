"""Suggested questions arrive in any pieces (seed 001, 3.1)."""

import pytest

from yarrow.agents.analyst.questions.question_lines import QuestionLines
from yarrow.product_events.analyst import SuggestedQuestion

LINE = '{"text": "问题?", "goal": "**a**", "tag": "pivot"}'
QUESTION = SuggestedQuestion("问题?", "**a**", "pivot")


def read(*fragments: str) -> list[SuggestedQuestion]:
    lines = QuestionLines()
    given = [question for fragment in fragments for question in lines.feed(fragment)]
    return given + list(lines.close())


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_how_the_text_is_cut_does_not_matter(size: int) -> None:
    text = f"{LINE}\n\nwords\ndata: {LINE}\n{{broken\n{LINE}"

    assert read(*(text[at : at + size] for at in range(0, len(text), size))) == [QUESTION] * 3


@pytest.mark.parametrize(
    "line", ["", "  ", "```json", "[1]", '"text"', "{not json", '{"goal": "no text"}']
)
def test_what_is_no_question_is_dropped(line: str) -> None:
    assert read(line + "\n") == []


def test_an_unknown_tag_becomes_a_deep_dive() -> None:
    assert read('{"text": "a", "tag": "wild"}')[0].tag == "deep-dive"


def test_objects_that_follow_each_other_with_commas_are_read() -> None:
    assert read(f"[\n  {LINE},\n  {LINE}\n]") == [QUESTION] * 2


def test_an_object_over_many_lines_is_read_in_the_end() -> None:
    assert read('{\n"text": "问题?",\n"goal": "**a**",\n"tag": "pivot"\n}') == [QUESTION]


def test_an_answer_without_end_is_not_kept() -> None:
    lines = QuestionLines()

    assert [q for _ in range(1000) for q in lines.feed("x" * 1000)] == []
    assert list(lines.close()) == []


def test_only_what_the_event_has_is_told() -> None:
    lines = QuestionLines()

    questions = [*lines.feed('{"text": "B", "token": "t", "extra": 1}\n'), *lines.close()]

    assert questions == [SuggestedQuestion("B", "", "deep-dive")]
