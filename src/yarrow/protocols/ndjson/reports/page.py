"""A report as one HTML document that needs nothing else: no script, and nothing from afar."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from yarrow.agents.analyst.embeds import (
    Embed,
    EmbedKind,
    embed_of,
    embeds_in,
    report_markdown,
    words_of,
)
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.web.templating import Templates

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

_templates = Templates(Path(__file__).parent / "templates")


@dataclass(frozen=True, slots=True)
class ShownTable:
    """Rows to print, and how many there are in all."""

    columns: Sequence[str]
    rows: Sequence[JsonObject]
    row_count: int

    def column_values(self, column: str) -> list[JsonValue]:
        """The values of one column; None where a row has none."""
        return [row.get(column) for row in self.rows]


@dataclass(frozen=True, slots=True)
class NotShown:
    """Why something is missing, in words for the reader."""

    reason: str


@dataclass(frozen=True, slots=True)
class Exhibits:
    """What stands in the places of a report's embeds: pictures by chart, tables by name."""

    charts: Mapping[str, Markup | NotShown]
    tables: Mapping[str, ShownTable | NotShown]


def embedded_in(markdown: str) -> tuple[list[str], list[str]]:
    """The charts and the tables that a report shows, each once."""
    embeds = embeds_in(markdown)
    charts = [embed.target for embed in embeds if embed.kind is EmbedKind.CHART]
    tables = [embed.target for embed in embeds if embed.kind is EmbedKind.TABLE]
    return list(dict.fromkeys(charts)), list(dict.fromkeys(tables))


def page(markdown: str, *, title: str, language: str, exhibits: Exhibits) -> Markup:
    """The whole document."""
    parser = _markdown()
    tokens = _freed(parser.parse(markdown))
    body = parser.renderer.render(tokens, parser.options, {"exhibits": exhibits})
    return _templates.render(
        "report.html",
        title=title,
        language=language or "en",
        policy=Markup(html.escape(POLICY)),  # noqa: S704 - escaped here
        body=Markup(body),  # noqa: S704 - the parser escapes raw HTML
    )


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
    if not source.startswith(DATA):
        return str(escape(caption))
    return str(Markup('<img src="{}" alt="{}">').format(source, caption))


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


def _figure(exhibit: Markup | ShownTable | NotShown, caption: str) -> str:
    """Plain text, not `Markup`: the Markdown renderer may append strings that are HTML to it."""
    picture = table = reason = None
    match exhibit:
        case NotShown():
            reason = exhibit.reason
        case ShownTable():
            table = exhibit
        case _:
            picture = exhibit
    figure = _templates.render(
        "figure.html",
        picture=picture,
        table=table,
        reason=reason,
        caption=caption,
        is_numeric=_is_numeric,
        cell_text=_cell_text,
    )
    return str(figure)


def _cell_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_json(value).decode()


def _is_numeric(values: Sequence[JsonValue]) -> bool:
    """Whether all values but the missing ones are numbers: such cells are aligned right."""
    known = [value for value in values if value is not None]
    numbers = (isinstance(v, int | float) and not isinstance(v, bool) for v in known)
    return bool(known) and all(numbers)


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
