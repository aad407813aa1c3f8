"""Render the gallery: `docs/gallery/*.svg` in English and Chinese, and the page that shows them."""

import re
import sys
import tempfile
from pathlib import Path

import duckdb
from scripts.gallery.chinese import CHINESE_NAMES, translate_values
from scripts.gallery.datasets import install_packages, open_datasets
from scripts.gallery.exhibits import EXHIBITS, Exhibit

from yarrow.charting import ChartLanguage, CompiledChart, compile_chart, parse_intent
from yarrow.kit.json import JsonObject
from yarrow.kit.sql_text import quote_text
from yarrow.rendering.render import render_svg
from yarrow.sandbox.chart_source import ParquetSource, open_parquet

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
TAG = re.compile(r"<[^>]*>")
DECIMAL = re.compile(r"(-?\d+\.\d)\d+")
SPOKEN = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')


def compile_exhibit(
    exhibit: Exhibit, source: ParquetSource, language: ChartLanguage
) -> CompiledChart:
    """The chart of an exhibit with its title in a language."""
    title = exhibit.titles[language is ChartLanguage.ZH]
    request: JsonObject = {
        "chart_type": exhibit.chart,
        "encodings": exhibit.encodings,
        "config": {"title": title, **exhibit.config},
    }
    names = CHINESE_NAMES if language is ChartLanguage.ZH else {}
    intent = parse_intent(request, language=language)
    return compile_chart(intent, source, display_names=names, language=language)


def open_exhibit(
    database: duckdb.DuckDBPyConnection, exhibit: Exhibit, folder: Path, language: ChartLanguage
) -> ParquetSource:
    """The rows of an exhibit, written as Parquet like the tables of a workspace."""
    path = folder / f"{exhibit.name}.{language}.parquet"
    query = translate_values(exhibit.query) if language is ChartLanguage.ZH else exhibit.query
    database.execute(f"COPY ({query}) TO {quote_text(str(path))} (FORMAT parquet)")
    (count,) = database.execute(f"SELECT count(*) FROM {quote_text(str(path))}").fetchone() or (0,)
    return open_parquet(database, str(path), int(count))


def shorten(svg: str) -> str:
    """The picture with one decimal for each coordinate and without descriptions of each mark."""
    return TAG.sub(lambda tag: SPOKEN.sub("", DECIMAL.sub(r"\1", tag.group())), svg)


def write_page(notes: dict[str, tuple[str, ...]]) -> None:
    lines = [
        "# Gallery",
        "",
        f"{len(EXHIBITS)} charts of classic datasets (cars, films, stocks, Gapminder, weather, "
        "flights) in English and in Chinese, each with its request and its notes. `make gallery` "
        "makes this page. The requests name no colours, formats, orders or sizes.",
        "",
    ]
    for exhibit in EXHIBITS:
        lines += _describe(exhibit, notes[exhibit.name])
    PAGE.write_text("\n".join(lines))


def _describe(exhibit: Exhibit, notes: tuple[str, ...]) -> list[str]:
    english, chinese = exhibit.titles
    fields = ", ".join(f"{channel} {_name(value)}" for channel, value in exhibit.encodings.items())
    config = "".join(f", {key} {value}" for key, value in exhibit.config.items())
    return [
        f"## {english}",
        "",
        f"`{exhibit.chart}`: {fields}{config}",
        "",
        *(f"- {note}" for note in notes),
        *([""] if notes else []),
        f"![{english}](../gallery/{exhibit.name}.en.svg)",
        f"![{chinese}](../gallery/{exhibit.name}.zh.svg)",
        "",
    ]


def _name(value: object) -> str:
    if isinstance(value, dict):
        return f"{value['aggregate']} {value.get('field', 'of rows')}"
    return str(value)


def main(target: Path) -> None:
    install_packages()
    target.mkdir(exist_ok=True)
    notes: dict[str, tuple[str, ...]] = {}
    database = open_datasets()
    with tempfile.TemporaryDirectory() as folder:
        for exhibit in EXHIBITS:
            for language in (ChartLanguage.ZH, ChartLanguage.EN):
                source = open_exhibit(database, exhibit, Path(folder), language)
                chart = compile_exhibit(exhibit, source, language)
                svg = shorten(render_svg(chart.spec))
                (target / f"{exhibit.name}.{language}.svg").write_text(svg)
                notes[exhibit.name] = chart.notes
                print(exhibit.name, language, len(svg), *chart.notes, sep=" | ")
    write_page(notes)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
