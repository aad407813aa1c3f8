"""Chat in a real browser: streaming and each thing that can come between."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.cut_proxy import proxied
from tests.browser.driven import PHONE, tab_in
from tests.browser.held_model import WORDS, held_model
from tests.serving import Served, free_port
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Call, Hold, Say

ODD = "<img src=x onerror=alert(1)> **bold** [a](javascript:alert(1)) [b](https://example.org)"


async def ask(page: Page, text: str) -> None:
    await page.get_by_role("textbox", name="Write a message").fill(text)
    await page.keyboard.press("Enter")


async def test_an_answer_arrives_and_is_there_after_a_reload(site: Served, window: Browser) -> None:
    site.model.play([Say("The **answer** is\n\n- one\n- two")])
    async with tab_in(window, site.url) as tab:
        await tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await tab.open("/chat")
        await ask(tab.page, "What is it?")
        await expect(tab.page.locator(".theirs li")).to_have_text(["one", "two"])
        await expect(tab.page.locator(".usage")).to_contain_text("tokens")
        await tab.page.locator(".theirs").get_by_role("button", name="Copy").click()
        await expect(tab.page.get_by_role("button", name="Copied")).to_be_visible()
        copied = await tab.page.evaluate("navigator.clipboard.readText()")
        assert copied == "The **answer** is\n\n- one\n- two"
        await tab.page.reload()

        await expect(tab.page.locator(".theirs strong")).to_have_text("answer")
        await expect(tab.page.locator(".mine")).to_have_text("What is it?")
        await expect(tab.page.locator(".usage")).to_contain_text("tokens")


async def test_html_of_a_model_is_text_and_there_is_no_microphone_without_a_recogniser(
    site: Served, window: Browser
) -> None:
    site.model.play([Say(ODD)])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Break out")

        await expect(tab.page.locator(".theirs")).to_contain_text("<img src=x onerror=alert(1)>")
        await expect(tab.page.locator(".theirs a[href]")).to_have_count(1)
        await expect(tab.page.locator(".theirs img")).to_have_count(0)
        await expect(tab.page.get_by_role("button", name="Send")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Speak")).to_have_count(0)


async def test_a_tool_call_is_folded_with_its_card(site: Served, window: Browser) -> None:
    site.model.play([Call("current_time", {"timezone": "Asia/Tokyo"})], [Say("It is late.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "What time is it?")
        await expect(tab.page.locator(".ui-card")).to_contain_text("Asia/Tokyo")
        await tab.page.locator(".fold summary").click()

        await expect(tab.page.locator(".fold pre").first).to_contain_text("Asia/Tokyo")
        await tab.page.reload()
        await expect(tab.page.locator(".ui-card")).to_contain_text("Asia/Tokyo")


async def test_a_reload_in_the_middle_loses_and_doubles_no_word(
    site: Served, window: Browser
) -> None:
    hold = Hold()
    site.model.play([Say("one two "), hold, Say("three four")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Count")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        await tab.page.reload()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two three four")


async def test_a_stopped_answer_is_said_and_can_be_asked_again(
    site: Served, window: Browser
) -> None:
    site.model.play([Say("one "), Hold()], [Say("the second time")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Count")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one")
        listed = tab.page.locator(".past:has([aria-current])")
        await expect(listed.locator(".running-mark")).to_be_visible()
        await tab.page.get_by_role("button", name="Stop").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("Stopped.")
        await expect(listed.locator(".running-mark")).to_have_count(0)
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the second time")


async def test_a_lost_connection_is_told_and_made_again(site: Served, window: Browser) -> None:
    hold = Hold()
    site.model.play([Say("one two "), hold, Say("three four")])
    async with proxied(site.url) as proxy, tab_in(window, proxy.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/chat")
        await ask(tab.page, "Count")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        proxy.cut()
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_be_visible()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        proxy.mend()
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two three four")
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_have_count(0)


async def test_a_question_that_reaches_no_server_can_be_stopped_and_sent_again(
    site: Served, window: Browser
) -> None:
    site.model.play([Say("Here again.")])
    async with proxied(site.url) as proxy, tab_in(window, proxy.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/chat")
        proxy.cut()
        await ask(tab.page, "Is anybody there?")
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_be_visible()
        await tab.page.get_by_role("button", name="Stop").click()
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_have_count(0)
        proxy.mend()
        await tab.page.locator(".theirs").get_by_role("button", name="Try again").click()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("Here again.")


async def test_a_chat_is_deleted_with_time_to_undo(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Remember the elephant")
        await expect(tab.page.locator(".past").first).to_contain_text("elephant")
        await tab.page.get_by_role("button", name="Delete “Remember the elephant”").click()
        await expect(tab.page.get_by_text("Deleted.")).to_be_visible()
        await tab.page.get_by_role("button", name="Undo").click()

        await expect(tab.page.locator(".past").first).to_contain_text("elephant")


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "light"), ("en-US", "dark")])
async def test_axe_finds_nothing(site: Served, window: Browser, locale: str, scheme: str) -> None:
    site.model.play([Call("current_time", {"timezone": "Asia/Tokyo"})], [Say("It is late.")])
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/chat")
        assert await tab.find_violations() == []
        await tab.page.locator(".chip").first.click()
        await expect(tab.page.locator(".usage")).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0


@asynccontextmanager
async def process(
    folder: Path, port: int, model_url: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The product as a process of its own, on its own database."""
    settings = {"YARROW_LLM_BASE_URL": model_url, "YARROW_LLM_MODEL": "slow"}
    server = await asyncio.create_subprocess_exec(
        *(Path(sys.executable).with_name("yarrow"), "serve", "--port", str(port)),
        *("--data-dir", str(folder)),
        env=dict(os.environ) | settings,  # noqa: TID251
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield server
    finally:
        if server.returncode is None:
            server.terminate()
            await server.wait()


async def wait_until_open(port: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
                continue
            writer.close()
            return


async def test_a_run_goes_on_in_the_open_page_after_the_server_was_killed(
    window: Browser, tmp_path: Path
) -> None:
    with free_port() as listener:
        port = listener.getsockname()[1]
    async with held_model() as model, tab_in(window, f"http://127.0.0.1:{port}") as tab:
        tab.expected.append("Failed to load resource")
        async with process(tmp_path, port, model.url) as server:
            await wait_until_open(port)
            await tab.open("/chat")
            await ask(tab.page, "Count")
            await expect(tab.page.locator(".theirs .markdown")).to_contain_text("word5 ")
            server.send_signal(signal.SIGKILL)
            await server.wait()
            await expect(tab.page.get_by_text("Reconnecting, attempt")).to_be_visible()
            await expect(tab.page.locator(".theirs .markdown")).to_contain_text("word5 ")
        async with process(tmp_path, port, model.url):
            await expect(tab.page.get_by_text("writes it again")).to_be_visible()
            model.release.set()
            whole = "".join(WORDS).strip()
            await expect(tab.page.locator(".theirs .markdown")).to_have_text(whole)
            await expect(tab.page.locator(".usage")).to_be_visible()
