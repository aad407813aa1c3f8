"""What each page shows before there is anything: the shape of what comes, and where to begin; and
what it says to one who may not, with the text that was typed kept."""

import asyncio
import functools
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect
from tests.browser.agent_runs import AGENT_RUNS, write_any
from tests.browser.bound_model import Site
from tests.browser.driven import PHONE, WIDE, tab_in
from tests.browser.held_model import PAUSE, WORDS, held_model, serve_held
from tests.browser.test_data_work import give
from tests.browser.test_in_chromium import ADD_SHIFTS, LARGEST_SHIFT, PAINT
from tests.browser.test_stories_page import begin, say
from tests.own_database import create_database
from tests.serving import Caller, serving

from yarrow.settings import AuthMode

SHAPE = "main .shape >> nth=0"


async def sign_in(page: Page, caller: Caller) -> None:
    """Give the tab a token, unless it has one."""
    token = caller.headers["Authorization"].removeprefix("Bearer ")
    await page.add_init_script(f"sessionStorage['yarrow.token'] ??= '{token}'")


async def hold(release: asyncio.Event, route: Route) -> None:
    await release.wait()
    await route.continue_()


@pytest.mark.parametrize("agent", AGENT_RUNS)
async def test_a_session_that_is_loaded_has_its_shape_and_nothing_moves(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    """No shape is shown in the first 150 ms: its animation begins later."""
    run, api = AGENT_RUNS[agent], ("**/api/**", "**/sessions/**", "**/floors/**")
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        model.release.set()
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_whole(tab.page)
        await tab.page.add_init_script(ADD_SHIFTS)
        for size in (WIDE, PHONE):
            release = asyncio.Event()
            await tab.page.set_viewport_size(size)  # type: ignore[arg-type]
            for path in api:
                await tab.page.route(path, functools.partial(hold, release))
            await tab.page.reload()
            shape = tab.page.locator(SHAPE)
            await expect(shape).to_be_visible()
            await expect(shape).to_have_css("animation-delay", "0.15s")
            await expect(shape).to_have_css("animation-iteration-count", "1")
            release.set()
            await run.expect_whole(tab.page)
            await tab.page.evaluate(PAINT)

            assert await tab.page.evaluate("window.shifted") < LARGEST_SHIFT, size
            await tab.page.unroute_all()


EMPTY = {
    "/liuyao": ("Your divinations will be listed here.", "Throw the coins"),
    "/chat": ("What can I do for you?", "What time is it in Tokyo?"),
    "/stories": ("Tell a story with a character.", "Try an example"),
    "/stories/library/preset": ("Nothing here yet.", "New"),
    "/data": ("Drop a file, ask in words", "Try an example table"),
    "/ops?group=failed": ("Nothing failed in the last seven days.", "Run all checks"),
}


async def test_an_empty_page_says_what_would_stand_there_and_begins_it(
    window: Browser, postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    async with (
        serving(dsn, model=None, data_dir=tmp_path, auth=AuthMode.OFF) as served,
        tab_in(window, served.url) as tab,
    ):
        for path, (words, button) in EMPTY.items():
            await tab.open(path)

            await expect(tab.page.get_by_text(words).first).to_be_visible()
            await expect(tab.page.get_by_role("button", name=button).first).to_be_visible()


async def test_one_who_scrolled_up_keeps_the_place_and_has_a_way_down(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    run = AGENT_RUNS["assistant"]
    long = "\n\n".join(f"line {number}" for number in range(100))
    async with (
        held_model(lambda _: [long, PAUSE, *WORDS]) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        await tab.open(run.path)
        await run.ask(tab.page)
        await expect(tab.page.get_by_text("line 99", exact=True)).to_be_in_viewport()
        await expect(tab.page.locator(".to-end")).to_have_count(0)
        await tab.page.evaluate("window.scrollTo(0, 500)")
        await expect(tab.page.locator(".to-end")).to_be_visible()
        model.release.set()
        await expect(tab.page.locator(".usage")).to_be_visible()
        assert await tab.page.evaluate("window.scrollY") == 500
        await tab.page.locator(".to-end").click()

        await expect(tab.page.get_by_text("word39")).to_be_in_viewport()
        await expect(tab.page.locator(".to-end")).to_have_count(0)


async def test_a_message_of_one_whose_sign_in_has_ended_waits_for_them(
    served: Site, window: Browser
) -> None:
    """It is in its field again after signing in, at the same address."""
    asks = {"/data": (give, "#data-question"), "/stories": (begin, "#message")}
    for path, (prepare, field) in asks.items():
        async with tab_in(window, served.url) as tab:
            tab.expected.append("Failed to load resource")
            caller = await served.account()
            await sign_in(tab.page, caller)
            await tab.open(path)
            await prepare(tab.page)
            address = tab.page.url
            await tab.page.evaluate("sessionStorage.setItem('yarrow.token', 'of.an.older day')")
            await tab.page.fill(field, "Is anybody there?")
            await tab.page.press(field, "Enter")
            link = tab.page.locator("main").get_by_role("link", name="Sign in").last
            await link.click()
            await tab.page.get_by_label("E-mail").fill(caller.email)
            await tab.page.get_by_label("Password").fill("correct horse")
            await tab.page.get_by_role("button", name="Sign in").click()
            await tab.page.wait_for_url(address)

            await expect(tab.page.locator(field)).to_have_value("Is anybody there?")


async def test_a_title_that_could_not_be_stored_is_said_and_stays(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/stories")
        await begin(tab.page)
        title = tab.page.get_by_label("Title of the story")
        await tab.page.context.set_offline(True)
        await title.fill("The pier")
        await title.press("Enter")
        await expect(tab.page.get_by_role("alert")).to_contain_text("cannot be reached")
        await expect(title).to_have_value("The pier")
        await tab.page.context.set_offline(False)
        await title.fill("The old pier")
        await title.press("Enter")

        await expect(tab.page.locator(".past [aria-current]")).to_contain_text("The old pier")
        await expect(tab.page.get_by_role("alert")).to_have_count(0)


async def test_too_few_points_are_said_with_the_way_out(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    async with (
        held_model() as model,
        serve_held(dsn, model, tmp_path, auth=AuthMode.JWT, story_price=101) as served,
        tab_in(window, served.url) as tab,
    ):
        tab.expected.append("Failed to load resource")
        await sign_in(tab.page, await served.account())
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "A sailor.")
        alert = tab.page.locator("main").get_by_role("alert").first
        await expect(alert).to_contain_text("Not enough points for a turn.")
        await expect(alert.get_by_role("link", name="Account")).to_be_visible()
        await expect(tab.page.locator("#message")).to_have_value("A sailor.")


async def test_a_reading_by_rules_in_place_of_the_models_says_so_after_a_reload(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    run, warning = AGENT_RUNS["diviner"], "could not be used; this one was computed by rules."
    async with (
        held_model(lambda _: ["No reading."]) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        note = tab.page.locator(".reading-side").get_by_role("note")
        await tab.open(run.path)
        await run.ask(tab.page)
        await expect(tab.page.locator(".usage")).to_be_visible()

        await expect(note).to_contain_text(warning)
        await tab.page.reload()
        await expect(note).to_contain_text(warning)
