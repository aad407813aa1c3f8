"""The pages in a real browser: nothing breaks, nothing leaves the machine, every link leads."""

from collections.abc import AsyncIterator
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest
from playwright.async_api import Browser
from tests.browser.driven import PHONE, WIDE, Tab, tab_in
from tests.serving import Served

PAGES = {
    "start": "/",
    "docs": "/docs",
    "settings": "/docs/howto/settings",
    "codes": "/docs/protocols/error-codes",
    "reference": "/reference",
    "search": "/docs/search?q=points",
}
LOOKS = (("light", WIDE), ("dark", WIDE), ("light", PHONE))
pytestmark = pytest.mark.timeout(900)
"""The first test may have to install the browser."""

_PNG = b"\x89PNG"
LARGEST_SHIFT = 0.1
"""Below it a layout counts as still: web.dev/articles/cls."""
ADD_SHIFTS = """window.shifted = 0;
    new PerformanceObserver(list => list.getEntries().forEach(each => window.shifted += each.value))
        .observe({type: 'layout-shift', buffered: true})"""
PAINT = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TARGET_PX = 44
_SMALL_TARGETS = """target =>
    [...document.querySelectorAll('a, button, input, select, summary, textarea')].filter(each => {
        const {width, height} = each.getBoundingClientRect(), style = getComputedStyle(each);
        const isShown = width > 1 && each.checkVisibility({opacityProperty: true});
        const isInText = style.display === 'inline' || each.matches('.skip, label *');
        return isShown && !isInText && Math.ceil(height) < target;
    }).map(each => each.outerHTML.slice(0, 200))"""
_LINKS = "[...document.links].map(a => a.href)"
_DEAD_ANCHORS = """[...document.querySelectorAll('a[href^="#"]')]
    .map(a => a.getAttribute('href')).filter(h => !document.getElementById(h.slice(1)))"""


@pytest.mark.parametrize("page", PAGES)
async def test_a_page_opens_cleanly_in_every_look(site: Served, window: Browser, page: str) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open(PAGES[page])
        assert await tab.page.evaluate(_DEAD_ANCHORS) == []
        for scheme, size in LOOKS:
            await tab.look(scheme, size)

            assert (await tab.page.screenshot()).startswith(_PNG)
            assert await tab.too_wide() <= 0


DRAWN = {
    "/": "#throw-question",
    "/liuyao": ".compose .primary",
    "/chat": "#message",
    "/stories": ".drop .button",
    "/data": ".drop",
    "/account": "form .primary",
    "/ops": ".findings",
}


@pytest.mark.parametrize(
    ("path", "drawn"),
    [
        ("/", ".search-all"),
        ("/liuyao", ".compose .primary"),
        ("/chat", "#message"),
        ("/stories", ".drop .button"),
        ("/data", ".drop .button"),
        ("/account", ".primary"),
        ("/ops", ".findings"),
        ("/docs", ".contents"),
        ("/reference", ".contents"),
        ("/reference/activity", ".contents"),
    ],
)
async def test_targets_on_a_phone_are_large(
    site: Served, window: Browser, path: str, drawn: str
) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.open(path)
        await tab.page.locator(drawn).first.wait_for()

        assert await tab.page.evaluate(_SMALL_TARGETS, TARGET_PX) == []


async def test_the_links_of_the_frame_reach_both_edges_of_a_phone(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.open("/ops")
        box = await tab.page.locator(".top nav").bounding_box()

        assert box is not None
        assert box["x"] == pytest.approx(PHONE["width"] - box["x"] - box["width"], abs=1)


async def test_nothing_moves_when_the_modules_of_a_page_are_there(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.page.add_init_script(ADD_SHIFTS)
        for path, drawn in DRAWN.items():
            await tab.open(path)
            await tab.page.locator(drawn).first.wait_for()
            await tab.page.evaluate(PAINT)

            assert await tab.page.evaluate("window.shifted") < LARGEST_SHIFT, path


async def test_the_start_page_with_accounts_opens_cleanly(served: Served, window: Browser) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/")

        assert (await tab.page.screenshot()).startswith(_PNG)


class LinkReader(HTMLParser):
    """Collects the addresses that a page without scripts leads to."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self._url = url
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href")
        if tag in ("a", "area") and address is not None:
            self.links.append(urljoin(self._url, address))


@pytest.fixture
async def tab(site: Served, window: Browser) -> AsyncIterator[Tab]:
    async with tab_in(window, site.url) as tab:
        yield tab


async def read_links(tab: Tab, url: str) -> list[str]:
    await tab.page.goto(url)
    links: list[str] = await tab.page.evaluate(_LINKS)
    return links


@pytest.mark.parametrize("path", ["/docs/protocols/error-codes", "/reference/activity"])
async def test_a_page_of_the_docs_has_the_links_of_its_html(
    site: Served, tab: Tab, path: str
) -> None:
    url = site.url + path
    async with site.http.get(url) as answer:
        links = LinkReader(url, await answer.text()).links

    assert len(links) > len(PAGES)
    assert sorted(await read_links(tab, url)) == sorted(links)


async def test_every_link_of_every_page_leads_somewhere(site: Served, tab: Tab) -> None:
    waiting, seen = [site.url + "/"], set[str]()

    while waiting:
        url = waiting.pop()
        seen.add(url)
        async with site.http.get(url) as answer:
            assert answer.status == 200, url
            if answer.content_type != "text/html":
                continue
            is_document = url.startswith((site.url + "/docs", site.url + "/reference"))
            links = (
                LinkReader(url, await answer.text()).links
                if is_document
                else await read_links(tab, url)
            )
        ours = {link.partition("#")[0] for link in links if link.startswith(site.url)}
        waiting += ours - seen - set(waiting)

    assert len(seen) > len(PAGES)
