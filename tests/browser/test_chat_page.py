"""Chat in a real browser: streaming and each thing that can come between."""

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.bound_model import Site
from tests.browser.cut_proxy import proxied
from tests.browser.driven import PHONE, tab_in

from yarrow.llm.model import FinishReason
from yarrow.llm.scripted import Call, Hold, Say, Stop

COLUMNS = 8
ANSWER = "\n".join(
    (
        "The **answer** is\n\n### Below\n\n1. one\n   - in\n   - it\n2. two\n",
        "| a " * COLUMNS + "|",
        "|--:" * COLUMNS + "|",
        "| 1234567 " * COLUMNS + "|",
    )
)
SAFARI_COMPOSES = 229
TOKYO = [Call("current_time", {"timezone": "Asia/Tokyo"})], [Say("It is late.")]
UNFINISHED = "Some **bold"
FINISH = "** *and* _so_:\n| a | b |\n|--|--|\n| 1 | 2 \\| 3 |\n"
ODD = "<img src=x onerror=alert(1)> **bold** [a](javascript:alert(1)) [b](https://example.org)"


async def ask(page: Page, text: str) -> None:
    await page.get_by_role("textbox", name="Write a message").fill(text)
    await page.keyboard.press("Enter")


async def test_an_answer_arrives_and_is_there_after_a_reload(site: Site, window: Browser) -> None:
    site.model.answer("What is it?", [Say(ANSWER)])
    async with tab_in(window, site.url) as tab:
        await tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await tab.open("/chat")
        await ask(tab.page, "What is it?")
        await expect(tab.page.locator(".theirs ol > li > ul > li")).to_have_text(["in", "it"])
        await expect(tab.page.locator(".theirs ol > li").last).to_have_text("two")
        await expect(tab.page.locator(".theirs td").last).to_have_css("text-align", "right")
        await expect(tab.page.get_by_role("heading", name="Below", level=2)).to_be_visible()
        await tab.look("light", PHONE)
        heights = "rows => rows.map(row => row.offsetHeight)"
        head, row = await tab.page.locator(".theirs tr").evaluate_all(heights)
        assert row < 2 * head, "numbers are not broken into digits"
        await expect(tab.page.locator(".usage")).to_contain_text("tokens")
        await tab.page.locator(".theirs").get_by_role("button", name="Copy").click()
        await expect(tab.page.get_by_role("button", name="Copied")).to_be_visible()
        copied = await tab.page.evaluate("navigator.clipboard.readText()")
        assert copied == ANSWER
        await tab.page.reload()

        await expect(tab.page.locator(".theirs strong")).to_have_text("answer")
        await expect(tab.page.locator(".mine")).to_have_text("What is it?")
        await expect(tab.page.locator(".usage")).to_contain_text("tokens")


async def test_a_warning_of_an_answer_is_there_after_a_reload(site: Site, window: Browser) -> None:
    site.model.answer("A long list", [Say("one, two,"), Stop(FinishReason.LENGTH)])
    cut = "The model's answer was cut off at its length limit."
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "A long list")
        await expect(tab.page.locator(".theirs [role=note]")).to_have_text(cut)
        await expect(tab.page.get_by_role("button", name="Answer again")).to_be_visible()
        await tab.page.reload()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one, two,")
        await expect(tab.page.locator(".theirs [role=note]")).to_have_text(cut)


async def test_enter_does_not_send_while_an_input_method_composes(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await tab.page.fill("#message", "ni")
        for options in ({"isComposing": True}, {"keyCode": SAFARI_COMPOSES}):
            enter = {"key": "Enter", "bubbles": True, **options}
            await tab.page.dispatch_event("#message", "keydown", enter)
        await tab.page.press("#message", "Shift+Enter")
        await expect(tab.page.locator("#message")).to_have_value("ni\n")
        await tab.page.keyboard.type("hao")
        await tab.page.press("#message", "Enter")

        await expect(tab.page.locator(".mine")).to_have_text(["ni\nhao"], use_inner_text=True)
        await expect(tab.page.locator(".theirs")).to_contain_text("You said: ni")


async def test_html_of_a_model_is_text_and_there_is_no_microphone_without_a_recogniser(
    site: Site, window: Browser
) -> None:
    hold = Hold()
    site.model.answer("Break out", [Say(UNFINISHED), hold, Say(FINISH + ODD)])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Break out")
        await expect(tab.page.locator(".theirs strong")).to_have_text("bold")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("Some bold")
        hold.release.set()

        await expect(tab.page.locator(".theirs td")).to_have_text(["1", "2 | 3"])
        await expect(tab.page.locator(".theirs em")).to_have_text(["and", "so"])
        await expect(tab.page.locator(".theirs")).to_contain_text("<img src=x onerror=alert(1)>")
        await expect(tab.page.locator(".theirs a[href]")).to_have_count(1)
        await expect(tab.page.locator(".theirs img")).to_have_count(0)
        await expect(tab.page.get_by_role("button", name="Send")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Speak")).to_have_count(0)


async def test_a_tool_call_is_folded_with_its_card(site: Site, window: Browser) -> None:
    site.model.answer("What time is it?", *TOKYO)
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "What time is it?")
        await expect(tab.page.locator(".ui-card")).to_contain_text("Asia/Tokyo")
        await tab.page.locator(".fold summary").click()

        await expect(tab.page.locator(".fold pre").first).to_contain_text("Asia/Tokyo")
        await tab.page.reload()
        await expect(tab.page.locator(".ui-card")).to_contain_text("Asia/Tokyo")
        await tab.page.locator(".fold summary").click()
        arguments = tab.page.locator(".fold").get_by_text('{ "timezone": "Asia/Tokyo" }')
        await expect(arguments).to_be_visible()


async def test_a_reload_in_the_middle_loses_and_doubles_no_word(
    site: Site, window: Browser
) -> None:
    hold = Hold()
    site.model.answer("Count", [Say("one two "), hold, Say("three four")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Count")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        await tab.page.reload()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two three four")


async def test_a_stopped_answer_is_said_and_can_be_asked_again(site: Site, window: Browser) -> None:
    site.model.answer("Count twice", [Say("one "), Hold()], [Say("the second time")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Count twice")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one")
        listed = tab.page.locator(".past:has([aria-current])")
        await expect(listed.locator(".running-mark")).to_be_visible()
        await tab.page.get_by_role("button", name="Stop").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("Stopped.")
        await expect(tab.page.locator(".messages [role=status]")).to_be_empty()
        await expect(tab.page.locator("#message")).to_be_focused()
        await expect(listed.locator(".running-mark")).to_have_count(0)
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the second time")


async def test_a_lost_connection_is_told_and_made_again(site: Site, window: Browser) -> None:
    hold = Hold()
    site.model.answer("Count on", [Say("one two "), hold, Say("three four")])
    async with proxied(site.url) as proxy, tab_in(window, proxy.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/chat")
        await ask(tab.page, "Count on")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        proxy.cut()
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_be_visible()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two")
        proxy.mend()
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("one two three four")
        await expect(tab.page.get_by_text("Reconnecting, attempt")).to_have_count(0)


async def test_a_question_that_reaches_no_server_can_be_stopped_and_sent_again(
    site: Site, window: Browser
) -> None:
    site.model.answer("Is anybody there?", [Say("Here again.")])
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


async def test_a_chat_is_deleted_with_time_to_undo(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Remember the elephant")
        await expect(tab.page.locator(".past").first).to_contain_text("elephant")
        await tab.page.get_by_role("button", name="Delete “Remember the elephant”").click()
        await expect(tab.page.get_by_text("Deleted.")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Undo")).to_be_focused()
        await tab.page.keyboard.press("Enter")

        await expect(tab.page.locator(".past").first).to_contain_text("elephant")
        await expect(tab.page.get_by_role("link", name="New chat")).to_be_focused()


@pytest.mark.parametrize(
    ("locale", "scheme", "example"),
    [("zh-CN", "light", "东京现在几点？"), ("en-US", "dark", "What time is it in Tokyo?")],
)
async def test_axe_finds_nothing(
    site: Site, window: Browser, locale: str, scheme: str, example: str
) -> None:
    site.model.answer(example, *TOKYO)
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/chat")
        assert await tab.find_violations() == []
        await tab.page.get_by_role("button", name=example).click()
        await expect(tab.page.locator(".usage")).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
