"""The rows of a table in a real browser: pages of them, sorted, and found by a text."""

from playwright.async_api import Browser, Page, Route, expect
from tests.browser.driven import PHONE, tab_in
from tests.serving import Served

ROWS = "number,place,amount\n" + "".join(
    f"{n},{'Oslo' if n % 10 else '北京 100%'},{n * 37 % 101}\n" for n in range(1, 101)
)


async def give(page: Page, name: str) -> None:
    table = {"name": f"{name}.csv", "mimeType": "text/csv", "buffer": ROWS.encode()}
    await page.locator(".drop input").set_input_files(table)  # type: ignore[arg-type]
    await expect(page.locator("#table-name")).to_have_text(name)


async def read_column(page: Page, number: int) -> list[str]:
    return await page.locator(f".wide-table tbody td:nth-child({number})").all_inner_texts()


async def test_rows_are_paged_and_sorted_by_keyboard(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        await give(tab.page, "paged")
        status = tab.page.locator(".pager p")
        await expect(status).to_have_text("Rows 1–12 of 100")
        await tab.page.get_by_role("button", name="Next rows").focus()
        for last in range(24, 109, 12):
            await tab.page.keyboard.press("Enter")
            await expect(status).to_contain_text(f"–{min(last, 100)} of 100")
        await tab.page.keyboard.press("Enter")
        assert await read_column(tab.page, 1) == ["97", "98", "99", "100"]
        await expect(tab.page.get_by_role("button", name="Next rows")).to_be_focused()
        amount = tab.page.get_by_role("button", name="amount", exact=True)
        await amount.click()
        await expect(tab.page.locator("tbody tr").first).to_contain_text("Oslo1")
        await amount.click()

        await expect(tab.page.locator("th[aria-sort=descending]")).to_contain_text("amount")
        await expect(status).to_have_text("Rows 1–12 of 100")
        assert [int(value) for value in await read_column(tab.page, 3)] == [*range(100, 88, -1)]
        assert not await tab.find_violations()


async def test_whole_numbers_are_shown_with_all_their_digits(site: Served, window: Browser) -> None:
    numbers = ("6222021234567891", "9007199254740993", "9223372036854775807", "12")
    text = "card\n" + "".join(f"{number}\n" for number in numbers)
    async with tab_in(window, site.url) as tab:
        await tab.open("/data")
        table = {"name": "cards.csv", "mimeType": "text/csv", "buffer": text.encode()}
        await tab.page.locator(".drop input").set_input_files(table)  # type: ignore[arg-type]
        await expect(tab.page.locator("#table-name")).to_have_text("cards")

        shown = await read_column(tab.page, 1)
        assert tuple(cell.replace(",", "") for cell in shown) == numbers


async def test_rows_are_found_by_a_text_of_a_column(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.open("/data")
        await give(tab.page, "filtered")
        await expect(tab.page.get_by_label("Column to look in")).to_have_value("place")
        search = tab.page.get_by_role("searchbox", name="Find rows")
        await search.fill("京 100%")
        await expect(tab.page.locator(".pager p")).to_have_text("Rows 1–10 of 10")
        assert await read_column(tab.page, 1) == [str(n) for n in range(10, 101, 10)]
        await search.fill("Lima")
        await expect(tab.page.locator(".pager p")).to_have_text("No row contains it.")
        await search.fill("")

        await tab.page.get_by_label("Rows at once").select_option("50")
        await expect(tab.page.locator(".pager p")).to_have_text("Rows 1–50 of 100")
        assert await tab.too_wide() <= 0
        await tab.look("dark", PHONE)
        assert not await tab.find_violations()


async def test_rows_stay_when_others_cannot_be_had(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open("/data")
        await give(tab.page, "kept")

        async def lose(route: Route) -> None:
            await route.abort()

        await tab.page.route("**/sample-table", lose)
        await tab.page.get_by_role("button", name="Next rows").click()
        await expect(tab.page.get_by_role("alert")).to_be_visible()
        assert (await read_column(tab.page, 1))[0] == "1"
        await tab.page.unroute("**/sample-table")
        await tab.page.get_by_role("button", name="Try again").click()

        await expect(tab.page.locator("tbody td").first).to_have_text("13")
