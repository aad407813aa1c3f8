"""`python -m benchmarks.pages`: what the pages cost a reader's machine, the processor slowed 4×.

paint   first contentful paint, when the page can be used, and the main thread's processor time
        until then, cold and warm cache
token   main-thread time of one token in a chat of 10,000 words
scroll  longest task while a chat of 2,000 turns is scrolled
memory  heap after collecting garbage, before and after minutes of streaming

Needs Chromium, as the browser tests do. Times of the main thread are its processor time;
the others are of the clock: beside other work they are several times as long, so the ratio of
two runs on one machine is what counts. `--only token` measures one of the four.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from statistics import median
from uuid import uuid4

import aiohttp
from benchmarks.deployment import scratch
from benchmarks.processes import LOOPBACK, PYTHON, free_port, running
from playwright.async_api import BrowserContext, CDPSession, Page, async_playwright
from tests.browser.chromium import find_chromium
from tests.browser.driven import FLAGS

SLOWED = 4
PATIENCE_MS = 180_000
READY = {
    "/": ".throw-form",
    "/liuyao": "#question",
    "/chat": "#message",
    "/data": ".drop input",
    "/stories": ".drop button",
    "/account": "#app form, #app .card",
    "/ops": ".figures dd",
}
"""An element of each page that is there when the page can be used."""

_WATCH = """selector => {
    const look = () => {
        if (!window.readyAt && document.querySelector(selector)) window.readyAt = performance.now();
    };
    new MutationObserver(look).observe(document, {childList: true, subtree: true});
    document.addEventListener('DOMContentLoaded', look);
}"""
_PAINT = """() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
                   window.readyAt]"""
_LONG_TASKS = """() => {
    window.longTasks = [];
    const note = list => window.longTasks.push(...list.getEntries().map(each => each.duration));
    new PerformanceObserver(note)
        .observe({entryTypes: ['longtask']});
}"""
_SCROLL = """async () => {
    for (let step = 0; step < 200; step += 1) {
        scrollBy(0, step < 100 ? -900 : 900);
        await new Promise(requestAnimationFrame);
    }
}"""


async def slow_down(page: Page) -> CDPSession:
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    # Of the main thread's processor time, not of the clock: other processes do not count.
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


async def read_metric(session: CDPSession, name: str) -> float:
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == name))


async def open_page(context: BrowserContext, url: str, path: str) -> tuple[float, float, float]:
    """Milliseconds until the first paint, until the page can be used, and of the main thread."""
    page = await context.new_page()
    session = await slow_down(page)
    await page.add_init_script(f"({_WATCH})({READY[path]!r})")
    await page.goto(url + path)
    await page.wait_for_function("() => window.readyAt > 0")
    busy = 1000 * await read_metric(session, "TaskDuration")
    paint, ready = await page.evaluate(_PAINT)
    await page.close()
    return paint, ready, busy


async def measure_paint(context: BrowserContext, url: str, rounds: int) -> None:
    for path in READY:
        cold = await open_page(context, url, path)
        warm = [await open_page(context, url, path) for _ in range(rounds)]
        paint, ready, busy = (median(values) for values in zip(*warm, strict=True))
        print(
            f"{path:<10} first paint {cold[0]:5.0f} ms, usable {cold[1]:5.0f} ms; "
            f"again {paint:4.0f} and {ready:4.0f} ms; main thread {cold[2]:4.0f} and {busy:4.0f} ms"
        )


async def bring_chat(url: str, turns: int, words: int) -> str:
    """Store a conversation of so many turns, with so many words in each answer."""
    thread, answer = str(uuid4()), " ".join(f"word{number}" for number in range(words))
    messages: list[dict[str, str]] = []
    for number in range(turns):
        messages.append({"id": f"q{number}", "role": "user", "content": f"question {number}"})
        messages.append({"id": f"a{number}", "role": "assistant", "content": answer})
    messages.append({"id": "last", "role": "user", "content": "[[delay=0]] And now?"})
    body = {"threadId": thread, "runId": "r1", "messages": messages}
    headers = {"accept": "text/event-stream"}
    runs = f"{url}/api/v1/agents/assistant/runs"
    async with aiohttp.ClientSession() as http, http.post(runs, json=body, headers=headers) as sent:
        sent.raise_for_status()
        await sent.read()
    return thread


async def stream(page: Page, session: CDPSession, delay_ms: int) -> float:
    """Ask, follow the answer to its end; seconds of the main thread that it took."""
    before = await page.locator(".usage").count()
    await page.fill("#message", f"[[delay={delay_ms}]] go on")
    spent = await read_metric(session, "TaskDuration")
    await page.press("#message", "Enter")
    await page.wait_for_function(
        "n => document.querySelectorAll('.usage').length > n", arg=before, timeout=PATIENCE_MS
    )
    return await read_metric(session, "TaskDuration") - spent


async def measure_token(context: BrowserContext, url: str, tokens: int) -> None:
    thread = await bring_chat(url, 50, 200)
    page = await context.new_page()
    session = await slow_down(page)
    await page.goto(f"{url}/chat/{thread}")
    await page.wait_for_selector(".usage")
    spent = await stream(page, session, 15)
    print(f"token      {1000 * spent / tokens:.2f} ms of main thread, in a chat of 10,000 words")
    await page.close()


async def measure_scroll(context: BrowserContext, url: str) -> None:
    thread = await bring_chat(url, 2_000, 30)
    page = await context.new_page()
    await slow_down(page)
    await page.goto(f"{url}/chat/{thread}")
    await page.wait_for_selector(".usage")
    await page.locator("button.earlier").click()
    await page.wait_for_timeout(300)
    await page.evaluate(_LONG_TASKS)
    await page.evaluate(_SCROLL)
    longest = max([0, *await page.evaluate("window.longTasks")])
    shown = await page.locator(".messages > *").count()
    print(f"scroll     longest task {longest:.0f} ms over {shown} messages of 2,000 turns")
    await page.close()


async def measure_memory(context: BrowserContext, url: str, answers: int, tokens: int) -> None:
    page = await context.new_page()
    session = await slow_down(page)
    await page.goto(f"{url}/chat")
    await page.fill("#message", "[[delay=2]] go on")
    await page.press("#message", "Enter")
    await page.wait_for_selector(".usage", timeout=PATIENCE_MS)
    sizes = []
    for number in range(answers):
        await session.send("HeapProfiler.collectGarbage")
        sizes.append(await read_metric(session, "JSHeapUsedSize") / 2**20)
        if number < answers - 1:
            await stream(page, session, 2)
    grown = (sizes[-1] - sizes[0]) * 2**20 / max(1, (answers - 1) * tokens)
    print(f"memory     {sizes[0]:.1f} MB, after {answers - 1} answers {sizes[-1]:.1f} MB: ", end="")
    print(f"{grown:.0f} bytes for each token, which stays on the page")
    await page.close()


async def measure(url: str, chromium: str, given: argparse.Namespace) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(PATIENCE_MS)
        if given.only in ("paint", None):
            await measure_paint(context, url, given.rounds)
        if given.only in ("token", None):
            await measure_token(context, url, given.tokens)
        if given.only in ("scroll", None):
            await measure_scroll(context, url)
        if given.only in ("memory", None):
            await measure_memory(context, url, given.answers, given.tokens)
        await browser.close()


async def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--answers", type=int, default=6)
    parser.add_argument("--only", choices=("paint", "token", "scroll", "memory"))
    given = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium here: apt-get install chromium", file=sys.stderr)
        return 1
    model, port = free_port(), free_port()
    stub = [PYTHON, "-m", "benchmarks.stub", "--port", str(model), "--tokens", str(given.tokens)]
    with scratch() as folder:
        serve = [str(Path(PYTHON).with_name("yarrow")), "serve", "--port", str(port)]
        serve += ["--data-dir", str(folder / "data")]
        settings = {"YARROW_LLM_BASE_URL": f"http://{LOOPBACK}:{model}/v1", "YARROW_LLM_MODEL": "s"}
        async with (
            running(stub, log=folder / "stub.log", port=model),
            running(serve, log=folder / "serve.log", port=port, settings=settings),
        ):
            await measure(f"http://{LOOPBACK}:{port}", chromium, given)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
