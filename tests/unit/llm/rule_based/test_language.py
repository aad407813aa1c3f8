"""The language that a question is written in."""

import pytest

from yarrow.language.languages import Language
from yarrow.llm.rule_based.language import detect_language


@pytest.mark.parametrize(
    "text, language",
    [
        ("How are you?", Language.ENGLISH),
        ("17 × 23", Language.ENGLISH),
        ("twelve plus thirty", Language.ENGLISH),
        ("<script>alert(1)</script>", Language.ENGLISH),
        ("现在几点", Language.HANS),
        ("現在幾點", Language.HANT),
        ("Wie geht es dir heute", None),
        ("Bonjour, comment ça va ?", None),
        ("¿Qué hora es?", None),
        ("今日は元気ですか", None),
        ("안녕하세요", None),
        ("Привет", None),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: Language | None) -> None:
    assert detect_language(text) is language
