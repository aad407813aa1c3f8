"""Past sessions in a real browser: found by words in their messages, deleted, more of them."""

import asyncio
import re
from uuid import UUID

from playwright.async_api import Browser, Page, Route, expect
from tests.browser.bound_model import Site
from tests.browser.driven import PHONE, WIDE, tab_in
from tests.serving import Caller, run_body
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Say

MANY = 130
PAINT = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_COPY_CHAT = """
WITH copied AS (
    INSERT INTO sessions (id, user_id, title, last_activity_at)
    SELECT gen_random_uuid(), user_id, 'chat ' || n, now() - n * interval '1 hour'
    FROM sessions, generate_series(1, $2::int) n WHERE id = $1 RETURNING id
)
INSERT INTO runs (id, account_id, session_id, branch_id, turn_id, key, digest, input,
                  agent, status, price, ended_at)
SELECT gen_random_uuid(), r.account_id, c.id, r.branch_id, r.turn_id, r.key, r.digest, r.input,
       r.agent, r.status, r.price, r.ended_at
FROM runs r, copied c WHERE r.session_id = $1
"""


async def ask(page: Page, text: str) -> None:
    await page.get_by_role("textbox", name="Write a message").fill(text)
    await page.keyboard.press("Enter")
    await expect(page.locator(".usage")).to_be_visible()


async def test_a_chat_is_found_by_words_of_its_answer(site: Site, window: Browser) -> None:
    site.model.answer("Which one stays young?", [Say("It is <b>the [axolotl]</b>, of course.")])
    async with tab_in(window, site.url) as tab:
        await tab.open("/chat")
        await ask(tab.page, "Which one stays young?")
        chat = tab.page.url
        await tab.open("/chat")
        search = tab.page.get_by_role("searchbox", name="Search chats")
        await search.fill("[AXOLOTL]  course")

        found = tab.page.locator(".found")
        await expect(found.locator("mark").first).to_have_text("[axolotl]")
        await expect(found.locator(".snippet")).to_have_text(
            "It is <b>the [axolotl]</b>, of course."
        )
        await expect(tab.page.get_by_text("No title has these words.")).to_be_visible()
        await found.click()
        await expect(tab.page).to_have_url(chat)
        await search.fill("wombat 袋熊")
        await expect(tab.page.get_by_text("No message has these words.")).to_be_visible()


async def test_the_start_page_finds_sessions_of_all_agents(site: Site, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/liuyao")
        await tab.page.fill("#question", "Will the kingfisher return?")
        await tab.page.get_by_text("Typed lines").click()
        await tab.page.fill("#typed", "7 8 9 8 7 6")
        await tab.page.locator(".compose .primary").click()
        await tab.page.locator(".sign-level").wait_for()
        board = tab.page.url
        await tab.open("/")
        await tab.page.get_by_role("searchbox", name="Search all sessions").fill("kingfisher")

        await expect(tab.page.locator(".found .session-kind")).to_contain_text("Divination")
        for scheme, size in (("light", WIDE), ("dark", PHONE)):
            await tab.look(scheme, size)
            assert not await tab.find_violations()
            assert await tab.too_wide() <= 0
        await tab.page.locator(".found").click()
        await expect(tab.page).to_have_url(board)


async def make_chats(served: Site, caller: Caller) -> None:
    """Copy a chat many times, and make as many newer sessions without a run."""
    body = run_body("the first of many")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    async with served.product.database.transaction() as tx:
        await tx.execute(_COPY_CHAT, UUID(body["threadId"]), MANY)
        await tx.execute(
            "INSERT INTO sessions (id, user_id, title) SELECT gen_random_uuid(), $1, 'no chat'"
            " FROM generate_series(1, $2::int)",
            UUID(caller.id),
            2 * MANY,
        )


async def test_chats_behind_many_other_sessions_are_listed(served: Site, window: Browser) -> None:
    caller = await served.account()
    await make_chats(served, caller)
    async with tab_in(window, served.url) as tab:
        token = caller.headers["Authorization"].removeprefix("Bearer ")
        await tab.page.add_init_script(f"sessionStorage.setItem('yarrow.token', '{token}')")
        await tab.open("/chat")
        await expect(tab.page.locator(".past").first).to_be_visible()
        more = tab.page.get_by_role("button", name="Show earlier ones")
        clicked, responses = asyncio.Event(), asyncio.Semaphore(0)

        async def answer(route: Route) -> None:
            await clicked.wait()
            await route.fulfill(response=await route.fetch())
            responses.release()

        await tab.page.route("**/api/v1/sessions?*after=*", answer)
        await more.dblclick()
        clicked.set()
        async with asyncio.timeout(PATIENCE_S):
            await responses.acquire()
            await responses.acquire()
        await tab.page.evaluate(PAINT)

        await expect(tab.page.locator(".past")).to_have_count(MANY + 1)
        await expect(more).to_have_count(0)


async def test_a_question_is_removed_from_the_trail_with_time_to_undo(
    site: Site, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        table = {
            "name": "birds.csv",
            "mimeType": "text/csv",
            "buffer": b"bird,count\nauk,3\ntit,5\n",
        }
        await tab.page.locator(".drop input").set_input_files(table)  # type: ignore[arg-type]
        await tab.page.locator("#data-question").fill("count by bird")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator("img.chart")).to_be_visible()
        remove = tab.page.get_by_role("button", name="Delete “count by bird”")
        await remove.click()
        await expect(remove).to_have_count(0)
        await tab.page.get_by_role("button", name="Undo").click()
        await expect(remove).to_be_visible()
        await remove.click()

        await expect(tab.page).to_have_url(re.compile("/data$"))
        await expect(tab.page.locator("img.chart")).to_have_count(0)
        await tab.page.reload()
        await expect(tab.page.locator("#table-name")).to_be_visible()
        await expect(remove).to_have_count(0)
