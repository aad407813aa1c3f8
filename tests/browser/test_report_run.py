"""A report while it is written: it goes on after a reload, and can be stopped."""

from pathlib import Path

from playwright.async_api import Browser, Page, expect
from tests.browser.agent_runs import WHOLE, ask_data, write_analysis
from tests.browser.driven import tab_in
from tests.browser.held_model import WORDS, held_model, serve_held
from tests.waiting import wait_until


async def open_report(page: Page) -> None:
    """Ask about a table; the report about the answer is held by the model."""
    await ask_data(page)
    heading = page.get_by_role("heading", name="Revenue by region", exact=True)
    await expect(heading.locator("strong")).to_have_text("Revenue")
    await expect(page.get_by_alt_text("Revenue by region", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Write a report").click()
    await expect(page.locator(".report .markdown").last).to_contain_text("word9")


async def test_a_report_goes_on_after_a_reload_and_is_stopped(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    async with (
        held_model(write_analysis) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        page = tab.page
        await tab.open("/data")
        model.release.set()
        await open_report(page)
        await expect(page.locator(".report .markdown")).to_have_text(["Sales", WHOLE])
        model.release.clear()
        await page.get_by_role("button", name="Write it again").click()
        await expect(page.locator(".report .markdown").last).to_have_text("".join(WORDS[:10]))
        asked = model.paused
        await page.reload()
        await expect(page.locator(".report .markdown").last).to_have_text("".join(WORDS[:10]))
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_role("alert")).to_contain_text("Stopped.")
        await expect(page.locator(".report .markdown")).to_have_text(["Sales", WHOLE])
        await wait_until(lambda: not model.answering)
        assert model.paused == asked
        model.release.set()
        await page.get_by_role("alert").get_by_role("button", name="Try again").click()

        await expect(page.get_by_role("alert")).to_have_count(0)
        await expect(page.locator(".report .markdown")).to_have_text(["Sales", WHOLE])
