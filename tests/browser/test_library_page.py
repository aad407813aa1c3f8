"""The library of stories: what is edited is what is stored and sent, and nothing typed is lost."""

import asyncio
import functools
import json

from playwright.async_api import Browser, Page, expect
from tests.browser.bound_model import Site
from tests.browser.driven import Tab, tab_in
from tests.browser.test_odd_input import make_worldbook, post
from tests.browser.test_page_states import hold
from tests.browser.test_stories_page import CARD, as_file
from tests.loose_json import JsonObject

BOTH_NAMES = {
    "uid": 0,
    "key": ["lamp"],
    "keys": ["lamp"],
    "content": "The lamp burns whale oil.",
    "enabled": True,
    "order": 10,
    "insertion_order": 10,
}
"""An entry as sites for cards write it: each field under the name in a book and that in a card."""
PRESET: JsonObject = {
    "prompts": [
        {"identifier": "main", "role": "system", "content": "Write."},
        {"identifier": "chatHistory", "marker": True},
    ],
    "prompt_order": [
        {
            "character_id": 100001,
            "order": [
                {"identifier": "main", "enabled": True},
                {"identifier": "chatHistory", "enabled": True},
            ],
        }
    ],
}


async def get(site: Site, path: str) -> JsonObject:
    async with site.http.get(site.url + path) as answer:
        decoded: JsonObject = await answer.json()
        return decoded


async def begin_story(site: Site, path: str, asset: str) -> str:
    """A story with Mara and one more asset."""
    made = await post(site, "/import/character", {"payload": CARD, "create_session": True})
    story = str(made["data"]["session"]["id"])
    await site.http.patch(f"{site.url}/sessions/{story}", json={path: asset})
    return story


async def list_messages(site: Site, story: str, text: str) -> list[str]:
    """The prompt of a message, as texts."""
    dry = await post(site, f"/sessions/{story}/respond/dry-run", {"message": text})
    return [message["content"] for message in dry["data"]["messages"]]


async def open_asset(tab: Tab, kind: str, asset: str) -> None:
    await tab.open(f"/stories/library/{kind}/{asset}")
    await expect(tab.page.locator(".editor")).to_be_visible()


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Save a version").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()


async def test_an_entry_that_is_switched_off_is_not_sent(site: Site, window: Browser) -> None:
    made = await post(site, "/worldbooks", {"name": "Pier", "data": {"entries": {"0": BOTH_NAMES}}})
    book = str(made["data"]["id"])
    story = await begin_story(site, "worldbook_profile_id", book)
    assert sum("whale oil" in text for text in await list_messages(site, story, "A lamp?")) == 1
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "worldbook", book)
        await tab.page.locator(".entry summary").click()
        await tab.page.get_by_label("Switched on").uncheck()
        await tab.page.get_by_label("Order").fill("7")
        await tab.page.get_by_label("Keys").fill("pier, /lamps{1,2}, too/i")
        await save(tab.page)

    entry = (await get(site, f"/worldbooks/{book}"))["data"]["data"]["entries"]["0"]
    assert entry == BOTH_NAMES | {
        "enabled": False,
        "order": 7,
        "insertion_order": 7,
        "key": ["pier", "/lamps{1,2}, too/i"],
        "keys": ["pier", "/lamps{1,2}, too/i"],
    }


async def test_an_entry_with_the_names_of_a_card_is_shown_whole(
    site: Site, window: Browser
) -> None:
    entry = {"id": 0, "keys": ["oil"], "content": "Whale oil.", "enabled": False}
    data = {"entries": [entry | {"insertion_order": 5}]}
    made = await post(site, "/worldbooks", {"name": "Card", "data": data})
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "worldbook", made["data"]["id"])
        await tab.page.locator(".entry summary").click()

        await expect(tab.page.get_by_label("Keys")).to_have_value("oil")
        await expect(tab.page.get_by_label("Order")).to_have_value("5")
        await expect(tab.page.get_by_label("Switched on")).not_to_be_checked()


async def test_a_greeting_keeps_its_rules(site: Site, window: Browser) -> None:
    """A line with --- is a rule of Markdown, as many cards have it."""
    greetings = ["It rains.\n---\nHour: 9", "It snows."]
    card = {**CARD, "data": {**CARD["data"], "alternate_greetings": greetings}}  # type: ignore[dict-item]
    made = await post(site, "/import/character", {"payload": card})
    mara = made["data"]["character_id"]
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "character", mara)
        await tab.page.get_by_role("textbox", name="Other greetings 2").fill("It hails.")
        await tab.page.get_by_role("button", name="Add another").click()
        await tab.page.get_by_role("textbox", name="Other greetings 3").fill("Fog.")
        await save(tab.page)
        stored = (await get(site, f"/characters/{mara}"))["data"]["data"]["data"]
        assert stored["alternate_greetings"] == [greetings[0], "It hails.", "Fog."]
        await tab.page.get_by_role("button", name="Delete “Other greetings 2”").click()
        await save(tab.page)

    stored = (await get(site, f"/characters/{mara}"))["data"]["data"]["data"]
    assert stored["alternate_greetings"] == [greetings[0], "Fog."]


async def test_json_that_is_not_whole_yet_stays_as_it_was_typed(
    site: Site, window: Browser
) -> None:
    book = await make_worldbook(site, 1)
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "worldbook", book)
        await tab.page.get_by_text("The whole file as JSON").click()
        field = tab.page.locator(".json")
        typed = (await field.input_value()).replace("content 0", "a long evening of work")
        await field.fill(typed[:-1])
        await field.blur()
        await expect(tab.page.get_by_role("alert")).to_contain_text("not JSON yet")
        await expect(field).to_have_value(typed[:-1])
        await field.fill(typed)
        await field.blur()
        await save(tab.page)

    stored = (await get(site, f"/worldbooks/{book}"))["data"]["data"]
    assert stored == json.loads(typed)


async def test_what_is_not_saved_is_there_again(site: Site, window: Browser) -> None:
    made = await post(site, "/import/character", {"payload": CARD})
    mara = made["data"]["character_id"]
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await open_asset(tab, "character", mara)
        scenario = tab.page.get_by_label("Scenario")
        await scenario.fill("A storm.")
        await tab.page.get_by_role("link", name="Presets").click()
        await tab.page.go_back()
        await expect(scenario).to_have_value("A storm.")
        await tab.page.reload()
        await expect(scenario).to_have_value("A storm.")
        await expect(tab.page.get_by_text("Not saved yet.")).to_be_visible()
        data = {**CARD, "data": {**CARD["data"], "personality": "Calm."}}  # type: ignore[dict-item]
        await site.http.patch(f"{site.url}/characters/{mara}", json={"data": data})
        await tab.page.reload()
        await expect(scenario).to_have_value("A storm.")
        await tab.page.get_by_role("button", name="Save a version").click()
        alert = tab.page.get_by_role("alert")
        await expect(alert).to_contain_text("saved a newer version")
        await alert.get_by_role("button").click()
        await expect(tab.page.get_by_label("Personality")).to_have_value("Calm.")
        await tab.page.reload()

        await expect(tab.page.get_by_label("Personality")).to_have_value("Calm.")
        await expect(scenario).to_have_value("")


async def test_what_is_typed_while_a_version_is_saved_stays(site: Site, window: Browser) -> None:
    made = await post(site, "/import/character", {"payload": CARD})
    release = asyncio.Event()
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "character", made["data"]["character_id"])
        await tab.page.route("**/characters/*", functools.partial(hold, release))
        scenario = tab.page.get_by_label("Scenario")
        await scenario.fill("A storm.")
        button = tab.page.get_by_role("button", name="Save a version")
        await button.click()
        await scenario.fill("A storm from the north.")
        await expect(button).to_be_disabled()
        release.set()
        await expect(tab.page.get_by_text("Version 2").first).to_be_visible()

        await expect(scenario).to_have_value("A storm from the north.")
        await save(tab.page)
        await expect(tab.page.get_by_text("Version 3").first).to_be_visible()


async def test_an_entry_that_is_added_to_a_preset_is_sent(site: Site, window: Browser) -> None:
    made = await post(site, "/presets", {"name": "Pier", "data": PRESET})
    preset = str(made["data"]["id"])
    story = await begin_story(site, "preset_id", preset)
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "preset", preset)
        await tab.page.get_by_role("button", name="Add an entry").click()
        await tab.page.locator(".entry summary").last.click()
        await tab.page.locator(".entry textarea").last.fill("Speak as sailors do.")
        await save(tab.page)
        assert "Speak as sailors do." in await list_messages(site, story, "Hello.")
        await tab.page.get_by_role("button", name="Delete entry entry-3").click()
        await save(tab.page)

    assert (await get(site, f"/presets/{preset}"))["data"]["data"] == PRESET


async def test_an_entry_of_a_preset_is_switched_off_and_on(site: Site, window: Browser) -> None:
    """In the track that SillyTavern's own list shows, not in the older one beside it."""
    older = {**PRESET["prompt_order"][0], "character_id": 100000}
    data = {**PRESET, "prompt_order": [older, *PRESET["prompt_order"]]}
    made = await post(site, "/presets", {"name": "Pier", "data": data})
    preset = str(made["data"]["id"])
    story = await begin_story(site, "preset_id", preset)
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "preset", preset)
        await tab.page.locator(".entry summary", has_text="main").click()
        switch = tab.page.locator(".entry", has_text="main").get_by_label("Switched on")
        await switch.uncheck()
        await save(tab.page)
        assert "Write." not in await list_messages(site, story, "Hello.")
        await expect(tab.page.locator(".entry .left-out")).to_have_text("main")
        await switch.check()
        await save(tab.page)

    assert "Write." in await list_messages(site, story, "Hello.")
    assert (await get(site, f"/presets/{preset}"))["data"]["data"] == data


async def test_a_new_preset_sends_card_and_history(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories/library/preset")
        await tab.page.get_by_role("button", name="Make a new one").click()
        await expect(tab.page.locator(".editor")).to_be_visible()
        story = await begin_story(site, "preset_id", tab.page.url.rpartition("/")[2])

    whole = "\n".join(await list_messages(site, story, "Hello."))
    for text in (
        "Write Mara's next reply",
        "Mara keeps the lighthouse.",
        "Who is there?",
        "Hello.",
    ):
        assert text in whole


async def test_a_number_is_read_with_a_comma_and_kept_from_letters(
    site: Site, window: Browser
) -> None:
    made = await post(site, "/presets", {"name": "Pier", "data": {**PRESET, "temperature": 1}})
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "preset", made["data"]["id"])
        field = tab.page.get_by_label("Temperature")
        await field.fill("0,7")
        await field.fill("0,7 or so")
        await expect(field).to_have_attribute("aria-invalid", "true")
        await save(tab.page)

    stored = await get(site, f"/presets/{made['data']['id']}")
    assert stored["data"]["data"]["temperature"] == 0.7


async def test_an_asset_is_renamed_and_its_deletion_taken_back(site: Site, window: Browser) -> None:
    book = await make_worldbook(site, 1)
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "worldbook", book)
        await tab.page.locator(".entry summary").click()
        await tab.page.locator(".entry textarea").fill("not saved")
        await tab.page.get_by_label("Name", exact=True).fill("Harbour")
        await tab.page.get_by_label("Name", exact=True).press("Enter")
        await expect(tab.page.get_by_role("heading", name="Harbour")).to_be_attached()
        await expect(tab.page.locator(".entry textarea")).to_have_value("not saved")
        remove = tab.page.locator(".asset").get_by_role("button", name="Delete", exact=True)
        await remove.click()
        await expect(tab.page.locator(".editor")).to_have_count(0)
        await tab.page.get_by_role("button", name="Undo").click()
        await expect(tab.page.locator(".entry textarea")).to_have_value("not saved")
        await tab.open(f"/stories/library/worldbook/{book}")
        await expect(tab.page.get_by_role("heading", name="Harbour")).to_be_attached()
        await remove.click()
        await tab.page.wait_for_url("**/stories/library/worldbook")

    async with site.http.get(f"{site.url}/worldbooks/{book}") as answer:
        assert answer.status == 404


async def test_an_asset_that_is_deleted_is_not_in_the_list(site: Site, window: Browser) -> None:
    book, other = await make_worldbook(site, 3), await make_worldbook(site, 4)
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "worldbook", book)
        await tab.page.locator(".asset").get_by_role("button", name="Delete", exact=True).click()
        await tab.page.get_by_role("link", name="Worldbooks").click()

        await expect(tab.page.locator(f"a[href$='{other}']")).to_be_visible()
        await expect(tab.page.locator(f"a[href$='{book}']")).to_have_count(0)


async def test_files_after_a_wrong_one_are_imported_and_the_wrong_one_is_named(
    site: Site, window: Browser
) -> None:
    cards = [
        as_file(f"{name}.json", {"name": name, "description": "", "first_mes": "Hi."})
        for name in ("Nell", "Odo")
    ]
    theme = as_file("theme.json", {"blur_strength": 1})
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories/library/character")
        files = tab.page.locator(".library input[type=file]")
        await files.set_input_files([cards[0], theme, cards[1]])  # type: ignore[arg-type]

        await expect(tab.page.get_by_role("alert")).to_contain_text("theme.json: The file is JSON")
        await expect(tab.page.get_by_role("heading", name="Odo")).to_be_visible()
        await tab.open("/stories/library/character")
        for name in ("Nell", "Odo"):
            await expect(tab.page.locator(".asset-link", has_text=name)).to_be_visible()


async def test_a_search_has_as_many_letters_as_the_server_takes(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/stories/library/character")
        field = tab.page.get_by_role("searchbox", name="Search by name")
        await field.fill("x" * 100_000)
        await expect(tab.page.get_by_text("No title has these words.")).to_be_visible()

        await expect(tab.page.get_by_role("alert")).to_have_count(0)


async def test_the_inspector_names_the_entries_of_a_preset(site: Site, window: Browser) -> None:
    """SillyTavern gives an entry of one's own an identifier that nobody knows."""
    style = "3f2a7c1e-aaaa-4bbb-8ccc-123456789abc"
    prompts = [
        *PRESET["prompts"],
        {"identifier": style, "name": "Style rules", "content": "Write tersely."},
    ]
    made = await post(site, "/presets", {"name": "Pier", "data": {"prompts": prompts}})
    story = await begin_story(site, "preset_id", made["data"]["id"])
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/stories/{story}?panel=prompt&dry=1")
        await tab.page.locator("#message").fill("Hello.")

        await expect(tab.page.locator(".prompt")).to_contain_text("preset: Style rules")
        await expect(tab.page.locator(".legend")).to_contain_text("Style rules")
        assert style not in await tab.page.locator(".panel").inner_text()


async def test_a_script_that_changes_nothing_here_says_so(site: Site, window: Browser) -> None:
    scripts = [
        {"scriptName": name, "findRegex": "/a/", "placement": [2], "markdownOnly": is_display}
        for name, is_display in (("Glow", True), ("Tidy", False))
    ]
    made = await post(site, "/regex-profiles", {"name": "Looks", "data": scripts})
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "regex", made["data"]["id"])
        for entry in await tab.page.locator(".entry summary").all():
            await entry.click()

        note = tab.page.locator(".entry", has_text="Glow").get_by_text("only changes how")
        await expect(note).to_be_visible()
        await expect(tab.page.get_by_text("only changes how")).to_have_count(1)


async def test_a_story_shows_the_asset_that_was_deleted_and_all_others(
    site: Site, window: Browser
) -> None:
    made = await post(site, "/presets", {"name": "Old pier", "data": PRESET})
    story = await begin_story(site, "preset_id", made["data"]["id"])
    await site.http.delete(f"{site.url}/presets/{made['data']['id']}")
    for number in range(201):
        await post(site, "/presets", {"name": f"z{number:03}", "data": PRESET})
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/stories/{story}?panel=settings")
        choice = tab.page.locator(".settings label", has_text="Preset").locator("select")

        await expect(choice.locator(":checked")).to_have_text("Old pier (deleted)")
        await expect(choice.locator("option", has_text="z200")).to_have_count(1)


async def test_a_story_keeps_its_character_until_the_newest_is_taken(
    site: Site, window: Browser
) -> None:
    made = await post(site, "/import/character", {"payload": CARD, "create_session": True})
    story = f"/stories/{made['data']['session']['id']}"
    async with tab_in(window, site.url) as tab:
        await open_asset(tab, "character", made["data"]["character_id"])
        await tab.page.get_by_label("Name", exact=True).fill("Nell")
        await save(tab.page)
        await tab.open(f"{story}?panel=settings")
        await expect(tab.page.locator(".reply .speaker")).to_contain_text("Mara")
        note = tab.page.get_by_text("The story uses version 1 of the character; the newest is 2.")
        await note.get_by_role("button", name="Take the newest").click()

        await expect(note).to_have_count(0)
        await expect(tab.page.locator(".reply .speaker")).to_contain_text("Nell")
