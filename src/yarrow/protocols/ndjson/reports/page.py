"""A report as one self-contained HTML document: no script, nothing loaded from elsewhere."""

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from msgspec import Struct

from yarrow.agents.analyst.report.embed_syntax import (
    Embed,
    EmbedKind,
    parse_embed,
    parse_embeds,
    read_caption,
)
from yarrow.kit.json import JsonMapping, JsonValue, encode_json
from yarrow.kit.markdown_parser import make_markdown_parser
from yarrow.language.chinese_script import find_script
from yarrow.language.languages import Language
from yarrow.protocols.ndjson.success_responses import DOCUMENT_POLICY
from yarrow.web.templating import Templates

DATA = "data:image/"

_IMAGE, _LINK, _INLINE, _FIGURE = "image", "link_open", "inline", "figure"
_PARAGRAPH, _HEADING = "paragraph_open", "heading_open"
_BREAKS = frozenset({"softbreak", "hardbreak"})
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u3400-\u9fff]"),
}
"""Japanese first: its text has Chinese characters too."""
_SCRIPT_SHARE = 0.1
"""Column names and code are Latin in any language, and one foreign name decides nothing."""

_templates = Templates(Path(__file__).parent / "templates")


class TableExcerpt(Struct, frozen=True):
    """The first rows of a table, and how many it has in all."""

    columns: Sequence[str]
    rows: Sequence[JsonMapping]
    row_count: int

    def column_values(self, column: str) -> list[JsonValue]:
        """The values of one column; None where a row has none."""
        return [row.get(column) for row in self.rows]


class FigureMissing(Struct, frozen=True):
    """The reason that is printed in place of a figure."""

    reason: str


class ReportFigures(Struct, frozen=True):
    """The content of a report's embeds: SVG by chart id, rows by table name."""

    charts: Mapping[str, Markup | FigureMissing]
    tables: Mapping[str, TableExcerpt | FigureMissing]


def find_embeds(markdown: str) -> tuple[list[str], list[str]]:
    """The ids of charts and the names of tables that a report embeds, each once."""
    embeds = parse_embeds(markdown)
    charts = [embed.target for embed in embeds if embed.kind is EmbedKind.CHART]
    tables = [embed.target for embed in embeds if embed.kind is EmbedKind.TABLE]
    return list(dict.fromkeys(charts)), list(dict.fromkeys(tables))


def build_page(markdown: str, *, title: str, language: str, figures: ReportFigures) -> Markup:
    parser = _make_parser()
    tokens = _lift_figures(parser.parse(markdown))
    body = parser.renderer.render(tokens, parser.options, {"figures": figures})
    return _templates.render(
        "report.html",
        title=title,
        language=language or "en",
        policy=Markup(html.escape(DOCUMENT_POLICY)),  # noqa: S704 - escaped here
        body=Markup(body),  # noqa: S704 - the parser escapes raw HTML
    )


def detect_language(markdown: str, *, default: str) -> str:
    """The language by its script. Latin languages look alike: they get the reader's, `default`."""
    letters = sum(map(str.isalpha, markdown))
    for language, script in _SCRIPTS.items():
        if len(script.findall(markdown)) > letters * _SCRIPT_SHARE:
            is_hant = language == "zh" and find_script(markdown) is Language.HANT
            return Language.HANT.value if is_hant else language
    return "en" if default.partition("-")[0] in _SCRIPTS and letters else default


def find_title(markdown: str) -> str:
    """The first heading of level one; empty without one."""
    lines = (line.strip() for line in markdown.splitlines())
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def _make_parser() -> MarkdownIt:
    parser = make_markdown_parser()
    parser.add_render_rule(_IMAGE, _render_image)
    parser.add_render_rule(_FIGURE, _render_figure)
    parser.add_render_rule(_LINK, _render_link)
    return parser


def _render_image(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, _env: EnvType
) -> str:
    """An image inlined as `data:`; of any other only its caption."""
    source, caption = str(tokens[at].attrGet("src") or ""), read_caption(tokens[at])
    if not source.startswith(DATA):
        return str(escape(caption))
    return str(Markup('<img src="{}" alt="{}">').format(source, caption))


def _render_figure(
    _renderer: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: EnvType
) -> str:
    embed: Embed = tokens[at].meta["embed"]
    figures: ReportFigures = env["figures"]
    missing = FigureMissing(f"there is no {embed.kind.value} of this name")
    match embed.kind:
        case EmbedKind.CHART:
            return _build_figure(figures.charts.get(embed.target, missing), embed.caption)
        case EmbedKind.TABLE:
            return _build_figure(figures.tables.get(embed.target, missing), embed.caption)


def _render_link(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[at].attrSet("rel", "noreferrer noopener")
    return renderer.renderToken(tokens, at, options, env)


def _build_figure(content: Markup | TableExcerpt | FigureMissing, caption: str) -> str:
    """Plain text, not `Markup`: the Markdown renderer may append strings that are HTML to it."""
    picture = table = reason = None
    match content:
        case FigureMissing():
            reason = content.reason
        case TableExcerpt():
            table = content
        case _:
            picture = content
    figure = _templates.render(
        "figure.html",
        picture=picture,
        table=table,
        reason=reason,
        caption=caption,
        is_numeric=_is_numeric,
        cell_text=_format_cell,
    )
    return str(figure)


def _format_cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_json(value).decode()


def _is_numeric(values: Sequence[JsonValue]) -> bool:
    """Whether all values but the missing ones are numbers: such cells are aligned right."""
    known = [value for value in values if value is not None]
    numbers = (isinstance(v, int | float) and not isinstance(v, bool) for v in known)
    return bool(known) and all(numbers)


def _lift_figures(tokens: Sequence[Token]) -> list[Token]:
    """Move figures out of paragraphs and headings: HTML allows none inside."""
    rest = iter(tokens)
    lifted: list[Token] = []
    for token in rest:
        if any(map(parse_embed, token.children or [])):
            lifted += _wrap_parts(lifted.pop(), _split_inline(token), next(rest))
        else:
            lifted.append(token)
    return lifted


def _wrap_parts(opening: Token, parts: Sequence[Token], closing: Token) -> list[Token]:
    """Text and figures in order; a heading is not split, and a table cell may hold both."""
    texts = [part for part in parts if part.type == _INLINE]
    figures = [part for part in parts if part.type == _FIGURE]
    if opening.type == _HEADING:
        return [*([opening, *texts, closing] if texts else ()), *figures]
    if opening.type != _PARAGRAPH:
        return [opening, *parts, closing]
    wrapped = ([part] if part.type == _FIGURE else [opening, part, closing] for part in parts)
    return [token for group in wrapped for token in group]


def _split_inline(inline: Token) -> list[Token]:
    """Split inline text at its figures; one inside emphasis or a link comes after its end."""
    parts: list[Token] = []
    run: list[Token] = []
    waiting: list[Token] = []
    depth = 0
    for child in inline.children or []:
        depth += child.nesting
        if embed := parse_embed(child):
            waiting.append(Token(_FIGURE, "", 0, block=True, meta={"embed": embed}))
        else:
            run.append(child)
        if waiting and not depth:
            parts += [*_make_inline(run), *waiting]
            run, waiting = [], []
    return [*parts, *_make_inline(run)]


def _make_inline(run: Sequence[Token]) -> list[Token]:
    """The text as an inline token; none if only marks and breaks are left."""
    shown = [at for at, token in enumerate(run) if token.content.strip() or token.children]
    if not shown:
        return []
    breaks = {at for at, token in enumerate(run) if token.type in _BREAKS}
    kept = [t for at, t in enumerate(run) if at not in breaks or shown[0] < at < shown[-1]]
    return [Token(_INLINE, "", 0, children=kept)]
