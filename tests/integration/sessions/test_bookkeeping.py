"""What a session knows of itself after runs: title, counts, tokens, cost, tools."""

from decimal import Decimal
from pathlib import Path
from uuid import UUID

from tests.serving import Served, run_body, serving

from yarrow.db import Database, Row
from yarrow.llm.errors import ModelTimeout
from yarrow.llm.scripted import Call, Fail, Say, ScriptedModel, Spend


async def session_row(database: Database, thread: str) -> Row:
    async with database.connection() as tx:
        return await tx.fetchrow("SELECT * FROM sessions WHERE id = $1", UUID(thread))


async def test_title_counts_tokens_and_cost_are_kept(
    dsn: str, model: ScriptedModel, database: Database, tmp_path: Path
) -> None:
    model.play([Say("one"), Spend(1_000, 500)], [Say("two"), Spend(2_000, 100)])
    async with serving(
        dsn, model=model, data_dir=tmp_path, llm_input_price=2, llm_output_price=10
    ) as served:
        caller = await served.account()
        first = run_body("what is the\n weather like?")
        await caller.submit(first)
        await caller.events(first["threadId"], first["runId"])
        second = run_body("and tomorrow?", thread=first["threadId"])
        await caller.submit(second)
        await caller.events(second["threadId"], second["runId"])

    row = await session_row(database, first["threadId"])
    assert (row["title"], row["status"]) == ("what is the weather like?", "completed")
    assert (row["message_count"], row["total_tokens"]) == (4, 3_600)
    assert row["total_cost"] == Decimal("0.012")


async def test_the_second_turn_is_told_what_was_said_in_the_first(served: Served) -> None:
    caller = await served.account()
    first = run_body("my name is Ada")
    await caller.submit(first)
    await caller.events(first["threadId"], first["runId"])
    second = run_body("what is my name?", thread=first["threadId"])
    await caller.submit(second)
    await caller.events(second["threadId"], second["runId"])

    told = [(m.role.value, m.text) for m in served.model.requests[1].messages[1:]]
    assert told == [
        ("user", "my name is Ada"),
        ("assistant", "You said: my name is Ada"),
        ("user", "what is my name?"),
    ]


async def test_a_failed_run_leaves_its_question_and_costs_nothing(
    served: Served, database: Database
) -> None:
    served.model.play([Say("half"), Fail(ModelTimeout(60_000))])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)
    frames = await caller.events(body["threadId"], body["runId"])

    row = await session_row(database, body["threadId"])
    assert frames[-1].data["code"] == "AGENT_MODEL_TIMEOUT"
    assert (row["status"], row["message_count"], row["total_tokens"]) == ("failed", 1, 0)
    assert (await caller.points())["balance"] == 100


async def test_tool_calls_are_recorded(served: Served, database: Database) -> None:
    served.model.play([Call("current_time", {"timezone": "Nowhere/Else"})], [Say("sorry")])
    caller = await served.account()
    accepted = await caller.submit(run_body())
    await caller.events(accepted["threadId"], accepted["runId"])

    async with database.connection() as tx:
        row = await tx.fetchrow(
            "SELECT * FROM tool_executions WHERE run_id = $1", UUID(accepted["taskId"])
        )
    assert row is not None
    assert (row["tool_name"], row["status"]) == ("current_time", "failed")
    assert row["arguments"] == '{"timezone":"Nowhere/Else"}'


async def test_a_nul_character_of_a_model_does_no_harm(served: Served) -> None:
    served.model.play([Say("a\0b")])
    caller = await served.account()
    body = run_body()
    await caller.submit(body)

    frames = await caller.events(body["threadId"], body["runId"])

    assert frames[-1].data["result"]["answer"] == "a\ufffdb"
