"""Account in a real browser: signing up, in and out, and points down to none."""

from uuid import uuid4

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.bound_model import Site
from tests.browser.cut_proxy import proxied
from tests.browser.driven import PHONE, tab_in
from tests.serving import run_body

from yarrow.llm.scripted import Say


async def sign_up(page: Page) -> None:
    await page.get_by_role("button", name="Make an account").click()
    await page.get_by_label("E-mail").fill(f"{uuid4().hex}@example.org")
    await page.get_by_label("Password").fill("correct horse")
    await page.get_by_role("button", name="Sign up").click()


async def cast(page: Page) -> None:
    await page.locator("#question").fill("Will it rain?")
    await page.get_by_role("button", name="Throw the coins").click()


async def test_signing_up_returns_to_the_unsent_question(served: Site, window: Browser) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/liuyao")
        await tab.page.locator("#question").fill("Will it rain?")
        await tab.open("/account?return=/liuyao")
        await sign_up(tab.page)

        await tab.page.wait_for_url("**/liuyao")
        await expect(tab.page.locator("#question")).to_have_value("Will it rain?")
        await tab.open("/account")
        await expect(tab.page.get_by_label("Language of answers")).to_have_value("en")
        zone = await tab.page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
        await expect(tab.page.get_by_label("Time zone")).to_have_value(zone)


async def test_the_question_of_the_start_page_is_there_after_signing_up(
    served: Site, window: Browser
) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/")
        await tab.page.locator("#throw-question").fill("Will the boat float?")
        await tab.page.locator("#throw").get_by_role("link", name="Sign in").click()
        await sign_up(tab.page)

        await expect(tab.page).to_have_url(f"{served.url}/")
        await expect(tab.page.locator("#throw-question")).to_have_value("Will the boat float?")


async def test_a_message_that_was_sent_signed_out_is_kept(served: Site, window: Browser) -> None:
    served.model.answer("Am I heard?", [Say("Yes.")])
    async with tab_in(window, served.url) as tab:
        await tab.open("/chat")
        await tab.page.fill("#message", "Am I heard?")
        await tab.page.press("#message", "Enter")
        await tab.page.locator(".talk .notice a").click()
        await sign_up(tab.page)
        await tab.page.wait_for_url("**/chat")
        await expect(tab.page.locator("#message")).to_have_value("Am I heard?")
        await tab.page.press("#message", "Enter")
        await expect(tab.page.locator(".theirs")).to_contain_text("Yes.")
        await tab.open("/chat")

        await expect(tab.page.locator("#message")).to_have_value("")


async def test_every_page_says_to_sign_in(served: Site, window: Browser) -> None:
    async with tab_in(window, served.url, locale="zh-CN") as tab:
        for page in ("/chat", "/data", "/stories", "/ops"):
            await tab.open(page)

            await expect(tab.page.locator(".notice").first).to_contain_text("登录后可继续")
            assert await tab.find_violations() == [], page


async def test_a_run_is_in_the_ledger_and_points_end(served: Site, window: Browser) -> None:
    caller = await served.account()
    for _ in range(4):
        body = run_body()
        await caller.submit(body)
        await caller.events(body["threadId"], body["runId"])
    token = caller.headers["Authorization"].removeprefix("Bearer ")
    async with tab_in(window, served.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/account")
        await tab.page.evaluate("token => sessionStorage.setItem('yarrow.token', token)", token)
        await tab.open("/liuyao")
        await cast(tab.page)
        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await tab.open("/account")

        await expect(tab.page.get_by_text("Not enough points for another run.")).to_be_visible()
        await expect(tab.page.locator(".ledger tbody tr").first).to_contain_text("−20")
        await expect(tab.page.get_by_role("link", name="Will it rain?")).to_be_visible()
        await tab.open("/liuyao")
        await cast(tab.page)
        notice = tab.page.locator(".reading-side").get_by_role("alert")
        await expect(notice).to_contain_text("Not enough points")
        await expect(notice.get_by_role("link", name="Account")).to_be_visible()
        await expect(tab.page.locator(".board h2")).to_have_text("Will it rain?")
        await expect(tab.page.locator(".board .figure .made")).to_have_count(6)


async def test_signing_out_forgets_the_token(served: Site, window: Browser) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/account?return=//evil.example")
        await sign_up(tab.page)
        await tab.page.get_by_role("button", name="Sign out").click()

        await expect(tab.page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert await tab.page.evaluate("sessionStorage.getItem('yarrow.token')") is None


async def test_wrong_credentials_are_said_and_keep_the_address(
    served: Site, window: Browser
) -> None:
    async with tab_in(window, served.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/account")
        await tab.page.get_by_label("E-mail").fill("nobody@example.org")
        await tab.page.get_by_label("Password").fill("wrong horse")
        await tab.page.get_by_role("button", name="Sign in").click()

        await expect(tab.page.get_by_role("alert")).to_contain_text("do not match")
        await expect(tab.page.get_by_label("E-mail")).to_have_value("nobody@example.org")
        await tab.page.get_by_role("button", name="Make an account").click()
        await expect(tab.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "locale"), [("light", "zh-TW"), ("dark", "en-US")])
async def test_axe_finds_nothing_signed_out_and_in(
    served: Site, window: Browser, scheme: str, locale: str
) -> None:
    async with tab_in(window, served.url, scheme=scheme, locale=locale, size=PHONE) as tab:
        await tab.open("/account")
        assert await tab.find_violations() == []
        await tab.page.locator(".plain").click()
        await tab.page.locator("#email").fill(f"{uuid4().hex}@example.org")
        await tab.page.locator("#password").fill("correct horse")
        await tab.page.locator(".primary").click()
        await expect(tab.page.locator(".ledger tbody tr")).to_have_count(1)

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0


async def test_a_profile_that_reaches_no_server_is_kept_and_saved_later(
    site: Site, window: Browser
) -> None:
    async with proxied(site.url) as proxy, tab_in(window, proxy.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/account")
        await tab.page.get_by_label("Name").fill("Mara of the lighthouse")
        proxy.cut()
        await tab.page.get_by_role("button", name="Save").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
        await expect(tab.page.get_by_label("Name")).to_have_value("Mara of the lighthouse")
        proxy.mend()
        await tab.page.get_by_role("button", name="Save").click()
        await expect(tab.page.get_by_role("alert")).to_have_count(0)
        await tab.page.reload()

        await expect(tab.page.get_by_label("Name")).to_have_value("Mara of the lighthouse")
