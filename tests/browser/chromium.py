"""A headless Chromium, driven over DevTools: what it shows, asks for and complains of."""

import asyncio
import base64
import itertools
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from tests.loose_json import JsonObject, decode_json

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-port=0",
)
PATIENCE_S = 60
TALLEST = 8000
"""Pixels of a screenshot; the API reference has hundreds of thousands, which nobody looks at."""

_LINKS = "JSON.stringify([...document.links].map(a => a.href))"
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_DEAD_ANCHORS = """JSON.stringify([...document.querySelectorAll('a[href^="#"]')]
    .map(a => a.getAttribute('href')).filter(h => !document.getElementById(h.slice(1))))"""


@dataclass(frozen=True)
class Look:
    """How the page is looked at."""

    name: str
    width: int
    height: int
    scheme: str = "light"


WIDE = Look("light", 1280, 900)
DARK = Look("dark", 1280, 900, "dark")
PHONE = Look("phone", 390, 844)


@dataclass
class Visit:
    """What came of opening a page."""

    screenshot: bytes = b""
    complaints: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    dead_anchors: list[str] = field(default_factory=list)
    too_wide: int = 0


def find_chromium() -> str | None:
    """The path of a browser; on CI, as root, one is installed when none is there."""
    found = next((path for name in NAMES if (path := _which(name))), None)
    if found is None and os.environ.get("CI") == "true" and os.geteuid() == 0:  # noqa: TID251
        for command in (
            ("update", "-q"),
            ("install", "-yq", "--no-install-recommends", "chromium"),
        ):
            subprocess.run(("apt-get", *command), check=False, capture_output=True, timeout=600)
        found = _which("chromium")
    return found


def _which(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/bin")


@asynccontextmanager
async def chromium(path: str, profile: Path) -> AsyncIterator["Chromium"]:
    """A browser for the lifetime of the block."""
    flags = (*FLAGS, f"--user-data-dir={profile}")
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(path, *flags, stdout=quiet, stderr=quiet)
    try:
        async with aiohttp.ClientSession() as http:
            async with asyncio.timeout(PATIENCE_S):
                port = await _devtools_port(profile)
            yield Chromium(http, port)
    finally:
        process.terminate()
        await process.wait()


async def _devtools_port(profile: Path) -> int:
    told = profile / "DevToolsActivePort"
    while not (told.exists() and told.read_text().count("\n")):
        await asyncio.sleep(0.05)
    return int(told.read_text().split("\n")[0])


@dataclass
class Chromium:
    """Opens one page at a time."""

    http: aiohttp.ClientSession
    port: int

    async def visit(self, url: str, look: Look) -> Visit:
        async with self._tab() as tab:
            await tab.open(url, look)
            return await tab.report()

    async def links(self, url: str) -> list[str]:
        """Where the page leads; no picture is taken, which is what takes long."""
        async with self._tab() as tab:
            await tab.open(url, WIDE)
            return await tab.links()

    @asynccontextmanager
    async def _tab(self) -> AsyncIterator["_Tab"]:
        tabs = f"http://127.0.0.1:{self.port}/json"
        async with asyncio.timeout(PATIENCE_S):
            async with self.http.put(f"{tabs}/new?about:blank") as answer:
                tab = await answer.json()
            async with self.http.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield _Tab(socket)
            async with self.http.get(f"{tabs}/close/{tab['id']}"):
                pass


class _Tab:
    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._visit = Visit()
        self._loaded = False

    async def open(self, url: str, look: Look) -> None:
        for domain in ("Page", "Network", "Log", "Runtime"):
            await self._do(f"{domain}.enable")
        await self._do(
            "Emulation.setDeviceMetricsOverride",
            width=look.width,
            height=look.height,
            deviceScaleFactor=1,
            mobile=look is PHONE,
        )
        scheme = {"name": "prefers-color-scheme", "value": look.scheme}
        await self._do("Emulation.setEmulatedMedia", features=[scheme])
        await self._do("Page.navigate", url=url)
        while not self._loaded:
            self._note(await self._socket.receive_json())

    async def links(self) -> list[str]:
        found: list[str] = decode_json(await self._evaluate(_LINKS))
        return found

    async def report(self) -> Visit:
        visit = self._visit
        visit.links = await self.links()
        visit.dead_anchors = decode_json(await self._evaluate(_DEAD_ANCHORS))
        visit.too_wide = int(await self._evaluate(_TOO_WIDE))
        size = (await self._do("Page.getLayoutMetrics"))["cssContentSize"]
        height = min(size["height"], TALLEST)
        whole = {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1}
        shot = await self._do("Page.captureScreenshot", captureBeyondViewport=True, clip=whole)
        visit.screenshot = base64.b64decode(shot["data"])
        return visit

    async def _evaluate(self, expression: str) -> str:
        answer = await self._do("Runtime.evaluate", expression=expression)
        return str(answer["result"]["value"])

    async def _do(self, method: str, **params: object) -> JsonObject:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json()
            if message.get("id") == number:
                assert "error" not in message, message
                result: JsonObject = message["result"]
                return result
            self._note(message)

    def _note(self, message: JsonObject) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent":
                self._visit.requested.append(params["request"]["url"])
            case "Log.entryAdded":
                self._visit.complaints.append(params["entry"]["text"])
            case "Runtime.exceptionThrown":
                self._visit.complaints.append(params["exceptionDetails"]["text"])
            case "Runtime.consoleAPICalled":
                self._visit.complaints.append(str(params["args"]))
