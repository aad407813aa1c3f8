"""Operations in a real browser: runs, one run, cancel, accounts."""

import asyncio

import pytest
from playwright.async_api import Browser, expect
from tests.browser.bound_model import Site
from tests.browser.cut_proxy import proxied
from tests.browser.driven import PHONE, tab_in
from tests.serving import run_body
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Hold, Say


async def submit(site: Site, text: str) -> None:
    body = run_body(text)
    async with site.http.post(f"{site.url}/api/v1/agent/runs", json=body) as answer:
        assert answer.status == 202


async def test_a_run_is_seen_opened_and_cancelled(site: Site, window: Browser) -> None:
    site.model.answer("a question that nobody reads here", [Say("something"), Hold()])
    await submit(site, "a question that nobody reads here")
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        row = tab.page.locator("tbody tr", has_text="running").first
        await row.get_by_role("link").click()
        await expect(tab.page.get_by_role("heading", name="Events")).to_be_visible()
        await expect(tab.page.locator("main")).not_to_contain_text("nobody reads")
        await tab.page.get_by_role("button", name="Cancel the run").click()
        await expect(tab.page.get_by_text("The cancel was accepted")).to_be_visible()
        await tab.page.get_by_role("button", name="Read again").click()

        await expect(tab.page.get_by_role("button", name="Cancel the run")).to_have_count(0)


async def test_a_run_of_a_deleted_session_says_so_and_has_no_link_to_it(
    site: Site, window: Browser
) -> None:
    site.model.answer("a question", [Say("something"), Hold()])
    body = run_body("a question")
    async with site.http.post(f"{site.url}/api/v1/agent/runs", json=body) as answer:
        assert answer.status == 202
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        row = tab.page.locator("tbody tr", has_text="running").first
        await row.get_by_role("link").click()
        link = tab.page.get_by_role("link", name="Open the session")
        await expect(link).to_be_visible()
        async with site.http.delete(
            f"{site.url}/api/v1/agent/sessions/{body['threadId']}"
        ) as answer:
            assert answer.status < 300
        await tab.page.get_by_role("button", name="Read again").click()

        await expect(tab.page.get_by_text("deleted by its owner")).to_be_visible()
        await expect(link).to_have_count(0)


async def test_a_run_is_found_by_its_session_and_the_search_has_an_address(
    site: Site, window: Browser
) -> None:
    body = run_body("words that are not shown")
    async with site.http.post(f"{site.url}/api/v1/agent/runs", json=body) as answer:
        assert answer.status == 202
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        search = tab.page.get_by_role("searchbox", name="Find runs")
        await search.fill(body["threadId"])
        await expect(tab.page.locator(".runs tbody tr")).to_have_count(1)
        await tab.page.reload()
        await expect(tab.page.get_by_text("1 run found")).to_be_visible()
        await expect(search).to_have_value(body["threadId"])
        assert not await tab.find_violations()
        await search.fill("chat")
        await expect(tab.page.get_by_text("runs found")).to_be_visible()
        await search.fill("no such thing")
        await expect(tab.page.get_by_text("No run of the last seven days")).to_be_visible()
        await tab.page.get_by_role("link", name="Last hour").click()

        await expect(tab.page.locator(".runs tbody tr").first).to_be_visible()
        await expect(search).to_have_value("")


async def test_a_pause_between_events_is_a_row_of_its_own(site: Site, window: Browser) -> None:
    hold = Hold()
    site.model.answer("a slow one", [Say("one two"), hold, Say("three")])
    await submit(site, "a slow one")
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        await tab.page.locator("tbody tr", has_text="running").first.get_by_role("link").click()
        read_again = tab.page.get_by_role("button", name="Read again")
        async with asyncio.timeout(PATIENCE_S):
            while not await tab.page.get_by_text("without an event so far").count():
                await read_again.click()
                await asyncio.sleep(0.2)
        hold.release.set()
        async with asyncio.timeout(PATIENCE_S):
            while not await tab.page.get_by_text("RunSucceeded").count():
                await read_again.click()
                await asyncio.sleep(0.2)

        await expect(tab.page.locator("tr.pause").last).to_contain_text("without an event")
        await expect(tab.page.locator("tr.pause + tr").last).to_contain_text("TextDelta")


async def test_figures_stay_while_the_server_is_gone(site: Site, window: Browser) -> None:
    async with proxied(site.url) as proxy, tab_in(window, proxy.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/ops")
        await expect(tab.page.locator(".figures dd").first).to_be_visible()
        proxy.cut()
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_have_count(1)
        await expect(tab.page.get_by_role("alert")).to_have_count(0)
        await expect(tab.page.locator(".figures dd").first).to_be_visible()
        proxy.mend()

        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_have_count(0)


async def test_the_doctor_runs_on_the_page(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        await tab.page.get_by_role("button", name="Run all checks").click()

        await expect(tab.page.get_by_text("Checked.")).to_be_visible()
        database = tab.page.locator(".findings li", has_text="up to date")
        await expect(database).to_contain_text("ok")
        await expect(tab.page.locator(".findings li", has_text="speech")).to_contain_text("off")


async def test_findings_are_in_the_language_of_the_page(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.open("/ops")
        await tab.page.get_by_role("button", name="运行全部检查").click()

        checks = tab.page.locator(".findings li")
        await expect(checks.filter(has_text="工作进程")).to_contain_text("共 1 个，存活 1 个")
        await expect(checks.filter(has_text="附件存储")).to_contain_text("附件存放在数据目录中")
        await expect(checks.filter(has_text="语音")).to_contain_text("无：请设置")


async def test_points_are_granted_with_a_ticket(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/ops")
        await tab.page.get_by_label("E-mail or id").fill("00000000-0000-0000-0000-000000000001")
        await tab.page.get_by_role("button", name="Find", exact=True).click()
        await tab.page.get_by_label("Points to grant").fill("7")
        await tab.page.get_by_label("Ticket").fill("T-browser")
        await tab.page.get_by_role("button", name="Grant", exact=True).click()

        await expect(tab.page.get_by_text("Granted.")).to_be_visible()


@pytest.mark.parametrize(("locale", "scheme"), [("zh-TW", "light"), ("en-US", "dark")])
async def test_axe_finds_nothing(site: Site, window: Browser, locale: str, scheme: str) -> None:
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/ops?group=recent")
        await expect(tab.page.locator(".figures dd").first).to_be_visible()
        await expect(tab.page.locator(".findings").first).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
