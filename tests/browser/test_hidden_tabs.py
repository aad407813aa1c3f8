"""Many tabs of one browser: it opens six connections to a server, and a stream holds one."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect
from tests.browser.agent_runs import AGENT_RUNS, AgentRun, write_any
from tests.browser.driven import tab_in
from tests.browser.held_model import held_model, serve_held
from tests.waiting import wait_until

HIDE = """(() => {
    let isHidden = false;
    Object.defineProperty(document, 'hidden', {get: () => isHidden});
    window.hide = (hidden) => {
        isHidden = hidden;
        document.dispatchEvent(new Event('visibilitychange'));
    };
})()"""
"""The headless shell hides no tabs, as Chromium does."""


async def show(page: Page) -> None:
    """Bring a tab to the front: the others are hidden."""
    for each in page.context.pages:
        await each.evaluate("hidden => window.hide(hidden)", each is not page)


async def test_eight_tabs_follow_a_run_each(window: Browser, dsn: str, tmp_path: Path) -> None:
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        await tab.page.context.add_init_script(HIDE)
        tabs: list[tuple[Page, AgentRun]] = []
        for run in [*AGENT_RUNS.values()] * 2:
            page = tab.page if not tabs else await tab.page.context.new_page()
            await page.goto(served.url + run.path)
            await show(page)
            tabs.append((page, run))
            await run.ask(page)
            await run.expect_half(page)
            await wait_until(lambda: model.paused == len(tabs) and len(served.requests) == 1)
        for page, run in tabs:
            await show(page)
            await wait_until(lambda: len(served.requests) == 1)
            await run.expect_half(page)
            await expect(page.get_by_text("Reconnecting")).to_have_count(0)
        model.release.set()

        for page, run in tabs:
            await show(page)
            await run.expect_whole(page)
            await expect(page.locator("main [role=alert]")).to_have_count(0)
