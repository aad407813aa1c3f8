"""The offline model answers, and goes when we go."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.waiting import wait_until

from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, FinishChunk, TextChunk
from yarrow.llm.offline import OfflineModel, has_offline_model

pytestmark = pytest.mark.skipif(
    not has_offline_model(),
    reason="the offline model's wheels are not installed: requirements-offline.lock",
)

PARENT = """
import asyncio
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.llm.offline import OfflineModel

async def main():
    model = OfflineModel()
    await anext(model.stream(ChatRequest((ChatMessage(ChatRole.USER, "Hi"),))))
    print(model.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[OfflineModel]:
    async with OfflineModel() as offline:
        yield offline


async def answer(model: OfflineModel, text: str, limit: int = 12) -> str:
    request = ChatRequest(
        (ChatMessage(ChatRole.USER, text),), sampler={"max_tokens": limit, "seed": 1}
    )
    chunks = [chunk async for chunk in model.stream(request)]
    assert isinstance(chunks[-1], FinishChunk)
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))


def alive(pid: int) -> bool:
    """Whether it runs; a dead process that nobody has buried yet does not."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


async def gone(pid: int) -> None:
    await wait_until(lambda: not alive(pid))


async def test_it_answers_something(model: OfflineModel) -> None:
    assert (await answer(model, "What is the capital of France?")).strip()


async def test_it_answers_twice_in_a_row(model: OfflineModel) -> None:
    assert await answer(model, "Hello!")
    assert await answer(model, "Hello again!")


async def test_prompt_beyond_its_context_is_answered_too(model: OfflineModel) -> None:
    assert await answer(model, "Add: " + "1234567890 你好 " * 1000, limit=2)


async def test_a_child_that_died_is_started_anew(model: OfflineModel) -> None:
    await answer(model, "Hi", limit=1)
    first = model.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await wait_until(lambda: model.pid is None)

    assert await answer(model, "Hi", limit=2)
    assert model.pid != first


async def test_cancel_while_it_starts_does_not_spoil_the_next_answer() -> None:
    async with OfflineModel() as model:
        asking = asyncio.ensure_future(answer(model, "Hi", limit=1))
        await wait_until(lambda: model.pid is not None)
        asking.cancel()
        await asyncio.wait([asking])

        assert await answer(model, "Hi", limit=2)


async def test_closing_ends_the_child() -> None:
    async with OfflineModel() as model:
        await answer(model, "Hi", limit=1)
        pid = model.pid

    assert pid is not None
    assert not alive(pid)


async def test_killing_the_parent_ends_the_child() -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-c", PARENT), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())

    parent.kill()
    await parent.wait()

    await gone(child)
