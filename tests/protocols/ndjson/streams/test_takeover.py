"""A run of the analyst loses its worker: completed steps are not repeated, charts stay single."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from msgspec import Struct
from tests.integration.runs.claims import EXPIRED, claim_run
from tests.own_database import create_database
from tests.protocols.ndjson.analyst_client import (
    BY_REGION_SQL,
    SUMMARY,
    AnalystClient,
    visualize,
)
from tests.protocols.ndjson.conftest import SOME_ENDPOINT
from tests.serving import Served, broken_rules_of, run_body, serving

from yarrow.db import Database, open_database
from yarrow.ids import RunId
from yarrow.journal.events import (
    ModelReplied,
    RunEvent,
    RunRestarted,
    RunSucceeded,
    ToolReturned,
)
from yarrow.llm.errors import ModelFailed
from yarrow.llm.model import ChatRequest
from yarrow.llm.scripted import Call, Fail, Hold, Say, ScriptedModel, Turn
from yarrow.product_events.analyst import ChartResult
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


async def hold_run(analyst: AnalystClient, hold: Hold, agent: str = "analyst") -> RunId:
    """Submit a run that goes as far as the hold in its model's script."""
    body = run_body("Who sells most?")
    status, accepted = await analyst.caller.post(f"/api/v1/agents/{agent}/runs", body)
    assert status == 202
    await hold.reached.wait()
    return RunId(UUID(accepted["taskId"]))


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    return await create_database(postgres)


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database


async def follow_to_end(served: Served, run_id: RunId) -> list[RunEvent]:
    return [
        sequenced.event
        async for batch in served.product.engine.journal.follow(run_id, after=0)
        for sequenced in batch
    ]


class TakenRun(Struct):
    """A run after its takeover."""

    repeated: list[RunEvent]
    """The events of completed steps."""
    new: list[RunEvent]
    """The events that the next worker made."""
    requests: list[ChatRequest]
    """What the next worker asked its model."""
    tables: list[str]


async def take_over(
    database: Database,
    folder: Path,
    *,
    before: list[Turn],
    after: list[Turn],
    flushed: bool = True,
    agent: str = "analyst",
) -> TakenRun:
    """Stop a server where its model's script ends, and let another one finish the run.

    Not `flushed`: as if the first one had died before its journal was.
    """
    hold, model = Hold(), ScriptedModel(*after)
    async with serving_analyst(database.dsn, ScriptedModel(*before, [hold]), folder) as stopping:
        analyst = await start_analyst(stopping)
        run_id = await hold_run(analyst, hold, agent)
    if not flushed:
        async with database.connection() as tx:
            await tx.execute("DELETE FROM run_events WHERE run_id = $1", run_id)
    async with serving_analyst(database.dsn, model, folder) as taking:
        analyst.served = taking
        events = await follow_to_end(taking, run_id)
        tables = await analyst.list_tables()
    assert isinstance(events[-1], RunSucceeded), events[-1]
    assert await broken_rules_of(database) == []
    start = next(i for i, event in enumerate(events) if isinstance(event, RunRestarted))
    restart, following = events[start], events[start + 1 :]
    assert isinstance(restart, RunRestarted)
    count = restart.repeated
    return TakenRun(following[:count], following[count:], model.requests, tables)


def charts(events: list[RunEvent]) -> list[str]:
    return [event.chart.table_name for event in events if isinstance(event, ChartResult)]


async def test_takeover_starts_behind_the_last_chart(database: Database, tmp_path: Path) -> None:
    taken = await take_over(database, tmp_path, before=[[visualize()]], after=[[SUMMARY]])

    assert len(taken.requests) == 1
    assert "d_totals" in taken.requests[0].messages[-1].text
    assert (charts(taken.repeated), charts(taken.new)) == (["d_totals"], [])
    assert taken.tables == ["sales", "d_totals"]


@pytest.mark.parametrize(
    ("after", "tables"),
    [([[visualize()], [SUMMARY]], ["sales", "d_totals"]), ([[SUMMARY]], ["sales"])],
    ids=["makes the chart again", "makes no chart"],
)
async def test_chart_that_was_not_journalled_leaves_no_second_table(
    database: Database, tmp_path: Path, after: list[Turn], tables: list[str]
) -> None:
    before: list[Turn] = [[visualize()]]

    taken = await take_over(database, tmp_path, before=before, after=after, flushed=False)

    assert taken.repeated == []
    assert taken.tables == tables


async def test_later_code_sees_the_table_of_a_completed_chart(
    database: Database, tmp_path: Path
) -> None:
    later = visualize(sql="SELECT * FROM d_totals", output_variable="again")

    taken = await take_over(database, tmp_path, before=[[visualize()]], after=[[later], [SUMMARY]])

    assert charts(taken.new) == ["d_again"]
    assert taken.tables == ["sales", "d_totals", "d_again"]


async def test_failed_code_is_not_run_again(database: Database, tmp_path: Path) -> None:
    broken = visualize(sql=BY_REGION_SQL.replace("revenue", "nonsense"))

    taken = await take_over(database, tmp_path, before=[[broken]], after=[[visualize()], [SUMMARY]])

    assert len(taken.requests) == 2
    assert "nonsense" in taken.requests[0].messages[-1].text
    assert charts(taken.new) == ["d_totals"]


async def test_chart_that_could_not_be_repaired_is_not_tried_again(
    database: Database, tmp_path: Path
) -> None:
    broken = visualize(sql=BY_REGION_SQL.replace("revenue", "nonsense"))
    before: list[Turn] = [[broken], [broken], [visualize()]]

    taken = await take_over(database, tmp_path, before=before, after=[[SUMMARY]])

    assert len(taken.requests) == 1
    assert (charts(taken.repeated), charts(taken.new)) == (["d_totals"], [])


async def test_program_sees_the_variables_of_programs_before_the_takeover(
    database: Database, tmp_path: Path
) -> None:
    taken = await take_over(
        database,
        tmp_path,
        before=[[Call("explore", {"code": "seen = 41"})]],
        after=[[Call("explore", {"code": "print(seen + 1)"})], [SUMMARY]],
    )

    results = [event.content for event in taken.new if isinstance(event, ToolReturned)]
    assert len(results) == 1
    assert "42" in results[0]


async def test_file_of_a_loader_is_written_once(database: Database, tmp_path: Path) -> None:
    write = Call("write_file", {"path": "a.csv", "content": "x\n1\n"})

    taken = await take_over(
        database, tmp_path, before=[[write]], after=[[Say("Done.")]], agent="analyst-loader"
    )

    assert len(taken.requests) == 1
    assert [type(event) for event in taken.repeated if isinstance(event, ToolReturned)]
    assert not [event for event in taken.new if isinstance(event, ToolReturned)]


async def test_run_that_is_lost_twice_still_has_its_first_steps(
    database: Database, tmp_path: Path
) -> None:
    first, second = Hold(), Hold()
    answers: list[list[Turn]] = [[[visualize()], [first]], [[second]], [[SUMMARY]]]
    async with serving_analyst(database.dsn, ScriptedModel(*answers[0]), tmp_path) as served:
        analyst = await start_analyst(served)
        run_id = await hold_run(analyst, first)
    async with serving_analyst(database.dsn, ScriptedModel(*answers[1]), tmp_path):
        await second.reached.wait()
    last = ScriptedModel(*answers[2])
    async with serving_analyst(database.dsn, last, tmp_path) as served:
        events = await follow_to_end(served, run_id)

    assert len(last.requests) == 1
    assert len(charts(events)) == 3
    assert sum(isinstance(event, ModelReplied) for event in events) == 4


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
    run = await claim_run(served, run_id, alive=False, lease=EXPIRED)
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


async def test_chart_that_a_second_restart_voids_keeps_no_table(
    analyst: AnalystClient, model: ScriptedModel
) -> None:
    """The agent did not repeat the step, and the run was cancelled before it made another chart."""
    hold, engine = Hold(), analyst.served.product.engine
    model.play([visualize()], [hold])
    run_id = await hold_run(analyst, hold)
    repeated = [each.event for each in (await engine.journal.read_present(run_id))[1:]]
    run = await lose_run(analyst.served, run_id)
    run_log = engine.journal.open(run.id, attempt=run.attempt)
    for event in (RunRestarted(2, 0, repeated=len(repeated)), *repeated, RunRestarted(2, 0)):
        run_log.add(event)

    await settle(engine, run, run_log, Cancelled())
    hold.release.set()

    assert charts(repeated) == ["d_totals"]
    assert await analyst.list_tables() == ["sales"]


async def test_failed_run_keeps_the_table_of_the_chart_that_it_showed(
    analyst: AnalystClient, model: ScriptedModel
) -> None:
    model.play([visualize()], [Fail(ModelFailed(500))])

    lines = await analyst.ask()

    shown = [line["type"] for line in lines if line["type"] in ("result", "error")]
    assert shown == ["result", "error"]
    assert await analyst.list_tables() == ["sales", "d_totals"]
