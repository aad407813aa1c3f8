"""Every agent against a model endpoint in trouble: one behaviour for all of them (design 16).

The whole product runs over HTTP with a real model endpoint. All agents are asked over AG-UI, by
their names; the analyst's also over NDJSON, which is their own protocol.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from benchmarks.hostile_model import serve_hostile
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.own_database import create_database
from tests.protocols.ndjson.analyst_client import STREAMS, AnalystClient, drop_progress
from tests.serving import Caller, Frame, Served, broken_rules_of, run_body, serving

from yarrow.kit.json import encode_json
from yarrow.llm.scripted_directives import AnswerPlan
from yarrow.llm.scripted_server import ScriptedServer, serve_scripted

CAST: JsonObject = {
    "divinationMethod": "手动起卦",
    "questionType": "事业",
    "question": "换工作是否合适?",
    "divinationTimeIso": "2026-04-03T20:30:00+08:00",
    "yaoLines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
}
READING: JsonObject = {
    "sign_level": "下下签",
    "conclusion": ["水火既济 ，事有可为。"],
    "focus_points": ["二爻官鬼丑土为用神。"],
    "advice": ["先谈妥再动。"],
    "keywords": ["既济"],
    "answer": "可以 慎重考虑 。",
}


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    return await create_database(postgres)


class Case(Struct, frozen=True):
    """An agent, an answer of a model that suits it, and what is left of it for a reader."""

    agent: str
    answer: str
    reader_sees: str
    price: int = 0
    streams: bool = True
    """The reply is shown while it comes, so it cannot be retried later on."""
    empty_replies: int = 1
    """How many empty replies the agent bears."""
    tool: tuple[str, str] = ("", "")
    follow_up: bool = False
    is_story: bool = False
    """Its session is a story, which is there before its first run."""

    def body(self, thread: str = "", *, mode: str = "chat") -> JsonObject:
        if self.agent != "divination":
            return run_body("Who sells most?", thread=thread)
        props = {"runtime_mode": mode, "divinationPayload": CAST}
        return run_body(CAST["question"], thread=thread, forwardedProps=props)


CASES = {
    "assistant": Case(
        "assistant", "It is noon now.", "It is noon now.", 20, tool=("current_time", "{}")
    ),
    "diviner": Case(
        *("divination", encode_json(READING).decode(), READING["answer"], 20),
        streams=False,
        empty_replies=2,
    ),
    "diviner's follow-up": Case("divination", "再等 一月 。", "再等 一月 。", 20, follow_up=True),
    "analyst": Case(
        "analyst",
        '{"action": "summary", "summary": "The north leads."}',
        "The north leads.",
        streams=False,
        empty_replies=4,
        tool=("run_sql", '{"query": "SELECT 1"}'),
    ),
    "questions": Case("analyst-questions", '{"text": "Why so?", "tag": "pivot"}', "Why so?"),
    "report": Case(
        "analyst-report",
        "# Report\n\nThe north leads.\n",
        "The north leads.",
        empty_replies=2,
        tool=("inspect_chart", '{"chart_ids": []}'),
    ),
    "loader": Case(
        "analyst-loader", "Attach a file.", "Attach a file.", tool=("list_directory", "{}")
    ),
    "storyteller": Case("storyteller", "The fire wavers.", "The fire wavers.", is_story=True),
}
each_agent = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


class Ended(Struct):
    """What came of a run: its frames, what it cost, and the messages that were stored."""

    frames: list[Frame]
    cost: int
    stored: list[JsonObject]

    @property
    def code(self) -> str:
        """The error's code; empty for a success."""
        last = self.frames[-1]
        assert last.type in ("RUN_FINISHED", "RUN_ERROR")
        return "" if last.type == "RUN_FINISHED" else str(last.data["code"])

    @property
    def warnings(self) -> list[str]:
        values = [f.data["value"] for f in self.frames if f.data.get("name") == "WARNING"]
        return [value["code"] for value in values]

    @property
    def retries(self) -> int:
        values = [f.data["value"] for f in self.frames if f.data.get("name") == "PROGRESS"]
        return [value["label"] for value in values].count("retrying_model")

    @property
    def reasoning(self) -> str:
        frames = [f for f in self.frames if f.type == "REASONING_MESSAGE_CONTENT"]
        return "".join(frame.data["delta"] for frame in frames)

    @property
    def shown(self) -> str:
        """Everything on the wire and in history but reasoning, as a reader could see it."""
        frames = [f.data for f in self.frames if not f.type.startswith("REASONING")]
        texts = [f["delta"] for f in frames if f["type"] == "TEXT_MESSAGE_CONTENT"]
        return "".join(texts) + str(frames) + str(self.stored)

    @property
    def answers(self) -> list[JsonObject]:
        return [message for message in self.stored if message["role"] == "assistant"]


class Bench(Struct):
    """One account, and the endpoint that its runs ask."""

    endpoint: ScriptedServer
    caller: Caller

    async def run(self, case: Case, *plans: AnswerPlan) -> Ended:
        """Ask the agent; the model answers by these plans."""
        thread = await self._create_story() if case.is_story else str(uuid4())
        if case.follow_up:
            first = CASES["diviner"]
            self.endpoint.play(AnswerPlan(say=first.answer))
            await self._frames(case.agent, first.body(thread))
        self.endpoint.play(*plans)
        self.endpoint.received.clear()
        before = (await self.caller.points())["balance"]
        body = case.body(thread, mode="follow_up" if case.follow_up else "chat")
        frames = await self._frames(case.agent, body)
        _, history = await self.caller.get("/api/v1/agent/history", threadId=thread)
        messages: list[JsonObject] = history.get("messages", [])
        points = await self.caller.points()
        assert points["frozen_balance"] == 0
        return Ended(frames, before - points["balance"], messages[2 if case.follow_up else 0 :])

    async def _create_story(self) -> str:
        status, created = await self.caller.post("/sessions", {})
        assert status == 201, created
        return str(created["data"]["id"])

    async def _frames(self, agent: str, body: JsonObject) -> list[Frame]:
        status, accepted = await self.caller.post(f"/api/v1/agents/{agent}/runs", body)
        assert status == 202, accepted
        return await self.caller.events(accepted["threadId"], accepted["runId"])

    @property
    def requests(self) -> list[JsonObject]:
        return [sent.json for sent in self.endpoint.received]


@pytest.fixture(scope="module")
async def endpoint() -> AsyncIterator[ScriptedServer]:
    async with serve_scripted() as server:
        yield server


@pytest.fixture(scope="module")
async def served(
    dsn: str, endpoint: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    async with serving(dsn, model=None, data_dir=folder, llm_base_url=endpoint.base_url) as served:
        yield served


@pytest.fixture(scope="module")
async def analyst(served: Served) -> AnalystClient:
    """The account of all tests, with a table; each of them has threads of its own."""
    caller = await served.account(points=100_000)
    analyst = AnalystClient(served, caller, workspace="default")
    await analyst.create_table("sales")
    return analyst


@pytest.fixture(autouse=True)
def forget_requests(endpoint: ScriptedServer) -> None:
    endpoint.play()
    endpoint.received.clear()


@pytest.fixture
async def bench(analyst: AnalystClient, endpoint: ScriptedServer) -> AsyncIterator[Bench]:
    yield Bench(endpoint, analyst.caller)
    assert await broken_rules_of(analyst.served.product.database) == []


@each_agent
async def test_a_good_answer_is_charged_and_stored(bench: Bench, case: Case) -> None:
    ended = await bench.run(case, AnswerPlan(say=case.answer))

    assert (ended.code, ended.cost, ended.warnings) == ("", case.price, [])
    assert case.reader_sees in ended.shown
    assert len(bench.requests) == 1


@each_agent
async def test_a_filtered_answer_fails_and_costs_nothing(bench: Bench, case: Case) -> None:
    half = " ".join(case.answer.split()[:2])

    ended = await bench.run(case, AnswerPlan(say=half, finish="content_filter"))

    assert (ended.code, ended.cost) == ("AGENT_CONTENT_FILTERED", 0)
    assert ended.answers == []
    assert len(bench.requests) == 1


@each_agent
@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_endpoint_is_asked_again_when_it_says(
    bench: Bench, case: Case, status: int
) -> None:
    busy = AnswerPlan(status=status, retry_after="0.01")

    ended = await bench.run(case, busy, busy, AnswerPlan(say=case.answer))

    assert (ended.code, ended.cost, ended.retries) == ("", case.price, 2)
    assert case.reader_sees in ended.shown
    assert len({encode_json(body) for body in bench.requests}) == 1
    assert len(bench.requests) == 3


@each_agent
async def test_a_busy_endpoint_is_asked_three_times_at_most(bench: Bench, case: Case) -> None:
    busy = AnswerPlan(status=429, retry_after="0.01")
    inspecting = [AnswerPlan(status=401)] if case.agent == "analyst-report" else []

    ended = await bench.run(case, *inspecting, *[busy] * 3, AnswerPlan(say=case.answer))

    assert (ended.code, ended.cost) == ("AGENT_MODEL_RATE_LIMITED", 0)
    assert ended.answers == []
    assert len(bench.requests) == 3 + len(inspecting)


@each_agent
async def test_no_wait_is_longer_than_the_run_may_take(bench: Bench, case: Case) -> None:
    busy = AnswerPlan(status=429, retry_after="3600")
    inspecting = [AnswerPlan(status=401)] if case.agent == "analyst-report" else []

    ended = await bench.run(case, *inspecting, busy, AnswerPlan(say=case.answer))

    assert (ended.code, ended.cost, ended.retries) == ("AGENT_MODEL_RATE_LIMITED", 0, 0)


@each_agent
async def test_thoughts_in_tags_are_not_the_answer(bench: Bench, case: Case) -> None:
    ended = await bench.run(case, AnswerPlan(say=f"<think>a secret plan</think>\n{case.answer}"))

    assert (ended.code, ended.cost) == ("", case.price)
    assert case.reader_sees in ended.shown
    assert "secret" not in ended.shown
    assert "think>" not in ended.shown
    assert ended.reasoning == ("a secret plan" if case.streams else "")


@each_agent
async def test_an_answer_cut_at_its_length_stands_with_a_warning(bench: Bench, case: Case) -> None:
    ended = await bench.run(case, AnswerPlan(say=case.answer, finish="length"))

    assert (ended.code, ended.cost, ended.warnings) == ("", case.price, ["ANSWER_CUT"])
    assert case.reader_sees in ended.shown


@each_agent
@pytest.mark.parametrize("reply", ["", "<think>thoughts that never end"])
async def test_an_empty_answer_fails_and_costs_nothing(
    bench: Bench, case: Case, reply: str
) -> None:
    ended = await bench.run(case, *[AnswerPlan(say=reply)] * case.empty_replies)

    assert len(bench.requests) == case.empty_replies
    if case.agent == "analyst-questions":  # the columns of the tables give some questions too
        assert (ended.code, ended.warnings) == ("", ["NO_QUESTIONS"])
        return
    assert (ended.code, ended.cost) == ("AGENT_MODEL_OUTPUT_INVALID", 0)
    assert ended.answers == []


@each_agent
async def test_a_lost_connection_fails_what_was_shown(bench: Bench, case: Case) -> None:
    cut = AnswerPlan(say=case.answer, cut_after=1)

    ended = await bench.run(case, cut, AnswerPlan(say=case.answer))

    if not case.streams:  # nobody saw the half, so it is asked for again
        assert (ended.code, ended.cost, ended.retries) == ("", case.price, 1)
        return
    assert (ended.code, ended.cost) == ("AGENT_MODEL_UNAVAILABLE", 0)
    assert ended.answers == []
    assert len(bench.requests) == 1


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.tool[0]], ids=lambda c: c.agent)
async def test_reasoning_goes_back_with_the_results_of_tools(bench: Bench, case: Case) -> None:
    ended = await bench.run(
        case,
        AnswerPlan(reasoning="a deep thought", tools=(case.tool,)),
        AnswerPlan(say=case.answer),
    )

    assert (ended.code, ended.cost) == ("", case.price)
    *_, called, result = bench.requests[1]["messages"]
    assert called["reasoning_content"] == "a deep thought"
    assert [call["function"]["name"] for call in called["tool_calls"]] == [case.tool[0]]
    assert (result["role"], result["tool_call_id"]) == ("tool", called["tool_calls"][0]["id"])


@each_agent
@pytest.mark.parametrize(
    "usage",
    [
        '{"prompt_tokens": -5, "completion_tokens": 3}',
        '{"prompt_tokens": 9223372036854775808, "completion_tokens": 3}',
        '{"prompt_tokens": 1.5, "completion_tokens": "many"}',
        '"none"',
    ],
)
async def test_absurd_usage_is_ignored_with_a_warning(bench: Bench, case: Case, usage: str) -> None:
    ended = await bench.run(case, AnswerPlan(say=case.answer, usage=usage))

    assert (ended.code, ended.cost, ended.warnings) == ("", case.price, ["USAGE_IGNORED"])
    assert case.reader_sees in ended.shown


@pytest.mark.parametrize("name", ["endless line", "whole", "inflating", "endless arguments"])
async def test_a_hostile_answer_fails_the_run_and_costs_nothing(
    dsn: str, tmp_path: Path, name: str
) -> None:
    async with (
        serve_hostile() as hostile,
        serving(dsn, model=None, data_dir=tmp_path, llm_base_url=hostile.base_url(name)) as served,
    ):
        caller = await served.account()
        accepted = await caller.submit(run_body())
        *_, last = await caller.events(accepted["threadId"], accepted["runId"])

        assert (last.type, last.data["code"]) == ("RUN_ERROR", "AGENT_MODEL_OUTPUT_INVALID")
        points = await caller.points()
        assert (points["balance"], points["frozen_balance"]) == (100, 0)


ANSWERS = dict(zip(STREAMS, ["analyst", "questions", "report", "loader"], strict=True))


@pytest.mark.parametrize("path", STREAMS)
async def test_ndjson_has_a_line_for_a_cut_answer_and_none_for_thoughts(
    analyst: AnalystClient, endpoint: ScriptedServer, path: str
) -> None:
    answer = CASES[ANSWERS[path]].answer
    endpoint.play(AnswerPlan(say=f"<think>a secret</think>{answer}", finish="length"))
    question = {"role": "user", "content": "?"}

    lines = await analyst.post_lines(path, {"user_question": "?", "messages": [question]})

    warning = {
        "message": "The model's answer was cut off at its length limit.",
        "message_code": "ANSWER_CUT",
    }
    assert [line["warning"] for line in lines if line["type"] == "warning"] == [warning]
    assert "secret" not in str(lines)
    assert drop_progress(lines)[-1]["type"] in ("done", "completion")
