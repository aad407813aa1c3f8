"""The assistant without a model: real tools with cards, honest about itself, and free."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.loose_json import JsonValue, decode_json
from tests.protocols.agui.runs.test_divination import divination
from tests.protocols.agui.runs.test_stock_posts import stream
from tests.serving import Caller, Frame, Served, broken_rules_of, run_body, serving

from yarrow.llm.scripted_server import serve_scripted
from yarrow.points.adjust import adjust_points

SECRET = "a secret that two processes share"


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("offline")
    async with serving(
        dsn, model=None, data_dir=folder, llm_base_url=None, jwt_secret=SECRET
    ) as served:
        yield served


@pytest.fixture
async def caller(served: Served) -> Caller:
    return await served.account()


async def ask(caller: Caller, text: str, *, thread: str = "") -> list[Frame]:
    body = run_body(text, thread=thread)
    await caller.submit(body)
    return await caller.events(body["threadId"], body["runId"])


def values_of(frames: list[Frame], key: str) -> list[JsonValue]:
    return [frame.data[key] for frame in frames if key in frame.data]


def answer_of(frames: list[Frame]) -> str:
    assert frames[-1].type == "RUN_FINISHED", frames[-1].data
    return str(frames[-1].data["result"]["answer"])


async def test_a_tool_is_called_and_its_card_is_shown(served: Served, caller: Caller) -> None:
    frames = await ask(caller, "What is 17 times 23?")

    types = [frame.type for frame in frames]
    assert "calculate" in values_of(frames, "toolCallName")
    assert types.index("TOOL_CALL_RESULT") < types.index("TEXT_MESSAGE_START")
    assert answer_of(frames) == "17 × 23 = 391"
    (result,) = [frame.data for frame in frames if frame.type == "TOOL_CALL_RESULT"]
    assert '"value":"391"' in result["content"]
    assert [f.data["name"] for f in frames if f.type == "CUSTOM"].count("UI_CARD") == 1


@pytest.mark.parametrize(
    "question, begins",
    [
        ("What time is it in Tokyo?", "In Tokyo it is "),
        ("现在东京几点？", "东京现在是 20"),
        ("How many points do I have?", "You have 100 points to spend"),
        ("积分流水", "最近一笔积分变动：20"),
        ("Search my past sessions for zeppelin", "I found nothing about “zeppelin”"),
        ("What tables do I have?", "You have uploaded no table yet"),
        ("How do I configure a model?", "Yarrow uses one API"),
        ("What can you do?", "I am Yarrow's assistant."),
        ("Say hello in one sentence.", "Hello!"),
        ("今天天气怎么样", "这个问题需要语言模型"),
    ],
)
async def test_what_the_tools_can_do_is_answered_in_its_language(
    caller: Caller, question: str, begins: str
) -> None:
    assert answer_of(await ask(caller, question)).startswith(begins)


@pytest.mark.parametrize("question", ["1+" * 120 + "1", "帮我算 " + "1+" * 120 + "1"])
async def test_a_sum_that_the_tool_does_not_take_is_refused(caller: Caller, question: str) -> None:
    assert "YARROW_LLM_BASE_URL" in answer_of(await ask(caller, question))


@pytest.mark.parametrize("question", ["2的0.3次方", "2^0.3是多少", "(1+2等于多少"])
async def test_a_failure_is_told_in_the_language_of_the_question(
    caller: Caller, question: str
) -> None:
    answer = answer_of(await ask(caller, question))

    assert not [word for word in ("only", "this is", "wrong") if word in answer]


async def test_a_search_does_not_find_the_searches_before_it(caller: Caller) -> None:
    await ask(caller, "My train to Lisbon was late")
    answers = [
        answer_of(await ask(caller, question))
        for question in (
            "did we talk about Madrid before?",
            "did we talk about Madrid before?",
            "search my past sessions for Lisbon",
            "search my past sessions for Lisbon",
        )
    ]

    nothing = "I found nothing about “Madrid” in your past sessions."
    assert answers[:2] == [nothing, nothing]
    assert answers[2] == answers[3]
    assert answers[3].startswith("I found 1 session in your past sessions; the newest is “My train")


@pytest.mark.parametrize(
    "question", ["Cast a hexagram: should I change my job?", "帮我起一卦，看看换工作合适吗"]
)
async def test_a_hexagram_that_is_cast_is_named_in_the_answer(
    caller: Caller, question: str
) -> None:
    frames = await ask(caller, question)

    (result,) = (frame.data for frame in frames if frame.type == "TOOL_CALL_RESULT")
    assert decode_json(result["content"].encode())["hexagram"] in answer_of(frames)


async def test_brought_messages_hide_no_warning_and_instructions_are_not_ignored_in_silence(
    caller: Caller,
) -> None:
    body = run_body("What is 2 + 2?")
    body["messages"] = [
        {"id": "s", "role": "system", "content": "Answer in French."},
        {"id": "u", "role": "user", "content": "My name is Ann."},
        {"id": "a", "role": "assistant", "content": "Hello Ann."},
        *body["messages"],
    ]

    frames = await stream(caller, body)

    codes = [f.data["value"]["code"] for f in frames if f.data.get("name") == "WARNING"]
    assert codes == ["OFFLINE_ANSWERS", "MESSAGES_IGNORED"]


async def test_a_session_is_warned_once_and_says_which_model_answered(
    served: Served, caller: Caller
) -> None:
    body = run_body("What is 2 + 2?")
    await caller.submit(body)
    first = await caller.events(body["threadId"], body["runId"])
    second = await ask(caller, "And what is 3 + 3?", thread=body["threadId"])

    warnings = [
        [f.data["value"]["code"] for f in frames if f.data.get("name") == "WARNING"]
        for frames in (first, second)
    ]
    assert warnings == [["OFFLINE_ANSWERS"], []]
    async with served.product.database.connection() as tx:
        codes = await tx.fetch(
            "SELECT model_code FROM messages WHERE session_id = $1::text::uuid"
            " AND role = 'assistant' ORDER BY seq",
            body["threadId"],
        )
    assert {row["model_code"] for row in codes} == {"rules"}


async def test_a_session_that_a_model_began_is_warned_when_rules_go_on(
    dsn: str, served: Served, caller: Caller, tmp_path: Path
) -> None:
    async with (
        serve_scripted() as endpoint,
        serving(
            dsn, model=None, data_dir=tmp_path, llm_base_url=endpoint.base_url, jwt_secret=SECRET
        ) as modelled,
    ):
        caller.url = modelled.url
        first = await ask(caller, "[[say=Hello.]]")
    caller.url = served.url
    thread = str(first[0].data["threadId"])
    later = [await ask(caller, "What is 2 + 2?", thread=thread) for _ in range(2)]

    assert answer_of(first) == "Hello."
    warnings = [
        [f.data["value"]["code"] for f in frames if f.data.get("name") == "WARNING"]
        for frames in (first, *later)
    ]
    assert warnings == [[], ["OFFLINE_ANSWERS"], []]
    points = [frames[-1].data["metadata"]["yarrow"]["points"] for frames in (first, *later)]
    assert points == [20, 0, 0]


async def test_it_is_never_charged_and_needs_no_points(served: Served, caller: Caller) -> None:
    broken_before = await broken_rules_of(served.product.database)
    await adjust_points(
        served.product.database, caller.email, delta=-100, ticket_id=f"t-{caller.id}"
    )

    frames = await ask(caller, "What is 17 times 23?")

    assert answer_of(frames)
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"], points["lifetime_spent"]) == (0, 0, 100)
    assert await broken_rules_of(served.product.database) == broken_before


async def test_a_divination_by_rules_says_so_and_is_never_charged(
    served: Served, caller: Caller
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    first = divination()
    for body in (first, divination("follow_up", thread=first["threadId"])):
        await caller.submit(body)
        frames = await caller.events(body["threadId"], body["runId"])
        assert [usage["model"] for usage in frames[-1].data["usage"]] == ["rules"]

    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)
    assert await broken_rules_of(served.product.database) == broken_before


async def test_a_hold_of_another_process_is_released(
    dsn: str, served: Served, caller: Caller, tmp_path: Path
) -> None:
    broken_before = await broken_rules_of(served.product.database)
    # This process has a model and accepts, the other one has none and executes.
    endpoint = "http://127.0.0.1:9/v1"
    accepting = serving(
        dsn, model=None, data_dir=tmp_path, slots=0, llm_base_url=endpoint, jwt_secret=SECRET
    )
    async with accepting as front:
        caller.url = front.url
        body = run_body("What is 17 times 23?")
        await caller.submit(body)
        caller.url = served.url
        frames = await caller.events(body["threadId"], body["runId"])

    assert answer_of(frames) == "17 × 23 = 391"
    points = await caller.points()
    assert (points["balance"], points["frozen_balance"]) == (100, 0)
    assert await broken_rules_of(served.product.database) == broken_before


async def test_turned_off_a_run_says_that_no_model_is_configured(dsn: str, tmp_path: Path) -> None:
    without = serving(dsn, model=None, data_dir=tmp_path, llm_base_url=None, offline_model=False)
    async with without as served:
        frames = await ask(await served.account(), "What is 17 times 23?")

    assert frames[-1].type == "RUN_ERROR"
    assert frames[-1].data["message"].startswith("No model is configured. Set YARROW_LLM_BASE_URL")
