"""Whole streams against golden files, in both profiles."""

import re
from pathlib import Path

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Frame, run_body

from yarrow.kit.json import encode_json
from yarrow.llm.errors import ModelRateLimited
from yarrow.llm.scripted import Call, Fail, Hold, Say, Think, Turn

GOLDEN = Path(__file__).parents[3] / "data" / "agui"

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r'(?<="timestamp":)\d{13}\b')
CLOCK = re.compile(r'\{\\"iso\\":\\"[\d:T+-]+\\",\\"weekday\\":\\"[A-Z][a-z]+day\\"')
CARD_TIME = re.compile(r'"content":"\d\d:\d\d"')
CARD_DAY = re.compile(r'"value":"\d{4}-\d\d-\d\d 星期."')
REQUEST = re.compile(r'(?<="requestId":")[0-9a-f]{32}')

WEATHER = {
    "name": "get_weather",
    "description": "The weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}

SCRIPTS: dict[str, tuple[Turn, ...]] = {
    "plain_answer": ([Say("It is raining today.")],),
    "tool_loop": (
        [Say("One moment."), Call("current_time", {"timezone": "Asia/Tokyo"})],
        [Say("It is late in Tokyo.")],
    ),
    "client_tool_call": ([Call("get_weather", {"city": "北京"})],),
    "reasoning": ([Think("Clouds are dark."), Say("It will rain.")],),
    "model_failure": ([Say("It will"), Fail(ModelRateLimited(2.0))],),
    "cancel": ([Say("It will"), Hold()],),
}


def masked(frames: list[Frame]) -> list[JsonObject]:
    """The frames without what differs from run to run: ids are numbered as they appear."""
    text = encode_json([{"id": f.id, "data": f.data} for f in frames]).decode()
    names: dict[str, str] = {}
    text = UUID.sub(lambda id_: names.setdefault(id_[0], f"<id {len(names) + 1}>"), text)
    text = TIME.sub('"<time>"', text)
    text = CLOCK.sub(r'{\\"iso\\":\\"<now>\\",\\"weekday\\":\\"<day>\\"', text)
    text = CARD_TIME.sub('"content":"<time>"', text)
    text = CARD_DAY.sub('"value":"<day>"', text)
    text = REQUEST.sub("<request>", text)
    masked: list[JsonObject] = decode_json(text)
    return masked


async def recorded(caller: Caller, profile: str) -> list[JsonObject]:
    """A run's stream; a run that holds is cancelled as soon as it has spoken."""
    body = run_body("Will it rain?", run="run-1", tools=[WEATHER])
    await caller.submit(body)
    frames: list[Frame] = []
    async for frame in caller.follow(body["threadId"], "run-1", profile=profile):
        frames.append(frame)
        if frame.data.get("delta") == "will":
            await caller.post(f"{RUNS}/{body['threadId']}/cancel?runId=run-1")
    return masked(frames)


@pytest.mark.parametrize("profile", ["seed", "agui"])
@pytest.mark.parametrize("name", SCRIPTS)
async def test_stream_is_as_recorded(
    caller: Caller, switchable: SwitchableModel, name: str, profile: str
) -> None:
    switchable.script(*SCRIPTS[name])

    stream = await recorded(caller, profile)

    assert stream == decode_json((GOLDEN / f"{name}.json").read_bytes())[profile]
