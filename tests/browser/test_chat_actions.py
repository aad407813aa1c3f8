"""Chat in a real browser: answers, titles, pictures, cards and the microphone."""

import asyncio
import base64

from playwright.async_api import Browser, Page, expect
from tests.browser.bound_model import Site
from tests.browser.driven import Tab, tab_in
from tests.loose_json import JsonObject
from tests.serving import Served
from tests.waiting import PATIENCE_S

from yarrow.llm.errors import AnswerFiltered
from yarrow.llm.scripted import Call, Fail, Hold, Say
from yarrow.speech.scripted import ScriptedRecogniser

DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG = base64.b64decode(DOT)
GIVE_FILE = """([selector, kind, base64]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'dot.png', {type: 'image/png'}));
    const init = {bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data};
    const event = kind === 'drop' ? new DragEvent(kind, init) : new ClipboardEvent(kind, init);
    document.querySelector(selector).dispatchEvent(event);
}"""
EVERY_HINT: JsonObject = {
    "status": "warning",
    "title": "The week ahead",
    "badges": ["SUNNY"],
    "body": "Mostly dry.",
    "facts": {"Place": "Lisbon"},
    "items": ["Take a hat", {"title": "Wednesday", "detail": "Wind"}],
    "table": {"columns": ["Day", "°C"], "rows": [["Mon", 24]]},
    "progress": {"value": 0.5, "label": "Half of the week"},
    "actions": [
        {"type": "message", "label": "Next week?", "text": "How is the week after?"},
        {"type": "link", "label": "Source", "href": "https://example.org/weather"},
    ],
}


async def ask(page: Page, text: str) -> None:
    await page.get_by_role("textbox", name="Write a message").fill(text)
    await page.keyboard.press("Enter")


async def ask_and_edit(page: Page, *questions: str, edited: str) -> None:
    """Ask the questions one after the other, then the first in other words."""
    for number, question in enumerate(questions, 1):
        await ask(page, question)
        await expect(page.locator(".usage")).to_have_count(number)
    await page.locator(".mine").first.get_by_role("button", name="Edit").click()
    await page.get_by_role("textbox", name="Edited message").fill(edited)
    await page.locator("form.edit").get_by_role("button", name="Send").click()


async def list_titles(site: Site) -> list[str]:
    async with site.http.get(f"{site.url}/api/v1/sessions?agent=assistant&limit=100") as answer:
        return [session["title"] for session in (await answer.json())["sessions"]]


async def test_an_answer_is_replaced_by_another_one(site: Site, window: Browser) -> None:
    hold = Hold()
    site.model.answer("Which one?", [Say("the first")], [Say("the "), hold, Say("second")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Which one?")
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the first")
        await tab.page.get_by_role("button", name="Answer again").click()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the")
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the second")
        await expect(tab.page.locator(".usage")).to_have_count(1)
        await tab.page.reload()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the second")
        await expect(tab.page.locator(".mine")).to_have_text("Which one?")
        await expect(tab.page.locator(".usage")).to_have_count(1)


_VOICES = """window.spoken = [];
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
    const voice = (lang, localService) => ({lang, localService});
    const value = {
        getVoices: () => [voice('en-GB', false), voice('de-DE', true), voice('en-US', true)],
        speak: part => spoken.push(`${part.lang}: ${part.text}`),
        cancel: () => spoken.push('cancelled'),
    };
    Object.defineProperty(window, 'speechSynthesis', {value});"""


async def test_an_answer_is_read_aloud_by_a_voice_of_this_device(
    site: Site, window: Browser
) -> None:
    site.model.answer("Read to me", [Say("Once **upon** a time.\n\n```\n1\n```\n\nThe end.")])
    async with tab_in(window, site.url) as tab:
        await tab.page.add_init_script(_VOICES)
        await tab.open("/chat")
        await ask(tab.page, "Read to me")
        await tab.page.get_by_role("button", name="Read aloud").click()

        spoken = ["en-US: Once upon a time.", "en-US: The end."]
        assert (await tab.page.evaluate("spoken"))[-2:] == spoken
        await tab.page.get_by_role("button", name="Stop reading").click()
        await expect(tab.page.get_by_role("button", name="Read aloud")).to_be_focused()
        assert (await tab.page.evaluate("spoken"))[-1] == "cancelled"
        assert await tab.find_violations() == []


async def test_an_answer_stays_when_its_replacement_fails(site: Site, window: Browser) -> None:
    site.model.answer("Which other one?", [Say("the first")], [Fail(AnswerFiltered(400))])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Which other one?")
        await expect(tab.page.locator(".usage")).to_be_visible()
        await tab.page.reload()
        await tab.page.get_by_role("button", name="Answer again").click()

        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the first")


async def test_a_failed_answer_says_why_and_its_question_is_stored_once(
    site: Site, window: Browser
) -> None:
    site.model.answer("Will it?", [Fail(AnswerFiltered(400))], [Say("in the end")])
    site.model.answer("Will that?", [Fail(AnswerFiltered(400))])
    site.model.answer("Then what?", [Say("nothing")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Will it?")
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await expect(tab.page.locator(".mine")).to_have_text("Will it?")
        await tab.page.get_by_role("button", name="Try again").click()
        await expect(tab.page.locator(".usage")).to_be_visible()
        await tab.page.reload()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("in the end")
        await expect(tab.page.locator(".mine")).to_have_text("Will it?")
        await ask(tab.page, "Will that?")
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await ask(tab.page, "Then what?")
        await expect(tab.page.locator(".mine:has(.note)")).to_contain_text("Will that?")


async def test_an_answer_that_is_being_replaced_goes_on_after_a_reload(
    site: Site, window: Browser
) -> None:
    hold = Hold()
    site.model.answer("Which one now?", [Say("the first")], [Say("the "), hold, Say("second")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Which one now?")
        await tab.page.get_by_role("button", name="Answer again").click()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text("the")
        await tab.page.reload()
        await expect(tab.page.locator(".theirs .markdown")).to_have_text(["the first", "the"])
        hold.release.set()

        await expect(tab.page.locator(".theirs .markdown")).to_have_text(["the second"])
        await expect(tab.page.locator(".mine")).to_have_text("Which one now?")


async def test_a_replacement_that_fails_after_a_reload_replaces_nothing(
    site: Site, window: Browser
) -> None:
    hold = Hold()
    site.model.answer("Owls?", [Say("hoot")])
    site.model.answer("By day?", [Say("asleep")])
    site.model.answer("Larks?", [Say("tir"), hold, Fail(AnswerFiltered(400))])
    async with tab_in(window, site.url) as tab:
        answers = tab.page.locator(".theirs .markdown")
        await tab.open("/chat")
        await ask_and_edit(tab.page, "Owls?", "By day?", edited="Larks?")
        await expect(answers).to_have_text(["tir"])
        await tab.page.reload()
        await expect(answers).to_have_text(["hoot", "asleep", "tir"])
        hold.release.set()
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(tab.page.get_by_role("alert")).to_have_count(0)
        await expect(answers).to_have_text(["hoot", "asleep"])


async def test_an_earlier_question_is_asked_in_other_words(site: Site, window: Browser) -> None:
    site.model.answer("Cats?", [Say("purr")])
    site.model.answer("And hungry ones?", [Say("miaow")])
    site.model.answer("Dogs?", [Fail(AnswerFiltered(400))], [Say("woof")])
    async with tab_in(window, site.url) as tab:
        questions, answers = tab.page.locator(".mine"), tab.page.locator(".theirs .markdown")
        await tab.open("/chat")
        await ask_and_edit(tab.page, "Cats?", "And hungry ones?", edited="Dogs?")
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        await expect(questions).to_have_text(["Cats?", "And hungry ones?"])
        await expect(answers).to_have_text(["purr", "miaow"])
        await questions.first.get_by_role("button", name="Edit").click()
        field = tab.page.get_by_role("textbox", name="Edited message")
        await expect(field).to_have_value("Dogs?")
        await field.press("Escape")
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(answers).to_have_text(["woof"])
        await questions.first.get_by_role("button", name="Edit").click()
        await field.fill("Foxes?")
        await tab.page.reload()
        await expect(answers).to_have_text(["woof"])
        await expect(questions).to_have_text(["Dogs?"])
        await questions.first.get_by_role("button", name="Edit").click()
        await expect(field).to_have_value("Foxes?")


async def test_a_chat_gets_another_title_unless_escape_is_pressed(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Remember the walrus")
        rename = tab.page.get_by_role("button", name="Rename “Remember the walrus”")
        await rename.click()
        await tab.page.get_by_role("textbox", name="New title").fill("another")
        await tab.page.keyboard.press("Escape")
        await expect(tab.page.get_by_role("link", name="Remember the walrus")).to_be_focused()
        await rename.click()
        await tab.page.get_by_role("textbox", name="New title").fill("海象 <b>")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.get_by_role("link", name="海象 <b>")).to_be_visible()
        await tab.page.reload()

        await expect(tab.page.get_by_role("link", name="海象 <b>")).to_be_visible()


async def test_a_chat_that_was_deleted_is_gone_for_one_who_leaves_at_once(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Forget the gull")
        await tab.page.get_by_role("button", name="Delete “Forget the gull”").click()
        await expect(tab.page.get_by_text("Deleted.")).to_be_visible()
        await tab.open("/docs")

        async with asyncio.timeout(PATIENCE_S):
            while "Forget the gull" in await list_titles(site):
                await asyncio.sleep(0.05)


async def test_a_picture_comes_by_drop_and_paste(site: Site, window: Browser) -> None:
    site.model.answer("What are these?", [Say("two dots")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Hello")
        await expect(tab.page.locator(".usage")).to_be_visible()
        for count, way in enumerate(("drop", "paste"), 1):
            await tab.page.evaluate(GIVE_FILE, ["#message", way, DOT])
            await expect(tab.page.locator(".thumb img")).to_have_count(count)
        await ask(tab.page, "What are these?")

        await expect(tab.page.locator(".mine img")).to_have_count(2)
        await expect(tab.page.locator(".theirs .markdown").last).to_have_text("two dots")
        await tab.page.reload()
        await expect(tab.page.locator(".mine img")).to_have_count(2)


async def test_the_first_message_has_a_picture(site: Site, window: Browser) -> None:
    site.model.answer("What is this picture?", [Say("a dot")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await tab.page.evaluate(GIVE_FILE, ["#message", "drop", DOT])
        await expect(tab.page.locator(".thumb img")).to_be_visible()
        await ask(tab.page, "What is this picture?")

        await expect(tab.page.locator(".theirs .markdown")).to_have_text("a dot")
        await tab.page.reload()
        await expect(tab.page.locator(".mine img")).to_be_visible()
        await expect(tab.page.locator(".past").first).to_contain_text("What is this picture?")


async def test_the_picture_of_a_card_is_fetched_from_this_server(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.page.route(
            "**/api/v1/pictures/dot",
            lambda route: route.fulfill(body=PNG, content_type="image/png"),
        )
        for name, shows in (("dot", True), ("gone", False)):
            image = {"src": f"/api/v1/pictures/{name}", "alt": f"picture {name}"}
            show = Call("show_card", {"title": name, "image": image})
            site.model.answer(f"Show me {name}", [show], [Say(name)])
            tab.expected.append("Failed to load resource")
            await tab.open("/chat")
            await ask(tab.page, f"Show me {name}")
            await expect(tab.page.locator(".usage")).to_be_visible()

            card = tab.page.locator(".ui-card")
            await expect(card.get_by_role("img", name="picture dot")).to_have_count(int(shows))
            await expect(card.get_by_text("picture gone")).to_have_count(int(not shows))


async def test_every_node_of_a_card_is_drawn_and_its_button_asks(
    site: Site, window: Browser
) -> None:
    site.model.answer("The weather?", [Call("show_card", EVERY_HINT)], [Say("See the card.")])
    site.model.answer("How is the week after?", [Say("Rain.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "The weather?")
        card = tab.page.locator(".ui-card.warning")
        await expect(card.locator(".card-title")).to_have_text("The week ahead")
        await expect(card.locator(".badge")).to_have_text("SUNNY")
        await expect(card.locator(".card-body")).to_have_text("Mostly dry.")
        await expect(card.locator(".card-pairs")).to_have_text("PlaceLisbon")
        await expect(card.locator(".card-list li")).to_have_text(["Take a hat", "WednesdayWind"])
        await expect(card.get_by_role("table")).to_contain_text("24")
        await expect(card.get_by_role("progressbar")).to_have_attribute("value", "0.5")
        link = card.get_by_role("link", name="Source")
        await expect(link).to_have_attribute("href", "https://example.org/weather")
        await expect(tab.page.locator(".usage")).to_be_visible()
        await card.get_by_role("button", name="Next week?").click()

        await expect(tab.page.locator(".mine").last).to_have_text("How is the week after?")
        await expect(tab.page.locator(".theirs .markdown").last).to_have_text("Rain.")


WATCH_MICROPHONE = """(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    const allowed = new Promise((resolve) => (window.allow = resolve));
    navigator.mediaDevices.getUserMedia = async (wanted) => {
        window.microphone = await open(wanted);
        await allowed;
        return window.microphone;
    };
    const start = MediaRecorder.prototype.start;
    MediaRecorder.prototype.start = function () {
        window.recorder = this;
        start.call(this);
    };
})()"""
IS_OFF = "() => window.microphone.getTracks().every((track) => track.readyState === 'ended')"
HEAR = """async () => {
    for (;;) {
        const { data } = await new Promise((resolve) => {
            window.recorder.addEventListener('dataavailable', resolve, { once: true });
            window.recorder.requestData();
        });
        if (data.size) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}"""
"""Wait until there is sound in the recording: an empty one cannot be decoded."""


async def open_chat_with_microphone(tab: Tab) -> None:
    """The microphone opens when the page calls `allow`."""
    await tab.page.context.grant_permissions(["microphone"])
    await tab.page.add_init_script(WATCH_MICROPHONE)
    await tab.open("/chat")


async def test_spoken_words_are_added_to_the_field(
    hearing: tuple[Served, ScriptedRecogniser], window: Browser
) -> None:
    served, recogniser = hearing
    async with tab_in(window, served.url) as tab:
        await open_chat_with_microphone(tab)
        await tab.page.evaluate("() => window.allow()")
        field = tab.page.get_by_role("textbox", name="Write a message")
        await field.fill("Tell me")
        await tab.page.get_by_role("button", name="Speak instead of typing").click()
        await expect(tab.page.get_by_text("Listening…")).to_be_attached()
        await tab.page.evaluate(HEAR)
        await tab.page.get_by_role("button", name="Stop and transcribe").click()

        await expect(field).to_have_value("Tell me what was spoken")
        [(recording, language)] = recogniser.received
        assert recording[:4] + recording[8:12] == b"RIFFWAVE"
        assert int.from_bytes(recording[24:28], "little") == 16_000
        assert language == "en"


async def test_a_refused_microphone_is_told(
    hearing: tuple[Served, ScriptedRecogniser], window: Browser
) -> None:
    served, _ = hearing
    async with tab_in(window, served.url) as tab:
        await tab.page.add_init_script(
            "navigator.mediaDevices.getUserMedia = async () => { throw new Error('no') }"
        )
        await tab.open("/chat")
        await tab.page.get_by_role("button", name="Speak instead of typing").click()

        await expect(tab.page.get_by_role("alert")).to_contain_text("microphone")
        await expect(tab.page.get_by_role("button", name="Speak")).to_be_enabled()


async def test_a_microphone_that_cannot_be_recorded_is_turned_off(
    hearing: tuple[Served, ScriptedRecogniser], window: Browser
) -> None:
    served, _ = hearing
    async with tab_in(window, served.url) as tab:
        await open_chat_with_microphone(tab)
        await tab.page.evaluate(
            """() => {
                window.MediaRecorder = function () { throw new DOMException('no codec'); };
                window.allow();
            }"""
        )
        await tab.page.get_by_role("button", name="Speak instead of typing").click()

        await expect(tab.page.get_by_role("alert")).to_contain_text("microphone")
        await tab.page.wait_for_function(IS_OFF)


async def test_a_microphone_that_is_allowed_after_the_chat_was_left_is_turned_off(
    hearing: tuple[Served, ScriptedRecogniser], window: Browser
) -> None:
    served, _ = hearing
    async with tab_in(window, served.url) as tab:
        await open_chat_with_microphone(tab)
        await tab.page.get_by_role("button", name="Speak instead of typing").click()
        await tab.page.wait_for_function("() => window.microphone !== undefined")
        await tab.page.get_by_role("link", name="New chat").click()
        await expect(tab.page.get_by_role("button", name="Speak")).to_be_enabled()
        await tab.page.evaluate("() => window.allow()")

        await tab.page.wait_for_function(IS_OFF)


async def test_a_recording_that_the_browser_ended_is_read_and_lets_the_microphone_go(
    hearing: tuple[Served, ScriptedRecogniser], window: Browser
) -> None:
    served, _ = hearing
    async with tab_in(window, served.url) as tab:
        await open_chat_with_microphone(tab)
        await tab.page.evaluate("() => window.allow()")
        await tab.page.get_by_role("button", name="Speak instead of typing").click()
        await expect(tab.page.get_by_text("Listening…")).to_be_attached()
        await tab.page.evaluate(HEAR)
        await tab.page.evaluate(
            """() => new Promise((resolve) => {
                window.recorder.addEventListener('stop', resolve);
                window.recorder.stop();
            })"""
        )
        await tab.page.get_by_role("button", name="Stop and transcribe").click()

        field = tab.page.get_by_role("textbox", name="Write a message")
        await expect(field).to_have_value("what was spoken")
        await tab.page.wait_for_function(IS_OFF)
