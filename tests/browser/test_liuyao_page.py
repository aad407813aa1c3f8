"""六爻 in a real browser: three ways to cast, the board, the reading, and each of their states."""

from datetime import UTC, datetime

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.driven import PHONE, tab_in
from tests.browser.test_account_page import sign_up
from tests.serving import Served

from yarrow.liuyao import list_classic_hant_forms, list_hant_forms

WIDEST = "9 6 9 6 9 6"
"""Six moving lines and a hidden spirit: every column of the board is filled."""
THROWN = """(() => {
    const random = crypto.getRandomValues.bind(crypto);
    const throws = [7, 1, 3, 3, 0, 1];
    crypto.getRandomValues = (bytes) =>
        bytes.length === 1 ? bytes.fill(throws.shift()) : random(bytes);
})()"""
THROWN_AT = datetime(2026, 11, 16, 20, tzinfo=UTC)
"""At this time the first line has four tags: the widest row that a board can have."""
READING_HEIGHT = "document.querySelector('.reading').offsetHeight"
SPILL = "board => board.scrollWidth - board.clientWidth"
"""How far the two hexagrams run beyond their card, in pixels."""


async def type_lines(page: Page, question: str, lines: str = "7 8 9 8 7 6") -> None:
    await page.get_by_role("textbox", name="Your question").fill(question)
    await page.get_by_text("Typed lines").click()
    await page.locator("#typed").fill(lines)
    await page.get_by_role("button", name="Read these lines").click()


async def cast_typed(page: Page, question: str, lines: str = "7 8 9 8 7 6") -> None:
    await type_lines(page, question, lines)
    await page.wait_for_url("**/liuyao/*-*")


async def test_typed_lines_become_a_board_and_a_reading_that_light_each_other(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await tab.page.get_by_role("textbox", name="Your question").fill("Will it rain?")
        await tab.page.get_by_text("Typed lines").click()
        await tab.page.locator("#typed").fill("７８９８７６")
        await expect(tab.page.get_by_role("button", name="Read these lines")).to_be_enabled()
        await tab.page.locator("#typed").fill("7 8 9 8 7 6 6")
        await expect(tab.page.get_by_role("button", name="Read these lines")).to_be_disabled()
        await cast_typed(tab.page, "Will it rain?")

        await expect(tab.page.locator(".board .base tbody tr")).to_have_count(6)
        await expect(tab.page.locator(".board .base caption")).to_contain_text("水火既济")
        await expect(tab.page.locator(".board .target caption")).to_contain_text("风雷益")
        await expect(tab.page.locator(".sign-level")).to_contain_text("签")
        await expect(tab.page.locator(".about")).to_contain_text("Career · cast by hand · ")
        await expect(tab.page.locator(".usage")).to_contain_text(" s")
        await expect(tab.page.locator(".sentence").first.locator(".rules")).to_be_visible()
        await expect(tab.page.locator(".rules", has_text="_")).to_have_count(0)
        height = await tab.page.evaluate(READING_HEIGHT)
        await tab.page.locator(".sentence").first.hover()
        await expect(tab.page.locator(".base tr.lit")).not_to_have_count(0)
        assert await tab.page.evaluate(READING_HEIGHT) == height
        await tab.page.locator(".base tr").nth(4).hover()
        await expect(tab.page.locator(".base tr.lit")).to_have_count(0)
        await expect(tab.page.locator(".base tr.pointed")).to_have_count(1)


async def test_a_verdict_that_is_withheld_has_no_sign(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await cast_typed(tab.page, "Will grandpa make it through the winter?")

        await expect(tab.page.locator(".keywords")).to_contain_text("ask the doctors")
        await expect(tab.page.locator(".sign-level, .sign-rank")).to_have_count(0)


async def test_a_board_is_in_the_traditional_script_of_the_page(
    site: Served, window: Browser
) -> None:
    forms = list_classic_hant_forms(list_hant_forms())
    simplified = {form for form in forms if len(form) == 1} - set("".join(forms.values()))
    async with tab_in(window, site.url, locale="zh-TW") as tab:
        await tab.open("/liuyao")
        await tab.page.locator("#question").fill("？")
        await tab.page.get_by_text("輸入爻").click()
        await tab.page.locator("#typed").fill(WIDEST)
        await tab.page.get_by_role("button", name="斷此卦").click()
        await expect(tab.page.locator(".sign-level")).to_contain_text("籤")
        await tab.page.locator(".extras summary").click()
        lines = tab.page.locator(".base .line-name")
        await expect(lines).to_have_count(6)
        for line in await lines.all():
            await line.focus()
            board = await tab.page.locator(".board").inner_text()

            assert "動" in board
            assert simplified & set(board) == set()


async def test_a_board_is_thrown_on_the_start_page(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.page.clock.set_fixed_time(THROWN_AT)
        await tab.page.add_init_script(THROWN)
        await tab.open("/")
        await tab.page.locator("#throw-question").fill("Is it thrown here?")
        await tab.page.get_by_role("button", name="Throw the coins").press("Enter")

        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await expect(tab.page.locator("#throw")).to_be_focused()
        await expect(tab.page.locator(".base tr").last.locator(".tag")).to_have_count(4)
        for width in (700, 1100, 1280, 1600):
            await tab.page.set_viewport_size({"width": width, "height": 900})
            assert await tab.too_wide() == 0
            assert await tab.page.locator(".hexagrams").evaluate(SPILL) == 0
        listed = tab.page.locator(".session-link", has_text="Is it thrown here?")
        await expect(listed).to_be_visible()
        await tab.page.get_by_role("button", name="Throw again").press("Enter")
        await expect(tab.page.locator("#throw")).to_be_focused()


async def test_a_long_question_is_told_before_it_is_sent_and_a_throw_by_hand_is_undone(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await tab.page.locator("#question").fill("🌱" * 301)
        await expect(tab.page.get_by_text("1 character too many")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Throw the coins")).to_be_disabled()
        await tab.page.locator("#question").fill("🌱" * 300)
        await expect(tab.page.get_by_role("button", name="Throw the coins")).to_be_enabled()
        await tab.page.get_by_text("By hand").click()
        await tab.page.get_by_role("button", name="Coin 1: letter side").click()
        await tab.page.get_by_role("button", name="Record throw 1 of 6").click()

        await expect(tab.page.locator(".figure .made-name").last).to_have_text("老阳")
        await tab.page.get_by_role("button", name="Undo").click()
        await expect(tab.page.locator(".figure .made")).to_have_count(0)


async def test_automatic_throws_can_be_skipped(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url, motion="no-preference") as tab:
        await tab.open("/liuyao")
        await tab.page.locator("#question").fill("Will it rain?")
        await tab.page.get_by_role("button", name="Throw the coins").click()
        await tab.page.get_by_role("button", name="Skip the animation").click()

        await tab.page.wait_for_url("**/liuyao/*-*")
        await expect(tab.page.locator(".sign-level")).to_be_visible()


async def test_a_refused_follow_up_leaves_room_for_another_one(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await cast_typed(tab.page, "Will I get the new job?")
        await tab.page.locator("#follow").fill("When will I marry?")
        await tab.page.get_by_role("button", name="Ask", exact=True).click()
        await expect(tab.page.get_by_text("does not count as the follow-up")).to_be_visible()
        await tab.page.reload()
        await expect(tab.page.get_by_text("Not answered.")).to_be_visible()
        await expect(tab.page.get_by_role("button", name="Try again")).to_have_count(0)
        await tab.page.locator("#follow").fill("And when?")
        await tab.page.get_by_role("button", name="Ask", exact=True).click()
        await expect(tab.page.get_by_text("The follow-up is used.")).to_be_visible()
        answer = await tab.page.locator(".second .answer").inner_text()
        await tab.page.reload()

        await expect(tab.page.locator(".second .answer")).to_have_text(answer)


async def test_one_follow_up_is_answered_and_survives_a_reload(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await cast_typed(tab.page, "Will it rain?")
        await tab.page.locator("#follow").fill("And when?")
        await tab.page.get_by_role("button", name="Ask", exact=True).click()
        await expect(tab.page.get_by_text("The follow-up is used.")).to_be_visible()
        answer = await tab.page.locator(".second .answer").inner_text()
        await tab.page.reload()

        await expect(tab.page.locator(".second .answer")).to_have_text(answer)
        await expect(tab.page.locator(".board .base tbody tr")).to_have_count(6)


async def test_boards_are_saved_replayed_and_compared(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await cast_typed(tab.page, "The first")
        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await tab.page.get_by_role("link", name="New divination").click()
        await cast_typed(tab.page, "The second", "7 7 7 7 7 7")
        for kind in ("SVG", "PNG"):
            async with tab.page.expect_download() as saved:
                await tab.page.get_by_role("button", name=kind).click()
            assert (await saved.value).suggested_filename.endswith(kind.lower())
        await tab.page.get_by_role("button", name="Replay").click()
        await expect(tab.page.locator(".base tr.later")).to_have_count(0)
        await tab.page.get_by_role("button", name="Compare").first.click()

        await expect(tab.page.locator(".compare .board")).to_have_count(2)
        await tab.page.get_by_role("link", name="Stop comparing").click()
        await expect(tab.page.locator(".board")).to_have_count(1)
        await expect(tab.page.locator(".board")).to_contain_text("The second")


async def test_signed_out_the_question_is_kept_and_the_way_in_is_shown(
    served: Served, window: Browser
) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/liuyao")
        await type_lines(tab.page, "Will it rain?")

        notice = tab.page.locator(".reading-side").get_by_role("alert")
        await expect(notice).to_contain_text("Sign in to go on")
        await tab.page.reload()
        await expect(tab.page.locator("#question")).to_have_value("Will it rain?")


async def test_coins_that_were_thrown_are_kept_over_a_reload_and_signing_in(
    served: Served, window: Browser
) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/liuyao")
        await tab.page.locator("#question").fill("Will it rain?")
        await tab.page.get_by_text("Travel", exact=True).click()
        await tab.page.get_by_text("By hand", exact=True).click()
        for number in range(1, 6):
            await tab.page.get_by_role("button", name=f"Record throw {number}").click()
        await tab.page.reload()
        await tab.page.get_by_role("button", name="Record throw 6").click()
        await tab.page.locator(".compose .primary").click()
        await tab.page.locator(".reading-side .notice a").click()
        await sign_up(tab.page)
        await tab.page.wait_for_url("**/liuyao")

        await expect(tab.page.get_by_label("Travel")).to_be_checked()
        async with tab.page.expect_request("**/agents/divination/runs") as asked:
            await tab.page.locator(".compose .primary").click()
        sent = ((await asked.value).post_data_json or {})["forwardedProps"]["divinationPayload"]
        assert sent["yaoLines"] == ["少阴"] * 6  # the coins as they lay: two 花 each
        assert (sent["divinationMethod"], sent["questionType"]) == ("手动起卦", "出行")
        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await tab.page.get_by_role("link", name="New divination").click()
        await expect(tab.page.locator(".figure .made")).to_have_count(0)


async def test_coins_of_a_refused_question_are_not_those_of_another_one(
    served: Served, window: Browser
) -> None:
    async with tab_in(window, served.url) as tab:
        await tab.open("/liuyao")
        question = tab.page.locator("#question")
        await question.fill("Will it rain?")
        await tab.page.get_by_role("button", name="Throw the coins").click()
        await expect(tab.page.locator(".reading-side").get_by_role("alert")).to_be_visible()
        await tab.open("/liuyao")
        await expect(tab.page.locator(".figure .made")).to_have_count(6)
        await expect(tab.page.get_by_role("button", name="Throw again")).to_be_visible()
        await question.fill("Will it snow?")

        await expect(tab.page.locator(".figure .made")).to_have_count(0)
        await expect(tab.page.get_by_role("button", name="Throw the coins")).to_be_enabled()


@pytest.mark.parametrize(
    ("locale", "title", "scheme"),
    [("zh-CN", "六爻", "light"), ("zh-TW", "六爻", "dark"), ("en-US", "Divination", "dark")],
)
async def test_axe_finds_nothing(
    site: Served, window: Browser, locale: str, title: str, scheme: str
) -> None:
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/liuyao")
        await expect(tab.page.get_by_role("heading", level=1)).to_have_text(title)
        assert await tab.find_violations() == []
        await tab.page.locator("#question").fill("Will it rain?")
        await tab.page.locator("input[name=mode]").last.check(force=True)
        await tab.page.locator("#typed").fill(WIDEST)
        await tab.page.locator(".primary").click()
        await expect(tab.page.locator(".sign-level")).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
        for width in (320, 700, 900, 1280):
            await tab.page.set_viewport_size({"width": width, "height": 900})
            assert await tab.too_wide() == 0
            assert await tab.page.locator(".hexagrams").evaluate(SPILL) == 0


async def test_everything_is_possible_by_keyboard(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await tab.page.keyboard.press("/")
        await tab.page.keyboard.type("Will it rain?")
        await tab.page.locator("input[name=mode]").first.focus()
        await tab.page.keyboard.press("Tab")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await expect(tab.page.locator("#main")).to_be_focused()
        await tab.page.locator(".sentence button").first.focus()
        await expect(tab.page.locator(".base tr.lit")).not_to_have_count(0)
        await tab.page.keyboard.press("?")

        await expect(tab.page.get_by_role("dialog")).to_be_visible()
        await tab.page.keyboard.press("Escape")
        await expect(tab.page.get_by_role("dialog")).to_have_count(0)
