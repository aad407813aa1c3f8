"""What the README says that no other product has, each in a real browser."""

from playwright.async_api import Browser, expect
from tests.browser.bound_model import Site
from tests.browser.driven import tab_in
from tests.loose_json import JsonObject
from tests.serving import run_body

from yarrow.llm.scripted import Say, Spend

CAST: JsonObject = {
    "divinationMethod": "手动起卦",
    "questionType": "事业",
    "question": "Shall I go?",
    "divinationTimeIso": "2026-01-21T10:30:00+08:00",
    "yaoLines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
}
CSV = "region,revenue\nnorth,10\nsouth,20\nwest,30\n"


async def post(site: Site, path: str, body: JsonObject) -> JsonObject:
    async with site.http.post(site.url + path, json=body) as answer:
        assert answer.status < 300, await answer.text()
        decoded: JsonObject = await answer.json()
        return decoded


async def begin_story(site: Site, name: str) -> str:
    body = {"payload": {"name": name, "first_mes": "Hello."}, "create_session": True}
    return str((await post(site, "/import/character", body))["data"]["session"]["id"])


async def test_the_state_is_shown_as_each_turn_left_it(site: Site, window: Browser) -> None:
    site.model.answer("Go on.", [Say("One.")], [Say("Two.")])
    story = await begin_story(site, "Mara")
    await post(site, f"/sessions/{story}/state/namespaces", {"namespace": "bag"})
    for coins in (3, 5):
        write = {"namespace": "bag", "slot": "coins", "value": coins}
        body = {"message": "Go on.", "session_state_writes": [write]}
        await post(site, f"/sessions/{story}/respond", body)
    async with tab_in(window, site.url) as tab:
        await tab.open(f"/stories/{story}")
        for number, coins in ((1, 3), (2, 5)):
            turn = tab.page.get_by_role("article", name=f"Turn {number}", exact=True)
            await turn.get_by_role("button", name="Stand here").click()
            await expect(tab.page.locator(".panel .values").last).to_have_text(
                f"bag / coins{coins}"
            )
        await tab.page.get_by_label("Stand on").select_option(label="Turn 1")
        await tab.page.reload()

        await expect(tab.page.locator(".panel .values").last).to_have_text("bag / coins3")


async def test_tokens_and_points_beside_each_turn_add_up_to_the_ledger(
    served: Site, window: Browser
) -> None:
    caller = await served.account()
    served.model.answer("Count", [Say("One."), Spend(1_000, 500)])
    served.model.answer("Count", [Say("Two."), Spend(2_000, 100)])
    token = caller.headers["Authorization"].removeprefix("Bearer ")
    async with tab_in(window, served.url) as tab:
        await tab.page.add_init_script(f"sessionStorage.setItem('yarrow.token', '{token}')")
        await tab.open("/chat")
        for number, tokens in ((1, "1,500"), (2, "2,100")):
            await tab.page.fill("#message", "Count")
            await tab.page.press("#message", "Enter")
            await expect(tab.page.locator(".usage")).to_have_count(number)
            await expect(tab.page.locator(".usage").last).to_contain_text(
                f"20 points · {tokens} tokens"
            )
        await tab.open("/account")

        charges = tab.page.locator(".ledger tbody tr", has_text="−20")
        await expect(charges).to_have_count(2)
        await expect(charges.first).to_contain_text("2,000 tokens in, 100 out")
        await expect(charges.last).to_contain_text("1,000 tokens in, 500 out")
        spent = tab.page.locator(".figures div", has_text="Spent so far")
        await expect(spent.locator("dd").first).to_have_text("40")


async def test_sessions_of_four_agents_are_one_history(site: Site, window: Browser) -> None:
    for props in ({}, {"runtime_mode": "chat", "divinationPayload": CAST}):
        body = run_body(CAST["question"], forwardedProps=props)
        await post(site, "/api/v1/agent/runs", body)
    story = await begin_story(site, "Luna")
    site.model.answer("Who is Luna?", [Say("A ferry.")])
    await post(site, f"/sessions/{story}/respond", {"message": "Who is Luna?"})
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        file = {"name": "four.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
        await tab.page.locator(".drop input").set_input_files(file)  # type: ignore[arg-type]
        await expect(tab.page.get_by_role("region", name="four", exact=True)).to_be_visible()
        await tab.page.locator("#data-question").fill("revenue by region")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator("img.chart")).to_be_visible()
        await tab.open("/")

        for name, page in (
            ("Divination", "/liuyao/"),
            ("Chat", "/chat/"),
            ("Data", "/data/"),
            ("Story", "/stories/"),
        ):
            row = tab.page.locator(f".session-link[href^='{page}']").first
            await expect(row).to_contain_text(name)
