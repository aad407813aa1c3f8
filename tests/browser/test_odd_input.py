"""Input that is too much, too often or not there: each ends in words, never in a blank page."""

import itertools
import json
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Browser, FilePayload, Page, expect
from tests.browser.agent_runs import AGENT_RUNS, write_any
from tests.browser.bound_model import Site
from tests.browser.driven import PHONE, WIDE, tab_in
from tests.browser.held_model import held_model, serve_held
from tests.browser.test_data_work import give
from tests.browser.test_page_states import sign_in
from tests.browser.test_stories_page import begin
from tests.loose_json import JsonObject

from yarrow.llm.scripted import Hold, Say
from yarrow.settings import AuthMode

TURNS = 2_000
ENTRIES = 5_000


async def post(site: Site, path: str, body: JsonObject) -> JsonObject:
    async with site.http.post(site.url + path, json=body) as answer:
        assert answer.status < 300, await answer.text()
        decoded: JsonObject = await answer.json()
        return decoded


async def make_long_chat(site: Site) -> str:
    """A client that brings its whole conversation: all but the last question are stored."""
    thread = str(uuid4())
    messages = []
    for number in range(TURNS):
        messages.append({"id": f"q{number}", "role": "user", "content": f"question {number}"})
        if number < TURNS - 1:
            content = f"answer **{number}**"
            messages.append({"id": f"a{number}", "role": "assistant", "content": content})
    body = {"threadId": thread, "runId": "r1", "messages": messages}
    headers = {"accept": "text/event-stream"}
    url = f"{site.url}/api/v1/agents/assistant/runs"
    async with site.http.post(url, json=body, headers=headers) as answer:
        await answer.read()
        assert answer.status == 200
    return thread


async def make_long_story(site: Site) -> str:
    lines: list[JsonObject] = [{"user_name": "You", "character_name": "Mara"}]
    for number in range(TURNS):
        lines.append({"name": "You", "is_user": True, "mes": f"question {number}"})
        lines.append({"name": "Mara", "is_user": False, "mes": f"answer {number}"})
    data = "\n".join(json.dumps(line) for line in lines)
    return str((await post(site, "/import/chat", {"data": data}))["data"]["session_id"])


async def make_worldbook(site: Site, entries: int) -> str:
    data = {
        "entries": {
            str(number): {
                "uid": number,
                "key": [f"key{number}"],
                "comment": f"entry {number}",
                "content": f"content {number}",
            }
            for number in range(entries)
        }
    }
    made = await post(site, "/worldbooks", {"name": f"book of {entries}", "data": data})
    return str(made["data"]["id"])


async def ask(page: Page, text: str) -> None:
    await page.get_by_role("textbox", name="Write a message").fill(text)
    await page.keyboard.press("Enter")


async def test_a_chat_of_two_thousand_turns_opens_at_its_end(site: Site, window: Browser) -> None:
    site.model.answer(f"question {TURNS - 1}", [Say("the last answer")])
    site.model.answer("And now?", [Say("one more")])
    thread = await make_long_chat(site)
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/chat/{thread}")
        await expect(tab.page.locator(".theirs .markdown").last).to_have_text("the last answer")
        assert await tab.page.locator(".mine").count() < TURNS / 10
        await tab.page.get_by_role("button", name="earlier messages").click()
        await expect(tab.page.get_by_text("question 1800", exact=True)).to_be_attached()
        await tab.page.get_by_role("button", name="earlier messages").click()
        await expect(tab.page.get_by_text("question 1600", exact=True)).to_be_attached()
        await expect(tab.page.locator(".mine", has_text="question 1999")).to_have_count(0)
        await ask(tab.page, "And now?")

        await expect(tab.page.locator(".theirs .markdown").last).to_have_text("one more")


async def test_a_story_of_two_thousand_turns_opens_at_its_end(site: Site, window: Browser) -> None:
    story = await make_long_story(site)
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/stories/{story}")

        await expect(tab.page.get_by_text(f"answer {TURNS - 1}", exact=True)).to_be_visible()
        assert await tab.page.locator(".floor").count() < TURNS / 10
        async with site.http.get(f"{site.url}/sessions/{story}/timeline") as answer:
            early = (await answer.json())["data"]["floors"][3]["id"]
        await tab.open(f"/stories/{story}?floor={early}")
        await expect(tab.page.locator(".floor.chosen")).to_be_in_viewport()
        assert await tab.page.locator(".floor").count() < TURNS / 5
        await tab.page.get_by_role("button", name="Back down").first.click()
        await expect(tab.page.get_by_text(f"answer {TURNS - 1}", exact=True)).to_be_visible()


async def test_a_worldbook_of_five_thousand_entries_is_searched_and_changed(
    site: Site, window: Browser
) -> None:
    book = await make_worldbook(site, ENTRIES)
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/stories/library/worldbook/{book}")
        await expect(tab.page.get_by_role("heading", name="5,000")).to_be_visible()
        await tab.page.locator(".editor input[type=search]").fill("entry 4711")
        await expect(tab.page.locator(".entry")).to_have_count(1)
        await tab.page.locator(".entry summary").click()
        await tab.page.locator(".entry textarea").fill("another content")
        await tab.page.locator(".save-bar .primary").click()

        await expect(tab.page.get_by_text("Version 2").first).to_be_visible()


async def test_two_tabs_that_edit_one_asset_do_not_overwrite_each_other(
    site: Site, window: Browser
) -> None:
    book = await make_worldbook(site, 2)
    async with tab_in(window, site.url) as first, tab_in(window, site.url) as second:
        second.expected.append("Failed to load resource")
        for tab, text in ((first, "of the first tab"), (second, "of the second tab")):
            await tab.open(f"/stories/library/worldbook/{book}")
            await tab.page.locator(".entry summary").first.click()
            await tab.page.locator(".entry textarea").first.fill(text)
        await first.page.locator(".save-bar .primary").click()
        await expect(first.page.get_by_text("Version 2").first).to_be_visible()
        await second.page.locator(".save-bar .primary").click()
        alert = second.page.get_by_role("alert")
        await expect(alert).to_be_visible()
        assert await second.page.locator(".entry textarea").first.input_value() == (
            "of the second tab"
        )
        await alert.get_by_role("button").click()

        await expect(second.page.get_by_text("Version 2").first).to_be_visible()


async def test_a_message_of_a_hundred_thousand_characters_is_told_before_it_is_sent(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        for character in "字x":
            await tab.page.locator("#message").fill(character * 100_000)
            await tab.page.press("#message", "Enter")

            await expect(tab.page.locator(".count.over")).to_have_text("90,000 characters too many")
            await expect(tab.page.get_by_role("button", name="Send")).to_be_disabled()
            assert await tab.too_wide() == 0
        await tab.page.locator("#message").fill("字" * 10_000)
        await expect(tab.page.get_by_role("button", name="Send")).to_be_enabled()


UNBROKEN = "q" * 300


async def test_a_question_of_one_long_word_stays_on_the_page(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:

        async def expect_narrow(*fields: str) -> None:
            for size in (WIDE, PHONE):
                await tab.page.set_viewport_size(size)  # type: ignore[arg-type]
                assert await tab.too_wide() <= 0, fields

        for path, field, words in (
            ("/", "#throw-question", UNBROKEN),
            ("/liuyao", "#question", UNBROKEN + "q"),
            ("/liuyao", "#question", UNBROKEN),
            ("/data", "#data-question", UNBROKEN),
            ("/stories", "#message", UNBROKEN),
        ):
            await tab.open(path)
            if path == "/data":
                await give(tab.page)
            if path == "/stories":
                await begin(tab.page)
            await tab.page.fill(field, words)
            await expect_narrow(path, "typed")
            if len(words) > len(UNBROKEN):
                await expect(tab.page.locator(".count.over")).to_have_text("1 character too many")
                continue
            if path in ("/", "/liuyao"):
                await tab.page.get_by_role("button", name="Throw the coins").click()
                await expect(tab.page.locator(".sign-level")).to_be_visible()
            else:
                await tab.page.press(field, "Enter")
                await expect(tab.page.locator(".summary, .floor .usage").last).to_be_visible()
            await expect_narrow(path, "answered")


async def test_a_double_click_asks_once(site: Site, window: Browser) -> None:
    hold = Hold()
    site.model.answer("Only once", [Say("once "), hold])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await tab.page.get_by_role("textbox", name="Write a message").fill("Only once")
        await tab.page.get_by_role("button", name="Send").dblclick()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("once")
        hold.release.set()

        await expect(tab.page.locator(".usage")).to_be_visible()
        await expect(tab.page.locator(".mine")).to_have_count(1)


FILES = {
    "wrong.exe": b"MZ\x00\x01" * 50,
    "empty.csv": b"",
    "broken.json": b'{"a":',
    "broken.png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "broken.xlsx": b"PK\x03\x04" + bytes(100),
}
REFUSALS = {
    "/data": ("no table of a kind we read", "is empty", "JSON is broken", "is a picture", "broken"),
    "/stories": ("neither a PNG card", "is empty", "nor JSON", "PNG is damaged", "nor JSON"),
    "/chat": (
        "no picture",
        "no picture",
        "no picture",
        "cannot be read as a picture",
        "no picture",
    ),
}


@pytest.mark.parametrize("path", REFUSALS)
async def test_a_file_that_is_nothing_for_a_page_is_refused_in_words(
    site: Site, window: Browser, path: str
) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        for (name, content), words in zip(FILES.items(), REFUSALS[path], strict=True):
            await tab.open(path)
            kind = "image/png" if name.endswith("png") else "application/octet-stream"
            file = FilePayload(name=name, mimeType=kind, buffer=content)
            await tab.page.locator("input[type=file]").first.set_input_files(file)

            await expect(tab.page.locator("main [role=alert]")).to_contain_text(words)


async def test_a_table_of_a_million_rows_is_shown_in_pages(site: Site, window: Browser) -> None:
    rows = "".join(f"{number},{number % 7}\n" for number in range(1_000_000))
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        file = FilePayload(name="million.csv", mimeType="text/csv", buffer=f"a,b\n{rows}".encode())
        await tab.page.locator(".drop input").set_input_files(file)
        await expect(tab.page.locator(".table-card .spread")).to_contain_text("1,000,000 rows")
        await tab.page.fill("#data-question", "count of a by b")
        await tab.page.press("#data-question", "Enter")

        await expect(tab.page.locator("img.chart")).to_be_visible()
        assert await tab.page.locator("td").count() < 1_000


async def test_double_clicks_do_a_thing_once(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        page = tab.page
        await tab.open("/liuyao")
        await page.fill("#question", "Will it be once?")
        await page.get_by_text("Typed lines").click()
        await page.fill("#typed", "7 8 9 8 7 6")
        await page.get_by_role("button", name="Read these lines").dblclick()
        await expect(page.locator(".sign-level")).to_be_visible()
        await page.fill("#follow", "And when?")
        await page.get_by_role("button", name="Ask", exact=True).dblclick()
        await expect(page.locator(".second .answer")).to_be_visible()
        await tab.open("/stories")
        await page.get_by_role("button", name="Try an example").dblclick()
        await expect(page.locator(".floor")).to_have_count(1)
        site.model.answer("Only one turn", [Say("one")])
        await page.fill("#message", "Only one turn")
        await page.get_by_role("button", name="Send").dblclick()
        await expect(page.locator(".floor")).to_have_count(2)
        await tab.open("/data")
        await give(page)
        await page.fill("#data-question", "revenue by region, once")
        await page.get_by_role("button", name="Ask", exact=True).dblclick()
        await expect(page.locator(".summary")).to_be_visible()
        await tab.open("/")

        sessions = page.locator(".session-link")
        for words in ("Will it be once?", "Captain Lin", "revenue by region, once"):
            await expect(sessions.filter(has_text=words)).to_have_count(1)


@pytest.mark.parametrize("year", [1999, 2061])
async def test_a_wrong_clock_changes_no_answer(site: Site, window: Browser, year: int) -> None:
    site.model.answer(f"Which year is {year}?", [Say("in any year")])
    async with tab_in(window, site.url) as tab:
        await tab.page.clock.set_fixed_time(datetime(year, 1, 1))  # noqa: DTZ001
        await tab.open("/chat")
        await ask(tab.page, f"Which year is {year}?")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("in any year")
        await tab.open("/ops?group=recent")

        await expect(tab.page.locator(".figures dd").first).to_be_visible()
        assert "-" not in await tab.page.locator(".figures").inner_text()


ODD_IDS = {"no id": "not-an-id", "unknown": "01890000-0000-7000-8000-000000000000", "path": "..%2f"}
ADDRESSES = ("/chat/{}", "/stories/{}", "/liuyao/{}", "/data/{}", "/ops/{}")


async def test_an_address_without_its_thing_says_what_to_do(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        for address, odd in itertools.product(ADDRESSES, ODD_IDS.values()):
            await tab.open(address.format(odd))

            notice = tab.page.locator("main :is([role=alert], .welcome, .empty, .not-found)").first
            await expect(notice).to_be_visible()
            assert len(await notice.inner_text()) > 20, address
            if address == "/liuyao/{}" and odd != ODD_IDS["path"]:
                missing = tab.page.get_by_role("heading", name="No such divination")
                await expect(missing).to_be_visible()


@pytest.mark.parametrize("agent", AGENT_RUNS)
async def test_a_session_of_another_account_or_a_deleted_one_is_said_to_be_missing(
    window: Browser, dsn: str, tmp_path: Path, agent: str
) -> None:
    run = AGENT_RUNS[agent]
    async with (
        held_model(write_any) as model,
        serve_held(dsn, model, tmp_path, auth=AuthMode.JWT) as served,
    ):
        model.release.set()
        owner, other = await served.account(), await served.account()
        async with tab_in(window, served.url) as tab:
            await sign_in(tab.page, owner)
            await tab.open(run.path)
            await run.ask(tab.page)
            await run.expect_whole(tab.page)
            address = tab.page.url.removeprefix(served.url)
            shown = await tab.page.locator(run.whole[0]).inner_text()
        for caller in (other, owner):
            if caller is owner:
                session = address.split("/")[2].partition("?")[0]
                path = "sessions" if agent == "storyteller" else "api/v1/agent/sessions"
                status, _ = await owner.send("DELETE", f"/{path}/{session}")
                assert status < 300
            async with tab_in(window, served.url) as tab:
                tab.expected.append("Failed to load resource")
                await sign_in(tab.page, caller)
                await tab.open(address)

                notice = tab.page.locator("main :is([role=alert], .welcome, .empty)").first
                await expect(notice).to_be_visible()
                await expect(tab.page.get_by_text(shown)).to_have_count(0)


async def test_a_board_is_printed_black_on_white_without_the_frame(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await tab.page.fill("#question", "Shall I go?")
        await tab.page.locator("input[name=mode]").nth(2).check(force=True)
        await tab.page.fill("#typed", "7 8 9 8 7 6")
        await tab.page.locator(".compose .primary").click()
        await expect(tab.page.locator(".sign-level")).to_be_visible()
        await tab.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        await tab.page.emulate_media(media="print")

        await expect(tab.page.locator("body")).to_have_css("color", "rgb(0, 0, 0)")
        await expect(tab.page.locator(".board").first).to_be_visible()
        await expect(tab.page.locator(".sentence").first).to_be_visible()
        await expect(tab.page.locator(".board-side")).to_have_css("position", "static")
        await expect(tab.page.locator("header.top")).to_be_hidden()
        assert await tab.too_wide() == 0
