"""A stream that is asked for twice with one `Idempotency-Key` is one run."""

import asyncio

from tests.protocols.ndjson.analyst_client import DATA_AGENT, SUMMARY, AnalystClient
from tests.protocols.switchable_model import SwitchableModel

from yarrow.llm.scripted import Hold

QUESTION = {"input_tables": [{"name": "sales"}], "user_question": "Who sells most?"}


async def ask(analyst: AnalystClient, key: str, **changed: str) -> bytes:
    headers = {**analyst.headers, "Idempotency-Key": key}
    url = analyst.caller.url + DATA_AGENT
    body = QUESTION | changed
    async with analyst.caller.http.post(url, json=body, headers=headers) as answer:
        return await answer.read()


async def test_a_repeated_question_follows_the_same_run(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    model = switchable.script([hold, SUMMARY])
    first = asyncio.create_task(ask(analyst, "k"))
    await hold.reached.wait()
    second = asyncio.create_task(ask(analyst, "k"))
    hold.release.set()

    lines = await first

    assert b'"completion"' in lines
    assert (await second).decode() == lines.decode()
    assert await ask(analyst, "k") == lines
    assert len(model.requests) == 1


async def test_the_key_with_another_question_is_a_conflict(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([SUMMARY])
    await ask(analyst, "k")

    refused = await ask(analyst, "k", user_question="Something else?")

    assert b'"error"' in refused
