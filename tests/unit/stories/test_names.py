"""The names a greeting shows."""

import pytest

from yarrow.stories.model import Names
from yarrow.stories.names import with_names


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
    assert with_names(text, Names("Ada", "Mira")) == shown


def test_a_name_with_a_macro_in_it_is_not_expanded_again() -> None:
    assert with_names("{{user}}", Names("{{char}}", "Mira")) == "{{char}}"


def test_without_a_character_its_macro_stays() -> None:
    assert with_names("{{char}}", Names("Ada", None)) == "{{char}}"
