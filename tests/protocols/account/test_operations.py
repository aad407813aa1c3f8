"""Operations: only for operators, over all accounts, without anybody's words."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace
from tests.loose_json import JsonObject
from tests.product_fixtures import model
from tests.serving import Caller, Served, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.ids import SessionId
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.scripted import Fail, Hold, Say, ScriptedModel
from yarrow.operations.event_groups import PAUSE_MS
from yarrow.sessions.store import mark_deleted
from yarrow.settings import AuthMode

__all__ = ["model"]

OVERVIEW = "/api/v1/operations/overview"
RUNS = "/api/v1/operations/runs"
DOCTOR = "/api/v1/operations/doctor"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data dir of all servers: its secret signs their tokens."""
    return tmp_path_factory.mktemp("operations")


@pytest.fixture(scope="module")
async def earlier(dsn: str, folder: Path) -> AsyncIterator[Served]:
    """A server that names no operators, and executes nothing."""
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, slots=0) as served:
        yield served


@pytest.fixture
async def account(earlier: Served) -> Caller:
    """An account that signed up before the server named it as an operator."""
    return await earlier.account()


@pytest.fixture
async def served(
    dsn: str, model: ScriptedModel, folder: Path, account: Caller
) -> AsyncIterator[Served]:
    operators = (UUID(account.id),)
    async with serving(dsn, model=model, data_dir=folder, operators=operators) as served:
        yield served


@pytest.fixture
async def operator(served: Served, account: Caller) -> Caller:
    return replace(account, url=served.url, http=served.http)


@pytest.fixture
async def caller(served: Served) -> Caller:
    return await served.account()


def parse_times(*texts: str) -> list[datetime]:
    return [datetime.fromisoformat(text) for text in texts]


async def ask(caller: Caller) -> JsonObject:
    body = run_body("words that an operator does not see")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return body


async def test_a_run_is_found_by_what_an_operator_knows_of_it(
    operator: Caller, caller: Caller, model: ScriptedModel
) -> None:
    other, wanted = await ask(operator), await ask(caller)
    _, listed = await operator.get(RUNS, group="recent")
    run = next(run for run in listed["runs"] if run["session_id"] == wanted["threadId"])
    names = (
        run["id"],
        run["id"][-12:],
        run["worker_id"][-12:],
        wanted["threadId"],
        wanted["runId"],
        caller.id,
        caller.email.upper(),
        "assistant",
        "succeeded",
    )

    found = [await operator.get(f"{RUNS}/search", text=f" {name} ") for name in names]

    assert all(run in body["runs"] and "next" not in body for _, body in found), found
    _, by_account = found[names.index(caller.id)]
    assert [each["session_id"] for each in by_account["runs"]] == [wanted["threadId"]]
    _, none = await operator.get(f"{RUNS}/search", text="nothing")
    assert none == {"runs": []}
    _, first = await operator.get(f"{RUNS}/search", text="succeeded", limit="1")
    _, second = await operator.get(
        f"{RUNS}/search", text="succeeded", limit="1", after=first["next"]
    )
    threads = [page["runs"][0]["session_id"] for page in (first, second)]
    assert threads == [wanted["threadId"], other["threadId"]]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", OVERVIEW),
        ("POST", DOCTOR),
        ("GET", RUNS),
        ("GET", f"{RUNS}/search?text=a"),
        ("GET", f"{RUNS}/00000000-0000-0000-0000-000000000000"),
        ("POST", f"{RUNS}/00000000-0000-0000-0000-000000000000/cancel"),
        ("GET", "/api/v1/operations/account?who=a"),
        ("POST", "/api/v1/operations/accounts/00000000-0000-0000-0000-000000000001/grants"),
    ],
    ids=["overview", "doctor", "runs", "search", "run", "cancel", "account", "grant"],
)
async def test_others_are_refused(caller: Caller, method: str, path: str) -> None:
    status, answer = await caller.send(method, path, json={"amount": 1, "ticket_id": "t"})

    assert (status, answer["code"]) == (403, "AUTH_FORBIDDEN")


async def test_a_run_of_another_account_is_seen_without_words_and_cancelled(
    served: Served, operator: Caller, caller: Caller
) -> None:
    served.model.play([Say("a secret answer"), Hold()])
    body = run_body("a secret question")
    await caller.submit(body)
    follow = caller.follow(body["threadId"], body["runId"])
    while (await anext(follow)).type != "TEXT_MESSAGE_CONTENT":
        pass

    _, listed = await operator.get(RUNS)
    _, overview = await operator.get(OVERVIEW)
    [run] = [each for each in listed["runs"] if each["account_id"] == caller.id]
    _, detail = await operator.get(f"{RUNS}/{run['id']}")
    status, cancelled = await operator.post(f"{RUNS}/{run['id']}/cancel")
    frames = [frame async for frame in follow]

    assert (run["own"], run["status"]) == (False, "running")
    assert overview["running"] >= 1
    alive = {worker["id"] for worker in overview["workers"] if worker["alive"]}
    assert run["worker_id"] in alive
    assert "TextDelta" in {group["kind"] for group in detail["events"]}
    assert "secret" not in str([listed, overview, detail])
    assert (status, cancelled) == (200, {"accepted": True})
    assert frames[-1].data["code"] == "AGENT_RUN_CANCELED"
    assert (await operator.post(f"{RUNS}/{run['id']}/cancel"))[1] == {"accepted": False}


async def test_a_run_of_a_deleted_session_is_cancelled(
    served: Served, operator: Caller, caller: Caller
) -> None:
    """A server may die after it deleted a session and before it cancelled its runs."""
    hold = Hold()
    served.model.play([Say("an answer"), hold])
    body = run_body("a question")
    await caller.submit(body)
    await hold.reached.wait()
    async with served.product.database.transaction() as tx:
        await mark_deleted(tx, SessionId(UUID(body["threadId"])))
    _, listed = await operator.get(RUNS)
    [run] = [each for each in listed["runs"] if each["account_id"] == caller.id]

    status, cancelled = await operator.post(f"{RUNS}/{run['id']}/cancel")

    assert (status, cancelled, run["session_deleted"]) == (200, {"accepted": True}, True)
    async with asyncio.timeout(PATIENCE_S):
        while (await operator.get(f"{RUNS}/{run['id']}"))[1]["run"]["status"] != "cancelled":
            await asyncio.sleep(0.02)


async def test_a_failed_run_of_a_deleted_session_is_listed_and_read(
    served: Served, operator: Caller
) -> None:
    served.model.play([Fail(AnswerEmpty())])
    body = run_body("a question")
    await operator.submit(body)
    await operator.events(body["threadId"], body["runId"])
    before = await find_run(operator, body["threadId"])

    await operator.send("DELETE", f"/api/v1/agent/sessions/{body['threadId']}")

    after = await find_run(operator, body["threadId"])
    assert (before["session_deleted"], before["own"]) == (False, True)
    assert (after["session_deleted"], after["own"], after["status"]) == (True, False, "failed")
    status, detail = await operator.get(f"{RUNS}/{after['id']}")
    assert (status, detail["run"], detail["events"][-1]["kind"]) == (200, after, "RunFailed")
    assert (await operator.post(f"{RUNS}/{after['id']}/cancel")) == (200, {"accepted": False})


async def find_run(operator: Caller, session: str) -> JsonObject:
    _, listed = await operator.get(RUNS, group="failed")
    return next(run for run in listed["runs"] if run["session_id"] == session)


async def test_a_pause_of_the_model_is_seen_in_the_times_of_events(
    served: Served, operator: Caller, caller: Caller
) -> None:
    hold = Hold()
    served.model.play([Say("one two"), hold, Say("three four")])
    body = run_body("a question")
    run_id = (await caller.submit(body))["taskId"]
    await hold.reached.wait()
    await asyncio.sleep(2 * PAUSE_MS / 1000)
    _, during = await operator.get(f"{RUNS}/{run_id}")
    hold.release.set()
    await caller.events(body["threadId"], body["runId"])
    _, after = await operator.get(f"{RUNS}/{run_id}")

    seen = during["events"][-1]
    began, ended = parse_times(after["events"][len(during["events"])]["first_at"], seen["last_at"])
    assert (seen["kind"], seen in after["events"]) == ("TextDelta", True)
    assert began - ended >= timedelta(milliseconds=PAUSE_MS)
    last, run_ended = parse_times(after["events"][-1]["last_at"], after["run"]["ended_at"])
    assert timedelta(0) <= run_ended - last < timedelta(milliseconds=1)


async def test_the_doctor_says_what_works_and_what_is_off(operator: Caller) -> None:
    status, diagnosis = await operator.post(DOCTOR)

    results = {each["name"]: each for each in diagnosis["checks"]}
    assert status == 200
    assert list(results) == (
        [
            "python",
            "settings",
            "disk",
            "database",
            "model",
            "speech",
            "storage",
            "sandbox",
            "auth",
            "telemetry",
        ]
    )
    assert (results["database"]["works"], results["database"]["needed"]) == (True, True)
    assert results["database"]["message"].endswith("up to date")
    assert (results["speech"]["works"], results["speech"]["needed"]) == (False, False)
    assert "YARROW_ASR_BASE_URL" in results["speech"]["message"]


async def test_the_doctor_reports_an_endpoint_that_does_not_answer(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    dead: JsonObject = {"asr_base_url": "http://127.0.0.1:9/v1", "asr_model": "whisper"}
    async with (
        serving(dsn, model=model, data_dir=tmp_path, auth=AuthMode.OFF, **dead) as served,
        served.http.post(served.url + DOCTOR) as answer,
    ):
        checks = (await answer.json())["checks"]

    [speech] = [each for each in checks if each["name"] == "speech"]
    assert (speech["works"], speech["needed"]) == (False, True)
    assert speech["message"].startswith("whisper: ")


async def test_points_are_granted_once_for_a_ticket(operator: Caller, caller: Caller) -> None:
    _, before = await operator.get("/api/v1/operations/account", who=caller.email)
    path = f"/api/v1/operations/accounts/{before['id']}/grants"

    first = await operator.post(path, {"amount": 5, "ticket_id": "T-1"})
    again = await operator.post(path, {"amount": 5, "ticket_id": "T-1"})
    other = await operator.post(path, {"amount": 6, "ticket_id": "T-1"})

    assert (before["id"], before["email"]) == (caller.id, caller.email)
    assert first[1]["balance"] == again[1]["balance"] == before["balance"] + 5
    assert other[0] == 409
    _, ledger = await caller.get("/api/v1/points/ledger", limit="1")
    assert ledger["entries"][0]["operator_id"] == operator.id
    assert (await operator.get("/api/v1/operations/account", who="nobody@example.com"))[0] == 404


async def test_the_last_hour_counts_runs_of_all_accounts(operator: Caller, caller: Caller) -> None:
    body = run_body("hello")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    _, overview = await operator.get(OVERVIEW)
    _, listed = await operator.get(RUNS, group="recent")

    load = {each["agent"]: each for each in overview["last_hour"]}["assistant"]
    assert load["runs"] >= 1
    assert 0 < load["median_s"] <= load["p95_s"]
    assert [each["works"] for each in overview["findings"]] == [True] * 4
    assert [each["status"] for each in listed["runs"] if each["account_id"] == caller.id] == [
        "succeeded"
    ]
    failed = (await operator.get(RUNS, group="failed"))[1]["runs"]
    assert {each["status"] for each in failed} <= {"failed"}


async def test_the_local_user_operates_a_server_without_accounts(
    dsn: str, model: ScriptedModel, tmp_path: Path
) -> None:
    async with serving(
        dsn, model=model, data_dir=tmp_path, auth=AuthMode.OFF, table_max_mb=3
    ) as served:
        async with served.http.get(served.url + OVERVIEW) as answer:
            assert answer.status == 200
        async with served.http.get(served.url + "/api/v1/configuration") as answer:
            shown = await answer.json()

    assert (shown["accounts"], shown["model"]["state"]) == ("off", "endpoint")
    assert (shown["limits"]["message_characters"], shown["run_points"]) == (10_000, 20)
    assert shown["limits"]["table_bytes"] == 3 * 1024 * 1024


async def test_configuration_names_nothing_secret(served: Served, dsn: str, tmp_path: Path) -> None:
    async with served.http.get(served.url + "/api/v1/configuration") as answer:
        text = await answer.text()

    assert answer.status == 200
    assert dsn not in text
    assert str(tmp_path) not in text
