"""Reasoning that servers leave in the text of a reply."""

import pytest

from yarrow.agents.conversation.think_tags import ThinkTagFilter, drop_unopened_block
from yarrow.llm.model import ReasoningChunk, TextChunk


def split(pieces: list[str]) -> tuple[str, str]:
    """Text and reasoning of a reply that comes in these pieces."""
    tags = ThinkTagFilter()
    chunks = [chunk for piece in pieces for chunk in tags.feed(TextChunk(piece))]
    chunks += tags.close()
    assert all(chunk.text for chunk in chunks)
    text = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))
    return text, "".join(chunk.text for chunk in chunks if isinstance(chunk, ReasoningChunk))


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        ("<think>secret</think>\n\n# Title", "# Title", "secret"),
        (" <thinking>a </think b</thinking>c", "c", "a </think b"),
        ("<think>a</think>\n<think>b</think> c", "c", "ab"),
        ("<think></think>c", "c", ""),
        ("<think>never closed", "", "never closed"),
        ("<think>never closed </thi", "", "never closed </thi"),
        ("Sure. <think>a\nb</think>Four.", "Sure. Four.", "a\nb"),
        ("Sure. <think>a < b</think> or <thinking>c</thinking>5", "Sure.  or 5", "a < bc"),
        ("The <think> tag opens", "The <think> tag opens", ""),
        ("`<think>` and `</think>` are tags", "`<think>` and `</think>` are tags", ""),
        ("```\n<think>\n</think>\n```\n", "```\n<think>\n</think>\n```\n", ""),
        ("<thin line>", "<thin line>", ""),
        ("<b>bold</b>", "<b>bold</b>", ""),
        ("a < b <thi", "a < b <thi", ""),
        ("<thi", "<thi", ""),
        ("  two  spaces ", "  two  spaces ", ""),
        ("<think>a</think> ", "", "a"),
        ("", "", ""),
    ],
)
def test_reasoning_is_taken_out_of_the_text(
    size: int, reply: str, text: str, reasoning: str
) -> None:
    pieces = [reply[at : at + size] for at in range(0, len(reply), size)]

    assert split(pieces) == (text, reasoning)


@pytest.mark.parametrize(
    ("start", "piece", "end", "expected"),
    [
        ("So. <think>", "hm ", "</think>Yes.", ("So. Yes.", "hm " * 20_000)),
        ("So. <think>", "hm ", "", ("So. <think>" + "hm " * 20_000, "")),
        (" ", " ", "<think>a</think>b", ("b", "a")),
        (" ", " ", "b", (" " * 20_001 + "b", "")),
    ],
)
def test_text_held_back_for_long_is_whole(
    start: str, piece: str, end: str, expected: tuple[str, str]
) -> None:
    assert split([start, *[piece] * 20_000, *([end] if end else [])]) == expected


def test_text_that_begins_no_tag_is_not_held_back() -> None:
    tags = ThinkTagFilter()

    assert [
        [chunk.text for chunk in tags.feed(TextChunk(piece))] for piece in ("<th", "e>", " end")
    ] == [[], ["<the>"], [" end"]]


def test_reasoning_at_the_beginning_streams() -> None:
    tags = ThinkTagFilter()

    assert [tags.feed(TextChunk(piece)) for piece in ("<think>", "hm ", "so </")] == [
        [],
        [ReasoningChunk("hm ")],
        [ReasoningChunk("so ")],
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"action": "dance"}\n</think>\n{}', "{}"),
        ("all there is</think>", "all there is</think>"),
        ("nothing to drop", "nothing to drop"),
    ],
)
def test_a_block_that_the_template_opened_is_dropped(text: str, left: str) -> None:
    assert drop_unopened_block(text) == left
