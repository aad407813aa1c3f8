"""The scripted server as examples and benchmarks start it."""

import asyncio
import sys

import aiohttp
from tests.integration.llm.open_chat import open_chat

from yarrow.kit.endpoint import Endpoint
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, TextChunk, ToolCall
from yarrow.llm.scripted_directives import AnswerPlan
from yarrow.llm.scripted_server import serve_scripted


async def test_it_runs_as_a_module_and_stops_when_told() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "yarrow.llm.scripted_server", "--port", "0"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None

    base_url = (await process.stdout.readline()).decode().split()[-1]
    async with aiohttp.ClientSession() as session, session.get(f"{base_url}/models") as response:
        assert response.status == 200

    process.terminate()
    assert await process.wait() == 0


async def test_stats_are_served() -> None:
    async with serve_scripted(default=AnswerPlan(tokens=3)) as server:
        async with open_chat(Endpoint(server.base_url, "m")) as model:
            async for _ in model.stream(ChatRequest((ChatMessage(ChatRole.USER, "hi"),))):
                pass
        address = server.base_url.removesuffix("/v1") + "/stats"
        async with aiohttp.ClientSession() as session, session.get(address) as response:
            stats = await response.json()

    assert stats == {"requests": 1, "active": 0, "aborted": 0, "tokens": 3}


async def test_tool_loop_ends_with_the_result() -> None:
    call = ToolCall("call_0", "add", "{}")
    messages = (
        ChatMessage(ChatRole.USER, "[[tool=add]]"),
        ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(call,)),
        ChatMessage(ChatRole.TOOL, "42", tool_call_id="call_0"),
    )

    async with serve_scripted() as server, open_chat(Endpoint(server.base_url, "m")) as model:
        chunks = [chunk async for chunk in model.stream(ChatRequest(messages))]

    said = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))
    assert said == "The tool answered: 42"
