"""A worker is lost after its chart: the next one leaves one table, whatever the lost one does."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from tests.integration.runs.claims import claim_run
from tests.protocols.ndjson.analyst_client import SUMMARY, AnalystClient, visualize
from tests.protocols.ndjson.conftest import SOME_ENDPOINT
from tests.serving import Served, broken_rules_of, run_body, serving

from yarrow.ids import RunId
from yarrow.journal.events import RunEvent, RunRestarted, RunSucceeded
from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Fail, Hold, ScriptedModel, Turn
from yarrow.runs.model import Cancelled, ClaimedRun
from yarrow.runs.settle import settle


def serving_analyst(dsn: str, model: ScriptedModel, folder: Path):
    return serving(dsn, model=model, data_dir=folder, llm_base_url=SOME_ENDPOINT)


@pytest.fixture
async def analyst(dsn: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[AnalystClient]:
    async with serving_analyst(dsn, model, tmp_path) as served:
        yield await start_analyst(served)


async def start_analyst(served: Served) -> AnalystClient:
    analyst = AnalystClient(served, await served.account(), workspace="default")
    await analyst.create_table("sales")
    return analyst


async def hold_run(analyst: AnalystClient, hold: Hold) -> RunId:
    """Submit a run of the analyst that goes as far as the hold in its model's script."""
    body = run_body("Who sells most?")
    status, accepted = await analyst.caller.post("/api/v1/agents/analyst/runs", body)
    assert status == 202
    await hold.reached.wait()
    return RunId(UUID(accepted["taskId"]))


async def follow_to_end(served: Served, run_id: RunId) -> list[RunEvent]:
    return [
        sequenced.event
        async for batch in served.product.engine.journal.follow(run_id, after=0)
        for sequenced in batch
    ]


@pytest.mark.parametrize(
    ("next_answers", "tables"),
    [([[visualize()], [SUMMARY]], ["sales", "d_totals"]), ([[SUMMARY]], ["sales"])],
    ids=["makes the chart again", "makes no chart"],
)
async def test_run_that_changes_its_worker_after_a_chart_leaves_no_table_twice(
    dsn: str, tmp_path: Path, next_answers: list[Turn], tables: list[str]
) -> None:
    hold = Hold()
    async with serving_analyst(dsn, ScriptedModel([visualize()], [hold]), tmp_path) as stopping:
        analyst = await start_analyst(stopping)
        run_id = await hold_run(analyst, hold)
    async with serving_analyst(dsn, ScriptedModel(*next_answers), tmp_path) as taking:
        events = await follow_to_end(taking, run_id)
        analyst.served = taking

        assert any(isinstance(event, RunRestarted) for event in events)
        assert await analyst.list_tables() == tables
        assert await broken_rules_of(taking.product.database) == []


async def test_worker_that_was_frozen_before_its_chart_stores_no_table(
    analyst: AnalystClient, model: ScriptedModel
) -> None:
    hold = Hold()
    model.play([hold, visualize()], [visualize()], [SUMMARY])
    run_id = await hold_run(analyst, hold)

    await lose_run(analyst.served, run_id)
    hold.release.set()
    events = await follow_to_end(analyst.served, run_id)

    assert isinstance(events[-1], RunSucceeded)
    assert await analyst.list_tables() == ["sales", "d_totals"]
    assert len(model.requests) == 3


async def lose_run(served: Served, run_id: RunId) -> ClaimedRun:
    """Let another worker claim the run, one that has died since."""
    run = await claim_run(served, run_id, alive=False, lease=timedelta())
    assert run is not None
    return run


async def test_run_that_is_taken_over_to_be_cancelled_keeps_no_table(
    analyst: AnalystClient, model: ScriptedModel
) -> None:
    """Its restart voids the chart."""
    hold, engine = Hold(), analyst.served.product.engine
    model.play([visualize()], [hold])
    run = await lose_run(analyst.served, await hold_run(analyst, hold))

    await settle(engine, run, engine.journal.open(run.id, attempt=run.attempt), Cancelled())
    hold.release.set()

    assert await analyst.list_tables() == ["sales"]


async def test_failed_run_keeps_the_table_of_the_chart_that_it_showed(
    analyst: AnalystClient, model: ScriptedModel
) -> None:
    model.play([visualize()], [Fail(ModelFailed(500))])

    lines = await analyst.ask()

    assert [line["type"] for line in lines if line["type"] in ("result", "error")] == [
        "result",
        "error",
    ]
    assert await analyst.list_tables() == ["sales", "d_totals"]
