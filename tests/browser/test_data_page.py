"""Data in a real browser: from a file to a chart, and files that are none."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, FilePayload, Page, Route, expect
from tests.browser.driven import PHONE, tab_in
from tests.browser.test_past_sessions import PAINT
from tests.serving import Served
from tests.waiting import PATIENCE_S

CSV = "month,region,revenue\n2026-01,north,10\n2026-01,south,20\n2026-02,north,30\n"

PASTE = """([text, name, picture]) => {
    const clipboardData = new DataTransfer();
    if (name) clipboardData.items.add(new File([text], `${name}.csv`));
    else clipboardData.setData('text/plain', text);
    if (picture) clipboardData.items.add(new File(['cells'], 'image.png', {type: picture}));
    const options = {clipboardData, bubbles: true, cancelable: true};
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', options));
}"""
PASTE_INTO_TEXTAREA = """(text) => {
    const clipboardData = new DataTransfer(), field = document.createElement('textarea');
    clipboardData.setData('text/plain', text);
    document.body.append(field);
    const options = {clipboardData, bubbles: true, cancelable: true};
    const isTaken = !field.dispatchEvent(new ClipboardEvent('paste', options));
    field.remove();
    return isTaken;
}"""


def payload(name: str, text: str | bytes) -> FilePayload:
    data = text.encode() if isinstance(text, str) else text
    return {"name": name, "mimeType": "text/csv", "buffer": data}


async def give(page: Page, name: str, text: str | bytes = CSV) -> None:
    await page.locator(".drop input").set_input_files(payload(name, text))


async def list_tables(site: Served) -> set[str]:
    async with site.http.get(f"{site.url}/api/tables/list-tables") as answer:
        return {table["name"] for table in (await answer.json())["data"]["tables"]}


async def test_a_file_becomes_a_table_a_profile_and_a_chart(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "sales.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("sales")
        await expect(tab.page.locator(".profile").nth(2)).to_contain_text("10 – 30")
        await expect(tab.page.locator(".suggestions .chip")).to_have_count(4)
        await tab.page.locator("#data-question").fill("revenue by region")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator("img.chart")).to_be_visible()
        await expect(tab.page.locator(".made-by pre")).to_contain_text("SELECT")
        await tab.page.reload()

        await expect(tab.page.locator("img.chart")).to_be_visible()
        await expect(tab.page.locator(".table-link[aria-current]").last).to_contain_text("revenue")
        await expect(tab.page.locator(".usage")).to_contain_text(" s")


async def test_one_cell_is_told_in_the_singular(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "odd.csv", "v\n1\n2\n300-\n")

        notes = tab.page.locator(".read-notes")
        await expect(notes).to_contain_text("v: left as text, because 1 of 3 cells is no number")


async def test_an_estimated_number_of_values_is_not_shown_as_counted(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        rows = "".join(f"{n},{n % 7}\n" for n in range(200_001))
        await give(tab.page, "large.csv", f"id,weekday\n{rows}")

        profiles = tab.page.locator(".profile")
        await expect(profiles.first).to_contain_text(re.compile(r"about \d{3},\d{3} different"))
        await expect(profiles.last.locator("p").first).to_have_text("7 different values")


async def test_cells_and_files_are_pasted_and_a_long_name_stays_on_a_phone(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.open("/data")
        await tab.page.locator(".drop").first.wait_for()
        cells = CSV.replace(",", "\t")
        assert not await tab.page.evaluate(PASTE_INTO_TEXTAREA, cells)
        await tab.page.evaluate(PASTE, [cells, "", "image/png"])
        await expect(tab.page.locator("#table-name")).to_have_text(re.compile("^pasted_"))
        await tab.page.locator("#data-question").fill("asked")
        await tab.page.evaluate(PASTE, [CSV, "long_" * 12])

        await expect(tab.page.locator("#table-name")).to_have_text(re.compile("^long_long"))
        await expect(tab.page.locator("#data-question")).to_have_value("asked")
        assert await tab.too_wide() <= 0


async def test_a_question_waits_for_the_file_and_is_asked_once(
    site: Served, window: Browser
) -> None:
    released, asked = asyncio.Event(), []

    async def hold(route: Route) -> None:
        await released.wait()
        await route.continue_()

    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "first.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("first")
        tab.page.on("request", lambda request: asked.append(request.url))
        await tab.page.route("**/api/tables/create-table", hold)
        await give(tab.page, "second.csv", "city,people\nOslo,7\nRome,28\n")
        await tab.page.locator("#data-question").fill("people by city")
        for _ in range(2):
            await tab.page.locator("#data-question").press("Enter")
        await give(tab.page, "third.csv")
        released.set()

        await expect(tab.page.locator("img.chart")).to_be_visible()
        await expect(tab.page.locator(".made-by pre")).to_contain_text("people")
        await expect(tab.page.locator(".table-link", has_text="third")).to_be_visible()
        assert len([url for url in asked if "/data-agent-streaming" in url]) == 1


async def test_a_question_whose_response_is_lost_is_asked_once(
    site: Served, window: Browser
) -> None:
    async def lose_response(route: Route) -> None:
        await route.fetch()
        await route.abort()

    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource: net::ERR_FAILED")
        await tab.open("/data")
        await give(tab.page, "trips.csv", "city,trips\nOslo,7\nRome,28\n")
        await expect(tab.page.locator("#table-name")).to_have_text("trips")
        await tab.page.route("**/data-agent-streaming*", lose_response, times=1)
        await tab.page.locator("#data-question").fill("trips by city")
        await tab.page.keyboard.press("Enter")

        await expect(tab.page.locator("img.chart")).to_be_visible()
        await expect(tab.page.locator(".table-link", has_text="trips by city")).to_have_count(1)


async def test_a_question_that_is_refused_for_long_is_left_to_the_reader(
    site: Served, window: Browser
) -> None:
    keys: list[str] = []

    async def refuse(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        wait = {"retry-after": "600"} if len(keys) == 7 else {}
        await route.fulfill(status=503, headers=wait, json={"error": {"code": "INTERNAL_ERROR"}})

    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource: the server responded with a status of 503")
        await tab.page.clock.install()
        await tab.open("/data")
        await give(tab.page, "ferries.csv", "city,trips\nOslo,7\nRome,28\n")
        await tab.page.route("**/data-agent-streaming*", refuse, times=7)
        await tab.page.locator("#data-question").fill("trips by city")
        await tab.page.keyboard.press("Enter")
        told = tab.page.locator(".results [role=status]").first
        for count in range(2, 7):  # the sixth attempt by itself is the last one
            await expect(told).to_contain_text(str(count))
            await tab.page.clock.fast_forward(9000)
        again = tab.page.get_by_role("alert").get_by_role("button")
        await again.click()  # asked to wait for ten minutes, the page does not try by itself
        await again.click()

        await expect(tab.page.locator("img.chart")).to_be_visible()
        assert len(keys) == 7
        assert len(set(keys)) == 1


async def test_a_late_profile_of_an_earlier_table_is_not_shown_for_this_one(
    site: Served, window: Browser
) -> None:
    released, answered = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        is_late = "earlier" in (route.request.post_data or "")
        if is_late:
            await released.wait()
        await route.fulfill(response=await route.fetch())
        if is_late:
            answered.set()

    async with tab_in(window, site.url) as tab:
        await tab.page.route("**/api/tables/analyze", hold)
        await tab.open("/data")
        await give(tab.page, "earlier.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("earlier")
        await give(tab.page, "later.csv", "year\n1979\n1982\n")
        await expect(tab.page.locator(".profile")).to_contain_text(["1979 – 1982"])
        released.set()
        async with asyncio.timeout(PATIENCE_S):
            await answered.wait()
        await tab.page.evaluate(PAINT)

        await expect(tab.page.locator(".profile")).to_contain_text(["1979 – 1982"])


async def test_years_small_numbers_and_other_encodings_are_shown_as_they_are(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "cars.csv", "year,share,sold\n1979,0.12345,1234567\n1982,0.5,20\n")

        for text in ("1979", "0.12345", "1,234,567"):
            await expect(tab.page.get_by_role("cell", name=text, exact=True)).to_be_visible()
        await expect(tab.page.locator(".profile").first).to_contain_text("1979 – 1982")
        await give(
            tab.page, "cities.csv", "城市,金额\n北京,10\n上海,20\n广州,30\n".encode("gb18030")
        )

        await expect(tab.page.locator("th", has_text="城市")).to_be_visible()


async def test_what_was_assumed_of_a_file_is_shown_also_after_a_reload(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "dates.csv", "day,share\n01/02/2026,12%\n03/04/2026,5%\n")
        notes = tab.page.locator(".read-notes li")
        await expect(notes).to_have_count(2)
        await tab.page.reload()

        await expect(notes.first).to_contain_text("day/month/year")
        await expect(notes.last).to_contain_text("in percent")


async def test_notes_and_refusals_are_in_the_language_of_the_page(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.open("/data")
        await give(tab.page, "dates.csv", "day,share,a,a\n01/02/2026,12%,x,y\n03/04/2026,5%,z,w\n")

        notes = tab.page.locator(".read-notes li")
        await expect(notes).to_contain_text(
            [
                "已更改列名：a 改为 a_2",
                "day：日期按日/月/年读取，依照 YARROW_TABLE_DATE_ORDER 设置",
                "share：12% 这样的文本按数字读取（12），单位为百分比",
            ]
        )
        await expect(tab.page.locator(".read-notes [lang]")).to_have_count(0)
        await give(tab.page, "page.csv", "<!doctype html><p>no table</p>")
        alert = tab.page.get_by_role("alert")
        await expect(alert).to_contain_text("无法把此文件读作表格：文件是网页，不是表格")


async def test_a_warning_is_in_the_language_of_the_page_and_an_answer_in_its_own(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.open("/data")
        await give(tab.page, "gone.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("gone")
        await give(tab.page, "kept.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("kept")
        await tab.page.get_by_role("link", name="gone").click()
        gone = {"table_name": "gone"}
        await tab.page.request.post(f"{site.url}/api/tables/delete-table", data=gone)
        await tab.page.locator("#data-question").fill("average revenue by region")
        await tab.page.keyboard.press("Enter")

        note = tab.page.locator(".results [role=note]").first
        await expect(note).to_contain_text("此问题的一张表无法读取，可能已被删除")
        await expect(tab.page.locator("h1.question")).to_have_attribute("lang", "en")


async def test_notes_of_older_versions_are_shown_as_they_are_stored(
    site: Served, window: Browser
) -> None:
    async def forget_parts(route: Route) -> None:
        answer = await route.fetch()
        body = await answer.json()
        for table in body["data"].get("tables", [body["data"]]):
            (table.get("source_metadata") or table).pop("note_details", None)
        await route.fulfill(response=answer, json=body)

    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.page.route("**/api/tables/*-tables", forget_parts)
        await tab.page.route("**/api/tables/analyze", forget_parts)
        await tab.open("/data")
        await give(tab.page, "share.csv", "share\n12%\n5%\n")

        await expect(tab.page.locator(".profile")).to_have_count(1)
        note = tab.page.locator(".read-notes li")
        await expect(note).to_contain_text("text such as 12% was read as a number")
        await expect(note).to_have_attribute("lang", "en")


@pytest.mark.parametrize(
    ("name", "text"), [("page.csv", "<!doctype html><p>no table</p>"), ("empty.csv", "")]
)
async def test_a_file_that_is_no_table_is_said_in_words(
    site: Served, window: Browser, name: str, text: str
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, name, text)

        await expect(tab.page.get_by_role("alert")).to_be_visible()
        assert len(await tab.page.get_by_role("alert").inner_text()) > 20


async def test_a_table_is_removed_with_time_to_undo(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "gone.csv")
        await expect(tab.page.locator("#table-name")).to_have_text("gone")
        link = tab.page.locator(".table-link", has_text="gone")
        for answer in ("Undo", ""):
            await link.click()
            await tab.page.get_by_role("button", name="Remove the table gone").click()
            await expect(link).to_have_count(0)
            if answer:
                await tab.page.get_by_role("button", name=answer).click()
                await expect(link).to_be_visible()
        await tab.open("/chat")  # Who leaves at once deletes at once.
        async with asyncio.timeout(PATIENCE_S):
            while "gone" in await list_tables(site):
                await asyncio.sleep(0.05)
        await tab.open("/data?table=gone")

        await expect(tab.page.get_by_role("alert")).to_contain_text("no such table")


async def test_a_file_that_is_too_large_is_not_sent(site: Served, window: Browser) -> None:
    async def lower_limit(route: Route) -> None:
        page = await route.fetch()
        body = re.sub(r'"table_bytes": \d+', '"table_bytes": 8', await page.text())
        await route.fulfill(response=page, body=body)

    async with tab_in(window, site.url) as tab:
        sent: list[str] = []
        tab.page.on("request", lambda request: sent.append(request.url))
        await tab.page.route("**/data", lower_limit)
        await tab.open("/data")
        await give(tab.page, "large.csv")

        await expect(tab.page.get_by_role("alert")).to_contain_text("large.csv is larger than")
        assert not [url for url in sent if "/create-table" in url]


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "dark"), ("en-US", "light")])
async def test_axe_finds_nothing(site: Served, window: Browser, locale: str, scheme: str) -> None:
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open("/data")
        await give(tab.page, "sales.csv")
        await expect(tab.page.locator(".profile")).to_have_count(3)
        assert await tab.find_violations() == []
        await tab.page.locator("#data-question").fill("revenue by region")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page.locator("img.chart")).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
