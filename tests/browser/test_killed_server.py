"""The server is killed in the middle of a run and started again: the open page goes on with it."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import Struct
from playwright.async_api import Browser, Locator, expect
from tests.browser.agent_runs import (
    READING_TEXTS,
    WHOLE,
    ask_data,
    write_analysis,
    write_reading,
)
from tests.browser.driven import Tab, tab_in
from tests.browser.held_model import WORDS, HeldModel, held_model
from tests.browser.test_liuyao_page import cast_typed
from tests.browser.test_stories_page import begin, say, turn
from tests.memory_folder import copy_data_dir, make_memory_folder
from tests.serving import free_port
from tests.waiting import PATIENCE_S, wait_until

from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.db.migrate import upgrade_if_behind


@pytest.fixture(scope="module")
async def template() -> AsyncIterator[Path]:
    """A data dir whose database is migrated: only the first start of a server takes so long."""
    folder = make_memory_folder("yarrow-killed-")
    with EmbeddedPostgres(folder) as server:
        await upgrade_if_behind(await asyncio.to_thread(server.start))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def data_dir(template: Path) -> Iterator[Path]:
    folder = make_memory_folder("yarrow-killed-")
    copy_data_dir(template, folder)
    yield folder
    shutil.rmtree(folder)


class KilledServer(Struct):
    """The product as a process of its own, on its own database, with a page open."""

    tab: Tab
    folder: Path
    model: HeldModel
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        settings = {"YARROW_LLM_BASE_URL": self.model.url, "YARROW_LLM_MODEL": "slow"}
        port = self.tab.url.rpartition(":")[2]
        self.process = await asyncio.create_subprocess_exec(
            *(Path(sys.executable).with_name("yarrow"), "serve", "--port", port),
            *("--data-dir", str(self.folder)),
            env=dict(os.environ) | settings,  # noqa: TID251
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def kill_and_restart(self, *, stays: Locator, taken_back: str) -> None:
        """What the page shows meanwhile: all that was there, attempts that are counted, and then
        that the answer begins again."""
        assert self.process is not None
        paused, view = self.model.paused, self.tab.page.locator("main")
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        for attempt in (1, 3):
            await expect(view.get_by_text(f"Reconnecting, attempt {attempt}.")).to_be_visible()
            await expect(stays).to_be_visible()
        await self.start()
        await expect(view.get_by_text("writes it again (attempt 2)")).to_be_visible()
        await expect(view.get_by_text("Reconnecting, attempt")).to_have_count(0)
        await expect(view.locator("del")).to_have_text([taken_back] if taken_back else [])
        await wait_until(lambda: self.model.paused > paused)
        self.model.release.set()


@asynccontextmanager
async def open_page(
    window: Browser, folder: Path, path: str, model: HeldModel
) -> AsyncIterator[KilledServer]:
    with free_port() as listener:
        port = listener.getsockname()[1]
    async with tab_in(window, f"http://127.0.0.1:{port}") as tab:
        tab.expected.append("Failed to load resource")
        server = KilledServer(tab, folder, model)
        await server.start()
        try:
            await wait_until_open(port)
            await tab.open(path)
            yield server
        finally:
            if server.process is not None and server.process.returncode is None:
                server.process.terminate()
                await server.process.wait()


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


async def test_an_answer_goes_on(window: Browser, data_dir: Path) -> None:
    async with held_model() as model, open_page(window, data_dir, "/chat", model) as server:
        page = server.tab.page
        await say(page, "Count")
        answer = page.locator(".theirs .markdown", has_text="word9")
        await expect(answer).to_be_visible()
        await server.kill_and_restart(stays=answer, taken_back="".join(WORDS[:10]))

        await expect(page.locator(".usage")).to_be_visible()
        await expect(page.locator(".theirs .markdown")).to_have_text(WHOLE)
        await expect(page.locator(".mine")).to_have_text("Count")


async def test_a_turn_of_a_story_goes_on(window: Browser, data_dir: Path) -> None:
    async with held_model() as model, open_page(window, data_dir, "/stories", model) as server:
        page = server.tab.page
        await begin(page)
        await say(page, "Count")
        reply = page.locator(".floor .markdown", has_text="word9")
        await expect(reply).to_be_visible()
        await server.kill_and_restart(stays=reply, taken_back="".join(WORDS[:10]))

        await expect(turn(page, 1).locator(".markdown")).to_have_text(WHOLE)
        await expect(page.locator(".mine")).to_have_text("Count")


async def test_a_reading_and_its_follow_up_go_on(window: Browser, data_dir: Path) -> None:
    async with (
        held_model(write_reading) as model,
        open_page(window, data_dir, "/liuyao", model) as server,
    ):
        page = server.tab.page
        await cast_typed(page, "Will it rain?")
        board = page.locator(".board .base caption", has_text="水火既济")
        await expect(board).to_be_visible()
        await wait_until(lambda: model.paused == 1)
        await server.kill_and_restart(stays=board, taken_back="")
        for text in READING_TEXTS:
            await expect(page.get_by_text(text)).to_have_count(1)
        await expect(page.locator(".board .base tbody tr")).to_have_count(6)
        model.release.clear()
        await page.get_by_label("One follow-up is left").fill("And tomorrow?")
        await page.get_by_role("button", name="Ask", exact=True).click()
        answer = page.locator(".second .answer", has_text="word9")
        await expect(answer).to_be_visible()
        await server.kill_and_restart(stays=answer, taken_back="".join(WORDS[:10]))

        await expect(page.locator(".usage")).to_have_count(2)
        await expect(page.locator(".second .answer")).to_have_text(WHOLE)


async def test_a_question_about_data_and_its_report_go_on(window: Browser, data_dir: Path) -> None:
    async with (
        held_model(write_analysis) as model,
        open_page(window, data_dir, "/data", model) as server,
    ):
        page = server.tab.page
        await ask_data(page)
        chart = page.locator("img.chart")
        await expect(chart).to_be_visible()
        await wait_until(lambda: model.paused == 1)
        await server.kill_and_restart(stays=chart, taken_back="")

        await expect(page.locator(".usage")).to_be_visible()
        await expect(page.locator(".summary")).to_have_text("The north sold more.")
        await expect(page.locator("img.chart")).to_have_count(1)
        model.release.clear()
        await page.get_by_role("button", name="Write a report").click()
        report = page.locator(".report .markdown", has_text="word9")
        await expect(report).to_be_visible()
        await server.kill_and_restart(stays=report, taken_back="".join(["# Sales ", *WORDS[:10]]))

        await expect(page.locator(".report .markdown")).to_have_text(["Sales", WHOLE])
        await expect(page.get_by_role("alert")).to_have_count(0)
