"""Databases on the Data page: connected by a form, found in the catalogue, loaded into tables."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect
from tests.browser.driven import PHONE, Tab, tab_in
from tests.loose_json import JsonObject
from tests.serving import Served
from tests.waiting import PATIENCE_S

from yarrow.sources.address import parse_source_address
from yarrow.sources.model import SourceAddress

PAINT = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
REFUSED = "Failed to load resource"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE orders (region TEXT, amount REAL);"
            "INSERT INTO orders VALUES ('north', 10), ('south', 20), ('north', 30);"
            "CREATE TABLE customers (name TEXT)"
        )
    database.close()
    return path


async def choose(page: Page, kind: str) -> None:
    await page.get_by_role("group").get_by_text(kind, exact=True).click()


async def connect(tab: Tab, path: Path, name: str) -> None:
    await tab.open("/data?source=")
    await choose(tab.page, "SQLite")
    await tab.page.get_by_label("Path").fill(str(path))
    await expect(tab.page.get_by_label("Name here")).to_have_value(path.stem)
    await tab.page.get_by_label("Name here").fill(name)
    await tab.page.get_by_role("button", name="Connect", exact=True).click()


async def test_a_database_is_connected_and_its_rows_are_loaded(
    site: Served, window: Browser, shop: Path
) -> None:
    async with tab_in(window, site.url) as tab:
        await connect(tab, shop, "shop")
        await expect(tab.page).to_have_url(f"{site.url}/data?source=shop")
        await expect(tab.page.locator("#main")).to_be_focused()
        await tab.page.get_by_role("searchbox").fill("amount")

        await expect(tab.page.locator(".source-table strong")).to_have_text(["orders"])
        await tab.page.get_by_role("button", name="Load table orders").dblclick()
        await expect(tab.page.locator("#table-name")).to_have_text("orders")
        await expect(tab.page.locator("#main")).to_be_focused()
        await expect(tab.page.locator(".table-card .spread")).to_contain_text("3 rows")

        await tab.page.get_by_role("link", name="shop").click()
        await tab.page.get_by_text("Or write a query").click()
        await tab.page.get_by_label("One SELECT").fill(
            "SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY region"
        )
        await tab.page.get_by_label("Name of the new table").fill("totals")
        await tab.page.get_by_role("button", name="Load", exact=True).click()
        cells = tab.page.locator(".wide-table td")
        await expect(cells).to_have_text(["north", "40", "south", "20"])


async def test_more_tables_of_an_earlier_search_are_not_listed(
    site: Served, window: Browser, tmp_path: Path
) -> None:
    released, answered = asyncio.Event(), asyncio.Event()
    with sqlite3.connect(path := tmp_path / "many.db") as database:
        database.executescript("".join(f"CREATE TABLE t{n} (a INT);" for n in range(60)))
        database.execute("CREATE TABLE zebra (a INT)")
    database.close()
    body = {"name": "many", "url": f"sqlite://{path}"}
    async with site.http.post(f"{site.url}/api/sources", json=body) as made:
        assert made.status == 201, await made.text()

    async def hold(route: Route) -> None:
        await released.wait()
        await route.fulfill(response=await route.fetch())
        answered.set()

    async with tab_in(window, site.url) as tab:
        await tab.page.route("**/tables?*offset=50*", hold)
        await tab.open("/data?source=many")
        await tab.page.get_by_role("button", name="Show more tables").click()
        await tab.page.locator(".source").get_by_role("searchbox").fill("zebra")
        shown = tab.page.locator(".source-table strong")
        await expect(shown).to_have_text(["zebra"])
        released.set()
        async with asyncio.timeout(PATIENCE_S):
            await answered.wait()
        await tab.page.evaluate(PAINT)

        await expect(shown).to_have_text(["zebra"])


async def test_a_database_is_forgotten_with_time_to_undo(
    site: Served, window: Browser, shop: Path
) -> None:
    async with tab_in(window, site.url) as tab:
        await connect(tab, shop, "short")
        link = tab.page.locator(".tables").get_by_role("link", name="short")
        await link.hover()
        await tab.page.get_by_role("button", name="Forget database short").click()
        await expect(link).to_have_count(0)
        await tab.page.get_by_role("button", name="Undo").click()

        await expect(link).to_be_visible()


async def test_what_was_typed_stays_when_a_database_fails_but_no_password_is_kept(
    site: Served, window: Browser
) -> None:
    async with tab_in(window, site.url) as tab:
        tab.expected.append(REFUSED)
        await tab.open("/data?source=")
        await tab.page.get_by_label("Host").fill("127.0.0.1")
        await tab.page.get_by_label("Port").fill("1")
        await tab.page.get_by_label("Database", exact=True).fill("shop")
        await tab.page.get_by_label("Password").fill("s3cret")
        await tab.page.get_by_role("button", name="Connect", exact=True).click()

        await expect(tab.page.get_by_role("alert")).to_contain_text("cannot be reached")
        await expect(tab.page.get_by_label("Password")).to_have_value("s3cret")
        await tab.open("/data?source=")
        await expect(tab.page.get_by_label("Host")).to_have_value("127.0.0.1")
        assert "s3cret" not in await tab.page.evaluate("JSON.stringify({...sessionStorage})")
        await tab.page.get_by_label("Password").fill("s3cret")
        await choose(tab.page, "SQLite")
        await tab.page.get_by_label("Path").fill("/nowhere/shop.db")
        async with tab.page.expect_request(f"{site.url}/api/sources") as sent:
            await tab.page.get_by_role("button", name="Connect", exact=True).click()
        assert "s3cret" not in ((await sent.value).post_data or "")
        await expect(tab.page.get_by_role("alert")).to_be_visible()


FORMS: dict[str, tuple[str, dict[str, str], str, SourceAddress]] = {
    "PostgreSQL": (
        "PostgreSQL",
        {"Host": "::1", "Database": "a b", "User": "a@b", "Password": "p/w@"},
        "Encrypted connection",
        parse_source_address("postgresql://a%40b:p%2Fw%40@[::1]:5432/a%20b?sslmode=require"),
    ),
    "MySQL": (
        "MySQL, MariaDB",
        {"Host": "db.example.com", "Port": "3307", "Database": "shop"},
        "",
        parse_source_address("mysql://db.example.com:3307/shop"),
    ),
    "files": (
        "Folder of files",
        {"Path": "/srv/sales 2026/50%"},
        "",
        parse_source_address("file:///srv/sales%202026/50%25"),
    ),
    "S3": (
        "S3",
        {"Bucket": "sales", "Folder in": "a/b", "Access key": "K", "Secret": "s", "Region": "eu-1"},
        "",
        parse_source_address("s3://K:s@sales/a/b?region=eu-1"),
    ),
    "Snowflake": (
        "Snowflake",
        {"Account": "acme-1", "Database": "D", "Schema": "S", "User": "u", "Warehouse": "W"},
        "",
        parse_source_address("snowflake://u@acme-1/D/S?warehouse=W"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
async def test_the_parts_of_an_address_arrive(site: Served, window: Browser, form: str) -> None:
    kind, parts, check, wanted = FORMS[form]
    bodies: list[JsonObject] = []

    async def refuse(route: Route) -> None:
        if route.request.method == "GET":
            await route.fallback()
            return
        bodies.append(route.request.post_data_json or {})
        error = {"status": "error", "error": {"code": "INVALID_REQUEST", "message": "no"}}
        await route.fulfill(status=422, body=json.dumps(error), content_type="application/json")

    async with tab_in(window, site.url) as tab:
        tab.expected.append(REFUSED)
        await tab.page.route("**/api/sources", refuse)
        await tab.open("/data?source=")
        await choose(tab.page, kind)
        fields = tab.page.locator(".form-fields")
        for label, value in parts.items():
            await fields.get_by_label(label).first.fill(value)
        if check:
            await fields.get_by_label(check).check()
        await tab.page.get_by_label("Name here").fill("it")
        await tab.page.get_by_role("button", name="Connect", exact=True).click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("refused")

    (body,) = bodies
    assert body["name"] == "it"
    assert parse_source_address(body["url"], body.get("password")) == wanted


async def test_axe_finds_nothing(site: Served, window: Browser, shop: Path) -> None:
    async with tab_in(window, site.url, locale="zh-CN") as tab:
        await tab.open("/data?source=")
        assert await tab.find_violations() == []
        await tab.page.get_by_role("group").get_by_text("SQLite").click()
        await tab.page.locator("#source-path").fill(str(shop))
        await tab.page.locator("#source-name").fill("seen")
        await tab.page.locator(".source-form .primary").click()
        await expect(tab.page.locator(".source-table").first).to_be_visible()
        await tab.look("dark", PHONE)
        assert await tab.find_violations() == []
        assert await tab.too_wide() == 0
