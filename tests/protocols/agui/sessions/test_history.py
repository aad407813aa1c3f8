"""History: a whole session, the last answers of all, one day."""

import json
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, run_body

from yarrow.llm.errors import ModelUnreachable
from yarrow.llm.scripted import Call, Fail, Say

HISTORY = "/api/v1/agent/history"
ZONE = ZoneInfo("Asia/Shanghai")
"""Of an account that chose none: its days begin and end there."""


async def converse(caller: Caller, *texts: str, thread: str = "") -> str:
    """Runs of one session, one after the other; gives back the thread."""
    for text in texts:
        body = run_body(text, thread=thread)
        thread = body["threadId"]
        await caller.submit(body)
        await caller.events(thread, body["runId"])
    return thread


async def move_back(served: Served, thread: str, *, days: int, first: int) -> None:
    """Let the first messages of a session be so many days older."""
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE messages SET created_at = created_at - $2::interval"
            " WHERE session_id = $1::text::uuid AND seq <= $3",
            thread,
            timedelta(days=days),
            first,
        )


async def test_session_is_replayed_whole_and_in_order(caller: Caller) -> None:  # seed 0, history
    thread = await converse(caller, "one", "two")

    status, history = await caller.get(HISTORY, threadId=thread)

    assert status == 200
    messages = history.pop("messages")
    assert history == {
        "scope": "history_session_full",
        "threadId": thread,
        "day": None,
        "hasMore": False,
    }
    assert [(m["seq"], m["role"], m["content"]) for m in messages] == [
        (1, "user", "one"),
        (2, "assistant", "You said: one"),
        (3, "user", "two"),
        (4, "assistant", "You said: two"),
    ]
    assert {m["threadId"] for m in messages} == {thread}
    assert all(datetime.fromisoformat(m["timestamp"]).tzinfo for m in messages)


async def test_answer_carries_its_output(caller: Caller) -> None:
    thread = await converse(caller, "one")

    _, history = await caller.get(HISTORY, threadId=thread)

    user, answer = history["messages"]
    assert "agent_output" not in user
    assert answer["agent_output"] == {"status": "success", "answer": "You said: one", "error": ""}
    assert "ui_schema" not in answer  # seed 0, migration note
    assert "uiSchema" not in answer


async def test_answer_names_its_model(caller: Caller, switchable: SwitchableModel) -> None:
    switchable.script([Say("fine")])
    thread = await converse(caller, "one")

    _, history = await caller.get(HISTORY, threadId=thread)
    _, page = await caller.get("/api/v1/runs", session=thread)

    user, answer = history["messages"]
    assert "model" not in user
    assert answer["model"] == page["runs"][0]["model"] != ""


async def test_message_ids_are_those_of_the_stream(caller: Caller) -> None:
    body = run_body()
    await caller.submit(body)
    frames = await caller.events(body["threadId"], body["runId"])

    _, history = await caller.get(HISTORY, threadId=body["threadId"])

    streamed = {f.data["messageId"] for f in frames if "messageId" in f.data}
    assert {history["messages"][-1]["id"]} == streamed


async def test_tools_are_part_of_the_replay(caller: Caller, switchable: SwitchableModel) -> None:
    asked = Call("current_time", {"timezone": "Asia/Tokyo"})
    switchable.script([Say("A moment."), asked], [Say("Noon.")])
    thread = await converse(caller, "what time is it?")

    _, history = await caller.get(HISTORY, threadId=thread)

    assert [m["role"] for m in history["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert history["messages"][2]["tool_name"] == "current_time"
    assert json.loads(history["messages"][2]["tool_arguments"]) == {"timezone": "Asia/Tokyo"}


async def test_question_of_a_failed_run_stays_readable(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("half"), Fail(ModelUnreachable())])
    thread = await converse(caller, "one")

    _, history = await caller.get(HISTORY, threadId=thread)

    assert [(m["role"], m["content"]) for m in history["messages"]] == [("user", "one")]


async def test_without_thread_each_session_shows_its_last_answer(caller: Caller) -> None:
    first = await converse(caller, "one", "two")
    second = await converse(caller, "three")

    status, history = await caller.get(HISTORY)

    assert status == 200
    messages = history.pop("messages")
    assert history == {
        "scope": "history_sessions_latest_assistant",
        "threadId": None,
        "day": None,
        "hasMore": False,
    }
    assert [(m["threadId"], m["content"]) for m in messages] == [
        (second, "You said: three"),
        (first, "You said: two"),
    ]
    assert {m["role"] for m in messages} == {"assistant"}


async def test_most_recently_used_session_is_first(caller: Caller) -> None:
    first = await converse(caller, "one")
    second = await converse(caller, "two")
    await converse(caller, "three", thread=first)

    _, history = await caller.get(HISTORY)

    assert [m["threadId"] for m in history["messages"]] == [first, second]


async def test_sessions_come_in_pages(caller: Caller) -> None:
    threads = [await converse(caller, str(n)) for n in range(3)][::-1]

    pages = [
        (await caller.get(HISTORY, session_limit="2", session_offset=str(offset)))[1]
        for offset in (0, 1, 2, 3)
    ]

    assert [[m["threadId"] for m in page["messages"]] for page in pages] == [
        threads[:2],
        threads[1:],
        threads[2:],
        [],
    ]
    assert [page["hasMore"] for page in pages] == [True, False, False, False]


async def test_pages_go_on_behind_a_session_that_was_deleted(caller: Caller) -> None:
    threads = [await converse(caller, str(n)) for n in range(3)][::-1]
    await caller.send("DELETE", f"/api/v1/agent/sessions/{threads[1]}")

    status, page = await caller.get(HISTORY, session_after=threads[1])

    assert (status, [m["threadId"] for m in page["messages"]]) == (200, threads[2:])


async def test_new_account_has_no_history(caller: Caller) -> None:
    _, latest = await caller.get(HISTORY)
    _, day = await caller.get(HISTORY, scope="history_day")

    assert (latest["messages"], latest["hasMore"]) == ([], False)
    assert day == {
        "scope": "history_day",
        "threadId": None,
        "day": None,
        "hasMore": False,
        "messages": [],
    }


async def test_accounts_do_not_see_each_other(served: Served, caller: Caller) -> None:
    await converse(caller, "mine")

    _, history = await (await served.account()).get(HISTORY)

    assert history["messages"] == []


async def test_day_scope_is_the_newest_day(served: Served, caller: Caller) -> None:  # seed 2
    thread = await converse(caller, "old", "new")
    await move_back(served, thread, days=3, first=2)

    status, history = await caller.get(HISTORY, threadId=thread, scope="history_day")

    messages = history.pop("messages")
    moment = datetime.fromisoformat(messages[0]["timestamp"])
    day = moment.astimezone(ZONE).date().isoformat()
    assert (status, history) == (
        200,
        {"scope": "history_day", "threadId": thread, "day": day, "hasMore": True},
    )
    shapes = [{"id", "seq", "role", "content", "timestamp", extra} for extra in ("url", "uiSchema")]
    assert [set(message) for message in messages] == shapes
    assert [m["content"] for m in messages] == ["new", "You said: new"]


@pytest.mark.parametrize(
    ("zone", "day", "texts"),
    [
        ("Asia/Shanghai", "2026-03-10", ["late", "early"]),
        ("America/Los_Angeles", "2026-03-10", ["early"]),
    ],
)
async def test_a_day_is_one_of_the_readers_time_zone(
    served: Served, caller: Caller, zone: str, day: str, texts: list[str]
) -> None:
    """06:30 UTC is the evening before in Los Angeles, and the same afternoon in Shanghai."""
    thread = await converse(caller, "late", "early")
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE messages SET created_at = CASE WHEN seq <= 2"
            " THEN '2026-03-10T06:30:00Z'::timestamptz ELSE '2026-03-10T09:00:00Z' END"
            " WHERE session_id = $1::text::uuid",
            thread,
        )
    status, _ = await caller.send("PATCH", "/api/v1/profile", json={"settings": {"timezone": zone}})

    _, history = await caller.get(HISTORY, threadId=thread, scope="history_day")

    asked = [m["content"] for m in history["messages"] if m["role"] == "user"]
    assert (status, history["day"], asked) == (200, day, texts)


async def test_before_gives_the_day_before(served: Served, caller: Caller) -> None:
    thread = await converse(caller, "oldest", "older", "new")
    await move_back(served, thread, days=3, first=4)
    await move_back(served, thread, days=3, first=2)

    days: list[JsonObject] = []
    before = (datetime.now(ZONE).date() + timedelta(days=1)).isoformat()
    while not days or days[-1]["hasMore"]:
        days.append((await caller.get(HISTORY, threadId=thread, before=before))[1])
        before = days[-1]["day"]

    assert [day["messages"][0]["content"] for day in days] == ["new", "older", "oldest"]
    assert [day["hasMore"] for day in days] == [True, True, False]
    _, nothing = await caller.get(HISTORY, threadId=thread, before=before)
    assert (nothing["day"], nothing["messages"], nothing["hasMore"]) == (None, [], False)


async def test_day_of_no_thread_is_that_of_the_latest_session(caller: Caller) -> None:
    await converse(caller, "one")
    latest = await converse(caller, "two")

    _, history = await caller.get(HISTORY, scope="history_day")

    assert (history["threadId"], history["messages"][0]["content"]) == (latest, "two")


@pytest.mark.parametrize(
    "before",
    [
        "",
        "yesterday",
        "20260315",
        "2026-3-5",
        "2026-13-01",
        "2026-02-30",
        "2026-W01-1",
        "2026-03-15T",
    ],
)
async def test_before_must_be_a_date(caller: Caller, before: str) -> None:
    status, problem = await caller.get(HISTORY, before=before)

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["detail"] == "before must be a date in the form YYYY-MM-DD"


@pytest.mark.parametrize(
    "query",
    [
        {"scope": "everything"},
        {"scope": "history_session_full"},
        {"scope": "history_sessions_latest_assistant", "before": "2026-01-01"},
        {"session_limit": "0"},
        {"session_limit": "101"},
        {"session_limit": "x"},
        {"session_offset": "-1"},
        {"session_offset": "9" * 30},
    ],
)
async def test_contradictory_query_is_refused(caller: Caller, query: dict[str, str]) -> None:
    status, problem = await caller.get(HISTORY, **query)

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")


@pytest.mark.parametrize("before", ["0001-01-01", "9999-12-31"])
async def test_first_and_last_day_of_the_calendar_are_days(caller: Caller, before: str) -> None:
    thread = await converse(caller, "hello")

    status, _ = await caller.get(HISTORY, before=before, threadId=thread)

    assert status == 200
