"""Seed 2's request examples pass as printed."""

import asyncio
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller

from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Say

PLAIN: JsonObject = {
    "threadId": "550e8400-e29b-41d4-a716-446655440000",
    "runId": "run-001",
    "state": {},
    "messages": [{"id": "msg-001", "role": "user", "content": "帮我查一下北京今天的天气"}],
    "tools": [],
    "context": [],
    "forwardedProps": {},
}

PICTURE_BLOCKS: list[JsonObject] = [
    {"type": "text", "text": "这张图片里的内容是什么?"},
    {
        "type": "binary",
        "mimeType": "image/png",
        "url": "https://storage.example.com/agent-inputs/user-123/image.png?signature=xxx",
    },
]

PICTURE: JsonObject = {
    "threadId": "550e8400-e29b-41d4-a716-446655440000",
    "runId": "run-002",
    "state": {},
    "messages": [{"id": "msg-001", "role": "user", "content": PICTURE_BLOCKS}],
    "tools": [],
    "context": [],
    "forwardedProps": {},
}

TOOLS: JsonObject = {
    "threadId": "550e8400-e29b-41d4-a716-446655440000",
    "runId": "run-003",
    "state": {},
    "messages": [{"id": "msg-001", "role": "user", "content": "北京天气怎么样?"}],
    "tools": [
        {
            "name": "get_weather",
            "description": "获取指定城市的天气信息",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "城市名称"}},
                "required": ["city"],
            },
        }
    ],
    "context": [],
    "forwardedProps": {},
}


def in_new_thread(example: JsonObject) -> JsonObject:
    """The printed example with a thread of its own: tests share a database, accounts do not
    share threads."""
    return example | {"threadId": str(uuid4())}


async def test_printed_examples_run_one_after_the_other(caller: Caller) -> None:
    thread = str(uuid4())

    for example in (PLAIN, PICTURE, TOOLS):
        accepted = await caller.submit(example | {"threadId": thread})
        frames = await caller.events(thread, example["runId"])

        assert set(accepted) == {"taskId", "threadId", "runId", "created"}
        assert frames[-1].type == "RUN_FINISHED"


async def test_tool_section_of_the_prompt_matches_the_seed(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("晴")])
    body = in_new_thread(TOOLS)

    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    system = model.requests[0].messages[0]
    assert system.role is ChatRole.SYSTEM
    # seed 2, backend processing
    assert system.text.endswith(
        "<!-- TOOLS_START -->\n"
        "- get_weather: 获取指定城市的天气信息\n"
        '- args_schema: {"type":"object","properties":{"city":{"type":"string",'
        '"description":"城市名称"}},"required":["city"]}\n'
        "Note: tool arguments must strictly match args_schema.\n"
        "<!-- TOOLS_END -->"
    )


async def test_without_tools_the_prompt_has_no_tool_section(
    caller: Caller, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("晴")])
    body = in_new_thread(PLAIN)

    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    assert "TOOLS_START" not in model.requests[0].messages[0].text


@pytest.fixture
async def picture_server() -> tuple[asyncio.Server, list[str]]:
    visits: list[str] = []

    def visited(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append("visit")
        writer.close()

    return await asyncio.start_server(visited, "127.0.0.1", 0), visits


async def test_foreign_picture_is_never_fetched(
    caller: Caller, picture_server: tuple[asyncio.Server, list[str]]
) -> None:
    server, visits = picture_server
    port = server.sockets[0].getsockname()[1]
    url = f"http://127.0.0.1:{port}/image.png?signature=xxx"
    content = [PICTURE_BLOCKS[0], PICTURE_BLOCKS[1] | {"url": url}]
    body = in_new_thread(PICTURE | {"messages": [{"id": "m", "role": "user", "content": content}]})

    await caller.submit(body)
    frames = await caller.events(body["threadId"], body["runId"])
    server.close()

    assert frames[-1].type == "RUN_FINISHED"
    assert visits == []
