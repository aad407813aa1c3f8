"""A run of the assistant goes on from its last completed step when another worker takes it over."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

from msgspec import Struct
from tests.integration.runs.claims import cancel_unfinished_runs, claim_run, submit_run
from tests.serving import Frame, broken_rules_of, run_body, serving

from yarrow.attachments.images import load_image
from yarrow.db import Database
from yarrow.ids import RunId
from yarrow.journal.events import (
    ModelReplied,
    Progressed,
    RunEvent,
    RunRestarted,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
)
from yarrow.llm.model import ChatRequest, ChatRole
from yarrow.llm.scripted import Call, Hold, Say, ScriptedModel, Turn
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec
from yarrow.runs.takeover import Takeover

CALCULATE = Call("calculate", {"expression": "6 * 7"})
SHOW = Call("show_card", {"status": "success", "title": "Forty-two"})


class TakenRun(Struct):
    """A run after its takeover, as one client saw it from its start."""

    frames: list[Frame]
    requests: list[ChatRequest]
    points: int

    @property
    def valid(self) -> list[Frame]:
        """The restart, and the frames that it does not void."""
        restart = next(f for f in self.frames if f.data.get("name") == "RUN_RESTARTED")
        void = restart.data["value"]["discardedUpToId"]
        return [frame for frame in self.frames if frame.id > void]


async def take_over(
    database: Database, folder: Path, *, before: list[Turn], after: list[Turn]
) -> TakenRun:
    hold, model = Hold(), ScriptedModel(*after)
    async with serving(
        database.dsn, model=ScriptedModel(*before, [Say("Half a "), hold]), data_dir=folder
    ) as stopping:
        caller, body = await stopping.account(), run_body("What is 6 * 7?")
        await caller.submit(body)
        await hold.reached.wait()
    async with serving(database.dsn, model=model, data_dir=folder) as taking:
        caller.url, caller.http = taking.url, taking.http
        frames = await caller.events(body["threadId"], body["runId"])
        points = (await caller.points())["balance"]
    assert await broken_rules_of(database) == []
    return TakenRun(frames, model.requests, points)


async def test_completed_reply_and_tool_result_are_not_paid_for_again(
    database: Database, tmp_path: Path
) -> None:
    taken = await take_over(database, tmp_path, before=[[CALCULATE]], after=[[Say("It is 42.")]])

    (request,) = taken.requests
    roles = [message.role for message in request.messages[-2:]]
    assert roles == [ChatRole.ASSISTANT, ChatRole.TOOL]
    assert "42" in request.messages[-1].text
    assert taken.frames[-1].data["result"]["answer"] == "It is 42."
    assert taken.points == 80


async def test_restart_voids_all_and_repeats_what_was_completed(
    database: Database, tmp_path: Path
) -> None:
    taken = await take_over(database, tmp_path, before=[[CALCULATE]], after=[[Say("It is 42.")]])

    restart, *valid = taken.valid
    repeated_up_to = restart.data["value"]["repeatedUpToId"]
    repeated = [frame.type for frame in valid if frame.id <= repeated_up_to]
    new = [frame.type for frame in valid if frame.id > repeated_up_to]
    assert repeated == [
        "STEP_STARTED",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "CUSTOM",
    ]
    assert new[0] == "TEXT_MESSAGE_START"
    assert new[-2:] == ["STEP_FINISHED", "RUN_FINISHED"]
    said = [frame.data["delta"] for frame in valid if frame.type == "TEXT_MESSAGE_CONTENT"]
    assert "".join(said) == "It is 42."


async def test_answer_has_the_card_of_a_tool_that_was_called_before_the_takeover(
    database: Database, tmp_path: Path
) -> None:
    taken = await take_over(database, tmp_path, before=[[SHOW]], after=[[Say("Look.")]])

    assert "ui_hints" in taken.frames[-1].data["result"]


async def test_steps_that_the_agent_does_not_repeat_are_void(
    database: Database, tmp_path: Path
) -> None:
    """The records of another version of the agent, perhaps."""
    message_id = str(uuid4())
    records: list[RunEvent] = [
        ModelReplied(1, message_id, "hello"),
        ToolCallStarted("call", "calculate", message_id),
        ToolCallFinished("call"),
        ToolReturned("call", str(uuid4()), "42"),
    ]
    async with serving(database.dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as api:
        caller, body = await api.account(), run_body()
        run_id = RunId(UUID((await caller.submit(body))["taskId"]))
        await claim_run(api, run_id, alive=False)
        journal = api.product.engine.journal
        run_log = journal.open(run_id, attempt=1)
        for event in (RunStarted(0), *records):
            run_log.add(event)
        await journal.flush_one(run_log)
        journal.discard(run_log)

        model = ScriptedModel([Say("Anew.")])
        async with serving(database.dsn, model=model, data_dir=tmp_path):
            frames = await caller.events(body["threadId"], body["runId"], after=1)

    first, last = (frame for frame in frames if frame.data.get("name") == "RUN_RESTARTED")
    valid = [frame.type for frame in frames if frame.id > last.id]
    assert first.data["value"]["repeatedUpToId"] < last.id
    assert last.data["value"]["discardedUpToId"] == last.id - 1
    assert message_id in last.data["value"]["discardedMessageIds"]
    assert last.data["value"]["repeatedUpToId"] == last.id
    assert "TOOL_CALL_RESULT" not in valid
    assert frames[-1].data["result"]["answer"] == "Anew."
    assert len(model.requests) == 1


class WatchedAgent(Struct):
    """An agent that says nothing, and knows whether it was asked."""

    spec: AgentSpec
    has_begun: bool = False

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        self.has_begun = True
        yield Progressed("begins")


async def test_restart_is_sent_before_the_agent_repeats_its_steps(
    database: Database, tmp_path: Path
) -> None:
    """They may wait for the sandbox."""
    steps: list[RunEvent] = [Progressed("asks"), ModelReplied(1, str(uuid4()), "hello")]
    async with serving(database.dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as api:
        run = await claim_run(api, await submit_run(api))
        assert run is not None
        engine = api.product.engine
        agent = WatchedAgent(engine.agent(run.agent).spec)
        context = RunContext(
            run,
            (),
            engine.model_for(run.input),
            engine.tools,
            engine.clock,
            engine.new_id,
            partial(load_image, engine.storage),
        )
        takeover = Takeover(engine, run, [RunStarted(0), *steps])

        events = takeover.resume_agent(agent, context, opening=())
        restart, *repeated = [await anext(events) for _ in range(3)]

        assert isinstance(restart, RunRestarted)
        assert (restart.repeated, repeated) == (2, steps)
        assert not agent.has_begun
        await cancel_unfinished_runs(api)
