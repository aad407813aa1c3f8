"""Take pictures of every page, wide, dark and on a phone, of a server with its own fresh data."""

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from playwright.async_api import Browser, Page, async_playwright
from tests.browser.chromium import find_chromium
from tests.browser.driven import FLAGS

ROOT = Path(__file__).parents[2]
WIDE = (1280, 900)
PHONE = (390, 844)
LOOKS = {
    "readme": ("en-US", WIDE, "light"),
    "wide-en": ("en-US", WIDE, "light"),
    "dark-en": ("en-US", WIDE, "dark"),
    "phone-en": ("en-US", PHONE, "light"),
    "wide-zh": ("zh-CN", WIDE, "light"),
    "dark-zh": ("zh-CN", WIDE, "dark"),
    "phone-zh": ("zh-CN", PHONE, "light"),
}
"""The first one is for the README: of one screen, before the others leave sessions."""
ENGLISH = {
    "我最近换工作是否合适？": "Is this a good time to change my job?",
    "码头上的绿灯是什么意思？": "What does the green light on the pier mean?",
    "各region的revenue按month的折线图": "How does revenue of each region develop by month?",
}
PAGES = {
    "home": "/",
    "liuyao": "/liuyao",
    "account": "/account",
    "ops": "/ops?group=recent",
    "docs": "/docs",
    "docs-search": "/docs/search?q=lease",
}
STEP_MS = 180_000
READY_S = 240
"""A fresh database on a machine with other work on it takes a minute."""
SALES = "month,region,revenue\n" + "".join(
    f"2026-{month:02},{region},{base + month * slope}\n"
    for month in range(1, 9)
    for region, base, slope in (("north", 10, 4), ("south", 26, 1), ("west", 18, 2))
)


@asynccontextmanager
async def serve() -> AsyncIterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="yarrow-pictures-") as folder:
        options = ("serve", "--port", str(port), "--data-dir", folder)
        quiet = asyncio.subprocess.DEVNULL
        command = (str(ROOT / ".venv/bin/yarrow"), *options)
        server = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
        try:
            url = f"http://127.0.0.1:{port}"
            await wait_until_ready(url)
            yield url
        finally:
            server.terminate()
            await server.wait()


async def wait_until_ready(url: str) -> None:
    async with aiohttp.ClientSession() as http, asyncio.timeout(READY_S):
        while True:
            try:
                async with http.get(f"{url}/healthz") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)


def word(question: str, look: str) -> str:
    return ENGLISH[question] if LOOKS[look][0] == "en-US" else question


async def cast(page: Page, url: str, look: str) -> None:
    """A divination with two moving lines."""
    await page.goto(f"{url}/liuyao")
    await page.fill("#question", word("我最近换工作是否合适？", look))
    await page.locator("input[name=mode]").nth(2).check(force=True)
    await page.fill("#typed", "7 8 9 8 7 6")
    await page.locator(".compose .primary").click()
    await page.wait_for_selector(".sign-level")


async def chat(page: Page, url: str) -> None:
    """An answer with a tool call and its card."""
    await page.goto(f"{url}/chat")
    await page.locator(".chip").first.click()
    await page.wait_for_selector(".usage")


async def ask_data(page: Page, url: str, look: str) -> None:
    """A chart of the example table."""
    await page.goto(f"{url}/data")
    table = {"name": "sales.csv", "mimeType": "text/csv", "buffer": SALES.encode()}
    async with page.expect_response("**/create-table"):
        await page.locator(".drop input").set_input_files(table)  # type: ignore[arg-type]
    await page.wait_for_timeout(500)
    await page.wait_for_selector(".suggestions .chip")
    await page.fill("#data-question", word("各region的revenue按month的折线图", look))
    await page.press("#data-question", "Enter")
    await page.wait_for_selector("img.chart")
    await page.wait_for_timeout(500)


async def report(page: Page, folder: Path, look: str) -> None:
    """The chart that can be touched, and the report about it."""
    await page.locator(".chart-grid .button.plain").first.click()
    await page.wait_for_selector(".live-chart[aria-busy=false] canvas")
    await page.locator(".results > .row .primary").click()
    await page.wait_for_selector(".report[aria-busy=false] img.chart")
    await page.screenshot(path=folder / f"data-report-{look}.png", full_page=look != "readme")


async def call(page: Page, url: str, folder: Path, look: str) -> None:
    """The reference of one group, a call sent. Longer pages are too tall for one picture."""
    await page.goto(f"{url}/reference/activity")
    await page.locator(".try summary").first.click()
    await page.locator(".call .primary").first.click()
    await page.wait_for_selector(".call-answer pre:not(:empty)")
    await page.screenshot(path=folder / f"reference-{look}.png", full_page=look != "readme")


async def tell(page: Page, url: str, look: str, folder: Path) -> None:
    """A story with a turn: floors, the prompt of the turn, the tree, the library."""
    await page.goto(f"{url}/stories")
    await page.wait_for_timeout(400)
    await page.screenshot(path=folder / f"stories-begin-{look}.png")
    await page.locator(".drop .button:not(.primary)").click()
    await page.wait_for_selector(".floor")
    await page.fill("#message", word("码头上的绿灯是什么意思？", look))
    await page.press("#message", "Enter")
    await page.locator(".floor-tools").nth(1).wait_for()
    await page.wait_for_timeout(500)
    await page.screenshot(path=folder / f"stories-{look}.png")
    story = page.url
    for panel in ("prompt", "branches", "state", "settings"):
        await page.goto(f"{story}?panel={panel}")
        await page.wait_for_selector(".panel")
        await page.wait_for_timeout(600)
        await page.screenshot(path=folder / f"stories-{panel}-{look}.png")
    await page.goto(f"{url}/stories/library/character")
    await page.locator(".asset-link").first.click()
    await page.wait_for_selector(".editor")
    await page.wait_for_timeout(300)
    await page.screenshot(path=folder / f"stories-library-{look}.png")


async def take(browser: Browser, url: str, folder: Path) -> None:
    for look, (locale, (width, height), scheme) in LOOKS.items():
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            locale=locale,
            reduced_motion="reduce",
            device_scale_factor=2 if width < height else 1,
        )
        context.set_default_timeout(STEP_MS)
        page = await context.new_page()
        await cast(page, url, look)
        await page.screenshot(
            path=folder / f"liuyao-reading-{look}.png", full_page=look != "readme"
        )
        await chat(page, url)
        await page.screenshot(path=folder / f"chat-{look}.png", full_page=look != "readme")
        await ask_data(page, url, look)
        await page.screenshot(path=folder / f"data-{look}.png", full_page=look != "readme")
        await report(page, folder, look)
        await tell(page, url, look, folder)
        await call(page, url, folder, look)
        for name, path in PAGES.items():
            await page.goto(url + path)
            await page.wait_for_timeout(600)
            await page.screenshot(path=folder / f"{name}-{look}.png", full_page=look != "readme")
        await context.close()


async def take_all(path: str, folder: Path) -> None:
    async with serve() as url, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        await take(browser, url, folder)
        await browser.close()


def has_chinese_font() -> bool:
    """Whether fontconfig knows one; the pages take Chinese from the fonts of the system."""
    program = shutil.which("fc-list")
    if program is None:
        return False
    listed = subprocess.run((program, ":lang=zh"), capture_output=True, check=False, timeout=60)
    return bool(listed.stdout)


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    path = find_chromium()
    if path is None:
        print("no Chromium here: apt-get install chromium", file=sys.stderr)
        return 1
    if not has_chinese_font():
        print("no font for Chinese here, it will be boxes: apt-get install fonts-noto-cjk")
    started_at = time.time()
    asyncio.run(take_all(path, folder))
    taken = [each for each in folder.glob("*.png") if each.stat().st_mtime >= started_at]
    print(f"{len(taken)} pictures in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
