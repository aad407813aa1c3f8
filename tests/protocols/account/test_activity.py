"""The lists over all agents: what is in them, whose they are, and where they end."""

import asyncio
from uuid import uuid4

import pytest
from tests.protocols.fixtures import caller, served, switchable
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, run_body

from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.scripted import Fail

__all__ = ["caller", "served", "switchable"]


async def ask(caller: Caller, text: str = "hello") -> str:
    body = run_body(text)
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return str(body["threadId"])


async def test_sessions_of_all_agents_come_newest_first(caller: Caller) -> None:
    first, second = await ask(caller, "the first"), await ask(caller, "the second")

    status, body = await caller.get("/api/v1/sessions")

    assert status == 200
    assert [session["id"] for session in body["sessions"]] == [second, first]
    assert body["sessions"][0]["agent"] == "assistant"
    assert body["sessions"][0]["running"] is False
    assert "next" not in body


async def test_session_that_grants_are_booked_on_is_not_listed(served: Served) -> None:
    caller = await served.account(points=200)

    _, body = await caller.get("/api/v1/sessions")

    assert body == {"sessions": []}


async def test_pages_of_sessions_end_and_do_not_overlap(caller: Caller) -> None:
    threads = [await ask(caller) for _ in range(3)]

    _, first = await caller.get("/api/v1/sessions", limit="2")
    await caller.send("DELETE", f"/api/v1/agent/sessions/{first['next']}")
    _, second = await caller.get("/api/v1/sessions", limit="2", after=first["next"])

    found = [session["id"] for page in (first, second) for session in page["sessions"]]
    assert found == threads[::-1]
    assert "next" not in second


async def test_sessions_are_found_by_words_of_their_messages(
    served: Served, caller: Caller
) -> None:
    other = await served.account()
    await ask(other, "The heron stood in the reeds")
    heron = await ask(caller, "Where does the HERON stand? 50% in the reeds")
    await ask(caller, "Nothing of the kind")

    status, body = await caller.get("/api/v1/sessions/search", query="heron 50%")

    assert status == 200
    (session,) = body.pop("sessions")
    assert body == {"searched_until": None, "sessions_searched_in_part": 0}
    assert session.pop("created_at")
    assert session.pop("title")
    assert session == {
        "id": heron,
        "agent": "assistant",
        "role": "assistant",
        "snippet": "You said: Where does the HERON stand? 50% in the reeds",
    }


async def test_more_sessions_than_one_answer_has_are_found_by_the_next(caller: Caller) -> None:
    threads = [await ask(caller, f"heron {number}") for number in range(3)]

    _, first = await caller.get("/api/v1/sessions/search", query="heron", limit="2")
    until = first["searched_until"]
    _, second = await caller.get("/api/v1/sessions/search", query="heron", limit="2", before=until)

    found = [session["id"] for page in (first, second) for session in page["sessions"]]
    assert found == threads[::-1]
    assert second["searched_until"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"query": ""},
        {"query": " "},
        {"query": "x" * 201},
        {"query": "a b c d e f g h i"},
        {"query": "a\0b"},
        {"query": "a", "limit": "51"},
        {"query": "a", "before": "2026-01-01T00:00:00"},
        {"query": "a", "before": "0001-01-01T00:00:00+09:00"},
    ],
    ids=str,
)
async def test_a_search_without_sense_is_refused(caller: Caller, wrong: dict[str, str]) -> None:
    status, body = await caller.get("/api/v1/sessions/search", **wrong)

    assert (status, body["code"]) == (422, "REQUEST_INVALID")


async def test_a_deleted_session_is_not_found(caller: Caller) -> None:
    thread = await ask(caller, "a heron")
    await caller.send("DELETE", f"/api/v1/agent/sessions/{thread}")

    _, body = await caller.get("/api/v1/sessions/search", query="heron")

    assert body["sessions"] == []


async def test_a_session_is_begun_before_its_first_message(served: Served, caller: Caller) -> None:
    thread = str(uuid4())
    path = f"/api/v1/sessions/{thread}"

    begun = await asyncio.gather(*[caller.send("PUT", path) for _ in range(4)])
    await caller.submit(body := run_body("the first", thread=thread))
    await caller.events(thread, body["runId"])
    await caller.send("PUT", path)

    assert begun == [(200, {"id": thread})] * 4
    _, listed = await caller.get("/api/v1/sessions")
    [session] = listed["sessions"]
    assert (session["title"], session["agent"]) == ("the first", "assistant")
    stranger = await served.account()
    assert (await stranger.send("PUT", path))[0] == 403
    await caller.send("DELETE", f"/api/v1/agent/sessions/{thread}")
    assert (await caller.send("PUT", path))[0] == 404


async def test_a_renamed_session_keeps_its_title_through_the_next_run(caller: Caller) -> None:
    body = run_body("the first")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    path = f"/api/v1/sessions/{body['threadId']}"

    answer = await caller.send("PATCH", path, json={"title": "  东京之行  "})
    await caller.submit(again := run_body("the second") | {"threadId": body["threadId"]})
    await caller.events(again["threadId"], again["runId"])

    assert answer == (200, {"id": body["threadId"], "title": "东京之行"})
    _, listed = await caller.get("/api/v1/sessions")
    assert [session["title"] for session in listed["sessions"]] == ["东京之行"]


@pytest.mark.parametrize("title", ["", "  ", "a\nb", "x" * 201, 7, None])
async def test_a_title_that_is_none_is_refused(caller: Caller, title: object) -> None:
    thread = await ask(caller, "the first")

    status, body = await caller.send("PATCH", f"/api/v1/sessions/{thread}", json={"title": title})

    assert (status, body["code"]) == (422, "REQUEST_INVALID")
    _, listed = await caller.get("/api/v1/sessions")
    assert [session["title"] for session in listed["sessions"]] == ["the first"]


async def test_only_its_owner_renames_a_session(served: Served, caller: Caller) -> None:
    thread = await ask(await served.account(), "not yours")
    own = await ask(caller)
    await caller.send("DELETE", f"/api/v1/agent/sessions/{own}")

    others = await caller.send("PATCH", f"/api/v1/sessions/{thread}", json={"title": "mine"})
    deleted = await caller.send("PATCH", f"/api/v1/sessions/{own}", json={"title": "mine"})

    assert (others[0], others[1]["code"]) == (403, "AUTH_FORBIDDEN")
    assert (deleted[0], deleted[1]["code"]) == (404, "NOT_FOUND")


async def test_sessions_of_another_agent_are_left_out(caller: Caller) -> None:
    await ask(caller)

    _, body = await caller.get("/api/v1/sessions", agent="divination")

    assert body == {"sessions": []}


async def test_a_run_tells_what_it_used_as_the_ledger_does(caller: Caller) -> None:
    thread = await ask(caller)

    _, body = await caller.get("/api/v1/runs", session=thread)
    _, ledger = await caller.get("/api/v1/points/ledger")

    [run] = body["runs"]
    [charge, _] = ledger["entries"]
    used = charge["metadata"]["charge"]
    assert (run["status"], run["points"], run["held_points"]) == ("succeeded", charge["amount"], 0)
    assert run["input_tokens"] == used["input_tokens"]
    assert run["output_tokens"] == used["output_tokens"] > 0
    assert run["run_id"] == charge["metadata"]["run_id"]
    assert run["message_id"] == used["message_id"]


async def test_a_failed_run_costs_nothing_in_the_list(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Fail(AnswerEmpty())])
    thread = await ask(caller)

    _, body = await caller.get("/api/v1/runs")

    assert [(run["session_id"], run["status"], run["points"]) for run in body["runs"]] == [
        (thread, "failed", 0)
    ]


async def test_nobody_sees_the_runs_of_others(caller: Caller, served: Served) -> None:
    thread = await ask(caller)
    stranger = await served.account()

    status, _ = await stranger.get("/api/v1/runs", session=thread)
    _, sessions = await stranger.get("/api/v1/sessions")
    after, _ = await stranger.get("/api/v1/sessions", after=thread)

    assert status in (403, 404)
    assert after in (403, 404)
    assert sessions == {"sessions": []}
