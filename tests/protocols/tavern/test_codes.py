"""The codes of the story dialect: those of the chat are documented, and each other one is met."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from tests.architecture.pages import PROBLEM_TABLE
from tests.cut_postgres import run_sql
from tests.own_database import create_database
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import Caller, Served, serving

from yarrow.llm.scripted import Hold, Say, ScriptedModel

# Reference §3.7.
CHAT_CODES = {
    "400": "validation_error invalid_message_role invalid_message_scope invalid_tool_mode",
    "404": "not_found floor_not_found message_not_found source_floor_not_found "
    "no_floor_to_regenerate no_user_message session_state_namespace_not_registered",
    "409": "session_archived generation_conflict commit_conflict generation_target_stale "
    "invalid_state branch_exists branch_local_snapshot_missing tool_replay_blocked "
    "tool_replay_confirmation_required replay_confirmation_required session_state_replay_blocked "
    "session_state_replay_confirmation_required profile_not_found profile_disabled "
    "tool_catalog_conflict instance_slot_disabled_required adjacent_assistant_floors "
    "missing_effective_user_tail session_state_public_write_forbidden "
    "session_state_payload_too_large session_state_namespace_item_limit_exceeded "
    "session_state_namespace_byte_limit_exceeded session_state_account_item_limit_exceeded "
    "session_state_account_byte_limit_exceeded",
    "499": "generation_cancelled",
    "500": "orchestration_failed turn_commit_failed session_state_stage_failed "
    "secret_invalid_format internal_error",
    "503": "feature_unavailable commit_busy generation_queue_timeout secret_unavailable",
    "504": "generation_timeout",
}
NOT_SENT = {"adjacent_assistant_floors"}
REFUSE_RUNS = """
CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'secret words'; END $$
LANGUAGE plpgsql;
CREATE TRIGGER refuse BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION refuse();
"""
FILL_MEMORY = """
INSERT INTO memory_items (id, account_id, scope, kind, content, importance, confidence)
SELECT gen_random_uuid(), $1, 'global', 'fact', 'x', 0, 0 FROM generate_series(1, 100000)
"""


def test_every_code_of_the_chat_is_in_the_page_with_its_status() -> None:
    documented = PROBLEM_TABLE.named()
    page = PROBLEM_TABLE.page.read_text()

    wrong = [
        (status, code)
        for status, codes in CHAT_CODES.items()
        for code in set(codes.split()) - NOT_SENT
        if code not in documented or status not in documented[code][0].split(", ")
    ]

    assert wrong == []
    assert all(f"\n| `{code}` | " in page for code in NOT_SENT)
    assert NOT_SENT.isdisjoint(documented)


async def test_a_bug_is_an_internal_error_that_tells_nothing(postgres: str, tmp_path: Path) -> None:
    dsn = await create_database(postgres)
    await run_sql(dsn, REFUSE_RUNS)
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        caller = await served.account()
        session = str((await create_session(caller))["id"])

        status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "a"})

        assert (status, answer["error"]["code"]) == (500, "internal_error")
        assert "secret words" not in str(answer)
        assert model.requests == []
        assert await read_floors(caller, session) == []


async def test_a_turn_that_costs_more_than_there_is_asks_no_model(
    postgres: str, tmp_path: Path
) -> None:
    dsn, model = await create_database(postgres), ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path, storyteller_price=101) as served:
        caller = await served.account()
        session = str((await create_session(caller))["id"])

        status, answer = await caller.post(f"/sessions/{session}/respond", {"message": "a"})

        assert (status, answer["error"]["code"]) == (402, "points_insufficient")
        assert model.requests == []
        assert await read_floors(caller, session) == []


@pytest.mark.parametrize(
    ("method", "path", "refusal"),
    [
        ("GET", "/memories/{id}", (404, "memory_not_found")),
        ("DELETE", "/memory-edges/{id}", (404, "memory_edge_not_found")),
        ("GET", "/memory/jobs/{id}", (404, "memory_job_not_found")),
        ("DELETE", "/sessions/{id}/respond", (405, "method_not_allowed")),
    ],
)
async def test_what_is_not_there_has_a_code_of_its_own(
    caller: Caller, method: str, path: str, refusal: tuple[int, str]
) -> None:
    status, answer = await caller.send(method, path.format(id=uuid4()))

    assert (status, answer["error"]["code"]) == refusal


@pytest.mark.slow
async def test_an_account_has_room_for_so_many_memories(served: Served, caller: Caller) -> None:
    async with served.product.database.transaction() as tx:
        await tx.execute(FILL_MEMORY, UUID(caller.id))
    memory = {"scope": "global", "scope_id": "global", "type": "fact", "content": "one more"}

    status, answer = await caller.post("/memories", memory)

    async with served.product.database.transaction() as tx:
        await tx.execute("DELETE FROM memory_items WHERE account_id = $1", UUID(caller.id))
    assert (status, answer["error"]["code"]) == (409, "memory_limit_exceeded")


async def test_an_issuer_that_is_away_and_a_server_that_stops_are_told(
    postgres: str, tmp_path: Path
) -> None:
    claims = {"sub": "u1", "exp": datetime.now(UTC) + timedelta(minutes=1)}
    key = ec.generate_private_key(ec.SECP256R1())
    token = jwt.encode(claims, key, "ES256", headers={"kid": "k1"})
    hold, keys = Hold(), "http://127.0.0.1:9/keys"
    model = ScriptedModel([hold, Say("x")])
    dsn = await create_database(postgres)
    async with serving(dsn, model=model, data_dir=tmp_path, jwks_url=keys) as served:
        caller = await served.account()
        path = f"/sessions/{(await create_session(caller))['id']}/respond"
        foreign = {"headers": {"Authorization": f"Bearer {token}"}}
        refused, refusal = await caller.send("GET", "/sessions", **foreign)
        asking = asyncio.create_task(caller.post(path, {"message": "a"}, on_disconnect="continue"))
        await hold.reached.wait()
        served.product.engine.journal.close_followers()
        stopped, answer = await asking
        hold.release.set()

    assert (refused, refusal["error"]["code"]) == (503, "auth_issuer_unavailable")
    assert (stopped, answer["error"]["code"]) == (503, "service_unavailable")
