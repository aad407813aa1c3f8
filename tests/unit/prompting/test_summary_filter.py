"""A reply that is streamed without its summaries is the reply of which they were removed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.prompting.summaries import extract_summaries
from yarrow.prompting.summary_filter import SummaryFilter

PIECES = st.sampled_from(
    [
        "<summary>",
        "</summary>",
        "<记忆>",
        "</记忆>",
        "<MEMO>",
        "</memo>",
        "<",
        ">",
        "a",
        "\n",
        " ",
        "\n\n",
    ]
)


def stream(pieces: list[str]) -> str:
    summary_filter = SummaryFilter()
    shown = [summary_filter.feed(piece) for piece in pieces]
    return "".join([*shown, summary_filter.close()])


@given(st.lists(PIECES, max_size=14))
def test_what_is_streamed_is_what_extraction_leaves(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert stream(list(text)) == extract_summaries(text).text
    assert stream(pieces) == extract_summaries(text).text


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_no_part_of_a_summary_is_shown_however_it_is_cut(size: int) -> None:
    text = "She waits.\n<summary>They met.</summary>\n\n\nIt rains. 1 < 2"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]

    assert stream(pieces) == "She waits.\n\nIt rains. 1 < 2"


def test_text_before_a_tag_is_not_held_back() -> None:
    summary_filter = SummaryFilter()

    assert summary_filter.feed("one < two") == "one < two"
    assert summary_filter.feed("<sum") == ""
    assert summary_filter.feed("mit") == "<summit"
