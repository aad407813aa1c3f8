"""Titles that are made from a message."""

from yarrow.sessions.titles import make_title


def test_a_title_is_the_first_words_on_one_line() -> None:
    assert make_title("  what is\nthe  time? ") == "what is the time?"
    assert make_title("卦" * 100) == "卦" * 59 + "…"
