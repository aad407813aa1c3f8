"""Colours of code: in the docs, and what the module makes of languages."""

import asyncio
import re
from html import unescape

from playwright.async_api import Browser, expect
from tests.browser.bound_model import Site
from tests.browser.driven import WIDE, tab_in
from tests.waiting import PATIENCE_S

SPLIT = """async ([code, language]) => {
    const address = document.querySelector('script[type=module]').src;
    const { splitCode } = await import(new URL('highlight.js', address));
    return splitCode(code, language);
}"""
CHANGED = """async ([codes, language]) => {
    const address = document.querySelector('script[type=module]').src;
    const { splitCode } = await import(new URL('highlight.js', address));
    const join = (code) => splitCode(code, language).map((piece) => piece.text).join('');
    return codes.filter((code) => join(code) !== code);
}"""
"""Compares in the page: the pieces of long texts take seconds to be sent."""
SPANS = """async (text) => {
    const address = document.querySelector('script[type=module]').src;
    const { renderInline } = await import(new URL('markdown.js', address));
    return renderInline(text).map((node) => node.type ?? node);
}"""
LANGUAGES = ("sh", "python", "js", "sql", "json", "yaml", "html", "klingon", "")
ODD = (
    "",
    "\n\n",
    "'\"`",
    "/* never closed",
    '"""\n#',
    "\\",
    "<!--",
    "a\u2028b 👩‍👩‍👧 \ud83d",
    "1.5e-3 _x1 $",
    "\n" * 19_999,
    "/*" * 9_999,
    "\"\"\" ''' <!--" * 1_500,
)


KINDS = (
    ("sh", "curl -s $URL # ask", {"-s": "name", "$URL": "name", "# ask": "comment"}),
    ("Python", "def f(): return '#1'", {"def": "keyword", "f": "name", "'#1'": "string"}),
    ("ts", "let a = `b` // 2", {"let": "keyword", "`b`": "string", "// 2": "comment"}),
    ("sql", "select 'a''b' -- 2", {"select": "keyword", "'a''b'": "string", "-- 2": "comment"}),
    ("json", '{"a": [1, "b", null]}', {'"a"': "name", "1": "number", "null": "keyword"}),
    ("yaml", "a: 1 # one", {"a": "name", "1": "number", "# one": "comment"}),
    ("html", "<b>x</b><!-- y -->", {"<b": "keyword", "<!-- y -->": "comment"}),
)
PAGE = "/docs/howto/connect-your-database"


async def test_code_of_the_docs_has_colours_and_its_text(site: Site, window: Browser) -> None:
    async with site.http.get(site.url + PAGE) as answer:
        plain = await answer.text()
    blocks = re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", plain, re.DOTALL)
    async with tab_in(window, site.url) as tab:
        await tab.open(PAGE)
        await expect(tab.page.locator(".code-string").first).to_be_visible()

        assert blocks
        assert await tab.page.locator("pre").all_text_contents() == [*map(unescape, blocks)]
        for scheme in ("light", "dark"):
            await tab.look(scheme, WIDE)
            assert await tab.find_violations() == []


async def test_pieces_of_code_have_kinds_and_lose_no_character(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open(PAGE)
        for language, code, kinds in KINDS:
            pieces = await tab.page.evaluate(SPLIT, [code, language])
            assert kinds.items() <= {piece["text"]: piece["kind"] for piece in pieces}.items()
        codes = [*ODD, "\n".join(ODD), "'" * 20_000, "a" * 20_001]
        for language in LANGUAGES:
            assert await tab.page.evaluate(CHANGED, [codes, language]) == [], language


async def test_code_in_a_line_ends_with_as_many_ticks_as_it_began(
    site: Site, window: Browser
) -> None:
    ticks = "`" * 30_000
    async with tab_in(window, site.url) as tab:
        await tab.open(PAGE)
        async with asyncio.timeout(PATIENCE_S):
            assert await tab.page.evaluate(SPANS, "a `b` ``c`d``") == ["a ", "code", " ", "code"]
            assert await tab.page.evaluate(SPANS, "``a` b") == ["``a` b"]
            assert await tab.page.evaluate(SPANS, f"a {ticks}") == [f"a {ticks}"]
