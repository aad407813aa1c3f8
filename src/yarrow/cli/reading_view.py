"""A reading in the terminal."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.text import Text

from yarrow.cli.prose import wrap_text
from yarrow.language.languages import Language
from yarrow.liuyao import Reading, SignLevel
from yarrow.liuyao.reading.script import to_hant

_BULLET: Final = "  · "
_TONE: Final = {
    SignLevel.HIGHEST: "bold green",
    SignLevel.HIGH: "bold cyan",
    SignLevel.LOW: "bold yellow",
    SignLevel.LOWEST: "bold red",
}


class _ReadingHeadings(Struct, frozen=True):
    conclusion: str
    points: str
    advice: str
    answer: str
    withheld: str


_HEADINGS: Final = {
    Language.HANS: _ReadingHeadings("断语", "要点", "建议", "总断", "此问不作断"),
    Language.HANT: _ReadingHeadings("斷語", "要點", "建議", "總斷", "此問不作斷"),
    Language.ENGLISH: _ReadingHeadings(
        "Conclusion", "What it rests on", "Advice", "In short", "No verdict is drawn"
    ),
}


def render_reading(reading: Reading, *, width: int) -> RenderableType:
    """Render the reading in lines of at most `width` cells."""
    headings = _HEADINGS[reading.language]
    groups = (
        (headings.conclusion, reading.conclusion),
        (headings.points, reading.focus_points),
        (headings.advice, reading.advice),
    )
    rows = [_render_level(reading, headings), Text()]
    for heading, statements in groups:
        rows.append(Text(heading, style="bold"))
        for statement in statements:
            rows.extend(_render_bullet(statement.text, width))
        rows.append(Text())
    rows.append(Text(headings.answer, style="bold"))
    rows.extend(Text(f"  {line}") for line in wrap_text(reading.answer, width - 2))
    return Group(*rows)


def _render_level(reading: Reading, headings: _ReadingHeadings) -> Text:
    """The level and the keywords; the level of a withheld verdict is not shown."""
    if reading.withheld:
        return Text(headings.withheld, style="bold")
    name = reading.level.value
    level = to_hant(name) if reading.language is Language.HANT else name
    others = [word for word in reading.keywords if word != level]
    return Text.assemble(
        (level, _TONE[reading.level]), "  ", (" · ".join(others), "dim"), overflow="fold"
    )


def _render_bullet(text: str, width: int) -> Iterator[Text]:
    lines = wrap_text(text, width - len(_BULLET))
    yield Text.assemble((_BULLET, "dim"), lines[0])
    for line in lines[1:]:
        yield Text(" " * len(_BULLET) + line)
