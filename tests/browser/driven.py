"""Pages driven by Playwright in the installed Chromium, with all they complain of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec import Struct, field
from playwright.async_api import Browser, Page, async_playwright, expect
from scripts.web.check import HERE as TOOLS
from scripts.web.check import install_tools
from tests.waiting import PATIENCE_S

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
FAKE_MICROPHONE = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
PHONE = {"width": 360, "height": 780}
WIDE = {"width": 1280, "height": 900}
PATIENCE_MS = PATIENCE_S * 1000
expect.set_options(timeout=PATIENCE_MS)

_AXE_RUN = """async () =>
    (await axe.run(document, {preload: false, resultTypes: ['violations']})).violations
    .flatMap(each => each.nodes.map(node => `${each.id}: ${node.target} ${node.failureSummary}`))"""

_RUN_MODULES = """async () => {
    const find = () => [...document.head.querySelectorAll('script[type=module]')];
    while (!find().length) await new Promise(resolve => setTimeout(resolve));
    await Promise.all(find().map(script => import(script.src)));
}"""


class Tab(Struct):
    """A page with what went wrong in it, which `tab_in` asserts to be nothing."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Beginnings of console messages that the test brings about."""

    async def open(self, path: str) -> None:
        """Open a page and wait for its modules, which are loaded after the first paint."""
        await self.page.goto(self.url + path)
        await self.page.evaluate(_RUN_MODULES)

    async def look(self, scheme: str, size: dict[str, int]) -> None:
        """Change the colours and the size of the open page."""
        await self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        await self.page.set_viewport_size(size)  # type: ignore[arg-type]

    def unexpected(self) -> list[str]:
        return [
            text for text in self.complaints if not text.startswith(tuple(self.expected) or "\0")
        ]

    async def too_wide(self) -> int:
        expression = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(await self.page.evaluate(expression))

    async def find_violations(self) -> list[str]:
        """Run axe; only where npm could install it."""
        if reason := install_tools():
            pytest.skip(reason)
        if not await self.page.evaluate("'axe' in window"):
            script = (TOOLS / "node_modules/axe-core/axe.min.js").read_text()
            await self.page.evaluate(script)
        violations: list[str] = await self.page.evaluate(_AXE_RUN)
        return violations


@asynccontextmanager
async def launch(path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=[*FLAGS, *FAKE_MICROPHONE]
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def tab_in(
    browser: Browser,
    url: str,
    *,
    locale: str = "en-US",
    scheme: str = "light",
    size: dict[str, int] | None = None,
    motion: str = "reduce",
) -> AsyncIterator[Tab]:
    """A tab of its own. At the end it may have no complaints, and no requests elsewhere."""
    context = await browser.new_context(
        viewport=size or WIDE,  # type: ignore[arg-type]
        locale=locale,
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion=motion,  # type: ignore[arg-type]
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE_MS)
    tab = Tab(await context.new_page(), url)
    context.on("console", lambda message: tab.complaints.append(message.text))
    context.on("weberror", lambda problem: tab.complaints.append(str(problem.error)))
    context.on("request", lambda request: _note_request(tab, request.url))
    try:
        yield tab
    finally:
        for page in context.pages:
            # A request that a route still passes on would fail in the next test.
            await page.unroute_all(behavior="ignoreErrors")
        await context.close()
    unexpected = tab.unexpected()
    assert not unexpected, unexpected


def _note_request(tab: Tab, address: str) -> None:
    if not address.startswith((tab.url, "blob:", "data:")):
        tab.complaints.append(f"asked elsewhere: {address}")
