"""Charts and tables inside streamed Markdown."""

import pytest

from yarrow.agents.analyst.embeds import Embed, EmbedKind, EmbedReader

CHART = Embed(EmbedKind.CHART, "c1", "Sales", "![Sales](chart://c1)\n")
TABLE = Embed(EmbedKind.TABLE, "t", "", "![](table://t)")
TEXT = f"# Title\n\n{CHART.source}Words ![inline](chart://c2)\n\n{TABLE.source}"


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


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_line_of_its_own_embeds_however_the_text_is_cut(size: int) -> None:
    pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]

    assert read(*pieces) == [
        "# Title\n\n",
        CHART,
        "Words ![inline](chart://c2)\n\n",
        TABLE,
    ]


def test_text_that_cannot_embed_goes_on_at_once() -> None:
    assert list(EmbedReader().feed("Words")) == ["Words"]


@pytest.mark.parametrize("line", ["![x](http://a)\n", "![x]\n", "!\n", "![x](chart://a b)\n"])
def test_other_pictures_are_text(line: str) -> None:
    assert read(line) == [line]
