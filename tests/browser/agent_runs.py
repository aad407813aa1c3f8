"""A run of each agent that is begun on its page, as a person would, and held by its model."""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from playwright.async_api import Page, expect
from tests.browser.held_model import HELD_WORDS, PAUSE, WORDS
from tests.browser.test_data_work import give
from tests.browser.test_liuyao_page import cast_typed
from tests.browser.test_stories_page import begin, say
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import SUMMARY, visualize

from yarrow.kit.json import encode_json

HALF = "".join(WORDS[:10]).strip()
WHOLE = "".join(WORDS).strip()
READING_TEXTS = ("Slowly, but it goes well.", "The way is open.", "Begin in spring.")
READING = {
    "sign_level": "中上签",
    "conclusion": [READING_TEXTS[1]],
    "focus_points": ["The moving lines."],
    "advice": [READING_TEXTS[2]],
    "keywords": ["patience"],
    "answer": READING_TEXTS[0],
}
REPLY = ".floor .markdown >> nth=-1"


def write_reading(request: JsonObject) -> list[str]:
    """A reading, or words as a follow-up; each stops half-way."""
    if "response_format" not in request:
        return HELD_WORDS
    text = encode_json(READING).decode()
    return [text[:80], PAUSE, text[80:]]


def write_analysis(request: JsonObject) -> list[str]:
    """A chart at once, then a summary that stops half-way; so does a report. No suggestions."""
    messages = str(request["messages"])
    if "You write a report" in messages:
        return ["# Sales\n\n", *HELD_WORDS]
    if "visualize" not in messages:
        return ["{}"]
    if "d_totals" not in messages:
        return [visualize().text]
    return [SUMMARY.text[:10], PAUSE, SUMMARY.text[10:]]


def write_any(request: JsonObject) -> list[str]:
    if "response_format" in request:
        return write_reading(request)
    is_analyst = " analyst" in str(request["messages"])
    return write_analysis(request) if is_analyst else HELD_WORDS


async def ask_chat(page: Page) -> None:
    await say(page, "Count")


async def ask_story(page: Page) -> None:
    await begin(page)
    await say(page, "Count")


async def ask_reading(page: Page) -> None:
    await cast_typed(page, "Will it rain?")


async def ask_data(page: Page) -> None:
    await give(page)
    await page.fill("#data-question", "Who sells most?")
    await page.press("#data-question", "Enter")


class AgentRun(Struct, frozen=True):
    """What is shown of a run while it is held, and when it has ended."""

    path: str
    ask: Callable[[Page], Awaitable[None]]
    half: tuple[str, str]
    whole: tuple[str, str]

    async def expect_half(self, page: Page) -> None:
        await expect(page.locator(self.half[0])).to_have_text(self.half[1])

    async def expect_whole(self, page: Page) -> None:
        await expect(page.locator(self.whole[0])).to_have_text(self.whole[1])


CHAT = ".theirs .markdown >> nth=-1"
AGENT_RUNS = {
    "assistant": AgentRun("/chat", ask_chat, (CHAT, HALF), (CHAT, WHOLE)),
    "storyteller": AgentRun("/stories", ask_story, (REPLY, HALF), (REPLY, WHOLE)),
    "diviner": AgentRun(
        "/liuyao",
        ask_reading,
        (".base strong", "水火既济"),
        (".reading .answer", READING_TEXTS[0]),
    ),
    "analyst": AgentRun(
        "/data",
        ask_data,
        ("figure h2", "Revenue by region"),
        (".summary", "The north sold more."),
    ),
}
