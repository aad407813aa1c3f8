"""A report as one HTML document that needs nothing else: no script, and nothing from afar."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from yarrow.agents.analyst.embeds import (
    Embed,
    EmbedKind,
    embed_of,
    embeds_in,
    report_markdown,
    words_of,
)
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.web.html import Html, el, join

DATA = "data:image/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_IMAGE, _LINK, _INLINE, _FIGURE = "image", "link_open", "inline", "figure"
_PARAGRAPH, _HEADING = "paragraph_open", "heading_open"
_BREAKS = frozenset({"softbreak", "hardbreak"})
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
    embeds = embeds_in(markdown)
    charts = [embed.target for embed in embeds if embed.kind is EmbedKind.CHART]
    tables = [embed.target for embed in embeds if embed.kind is EmbedKind.TABLE]
    return list(dict.fromkeys(charts)), list(dict.fromkeys(tables))


def page(markdown: str, *, title: str, language: str, exhibits: Exhibits) -> Html:
    """The whole document."""
    parser = _markdown()
    tokens = _freed(parser.parse(markdown))
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
    parser = report_markdown()
    parser.add_render_rule(_IMAGE, _image)
    parser.add_render_rule(_FIGURE, _exhibit)
    parser.add_render_rule(_LINK, _link)
    return parser


def _image(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    """A picture that is in the text itself; of others only what they are called."""
    source, caption = str(tokens[at].attrGet("src") or ""), words_of(tokens[at])
    return el("img", src=source, alt=caption) if source.startswith(DATA) else join([caption])


def _exhibit(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: EnvType
) -> str:
    embed: Embed = tokens[at].meta["embed"]
    exhibits: Exhibits = env["exhibits"]
    missing = NotShown(f"there is no {embed.kind.value} of this name")
    match embed.kind:
        case EmbedKind.CHART:
            return _figure(exhibits.charts.get(embed.target, missing), embed.caption)
        case EmbedKind.TABLE:
            return _figure(exhibits.tables.get(embed.target, missing), embed.caption)


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


def _freed(tokens: Sequence[Token]) -> list[Token]:
    """Figures stand beside paragraphs and headings: HTML allows none inside."""
    rest = iter(tokens)
    freed: list[Token] = []
    for token in rest:
        if any(map(embed_of, token.children or [])):
            freed += _around(freed.pop(), _cut(token), next(rest))
        else:
            freed.append(token)
    return freed


def _around(opening: Token, parts: Sequence[Token], closing: Token) -> list[Token]:
    """Text and figures in their order; a heading stays whole, and a cell may hold both."""
    texts = [part for part in parts if part.type == _INLINE]
    figures = [part for part in parts if part.type == _FIGURE]
    if opening.type == _HEADING:
        return [*([opening, *texts, closing] if texts else ()), *figures]
    if opening.type != _PARAGRAPH:
        return [opening, *parts, closing]
    wrapped = ([part] if part.type == _FIGURE else [opening, part, closing] for part in parts)
    return [token for group in wrapped for token in group]


def _cut(inline: Token) -> list[Token]:
    """A text cut at its figures; one inside emphasis or a link waits until that is over."""
    parts: list[Token] = []
    run: list[Token] = []
    waiting: list[Token] = []
    depth = 0
    for child in inline.children or []:
        depth += child.nesting
        if embed := embed_of(child):
            waiting.append(Token(_FIGURE, "", 0, block=True, meta={"embed": embed}))
        else:
            run.append(child)
        if waiting and not depth:
            parts += [*_text(run), *waiting]
            run, waiting = [], []
    return [*parts, *_text(run)]


def _text(run: Sequence[Token]) -> list[Token]:
    """Nothing if only marks and breaks are left."""
    shown = [at for at, token in enumerate(run) if token.content.strip() or token.children]
    if not shown:
        return []
    breaks = {at for at, token in enumerate(run) if token.type in _BREAKS}
    kept = [t for at, t in enumerate(run) if at not in breaks or shown[0] < at < shown[-1]]
    return [Token(_INLINE, "", 0, children=kept)]
