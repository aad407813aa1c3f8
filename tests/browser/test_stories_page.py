"""Stories in a real browser: the library, turns, pages, branches, the prompt and its reasons."""

import asyncio
import json
import re

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect
from tests.browser.bound_model import Site
from tests.browser.driven import PHONE, tab_in

from yarrow.llm.errors import AnswerFiltered
from yarrow.llm.scripted import Fail, Hold, Say, Spend

CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mara",
        "description": "{{char}} keeps the lighthouse.",
        "first_mes": "Who is there?",
        "alternate_greetings": ["The light is out, {{user}}."],
        "extensions": {},
        "character_book": {
            "entries": [
                {
                    "keys": ["lamp"],
                    "content": "The lamp burns whale oil.",
                    "enabled": True,
                    "insertion_order": 1,
                    "extensions": {},
                }
            ]
        },
    },
}

FLOOR = re.compile(r"/floors/[^/]+$")
TIMELINE = re.compile(r"/timeline\?")


def as_file(name: str, content: object) -> dict[str, object]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return {"name": name, "mimeType": "application/json", "buffer": body}


async def begin(page: Page) -> None:
    """Import the card; its story opens."""
    files = page.locator("input[type=file]")
    await files.first.set_input_files(as_file("mara.json", CARD))  # type: ignore[arg-type]
    await expect(page.locator(".floor")).to_have_count(1)


async def wait_and_go_on(route: Route, event: asyncio.Event) -> None:
    await event.wait()
    await route.continue_()


async def say(page: Page, text: str) -> None:
    await page.fill("#message", text)
    await page.press("#message", "Enter")


def turn(page: Page, number: int) -> Locator:
    """A turn that is committed; while it is written it has no number."""
    return page.get_by_role("article", name=f"Turn {number}", exact=True)


async def test_a_card_becomes_a_story_with_pages(site: Site, window: Browser) -> None:
    site.model.answer("A sailor.", [Say("Come in."), Spend(1_000, 500)], [Say("Go away.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await expect(tab.page.locator(".reply")).to_contain_text("Who is there?")
        await expect(tab.page.locator(".past [aria-current]")).to_contain_text("Mara")
        await expect(tab.page.get_by_label("Title of the story")).to_have_value("Mara")
        await tab.page.get_by_role("button", name="Next reply").click()
        await expect(tab.page.locator(".reply")).to_contain_text("The light is out, User.")
        await say(tab.page, "A sailor.")
        await expect(turn(tab.page, 1)).to_contain_text("Come in.")
        await turn(tab.page, 1).get_by_role("button", name="Write another reply").click()
        await expect(turn(tab.page, 1)).to_contain_text("Go away.")
        await expect(turn(tab.page, 1)).to_contain_text("2 / 2")
        await turn(tab.page, 1).get_by_role("button", name="Reply before").click()
        await expect(turn(tab.page, 1)).to_contain_text("Come in.")

        await tab.page.reload()
        await expect(turn(tab.page, 1)).to_contain_text("1 / 2")
        await expect(turn(tab.page, 1).locator(".usage")).to_contain_text("1,500 tokens")


async def test_a_reply_is_changed_by_hand_and_read_by_the_next_prompt(
    site: Site, window: Browser
) -> None:
    site.model.answer("A diver.", [Say("Come in, stranger.")])
    site.model.answer("And then?", [Say("We sail.")])
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "A diver.")
        edit = turn(tab.page, 1).get_by_role("button", name="Edit this reply")
        await edit.focus()
        await tab.page.keyboard.press("Enter")
        field = tab.page.get_by_label("Edited message")
        await expect(field).to_be_focused()
        await field.fill("Come in, *old friend*.")
        timeline = f"{site.url}/sessions/{tab.page.url.rpartition('/')[2]}/timeline"
        async with site.http.get(timeline) as answer:
            reply = (await answer.json())["data"]["floors"][1]["messages"][1]
        changed = {"content": "Said in another tab."}
        await site.http.patch(f"{site.url}/messages/{reply['id']}", json=changed)
        await tab.page.get_by_role("button", name="Save").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("was changed elsewhere")
        await expect(turn(tab.page, 1)).to_contain_text("Said in another tab.")
        await edit.click()
        await expect(field).to_have_value("Come in, *old friend*.")
        await tab.page.get_by_role("button", name="Save").click()

        await expect(turn(tab.page, 1).locator(".reply em")).to_have_text("old friend")
        await expect(edit).to_be_focused()
        await say(tab.page, "And then?")
        await expect(turn(tab.page, 2)).to_contain_text("We sail.")
        await turn(tab.page, 2).get_by_role("button", name="The prompt of this turn").click()
        await expect(tab.page.locator(".panel")).to_contain_text("old friend")
        assert await tab.find_violations() == []


async def test_an_export_says_what_is_not_in_its_file(site: Site, window: Browser) -> None:
    site.model.answer("A fisher.", [Say("Come in.")], [Say("Go away.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "A fisher.")
        await expect(turn(tab.page, 1)).to_contain_text("Come in.")
        await tab.open(f"{tab.page.url.removeprefix(site.url).partition('?')[0]}?panel=settings")
        export = tab.page.get_by_role("button", name="Export this branch")
        async with tab.page.expect_download():
            await export.click()
        await expect(tab.page.get_by_text("All replies of the story are in")).to_be_visible()
        await turn(tab.page, 1).get_by_role("button", name="Replace this turn").dblclick()
        await expect(turn(tab.page, 1)).to_contain_text("Go away.")
        async with tab.page.expect_download():
            await export.click()

        await expect(tab.page.get_by_text("replaced turns: 1")).to_be_visible()


async def test_the_prompt_says_where_each_line_came_from(site: Site, window: Browser) -> None:
    site.model.answer("Light the lamp.", [Say("It is lit.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "Light the lamp.")
        await tab.page.get_by_role("button", name="The prompt of this turn").click()
        line = tab.page.locator(".line", has_text="whale oil")
        await expect(line).to_contain_text("The key “lamp” matched in the newest message.")
        described = tab.page.locator(".line", has_text="Mara keeps the lighthouse.")
        await expect(described).to_contain_text("card: Description")
        await described.get_by_role("button").click()

        await expect(described).to_contain_text("{{char}} keeps the lighthouse.")
        await tab.page.get_by_role("button", name="While I type").click()
        await tab.page.fill("#message", "Without the word.")
        await expect(tab.page.locator(".line-text", has_text="Without the word.")).to_be_visible()


async def test_branches_are_walked_by_keyboard(site: Site, window: Browser) -> None:
    for message, reply in {"first": "One.", "second": "Two.", "instead": "Three."}.items():
        site.model.answer(message, [Say(reply)])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "first")
        await expect(turn(tab.page, 1)).to_contain_text("One.")
        await say(tab.page, "second")
        await expect(turn(tab.page, 2)).to_contain_text("Two.")
        await tab.page.get_by_role("button", name="Branches").click()
        await expect(tab.page.get_by_role("treeitem")).to_have_count(3)
        await tab.page.get_by_role("treeitem").last.focus()
        await tab.page.keyboard.press("ArrowUp")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator(".standing")).to_contain_text("Continues after turn 1")
        await say(tab.page, "instead")

        await expect(turn(tab.page, 2)).to_contain_text("Three.")
        await expect(tab.page.locator(".floors")).not_to_contain_text("second")
        await expect(tab.page.locator(".story-name")).to_contain_text("branch ")


async def test_keys_turn_pages_close_the_panel_and_leave_an_edit(
    site: Site, window: Browser
) -> None:
    pressed = asyncio.Event()
    chosen: list[str] = []

    async def choose(route: Route) -> None:
        chosen.append(route.request.url)
        await wait_and_go_on(route, pressed)

    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await tab.page.get_by_role("button", name="Next reply").click()
        await expect(tab.page.locator(".reply")).to_contain_text("The light is out")
        await tab.page.route("**/activate", choose)
        for _ in range(3):
            await tab.page.press("#message", "ArrowLeft")
        pressed.set()
        await expect(tab.page.locator(".reply")).to_contain_text("Who is there?")
        assert len(chosen) == 1
        await say(tab.page, "A sailor.")
        edit = turn(tab.page, 1).get_by_role("button", name="Edit").first
        await tab.page.get_by_role("button", name="Branches").click()
        await tab.page.press("#message", "Escape")
        await edit.click()
        await expect(tab.page.locator(".edit textarea")).to_be_focused()
        await tab.page.keyboard.type(" From the sea.")
        await tab.page.keyboard.press("Escape")
        await expect(edit).to_be_focused()
        await expect(tab.page.locator(".panel")).to_be_visible()
        await tab.page.keyboard.press("Escape")
        await expect(tab.page.locator(".panel")).to_have_count(0)
        await tab.page.reload()
        await edit.click()

        await expect(tab.page.locator(".edit textarea")).to_have_value("A sailor. From the sea.")


async def test_a_reload_mid_turn_goes_on_without_a_lost_word(site: Site, window: Browser) -> None:
    hold = Hold()
    site.model.answer("Count", [Say("one two "), hold, Say("three four")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "Count")
        reply = tab.page.locator(".floor .markdown").last
        await expect(reply).to_have_text("one two")
        floors = asyncio.Event()
        await tab.page.route(FLOOR, lambda route: wait_and_go_on(route, floors))
        await tab.page.reload()
        await expect(tab.page.get_by_role("button", name="Stop")).to_be_visible()
        floors.set()
        await expect(reply).to_have_text("one two")
        await expect(tab.page.locator(".mine")).to_have_text("Count")
        await expect(tab.page.locator(".running-mark")).to_be_visible()
        hold.release.set()

        await expect(reply).to_have_text("one two three four")
        await expect(tab.page.locator(".floor")).to_have_count(2)
        await expect(tab.page.locator(".mine")).to_have_count(1)
        await expect(tab.page.locator(".running-mark")).to_have_count(0)


async def test_a_replacement_that_fails_after_a_reload_leaves_its_turn(
    site: Site, window: Browser
) -> None:
    hold = Hold()
    site.model.answer("Which way?", [Say("left")], [Say("ri"), hold, Fail(AnswerFiltered(400))])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "Which way?")
        await expect(turn(tab.page, 1)).to_contain_text("left")
        await tab.page.get_by_role("button", name="Replace this turn by a new one").click()
        reply = tab.page.locator(".floor .markdown").last
        await expect(reply).to_have_text("ri")
        await tab.page.reload()
        await expect(reply).to_have_text("ri")
        await expect(tab.page.locator(".mine")).to_have_text(["Which way?"])
        hold.release.set()

        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await expect(tab.page.locator(".mine")).to_have_text(["Which way?"])
        await tab.page.get_by_role("button", name="Try again").click()
        await expect(tab.page.get_by_role("alert")).to_have_count(0)
        await expect(turn(tab.page, 1)).to_contain_text("left")


async def test_the_last_turn_is_deleted_after_a_question(site: Site, window: Browser) -> None:
    replies = {"A pilot.": "Come in.", "And wet.": "Mind the step.", "Good night.": "It is late."}
    for message, reply in replies.items():
        site.model.answer(message, [Say(reply)])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        for number, text in enumerate(("A pilot.", "And wet."), 1):
            await say(tab.page, text)
            await expect(turn(tab.page, number)).to_be_visible()
        await expect(turn(tab.page, 2)).to_contain_text("Mind the step.")
        delete = tab.page.get_by_role("button", name="Delete this turn")
        await expect(delete).to_have_count(1)
        await delete.click()
        await expect(tab.page.get_by_role("button", name="Keep it")).to_be_focused()
        await tab.page.keyboard.press("Escape")
        await expect(delete).to_be_focused()
        await tab.page.keyboard.press("Enter")
        assert not await tab.find_violations()
        clicked = asyncio.Event()
        await tab.page.route(FLOOR, lambda route: wait_and_go_on(route, clicked))
        await tab.page.get_by_role("button", name="Delete for good").dblclick()
        clicked.set()
        await expect(turn(tab.page, 2)).to_have_count(0)
        await expect(tab.page.get_by_role("alert")).to_have_count(0)
        await say(tab.page, "Good night.")

        await expect(turn(tab.page, 2)).to_contain_text("It is late.")
        await tab.page.reload()
        await expect(tab.page.locator(".floor")).to_have_count(3)
        await expect(tab.page.get_by_text("And wet.")).to_have_count(0)


async def test_a_failed_turn_says_why_and_is_tried_again(site: Site, window: Browser) -> None:
    site.model.answer("Hello", [Fail(AnswerFiltered(400))], [Say("Now it works.")])
    site.model.answer("Lost words", [Fail(AnswerFiltered(400))])
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "Hello")
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await expect(tab.page.locator(".mine")).to_have_text("Hello")
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(turn(tab.page, 1)).to_contain_text("Now it works.")
        await expect(tab.page.locator("#message")).to_have_value("")
        await say(tab.page, "Lost words")
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await tab.page.get_by_role("button", name="Delete this turn").click()
        await tab.page.get_by_role("button", name="Delete for good").click()
        await expect(turn(tab.page, 1)).to_have_count(0)
        await expect(tab.page.locator("#message")).to_have_value("Lost words")


async def test_a_turn_is_tried_again_and_continued_before_the_timeline_is_read(
    site: Site, window: Browser
) -> None:
    site.model.answer("Wake up.", [Fail(AnswerFiltered(400))], [Say("She wakes.")])
    held = Hold()
    site.model.answer("Stand up.", [Say("She sta"), held, Say("nds.")])
    read = asyncio.Event()
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await tab.page.route(TIMELINE, lambda route: wait_and_go_on(route, read))
        await say(tab.page, "Wake up.")
        await expect(tab.page.locator("#message")).to_have_value("Wake up.")
        await tab.page.get_by_role("button", name="Try again").click()
        await expect(tab.page.locator("#message")).to_have_value("")
        await expect(tab.page.get_by_text("She wakes.")).to_be_visible()
        await say(tab.page, "Stand up.")
        await expect(tab.page.get_by_text("She sta", exact=True)).to_be_visible()
        read.set()

        await expect(turn(tab.page, 1)).to_contain_text("She wakes.")
        await expect(tab.page.get_by_text("She sta", exact=True)).to_be_visible()
        await expect(tab.page.locator("#message")).to_have_value("")
        held.release.set()
        await expect(turn(tab.page, 2)).to_contain_text("She stands.")


async def test_an_effect_that_would_be_repeated_is_asked_about(site: Site, window: Browser) -> None:
    site.model.answer("Take it.", [Say("You take it.")], [Say("You take it again.")])
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/stories")
        await begin(tab.page)
        story = site.url + "/sessions/" + tab.page.url.rpartition("/")[2]
        namespace = {"namespace": "bag", "replay_safety": "confirm_on_replay"}
        write = {"namespace": "bag", "slot": "lantern", "value": 1}
        await site.http.post(f"{story}/state/namespaces", json=namespace)
        body = {"message": "Take it.", "session_state_writes": [write]}
        await (await site.http.post(f"{story}/respond", json=body)).read()
        await tab.page.reload()
        await tab.page.get_by_role("button", name="Replace this turn by a new one").click()
        await expect(tab.page.get_by_role("alertdialog")).to_contain_text("bag / lantern")
        await tab.page.get_by_role("button", name="Answer again, repeat them").click()

        await expect(tab.page.locator(".floor").last).to_contain_text("You take it again.")


async def test_an_edit_is_a_version_that_can_be_taken_back(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories/library/character")
        await tab.page.locator(".library input[type=file]").set_input_files(
            as_file("mara.json", CARD)  # type: ignore[arg-type]
        )
        await tab.page.get_by_label("Scenario").fill("A storm.")
        await tab.page.get_by_role("button", name="Save a version").click()
        await expect(tab.page.get_by_text("Saved. Stories that have begun")).to_be_visible()
        await tab.page.get_by_role("button", name="Compare").click()
        await expect(tab.page.locator(".changes")).to_contain_text("data.scenario")
        await tab.page.get_by_role("button", name="Go back to it").click()

        await expect(tab.page.get_by_label("Scenario")).to_have_value("")
        await expect(tab.page.locator(".versions li")).to_have_count(3)


WRONG_FILES = {
    "empty.json": (b"", "empty.json is empty. Choose another file."),
    "notes.txt.json": (b"hello", "neither a PNG card nor JSON"),
    "other.json": (b'{"a": 1}', "but no card"),
    "numbers.json": (b"[1, 2]", "no card"),
    "broken.png": (b"\x89PNG\r\n\x1a\n", "PNG"),
}


GROW_BEFORE_SCROLL_EVENT = """() => {
    document.querySelector("main").style.paddingBottom = "400px";
    dispatchEvent(new Event("scroll"));
    return new Promise(requestAnimationFrame);
}"""


async def test_the_end_stays_in_view_while_a_reply_is_written(site: Site, window: Browser) -> None:
    paragraphs = [Say(f"Paragraph {number} of the reply.\n\n") for number in range(80)]
    site.model.answer("Tell me more.", paragraphs)
    async with tab_in(window, site.url, motion="no-preference") as tab:
        await tab.open("/stories")
        await begin(tab.page)
        await say(tab.page, "Tell me more.")
        await expect(turn(tab.page, 1).locator(".usage")).to_be_visible()

        await expect(tab.page.locator(".to-end")).to_have_count(0)
        await expect(turn(tab.page, 1).locator(".usage")).to_be_in_viewport()
        # The event of the page's own scroll, which comes late on a busy machine.
        await tab.page.evaluate(GROW_BEFORE_SCROLL_EVENT)
        await expect(tab.page.locator(".to-end")).to_have_count(0)
        await tab.page.evaluate("scrollBy(0, -40)")
        await expect(tab.page.locator(".to-end")).to_be_visible()


async def test_the_inspector_says_what_is_wrong_with_a_macro_in_the_language_of_the_page(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.open("/stories")
        card = {**CARD, "data": {**CARD["data"], "description": "{{nobody}} is there."}}  # type: ignore[dict-item]
        files = tab.page.locator("input[type=file]").first
        await files.set_input_files(as_file("odd.json", card))  # type: ignore[arg-type]
        await expect(tab.page.locator(".floor")).to_have_count(1)
        await tab.open(f"{tab.page.url.removeprefix(site.url)}?panel=prompt")
        await tab.page.get_by_role("button", name="输入时预览").click()
        await tab.page.locator("#message").fill("Who is there?")

        note = tab.page.locator(".panel .note", has_text="{{nobody}}")
        await expect(note).to_have_text("{{nobody}} 没有这样的宏、变量或简写")


async def test_a_wrong_file_is_refused_in_the_language_of_the_page(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url, locale="zh-TW") as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/stories")
        files = tab.page.locator(".welcome input[type=file]")
        alert = tab.page.get_by_role("alert")
        await files.set_input_files(as_file("broken.png", WRONG_FILES["broken.png"][0]))  # type: ignore[arg-type]
        await expect(alert).to_contain_text("PNG 不完整")
        await files.set_input_files(as_file("chat.jsonl", b'{"mes": "x"}\n{"mes": 4}'))  # type: ignore[arg-type]
        await expect(alert).to_contain_text("第 2 列：mes 必須是文字")


async def test_a_wrong_file_is_refused_in_words(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        for name, (content, words) in WRONG_FILES.items():
            await tab.open("/stories")
            files = tab.page.locator(".welcome input[type=file]")
            await files.set_input_files(as_file(name, content))  # type: ignore[arg-type]

            await expect(tab.page.get_by_role("alert")).to_contain_text(words)


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "light"), ("en-US", "dark")])
async def test_axe_finds_nothing(site: Site, window: Browser, locale: str, scheme: str) -> None:
    site.model.answer(f"lamp {locale}", [Say("Come in.")])
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/stories")
        assert await tab.find_violations() == []
        await begin(tab.page)
        await say(tab.page, f"lamp {locale}")
        await expect(tab.page.locator(".floor").nth(1)).to_contain_text("Come in.")
        story = tab.page.url.partition("?")[0].removeprefix(tab.url)
        for panel in ("branches", "state", "prompt", "settings"):
            await tab.open(f"{story}?panel={panel}")
            await expect(tab.page.locator(".panel")).to_be_visible()
            await tab.page.wait_for_load_state("networkidle")
            assert await tab.find_violations() == [], panel
            assert await tab.too_wide() == 0, panel
        await tab.open("/stories/library/character")
        await expect(tab.page.locator(".asset-link").first).to_be_visible()
        assert await tab.find_violations() == []
        await tab.page.locator(".asset-link").first.click()
        await expect(tab.page.locator(".editor")).to_be_visible()
        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
