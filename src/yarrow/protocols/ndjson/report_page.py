"""A report as one HTML document that needs nothing else: no script, and nothing from afar."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from yarrow.json_values import JsonObject, JsonValue, encode_json
from yarrow.web.html import Html, el, join

CHART, TABLE, DATA = "chart://", "table://", "data:image/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_IMAGE, _LINK = "image", "link_open"
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u3400-\u9fff]"),
}
"""Japanese first: it has Chinese characters too."""
_SCRIPT_SHARE = 0.1
"""Names of columns and code are Latin in any language, and one foreign name makes none."""

STYLE = Html("""
:root { --ink: #1d232b; --soft: #5b6673; --line: #dfe3e8; }
body { margin: 0 auto; padding: 3rem 1.5rem; max-width: 46rem; color: var(--ink);
  font: 16px/1.65 system-ui, "Noto Sans", "Noto Sans SC", "PingFang SC", "Hiragino Sans",
  "Microsoft YaHei", "Noto Sans CJK SC", "Apple SD Gothic Neo", "Malgun Gothic", sans-serif; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 1.5rem; } h2 { margin: 2.5rem 0 .75rem; }
figure { margin: 1.75rem 0; break-inside: avoid; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
figcaption, .note { color: var(--soft); font-size: .875rem; }
.note { border-left: 3px solid var(--line); padding: .25rem .75rem; margin: 0; }
table { border-collapse: collapse; min-width: 50%; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; }
.number { text-align: right; } thead { display: table-header-group; }
tr { break-inside: avoid; } pre { overflow-x: auto; } code { font-size: .9em; }
blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
@page { margin: 2cm; }
@media print { body { padding: 0; max-width: none; font-size: 11pt; } a { color: inherit; }
  h1, h2, h3 { break-after: avoid; } }
""")


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows to print, and how many there are in all."""

    columns: Sequence[str]
    rows: Sequence[JsonObject]
    row_count: int


@dataclass(frozen=True, slots=True)
class NotShown:
    """Why something is missing, in words for the reader."""

    reason: str


@dataclass(frozen=True, slots=True)
class Exhibits:
    """What stands in the places of a report's embeds: pictures by chart, tables by name."""

    charts: Mapping[str, Html | NotShown]
    tables: Mapping[str, ShownTable | NotShown]


def embedded_in(markdown: str) -> tuple[list[str], list[str]]:
    """The charts and the tables that a report shows, each once."""
    sources = [_source(image) for image in _images(_markdown().parse(markdown))]
    charts = [_target(source, CHART) for source in sources if source.startswith(CHART)]
    tables = [_target(source, TABLE) for source in sources if source.startswith(TABLE)]
    return list(dict.fromkeys(charts)), list(dict.fromkeys(tables))


def page(markdown: str, *, title: str, language: str, exhibits: Exhibits) -> Html:
    """The whole document."""
    parser = _markdown()
    tokens = parser.parse(markdown)
    _free_figures(tokens)
    body = Html(parser.renderer.render(tokens, parser.options, {"exhibits": exhibits}))
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("title", title),
        el("style", STYLE),
    )
    shown = el("body", el("main", body))
    return Html("<!doctype html>" + el("html", head, shown, lang=language or "en"))


def written_in(markdown: str, *, otherwise: str) -> str:
    """The language whose script the report is in; of Latin ones only the reader's can be told."""
    letters = sum(map(str.isalpha, markdown))
    for language, script in _SCRIPTS.items():
        if len(script.findall(markdown)) > letters * _SCRIPT_SHARE:
            return language
    return "en" if otherwise in _SCRIPTS and letters else otherwise


def title_in(markdown: str) -> str:
    """The first heading of the first rank."""
    lines = (line.strip() for line in markdown.splitlines())
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule(_IMAGE, _image)
    parser.add_render_rule(_LINK, _link)
    return parser


def _image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    """A figure for our own addresses; of others only what they are called."""
    token = tokens[at]
    source = _source(token)
    caption = renderer.renderInlineAsText(token.children, options, env)
    exhibits: Exhibits = env["exhibits"]
    if source.startswith(CHART):
        missing = NotShown("there is no chart of this name")
        return _figure(exhibits.charts.get(_target(source, CHART), missing), caption)
    if source.startswith(TABLE):
        gone = NotShown("there is no table of this name")
        return _figure(exhibits.tables.get(_target(source, TABLE), gone), caption)
    if source.startswith(DATA):
        return el("img", src=source, alt=caption)
    return join([caption])


def _link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noreferrer noopener")
    return renderer.renderToken(tokens, at, options, env)


def _figure(exhibit: Html | ShownTable | NotShown, caption: str) -> Html:
    match exhibit:
        case NotShown(reason):
            shown = el("p", f"({reason})", class_="note")
        case ShownTable():
            shown = _table(exhibit)
        case _:
            shown = exhibit
    return el("figure", shown, el("figcaption", caption))


def _table(table: ShownTable) -> Html:
    heads = join(
        el("th", column, scope="col", class_=_side([row.get(column) for row in table.rows]))
        for column in table.columns
    )
    rows = join(
        el("tr", join(_cell(row.get(column)) for column in table.columns)) for row in table.rows
    )
    part = f"{len(table.rows)} / {table.row_count}"
    note = el("p", part, class_="note") if len(table.rows) < table.row_count else Html("")
    return join([el("table", el("thead", el("tr", heads)), el("tbody", rows)), note])


def _cell(value: JsonValue) -> Html:
    text = value if isinstance(value, str) else encode_json(value).decode()
    return el("td", "" if value is None else text, class_=_side([value]))


def _side(values: Sequence[JsonValue]) -> str | None:
    """Numbers stand at the right, under a heading that does too."""
    known = [value for value in values if value is not None]
    numbers = (isinstance(v, int | float) and not isinstance(v, bool) for v in known)
    return "number" if known and all(numbers) else None


def _free_figures(tokens: Sequence[Token]) -> None:
    """A figure alone in its paragraph needs none around it."""
    for before, inline, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        inside = inline.children or []
        if len(inside) == 1 and _is_exhibit(inside[0]):
            before.hidden = after.hidden = True


def _is_exhibit(token: Token) -> bool:
    return token.type == _IMAGE and _source(token).startswith((CHART, TABLE))


def _images(tokens: Sequence[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or [] if child.type == _IMAGE]


def _source(image: Token) -> str:
    return str(image.attrGet("src") or "")


def _target(source: str, scheme: str) -> str:
    """The name behind the scheme; the parser has escaped what is not ASCII."""
    return unquote(source.removeprefix(scheme)).rstrip("/")
