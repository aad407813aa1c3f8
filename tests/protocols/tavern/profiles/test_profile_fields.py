"""Every field of model profiles, bindings and slots, as whole answers.

Fields: reference §11, §15; issue 14 §8.
"""

from tests.loose_json import JsonObject
from tests.protocols.tavern.answer_parts import COUNT, TIME, read_data
from tests.protocols.tavern.profiles.test_profiles import (
    KEY,
    activate,
    create_profile,
    endpoint,
    read_runtime,
    served,
)
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served

from yarrow.llm.scripted_server import ScriptedServer

__all__ = ["endpoint", "served"]


async def test_fields_of_profiles_and_bindings(
    served: Served, caller: Caller, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    fields: JsonObject = {"provider": "deepseek", "model": "m", "enabled": True}
    profile = await create_profile(caller, endpoint, **fields)
    at = {"slot": "narrator", "session_id": session}

    bound = await activate(caller, profile, **at, params={**PARAMS, "stream": True})
    path = "/llm-profiles"
    assert profile | fields == profile
    assert bound == {**at, "profile": profile}
    assert await read_data(caller, path) == [profile]
    assert await read_data(caller, f"{path}/bindings") == [
        {**at, "profile_id": profile["id"], "name": "mine", "params": PARAMS}
    ]
    shown: JsonObject = {
        "slot": "narrator",
        "enabled": True,
        "source": "session",
        "bound_slot": "narrator",
        "profile_id": profile["id"],
        "profile_name": "mine",
        "model": "m",
        "params": PARAMS,
        "skipped": [],
    }
    assert await read_runtime(caller, session) == shown
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE llm_profiles SET secret = repeat('damaged', 9)::bytea")
    skipped = {"profile_id": profile["id"], "profile_name": "mine", "reason": "key_unreadable"}
    environment = dict.fromkeys(("bound_slot", "profile_id", "profile_name"))
    environment |= {"source": "environment", "model": "scripted", "params": {}}
    assert await read_runtime(caller, session) == shown | environment | {"skipped": [skipped]}
    for deleted in (True, False):
        _, unbound = await caller.send(
            "DELETE", f"{path}/bindings/narrator", params={"session_id": session}
        )
        assert unbound["data"] == {**at, "deleted": deleted}
    for name, value in (("provider", "openai"), ("model", "n"), ("enabled", False)):
        _, changed = await caller.send("PATCH", f"{path}/{profile['id']}", json={name: value})
        profile |= {name: value, "updated_at": TIME}
        assert changed["data"] == profile
    _, gone = await caller.send("DELETE", f"{path}/{profile['id']}")
    assert gone["data"] == {"id": profile["id"], "deleted": True}


PARAMS: JsonObject = {
    "temperature": 0.1,
    "max_output_tokens": 9,
    "top_p": 0.2,
    "top_k": 3,
    "frequency_penalty": 0.4,
    "presence_penalty": 0.5,
    "stop_sequences": ["END"],
    "reasoning_effort": "low",
}


CHANGES: list[JsonObject] = [
    {"enabled": False},
    *({"params": {name: PARAMS[name]}} for name in PARAMS),
]


async def test_fields_of_slots(caller: Caller) -> None:
    default = {"enabled": True, "params": {}, "updated_at": None}
    path, slots = "/llm-instances", ("*", "narrator", "director", "verifier", "memory")
    assert await read_data(caller, path) == [{"slot": slot, **default} for slot in slots]
    for method in ("PUT", "PATCH"):
        for body in CHANGES:
            await caller.send("DELETE", f"{path}/memory")
            _, changed = await caller.send(method, f"{path}/memory", json=body)
            expected = {"slot": "memory", **default, **body, "updated_at": TIME}
            assert changed["data"] == expected
            assert await read_data(caller, f"{path}/memory") == expected


async def test_fields_of_a_discovery_and_a_trial(caller: Caller, endpoint: ScriptedServer) -> None:
    fields = {"base_url": endpoint.base_url, "api_key": KEY, "provider": "openai", "model": "m"}
    body = {name: fields[name] for name in fields if name != "model"}

    endpoint.received.clear()
    _, found = await caller.post("/llm-profiles/models/discover", body)
    _, tried = await caller.post("/llm-profiles/models/test", fields)

    assert found["data"] == {"ok": True, "models": ["scripted"], "error": None}
    assert tried["data"] == {"ok": True, "model": "m", "latency_ms": COUNT, "error": None}
    assert [each.headers["authorization"] for each in endpoint.received] == [f"Bearer {KEY}"]
