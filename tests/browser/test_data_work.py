"""Data in a real browser: charts that can be touched, programs run again, forks, and reports."""

import asyncio
import functools
from pathlib import Path

import pytest
from playwright.async_api import Browser, FilePayload, Locator, Page, Route, expect
from tests.browser.driven import PHONE, Tab, tab_in
from tests.loose_json import JsonObject
from tests.serving import Served

CSV = (
    "month,region,revenue\n2026-01,north,10\n2026-01,south,20\n"
    "2026-02,north,30\n2026-02,south,15\n2026-03,north,34\n"
)
CHARTS = {
    "bar": ("bar chart of revenue by region", "sum of revenue"),
    "line": ("line chart of revenue by month", "2026-02-01"),
    "pie": ("pie chart of revenue by region", "Share"),
    "heatmap": ("heatmap of revenue by region and month", "month"),
    "histogram": ("histogram of revenue", "Count"),
}

MOVE_OVER = """async canvas => {
    const box = canvas.getBoundingClientRect();
    const tip = canvas.closest('.live-chart').querySelector('.tip');
    for (let down = 0; down < box.height; down += 3)
        for (let across = 0; across < box.width; across += 3) {
            const place = {clientX: box.x + across, clientY: box.y + down};
            for (const kind of ['pointermove', 'mousemove'])
                canvas.dispatchEvent(new PointerEvent(kind, {bubbles: true, ...place}));
            if (!tip.style.left) continue;
            await new Promise(done => setTimeout(done, 50));
            return tip.innerText;
        }
    return '';
}"""


async def give(page: Page, text: str = CSV) -> None:
    file: FilePayload = {"name": "sales.csv", "mimeType": "text/csv", "buffer": text.encode()}
    async with page.expect_response("**/api/tables/create-table"):  # one of that name may be there
        await page.locator(".drop input").set_input_files(file)
    rows = str(text.count("\n") - 1)
    await expect(page.locator(".table-card .spread")).to_contain_text(f"{rows} rows")


async def ask(page: Page, question: str) -> None:
    await page.locator("#data-question").fill(question)
    await page.keyboard.press("Enter")
    await expect(page.locator(".question")).to_have_text(question)
    await expect(page.get_by_role("button", name="Write a report")).to_be_visible()


async def find_tooltip(page: Page, canvas: Locator) -> str:
    """Move over the chart, line by line, until something is told."""
    await canvas.scroll_into_view_if_needed()
    told: str = await canvas.evaluate(MOVE_OVER)
    return told


async def open_table(tab: Tab) -> None:
    await tab.open("/data")
    await give(tab.page)


@pytest.fixture(scope="module")
async def question(shared_site: Served, window: Browser) -> str:
    """The address of an answered question; reports about it are kept in each tab."""
    async with tab_in(window, shared_site.url) as tab:
        await open_table(tab)
        await ask(tab.page, "revenue by region")
        return tab.page.url.removeprefix(shared_site.url)


async def test_a_chart_that_is_touched_tells_its_values(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        libraries: list[str] = []
        tab.page.on("request", lambda request: libraries.append(request.url))
        await open_table(tab)
        for number, (question, told) in enumerate(CHARTS.values()):
            await ask(tab.page, question)
            await expect(tab.page.locator("img.chart")).to_be_visible()
            if number == 0:
                assert not [url for url in libraries if url.endswith("/vega.js")]
            await tab.page.get_by_role("button", name="Explore").click()
            await expect(tab.page.locator(".live-chart[aria-busy=false] canvas")).to_be_visible()

            assert told in await find_tooltip(tab.page, tab.page.locator(".live-chart canvas"))
            await tab.page.get_by_role("button", name="Back to the picture").click()
            await expect(tab.page.locator("img.chart")).to_be_visible()


async def test_the_letters_of_a_chart_are_as_large_on_a_phone(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url, size=PHONE) as tab:
        await tab.open("/data")
        await give(
            tab.page, "month,region,revenue,tax\n1,north,10,2.5\n2,north,30,7\n1,south,5,1\n"
        )
        await ask(tab.page, "line chart of revenue by month and region")
        chart = tab.page.locator("img.chart")
        await expect(chart).to_be_visible()
        assert await chart.evaluate("image => image.width >= image.naturalWidth")
        await tab.page.locator(".picture").focus()
        await tab.page.keyboard.press("End")
        await tab.page.keyboard.press("ArrowRight")

        await expect(tab.page.locator(".picture")).not_to_have_js_property("scrollLeft", 0)
        assert await tab.too_wide() <= 0
        assert await tab.find_violations() == []
        for question, touch in (("", "pan-x pan-y"), ("scatter plot of revenue and tax", "none")):
            if question:
                await ask(tab.page, question)
            await tab.page.get_by_role("button", name="Explore").click()
            canvas = tab.page.locator(".live-chart[aria-busy=false] canvas")
            await expect(canvas).to_have_css("touch-action", touch)


async def test_a_chart_is_chosen_without_words(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await open_table(tab)
        await tab.page.get_by_text("Or choose what to draw").click()
        for label, choice in (("For each", "region"), ("Rows", "revenue")):
            await tab.page.get_by_label(label, exact=True).select_option(choice)
        await tab.page.get_by_label("Value", exact=True).fill("20")
        async with tab.page.expect_request("**/render-chart*") as asked:
            await tab.page.get_by_role("button", name="Draw").click()

        await expect(tab.page.get_by_alt_text("sum of revenue by region")).to_be_visible()
        sums = [("north", 30 + 34), ("south", 20)]  # of the rows with at least 20, largest first
        rows = ((await asked.value).post_data_json or {})["rows"]
        assert [tuple(row.values()) for row in rows] == sums
        assert await tab.find_violations() == []


async def test_a_question_that_is_asked_while_a_file_is_listed_stays(
    site: Served, window: Browser
) -> None:
    arrived, release = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        arrived.set()
        await release.wait()
        await route.continue_()

    async with tab_in(window, site.url) as tab:
        await open_table(tab)
        suggested = tab.page.locator(".suggestions .chip").first
        question = await suggested.inner_text()
        await tab.page.route("**/list-tables", hold)
        file: FilePayload = {"name": "later.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
        await tab.page.locator(".drop input").set_input_files(file)
        await arrived.wait()
        await suggested.click()
        await expect(tab.page.locator(".question")).to_have_text(question)
        release.set()

        await expect(tab.page.locator(".tables")).to_contain_text("later")
        await expect(tab.page.locator(".question")).to_have_text(question)


async def test_a_question_is_about_the_tables_that_are_chosen(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        for name in ("people.csv", "towns.csv"):
            await tab.open("/data")
            file = {"name": name, "mimeType": "text/csv", "buffer": CSV.encode()}
            async with tab.page.expect_response("**/api/tables/create-table"):
                await tab.page.locator(".drop input").set_input_files(file)  # type: ignore[arg-type]
        await expect(tab.page.locator("#table-name")).to_have_text("towns")
        await tab.page.locator("summary", has_text="Ask about other tables").click()
        await tab.page.get_by_role("group").get_by_text("people", exact=True).click()
        await expect(tab.page.get_by_text("1 other table is asked as well")).to_be_visible()
        async with tab.page.expect_request("**/data-agent-streaming*") as asked:
            await ask(tab.page, "revenue by region")

        sent = (await asked.value).post_data_json or {}
        assert sent["input_tables"] == [{"name": "towns"}, {"name": "people"}]
        assert await tab.find_violations() == []


async def test_a_program_is_run_again_over_the_present_rows(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await open_table(tab)
        await ask(tab.page, "revenue by region")
        question = tab.page.url
        await give(tab.page, CSV + "2026-03,south,40\n2026-03,west,5\n")
        await tab.page.goto(question)
        await tab.page.get_by_role("button", name="Run again").click()

        await expect(tab.page.get_by_text("7 rows from the present tables.")).to_be_visible()
        await expect(tab.page.locator(".fresh img.chart")).to_be_visible()


async def test_a_question_is_continued_or_begun_anew(site: Served, window: Browser) -> None:
    async with tab_in(window, site.url) as tab:
        await open_table(tab)
        await ask(tab.page, "revenue by region")
        await ask(tab.page, "revenue by month")
        await expect(tab.page.get_by_text("Continues from: revenue by region")).to_be_visible()
        await tab.page.locator(".tables .table-link", has_text="revenue by region").first.click()
        await expect(tab.page.locator(".question")).to_have_text("revenue by region")
        await tab.page.get_by_label("Continue from the question above").uncheck()
        await ask(tab.page, "histogram of revenue")

        await expect(tab.page.get_by_text("Continues from")).to_have_count(0)


async def test_a_report_is_written_changed_in_place_and_downloaded(
    site: Served, window: Browser, question: str, tmp_path: Path
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open(question)
        await tab.page.get_by_role("button", name="Write a report").click()
        await expect(tab.page.locator(".report[aria-busy=false] img.chart")).to_be_visible()
        await tab.page.get_by_role("button", name="Add a paragraph").click()
        await tab.page.get_by_label("Paragraph as Markdown").fill("The **north** <b>leads</b>.")
        await tab.page.keyboard.press("Control+Enter")
        await expect(tab.page.locator(".report strong", has_text="north")).to_be_visible()
        await tab.page.reload()
        await expect(tab.page.locator(".report strong", has_text="north")).to_be_visible()
        async with tab.page.expect_download() as download:
            await tab.page.get_by_role("button", name="Download HTML").click()
        await (await download.value).save_as(tmp_path / "report.html")

        document = (tmp_path / "report.html").read_text()
        assert "<strong>north</strong> &lt;b&gt;leads&lt;/b&gt;" in document
        assert "<svg" in document
        assert "<script" not in document


async def write_paragraph(tab: Tab, text: str) -> None:
    await tab.page.get_by_role("button", name="Add a paragraph").click()
    await tab.page.get_by_label("Paragraph as Markdown").fill(text)
    await tab.page.keyboard.press("Control+Enter")


FAILED_REPORT = (
    '{"type": "text_delta", "content": "Half of a sentence"}\n'
    '{"type": "error", "error": {"code": "MODEL_ERROR", "message": "It broke."}}\n'
)
NOT_NOW = {"error": {"code": "X", "message": "Not now."}}


async def fulfill(answer: JsonObject, route: Route) -> None:
    await route.fulfill(**answer)


FAILURES: dict[str, JsonObject] = {
    "refused": {"status": 503, "json": NOT_NOW, "headers": {"retry-after": "600"}},
    "failed": {"content_type": "application/x-ndjson", "body": FAILED_REPORT},
}


async def test_an_edited_report_stays_when_writing_it_again_fails(
    site: Served, window: Browser, question: str
) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append("Failed to load resource")
        await tab.open(question)
        await tab.page.get_by_role("button", name="Write a report").click()
        await write_paragraph(tab, "The **north** leads.")
        for failure, answer in FAILURES.items():
            await tab.page.unroute_all()
            await tab.page.route(
                "**/api/agent/generate-report-chat*", functools.partial(fulfill, answer)
            )
            await tab.page.get_by_role("button", name="Write it again").click()
            await expect(tab.page.get_by_role("alert")).to_be_visible()
            await expect(tab.page.locator(".report strong", has_text="north")).to_be_visible()
            await expect(tab.page.get_by_text("Half of a sentence")).to_have_count(0)
            await write_paragraph(tab, f"And the *{failure}* follows.")
            await tab.page.reload()

            await expect(tab.page.locator(".report em", has_text=failure)).to_be_visible()
            await expect(tab.page.locator(".report strong", has_text="north")).to_be_visible()


async def test_escape_and_a_malformed_name_of_a_table_leave_the_report_as_it_is(
    site: Served, window: Browser, question: str
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open(question)
        await tab.page.get_by_role("button", name="Write a report").click()
        first = tab.page.locator(".report-block .markdown").first
        await tab.page.get_by_role("button", name="Edit paragraph 1", exact=True).click()
        before = await tab.page.get_by_label("Paragraph as Markdown").input_value()
        await tab.page.get_by_label("Paragraph as Markdown").fill("gone")
        await tab.page.keyboard.press("Escape")

        await expect(first).to_contain_text(before.lstrip("# ").split("\n")[0])
        await write_paragraph(tab, "![x](table://growth%)")
        await expect(tab.page.get_by_text("The rows of growth% are")).to_be_visible()
        await tab.page.reload()
        await expect(tab.page.get_by_text("The rows of growth% are")).to_be_visible()
        await tab.page.get_by_role("button", name="Back to the charts").click()
        await expect(tab.page.locator(".question")).to_have_text("revenue by region")


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "dark"), ("en-US", "light")])
async def test_axe_finds_nothing_in_a_report(
    site: Served, window: Browser, question: str, locale: str, scheme: str
) -> None:
    async with tab_in(window, site.url, locale=locale, scheme=scheme, size=PHONE) as tab:
        await tab.open(question)
        await tab.page.locator(".results > .row .primary").click()
        await expect(tab.page.locator(".report[aria-busy=false] img.chart")).to_be_visible()

        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0


async def test_a_report_is_printed_without_its_tools(
    site: Served, window: Browser, question: str
) -> None:
    async with tab_in(window, site.url) as tab:
        await tab.open(question)
        await tab.page.get_by_role("button", name="Write a report").click()
        await expect(tab.page.locator(".report[aria-busy=false] img.chart")).to_be_visible()
        chart = tab.page.locator(".report img.chart")
        await tab.page.emulate_media(color_scheme="dark")
        await expect(chart).to_have_css("filter", "invert(0.89) hue-rotate(180deg)")
        await tab.page.emulate_media(media="print", color_scheme="dark")

        await expect(chart).to_be_visible()
        await expect(chart).to_have_css("filter", "none")
        for hidden in ("header.top", ".tables", ".report .button", ".report .icon"):
            await expect(tab.page.locator(hidden).first).to_be_hidden()
