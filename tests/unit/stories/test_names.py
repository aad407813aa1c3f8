"""The names a greeting shows."""

import pytest

from yarrow.stories.model import StoryNames
from yarrow.stories.names import insert_names


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{{user}} meets {{char}}", "Ada meets Mira"),
        ("{{USER}} and {{ Char }}", "Ada and Mira"),
        ("<USER>, <Bot> and <char>", "Ada, Mira and Mira"),
        ("<users> < user>", "<users> < user>"),
        ("{{users}} {{random:a,b}}", "{{users}} {{random:a,b}}"),
        ("{{{{user}}}}", "{{Ada}}"),
        ("plain", "plain"),
    ],
)
def test_names_take_the_place_of_their_macros(text: str, shown: str) -> None:
    assert insert_names(text, StoryNames("Ada", "Mira")) == shown


def test_a_name_with_a_macro_in_it_is_not_expanded_again() -> None:
    assert insert_names("{{user}}", StoryNames("{{char}}", "Mira")) == "{{char}}"


def test_without_a_character_its_macro_stays() -> None:
    assert insert_names("{{char}}", StoryNames("Ada", None)) == "{{char}}"
