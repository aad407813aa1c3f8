"""Snippets of found messages."""

from yarrow.tools.search_sessions import SNIPPET_CHARS, cut_snippet


def test_snippet_is_the_piece_around_the_word() -> None:
    text = "起 " * 100 + "我想换工作" + " 落" * 100

    snippet = cut_snippet(text, ["工作"])

    assert "我想换工作" in snippet
    assert (snippet[0], snippet[-1]) == ("…", "…")
    assert len(snippet) <= SNIPPET_CHARS + 2


def test_snippet_of_a_short_text_is_the_text_on_one_line() -> None:
    assert cut_snippet("a\n b\x00\x1b", ["b"]) == "a b"
