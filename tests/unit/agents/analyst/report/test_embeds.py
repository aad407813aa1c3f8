"""Charts and tables inside streamed Markdown."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yarrow.agents.analyst.report.embed_syntax import (
    Embed,
    EmbedKind,
    EmbedReader,
    format_embed,
    match_table,
    parse_embeds,
)

CHART = Embed(EmbedKind.CHART, "c1", "Sales")
TABLE = Embed(EmbedKind.TABLE, "t", "")
INLINE = Embed(EmbedKind.CHART, "c2", "inline")
TEXT = "# Title\n\n![Sales](chart://c1)\nWords ![inline](chart://c2) go on\n\n![](table://t)"
FRAGMENTS = (
    *("![a](chart://c1)", '![b [x]](table://T "t")', "![c](http://c)", "![", "](u)", "[", "x"),
    *("`", "``", "```\n", "~~~\n", "\n", "\n\n", "\r\n", " ", "    ", "- ", "1. ", "> ", "# "),
    *("|", "|---|\n", "---\n", "*", "\\", "![r]", "[r]: chart://c3\n"),
)


def read(*pieces: str) -> list[str | Embed]:
    reader = EmbedReader()
    parts = [part for piece in pieces for part in reader.feed(piece)] + list(reader.close())
    joined: list[str | Embed] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def told(*pieces: str) -> list[Embed]:
    return [part for part in read(*pieces) if isinstance(part, Embed)]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_embed_is_told_after_its_line_however_the_text_is_cut(size: int) -> None:
    pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]

    assert read(*pieces) == [
        "# Title\n\n![Sales](chart://c1)\n",
        CHART,
        "Words ![inline](chart://c2) go on\n",
        INLINE,
        "\n![](table://t)",
        TABLE,
    ]


@pytest.mark.parametrize("piece", ["Words", "![", "![Sales](chart", "`code", "- ![a](chart://c1)"])
def test_text_goes_on_at_once(piece: str) -> None:
    assert list(EmbedReader().feed(piece)) == [piece]


@pytest.mark.parametrize(
    ("markdown", "target", "caption"),
    [
        ("![cap [x]](chart://c1)", "c1", "cap [x]"),
        ('![t](chart://c1 "title")', "c1", "t"),
        ("See ![here](chart://c1), and on.", "c1", "here"),
        ("![a **b** `c`](chart://c1)", "c1", "a b c"),
        ("![two\nlines](chart://c1)", "c1", "two lines"),
        ("![x](<chart://a b>)", "a b", "x"),
        ("![x](chart://销售)", "销售", "x"),
        ("![x][r]\n\n[r]: chart://c1", "c1", "x"),
        ("1. item\n\n    ![x](chart://c1)", "c1", "x"),
        ("| a |\n|---|\n| ![x](chart://c1) |", "c1", "x"),
    ],
)
def test_an_image_of_ours_embeds_wherever_it_stands(
    markdown: str, target: str, caption: str
) -> None:
    embed = Embed(EmbedKind.CHART, target, caption)

    assert parse_embeds(markdown) == [embed]
    assert told(*markdown) == [embed]


@pytest.mark.parametrize(
    "markdown",
    [
        "```\n![fenced](chart://c1)\n```\n",
        "~~~md\n\n![fenced](chart://c1)\n\n",
        "`![code](chart://c1)`\n",
        "`code\n![over lines](chart://c1)\nends` here\n",
        "text\n\n    ![indented](chart://c1)\n",
        "\\![escaped](chart://c1)\n",
        "![x](http://a)\n",
        "![x]\n",
        "!\n",
        "![x](chart://a b)\n",
        "![x](chart://)\n",
        "[link](chart://c1)\n",
    ],
)
def test_code_and_other_pictures_are_text(markdown: str) -> None:
    assert read(markdown) == [markdown]
    assert read(*markdown) == [markdown]


@pytest.mark.slow
def test_a_long_block_is_read_to_its_end() -> None:
    items = "".join(f"- ![{n}](chart://c{n})\n" for n in range(400))

    assert told(*items.splitlines(keepends=True)) == parse_embeds(items)


def test_a_text_of_open_brackets_passes_unread() -> None:
    tangle = "![" * 300_000 + "\n"

    assert read(tangle, "![a](chart://c1)\n") == [tangle + "![a](chart://c1)\n"]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14))
@example(["![r]", "![a](chart://c1)", "\n\n", "[r]: chart://c3\n"])
@example(["![a](chart://c1)", "\r\n", "x", "\n\n", "![a](chart://c1)"])
def test_a_stream_tells_what_the_whole_text_embeds(pieces: list[str]) -> None:
    whole = "".join(pieces)

    assert Counter(told(*pieces)) == Counter(parse_embeds(whole))
    assert "".join(part for part in read(*pieces) if isinstance(part, str)) == whole


@pytest.mark.parametrize(
    ("target", "caption"),
    [("c1", "Sales"), ("a b", "x]y"), ("c(1", "`a` *b*"), ("50%25", "[z"), ("北京", "_id_, a\\")],
)
def test_a_written_embed_is_read_as_it_was_meant(target: str, caption: str) -> None:
    embed = Embed(EmbedKind.CHART, target, caption)

    assert parse_embeds(format_embed(embed)) == [embed]


def test_tables_are_meant_without_case_unless_one_has_the_very_name() -> None:
    assert match_table("Sales", ["other", "sales"]) == "sales"
    assert match_table("Sales", ["sales", "Sales"]) == "Sales"
    assert match_table("nope", ["sales"]) is None
