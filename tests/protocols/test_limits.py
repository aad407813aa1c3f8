"""Limits of an account: unfinished runs, and forms with files."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from tests.own_database import create_database
from tests.serving import RUNS, Caller, run_body, serving

from yarrow.llm.scripted import Hold, ScriptedModel

LIMIT = 3


@pytest.fixture
async def dsn(postgres: str) -> str:
    """A database for each test: another server on it would execute the runs that it leaves."""
    return await create_database(postgres)


@pytest.mark.parametrize("slots", [64, 0])
async def test_an_account_has_a_limited_number_of_unfinished_runs(
    dsn: str, tmp_path: Path, slots: int
) -> None:
    model = ScriptedModel()
    model.play(*([Hold()] for _ in range(12)))
    async with serving(
        dsn, model=model, data_dir=tmp_path, slots=slots, runs_per_account=LIMIT
    ) as served:
        caller, neighbour = await served.account(points=1000), await served.account()
        bodies = [run_body() for _ in range(LIMIT)]
        for body in bodies:
            await caller.submit(body)

        async with caller.http.post(
            caller.url + RUNS, json=run_body(), headers=caller.headers
        ) as refused:
            problem = await refused.json()
        again, _ = await caller.post(RUNS, bodies[0])
        other, _ = await neighbour.post(RUNS, run_body())

    assert (refused.status, problem["code"]) == (429, "AGENT_TOO_MANY_REQUESTS")
    assert refused.headers["Retry-After"] == "1"
    assert (again, other) == (202, 202)


async def test_a_burst_of_posts_does_not_exceed_the_limit(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    model.play(*([Hold()] for _ in range(12)))
    async with serving(dsn, model=model, data_dir=tmp_path, runs_per_account=LIMIT) as served:
        caller = await served.account(points=1000)

        answers = await asyncio.gather(*(caller.post(RUNS, run_body()) for _ in range(12)))

    assert sorted(status for status, _ in answers) == [202] * LIMIT + [429] * (12 - LIMIT)


async def test_an_account_sends_a_limited_number_of_forms(dsn: str, tmp_path: Path) -> None:
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path, uploads_per_minute=2
    ) as served:
        caller, neighbour = await served.account(), await served.account()
        began_at = datetime.now(UTC)

        statuses = [await send_form(caller) for _ in range(9)]
        earned = (datetime.now(UTC) - began_at) // timedelta(seconds=60 / 2)
        other = await send_form(neighbour)

    assert 2 <= statuses.count(422) <= 2 + earned
    assert {*statuses} <= {422, 429}
    assert other == 422


async def send_form(caller: Caller) -> int:
    form = aiohttp.FormData(default_to_multipart=True)
    form.add_field("unknown", "x")
    status, _ = await caller.send("POST", "/api/v1/agent/attachments", data=form)
    return int(status)
