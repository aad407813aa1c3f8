"""The reference in a real browser: forms that send the call, with the reader's own token."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect
from tests.browser.driven import PHONE, tab_in
from tests.serving import Served, run_body


async def open_form(page: Page, anchor: str) -> Locator:
    section = page.locator("section.route", has=page.locator(f"[id='{anchor}']"))
    await section.locator(".try summary").click()
    return section.locator("form.call")


async def test_a_call_is_sent_with_the_token_of_the_reader(served: Served, window: Browser) -> None:
    caller = await served.account()
    body = run_body("the first")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    token = caller.headers["Authorization"].removeprefix("Bearer ")
    async with tab_in(window, served.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/reference/activity")
        form = await open_form(tab.page, "patch-api-v1-sessions-id")
        await form.get_by_label("id", exact=False).first.fill(str(body["threadId"]))
        await form.get_by_label("Body").fill('{"title": "another"}')
        await form.get_by_role("button", name="Send").click()
        await expect(form.get_by_role("status")).to_contain_text("401")
        await tab.page.evaluate("token => sessionStorage.setItem('yarrow.token', token)", token)
        await form.get_by_role("button", name="Send").click()

        await expect(form.get_by_role("status")).to_contain_text("200")
        await expect(form.locator("pre")).to_contain_text('"title": "another"')


async def test_an_answer_is_shown_whole(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/reference/agent")
        form = await open_form(tab.page, "get-api-v1-agent-history")
        await form.get_by_label("session_limit").fill("1")
        await form.get_by_role("button", name="Send").click()

        await expect(form.get_by_role("status")).to_contain_text("200")
        await expect(form.locator("pre")).to_contain_text("history_sessions_latest_assistant")
        await expect(form.get_by_role("button", name="Send")).to_be_enabled()


async def test_a_file_is_sent_as_a_part_of_a_form(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/reference/tables")
        form = await open_form(tab.page, "post-api-tables-parse-file")
        await form.locator("input[type=file]").set_input_files(
            {"name": "sales.csv", "mimeType": "text/csv", "buffer": b"region,sum\nnorth,3\n"}
        )
        await form.get_by_role("button", name="Send").click()

        await expect(form.locator("pre")).to_contain_text("north")


async def test_a_refused_call_shows_its_problem(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/reference/activity")
        form = await open_form(tab.page, "patch-api-v1-sessions-id")
        await form.get_by_label("id", exact=False).first.fill("not-an-id")
        await form.get_by_role("button", name="Send").click()

        await expect(form.get_by_role("status")).to_contain_text("422")
        await expect(form.locator("pre")).to_contain_text("REQUEST_INVALID")


@pytest.mark.parametrize(("locale", "scheme"), [("zh-TW", "dark"), ("en-US", "light")])
async def test_axe_finds_nothing(site: Served, window: Browser, locale: str, scheme: str) -> None:
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/reference/activity")
        form = await open_form(tab.page, "get-api-v1-sessions")
        await form.locator("button.primary").click()
        await expect(form.locator(".call-status")).to_contain_text("200")

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
