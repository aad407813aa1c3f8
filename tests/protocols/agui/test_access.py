"""Who may do what: no token, somebody else's session, a session that is not there."""

from uuid import uuid4

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.protocols.agui.account_rows import read_account_rows
from tests.serving import RUNS, Caller, Served, run_body

HISTORY = "/api/v1/agent/history"


class Deed(Struct, frozen=True):
    """Something that can be done to a session."""

    method: str
    path: str
    body: bool = False

    async def done_by(self, caller: Caller, thread: str) -> tuple[int, JsonObject]:
        body = run_body(thread=thread) if self.body else None
        return await caller.send(self.method, self.path.format(thread=thread), json=body)


SUBMIT = Deed("POST", RUNS, body=True)
NAMED = Deed("POST", "/api/v1/agents/assistant/runs", body=True)
EVENTS = Deed("GET", RUNS + "/{thread}/events?runId=run-1")
STRICT = Deed("GET", RUNS + "/{thread}/events?runId=run-1&profile=agui")
CANCEL = Deed("POST", RUNS + "/{thread}/cancel?runId=run-1")
REPLAY = Deed("GET", HISTORY + "?threadId={thread}")
DAY = Deed("GET", HISTORY + "?threadId={thread}&scope=history_day")
DELETE = Deed("DELETE", "/api/v1/agent/sessions/{thread}")
LATEST = Deed("GET", HISTORY)

ALL = [SUBMIT, NAMED, EVENTS, STRICT, CANCEL, REPLAY, DAY, DELETE]


def name_of(deed: Deed) -> str:
    return f"{deed.method} {deed.path}"


@pytest.fixture
async def thread(caller: Caller) -> str:
    """A session of the caller's with one answered run."""
    accepted = await caller.submit(run_body(run="run-1"))
    await caller.events(accepted["threadId"], "run-1")
    return str(accepted["threadId"])


@pytest.mark.parametrize("deed", [*ALL, LATEST], ids=name_of)
@pytest.mark.parametrize("header", [None, "Bearer nonsense", "Basic abc", "Bearer"])
async def test_nothing_is_done_without_a_token(
    served: Served, deed: Deed, header: str | None
) -> None:
    headers = {} if header is None else {"Authorization": header}
    nobody = Caller(served.url, served.http, "", "", headers)

    status, problem = await deed.done_by(nobody, str(uuid4()))

    assert (status, problem["code"]) == (401, "AUTH_REQUIRED")


@pytest.mark.parametrize("deed", ALL, ids=name_of)
async def test_session_of_another_account_is_forbidden(
    served: Served, caller: Caller, thread: str, deed: Deed
) -> None:
    stranger = await served.account()
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await deed.done_by(stranger, thread)

    assert (status, problem["code"]) == (403, "AGENT_FORBIDDEN")
    assert thread not in str(problem["detail"])
    assert await read_account_rows(served.product.database, caller.id) == before


@pytest.mark.parametrize("deed", ALL, ids=name_of)
async def test_deleted_session_of_another_account_is_forbidden_still(
    served: Served, caller: Caller, thread: str, deed: Deed
) -> None:
    await DELETE.done_by(caller, thread)

    status, problem = await deed.done_by(await served.account(), thread)

    assert (status, problem["code"]) == (403, "AGENT_FORBIDDEN")


@pytest.mark.parametrize("deed", [EVENTS, STRICT, CANCEL, REPLAY, DAY], ids=name_of)
async def test_unknown_session_is_not_found(caller: Caller, deed: Deed) -> None:
    thread = str(uuid4())

    status, problem = await deed.done_by(caller, thread)

    assert (status, problem["code"]) == (404, "AGENT_SESSION_NOT_FOUND")
    assert problem["params"] == {"session": thread}


@pytest.mark.parametrize("deed", [EVENTS, CANCEL], ids=name_of)
async def test_unknown_run_is_not_found(caller: Caller, deed: Deed) -> None:
    accepted = await caller.submit(run_body(run="another"))

    status, problem = await deed.done_by(caller, accepted["threadId"])

    assert (status, problem["code"]) == (404, "AGENT_RUN_NOT_FOUND")


@pytest.mark.parametrize("deed", [EVENTS, STRICT, CANCEL, REPLAY, DAY, DELETE], ids=name_of)
async def test_thread_in_an_address_must_be_a_uuid(caller: Caller, deed: Deed) -> None:
    status, problem = await deed.done_by(caller, "thread-1")

    assert (status, problem["detail"]) == (422, "threadId must be a valid UUID")


@pytest.mark.parametrize("query", ["", "?runId="])
async def test_cancel_needs_a_run(caller: Caller, thread: str, query: str) -> None:
    status, problem = await caller.post(f"{RUNS}/{thread}/cancel{query}")

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["params"]["field"] == "runId"


@pytest.mark.parametrize("deed", [EVENTS, CANCEL], ids=name_of)
async def test_run_id_with_nul_is_refused(caller: Caller, thread: str, deed: Deed) -> None:
    address = deed.path.format(thread=thread).replace("run-1", "%00")

    status, problem = await caller.send(deed.method, address)

    assert status in (404, 422), problem


async def test_unknown_agent_is_not_found(served: Served, caller: Caller) -> None:
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post("/api/v1/agents/oracle/runs", run_body())

    assert (status, problem["code"]) == (404, "AGENT_NOT_FOUND")
    assert await read_account_rows(served.product.database, caller.id) == before


async def test_named_agent_answers(caller: Caller) -> None:
    body = run_body("hello")

    status, _ = await caller.post("/api/v1/agents/assistant/runs", body)
    frames = await caller.events(body["threadId"], body["runId"])

    assert (status, frames[-1].type) == (202, "RUN_FINISHED")


async def test_problem_is_rfc_7807(caller: Caller) -> None:  # seed 0, error contract linkage
    async with caller.http.get(
        f"{caller.url}{RUNS}/{uuid4()}/events", headers=caller.headers
    ) as answer:
        problem = await answer.json(content_type="application/problem+json")

    assert set(problem) == {"type", "title", "status", "detail", "code", "params", "instance"}
    assert problem["status"] == answer.status == 404
    assert problem["instance"] == answer.url.path


async def test_request_id_of_the_client_comes_back(caller: Caller) -> None:
    async with caller.http.get(
        caller.url + HISTORY, headers=caller.headers | {"X-Request-Id": "my-request"}
    ) as answer:
        assert answer.headers["X-Request-Id"] == "my-request"


@pytest.mark.parametrize("path", [HISTORY, "/api/v1/agent/runs/nothing/events"])
async def test_every_answer_has_a_request_id(caller: Caller, path: str) -> None:
    async with caller.http.get(caller.url + path, headers=caller.headers) as answer:
        first = answer.headers["X-Request-Id"]
    async with caller.http.get(caller.url + path, headers=caller.headers) as answer:
        assert answer.headers["X-Request-Id"] not in ("", first)
