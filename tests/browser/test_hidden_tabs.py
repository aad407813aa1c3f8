"""Many tabs of one browser: it opens six connections to a server, and a stream holds one."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Browser, Page, expect
from tests.browser.driven import tab_in
from tests.browser.held_model import HELD_WORDS, WORDS, held_model, serve_held
from tests.browser.test_data_work import give
from tests.browser.test_killed_server import READING_TEXTS, WHOLE, write_analysis, write_reading
from tests.browser.test_liuyao_page import cast_typed
from tests.browser.test_stories_page import begin, say
from tests.loose_json import JsonObject
from tests.waiting import wait_until

HALF = "".join(WORDS[:10]).strip()
HIDE = """(() => {
    let isHidden = false;
    Object.defineProperty(document, 'hidden', {get: () => isHidden});
    window.hide = (hidden) => {
        isHidden = hidden;
        document.dispatchEvent(new Event('visibilitychange'));
    };
})()"""
"""The headless shell hides no tabs, as Chromium does."""


def write(request: JsonObject) -> list[str]:
    if "response_format" in request:
        return write_reading(request)
    is_analyst = " analyst" in str(request["messages"])
    return write_analysis(request) if is_analyst else HELD_WORDS


async def ask_chat(page: Page) -> None:
    await say(page, "Count")


async def ask_story(page: Page) -> None:
    await begin(page)
    await say(page, "Count")


async def ask_reading(page: Page) -> None:
    await cast_typed(page, "Will it rain?")


async def ask_data(page: Page) -> None:
    await give(page)
    await page.fill("#data-question", "Who sells most?")
    await page.press("#data-question", "Enter")


REPLY = ".floor .markdown >> nth=-1"
Road = tuple[Callable[[Page], Awaitable[None]], str, str, str, str]
ROADS: dict[str, Road] = {
    "/chat": (ask_chat, ".theirs .markdown", HALF, ".theirs .markdown", WHOLE),
    "/stories": (
        ask_story,
        ".floor .markdown >> nth=-1",
        HALF,
        ".floor .markdown >> nth=-1",
        WHOLE,
    ),
    "/liuyao": (
        ask_reading,
        ".base caption strong",
        "水火既济",
        ".reading .answer",
        READING_TEXTS[0],
    ),
    "/data": (ask_data, "figure h2", "Revenue by region", ".summary", "The north sold more."),
}
"""How a run begins, what is shown while it is held, and what when it has ended."""


async def show(page: Page) -> None:
    """Bring a tab to the front: the others are hidden."""
    for each in page.context.pages:
        await each.evaluate("hidden => window.hide(hidden)", each is not page)


async def test_eight_tabs_follow_a_run_each(window: Browser, dsn: str, tmp_path: Path) -> None:
    async with (
        held_model(write) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        context = tab.page.context
        await context.add_init_script(HIDE)
        tabs: list[tuple[Page, Road]] = []
        for path, road in [*ROADS.items()] * 2:
            page = tab.page if not tabs else await context.new_page()
            await page.goto(served.url + path)
            await show(page)
            tabs.append((page, road))
            await road[0](page)
            await expect(page.locator(road[1])).to_have_text(road[2])
            await wait_until(lambda: model.paused == len(tabs) and len(served.requests) == 1)
        for page, (_, shown, half, _, _) in tabs:
            await show(page)
            await wait_until(lambda: len(served.requests) == 1)
            await expect(page.locator(shown)).to_have_text(half)
            await expect(page.get_by_text("Reconnecting")).to_have_count(0)
        model.release.set()

        for page, (*_, shown, whole) in tabs:
            await show(page)
            await expect(page.locator(shown).first).to_have_text(whole)
            await expect(page.locator("main [role=alert]")).to_have_count(0)
