"""What each page shows of a run of its agent: reloaded, in two tabs, stopped, failed, refused."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from playwright.async_api import Browser, expect
from tests.browser.agent_runs import AGENT_RUNS, HALF, WHOLE, write_any
from tests.browser.driven import PHONE, tab_in
from tests.browser.held_model import held_model, serve_held
from tests.browser.test_stories_page import say, turn, wait_and_go_on
from tests.serving import serving

from yarrow.settings import AuthMode

AGENTS = pytest.mark.parametrize("agent", AGENT_RUNS)


@AGENTS
async def test_a_run_goes_on_after_a_reload_and_in_a_second_tab(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    run = AGENT_RUNS[agent]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_half(tab.page)
        await tab.page.reload()
        await run.expect_half(tab.page)
        second = await tab.page.context.new_page()
        await second.goto(tab.page.url)
        await run.expect_half(second)
        asked = model.paused
        model.release.set()

        for page in (tab.page, second):
            await run.expect_whole(page)
        assert model.paused == asked == 1


@pytest.mark.parametrize("agent", [each for each in AGENT_RUNS if each != "storyteller"])
async def test_a_stopped_run_says_so_and_is_asked_again(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    run = AGENT_RUNS[agent]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url, size=PHONE) as tab,
    ):
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_half(tab.page)
        stop = tab.page.get_by_role("button", name="Stop", exact=True)
        await stop.click()
        alert = tab.page.locator("main").get_by_role("alert")
        await expect(alert).to_contain_text("Stopped.")
        await expect(stop).to_have_count(0)
        assert await tab.find_violations() == []
        model.release.set()
        await alert.get_by_role("button", name="Try again").click()

        await run.expect_whole(tab.page)
        await expect(alert).to_have_count(0)


async def test_a_stopped_turn_keeps_its_words(window: Browser, dsn: str, tmp_path: Path) -> None:
    run = AGENT_RUNS["storyteller"]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_half(tab.page)
        await tab.page.get_by_role("button", name="Stop", exact=True).click()

        await expect(turn(tab.page, 1).locator(".markdown")).to_have_text(HALF)
        await expect(tab.page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
        await expect(tab.page.get_by_role("alert")).to_have_count(0)


FAILURES = {
    "assistant": (401, "The model rejected the request"),
    "storyteller": (401, "The model failed, or its answer could not be used."),
    "diviner": (500, "The model did not answer."),
    "analyst": (401, "The model rejected the request"),
}
"""What the endpoint answers. Rules write a reading that it refuses to write."""


@AGENTS
async def test_a_failed_run_says_why_and_is_asked_again(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    run, (status, words) = AGENT_RUNS[agent], FAILURES[agent]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path, auth=AuthMode.JWT) as served,
        tab_in(window, served.url) as tab,
    ):
        caller = await served.account()
        token = caller.headers["Authorization"].removeprefix("Bearer ")
        await tab.page.add_init_script(f"sessionStorage.setItem('yarrow.token', '{token}')")
        model.release.set()
        model.status = status
        await tab.open(run.path)
        await run.ask(tab.page)
        alert = tab.page.locator("main").get_by_role("alert")
        await expect(alert).to_contain_text(words)
        await expect(alert).to_contain_text("Nothing was charged.")
        model.status = 200
        await alert.get_by_role("button", name="Try again").click()

        await run.expect_whole(tab.page)
        await expect(alert).to_have_count(0)


NOTES = {
    "assistant": "No model is configured: rules and tools answer",
    "storyteller": "No model is configured: a small offline model or fixed rules",
    "diviner": "Computed by rules; no model is configured.",
    "analyst": "No model is configured, so",
}


@AGENTS
async def test_that_no_model_answers_is_said_beside_the_answer(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    settings = serving(dsn, model=None, data_dir=tmp_path, auth=AuthMode.OFF)
    async with settings as served, tab_in(window, served.url) as tab:
        await tab.open(AGENT_RUNS[agent].path)
        await AGENT_RUNS[agent].ask(tab.page)

        note = tab.page.get_by_text(NOTES[agent])
        await expect(note).to_be_visible()
        await expect(note).to_contain_text("YARROW_LLM_BASE_URL")


async def test_a_story_that_is_written_in_another_tab_keeps_the_message(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    """So does a chat."""
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        tab.expected.append("Failed to load resource")
        for agent, busy in (
            ("storyteller", "Another turn is being written"),
            ("assistant", "answering in another tab"),
        ):
            model.release.set()
            run = AGENT_RUNS[agent]
            await tab.open(run.path)
            await run.ask(tab.page)
            await run.expect_whole(tab.page)
            second = await tab.page.context.new_page()
            await second.goto(tab.page.url)
            # Each tab knows that nothing runs once it shows what the run has used.
            for page in (tab.page, second):
                await run.expect_whole(page)
                await expect(page.locator(".usage")).to_have_count(1)
            model.release.clear()
            await say(tab.page, "Again")
            await run.expect_half(tab.page)
            await say(second, "And me?")
            await expect(second.locator("main").get_by_role("alert")).to_contain_text(busy)
            model.release.set()
            await run.expect_whole(tab.page)
            await second.reload()
            await expect(second.locator("#message")).to_have_value("And me?")
            await second.close()


async def test_a_turn_that_ends_while_its_story_loads_is_shown(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    run, has_ended = AGENT_RUNS["storyteller"], asyncio.Event()
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_half(tab.page)
        second = await tab.page.context.new_page()
        await second.route("**/active-run*", lambda route: wait_and_go_on(route, has_ended))
        async with second.expect_request("**/active-run*"):
            await second.goto(tab.page.url)
        model.release.set()
        await run.expect_whole(tab.page)
        await wait_until_ended(dsn)
        has_ended.set()

        await run.expect_whole(second)


async def test_a_question_of_another_tab_stands_before_its_answer(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    run, has_begun = AGENT_RUNS["assistant"], asyncio.Event()
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        model.release.set()
        await tab.open(run.path)
        await run.ask(tab.page)
        await expect(tab.page.locator(".usage")).to_have_count(1)
        model.release.clear()
        second = await tab.page.context.new_page()
        await second.route("**/runs?session=*", lambda route: wait_and_go_on(route, has_begun))
        async with second.expect_request("**/runs?session=*"):
            await second.goto(tab.page.url)
        await say(tab.page, "Again")
        await run.expect_half(tab.page)
        has_begun.set()

        await run.expect_half(second)
        await expect(second.locator(".mine")).to_contain_text(["Count", "Again"])
        model.release.set()


async def wait_until_ended(dsn: str) -> None:
    """A page has all of the text before its run has ended."""
    connection = await asyncpg.connect(dsn)
    try:
        while await connection.fetchval("SELECT TRUE FROM runs WHERE ended_at IS NULL LIMIT 1"):
            await asyncio.sleep(0.05)
    finally:
        await connection.close()


async def test_a_follow_up_that_another_tab_asks_is_told(
    window: Browser, dsn: str, tmp_path: Path
) -> None:
    run = AGENT_RUNS["diviner"]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path) as served,
        tab_in(window, served.url) as tab,
    ):
        tab.expected.append("Failed to load resource")
        model.release.set()
        await tab.open(run.path)
        await run.ask(tab.page)
        await run.expect_whole(tab.page)
        second = await tab.page.context.new_page()
        await second.goto(tab.page.url)
        await run.expect_whole(second)
        model.release.clear()
        alert = second.locator("main").get_by_role("alert")
        for page, question in ((tab.page, "And tomorrow?"), (second, "And me?")):
            await page.fill("#follow", question)
            await page.get_by_role("button", name="Ask", exact=True).click()
            await expect(page.locator(".asked-again")).to_have_text(question)
            await expect(
                page.locator(".second .answer") if page is tab.page else alert
            ).to_be_visible()
        await expect(alert).to_contain_text("answering in another tab")
        model.release.set()
        await expect(tab.page.locator(".second .answer")).to_have_text(WHOLE)
        await wait_until_ended(dsn)
        await alert.get_by_role("button", name="Try again").click()

        await expect(alert).to_contain_text("This divination has had its follow-up.")
