"""Snippets of found messages, and what a search says of its limits."""

from datetime import UTC, datetime

from yarrow.sessions.model import SearchResult
from yarrow.tools.search_sessions import SNIPPET_CHARS, cut_snippet, describe_limits


def test_snippet_is_the_piece_around_the_word() -> None:
    text = "起 " * 100 + "我想换工作" + " 落" * 100

    snippet = cut_snippet(text, ["工作"])

    assert "我想换工作" in snippet
    assert (snippet[0], snippet[-1]) == ("…", "…")
    assert len(snippet) <= SNIPPET_CHARS + 2


def test_snippet_of_a_short_text_is_the_text_on_one_line() -> None:
    assert cut_snippet("a\n b\x00\x1b", ["b"]) == "a b"


def test_complete_search_says_nothing_of_limits() -> None:
    assert describe_limits(SearchResult((), 0, None, cut_sessions=0, found_all=True)) == {}


def test_search_that_stopped_says_where() -> None:
    until = datetime(2026, 4, 2, 4, tzinfo=UTC)

    assert describe_limits(SearchResult((), 0, until, cut_sessions=1, found_all=False)) == {
        "complete": False,
        "searched_until": "2026-04-02T04:00:00+00:00",
        "sessions_searched_in_part": 1,
        "found_at_least": True,
    }
