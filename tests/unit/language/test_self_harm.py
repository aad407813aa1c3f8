from pathlib import Path

import pytest

from yarrow.language.self_harm import mentions_self_harm
from yarrow.llm.rule_based.greetings import read_distress

_DATA = Path(__file__).parents[2] / "data" / "language"


def _read(name):
    return (_DATA / name).read_text("utf-8").splitlines()


@pytest.mark.parametrize("text", _read("ordinary_phrases.txt"))
def test_ordinary_questions_with_words_of_despair_are_none(text):
    assert not mentions_self_harm(text)


@pytest.mark.parametrize("text", _read("despair_phrases.txt"))
def test_plain_words_of_ones_own_death_are_despair(text):
    assert mentions_self_harm(text)


@pytest.mark.parametrize(
    "text", ["why did my process die", "Why is my phone dead?", "My character should be dead"]
)
def test_what_never_lived_gets_no_help(text):
    assert read_distress(text) is None
