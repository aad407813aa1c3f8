"""Languages by tag and by name."""

import pytest

from yarrow.language.languages import Language, find_english_name, find_nearest_language


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh", Language.HANS),
        ("zh-CN", Language.HANS),
        ("zh-Hans-SG", Language.HANS),
        ("zh-TW", Language.HANT),
        ("zh_HK", Language.HANT),
        ("zh-Hant", Language.HANT),
        ("en", Language.ENGLISH),
        ("en-GB", Language.ENGLISH),
        ("fr", Language.ENGLISH),
    ],
)
def test_a_tag_names_the_nearest_language(tag: str, language: Language) -> None:
    assert find_nearest_language(tag) is language


def test_a_script_counts_where_the_tag_leaves_it_open() -> None:
    assert find_nearest_language("zh-CN", script="hant") is Language.HANT
    assert find_nearest_language("en", script="hant") is Language.ENGLISH


@pytest.mark.parametrize(("code", "name"), [("zh", "Simplified Chinese"), ("xx", "xx")])
def test_a_prompt_names_a_language_in_english(code: str, name: str) -> None:
    assert find_english_name(code) == name
