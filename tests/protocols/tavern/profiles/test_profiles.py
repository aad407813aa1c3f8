"""Model profiles, their bindings and the slots of a turn. Issue 14 §8."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.loose_json import JsonObject
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import list_sent, respond
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served, serving

from yarrow.ids import new_uuid
from yarrow.llm.scripted import Say
from yarrow.llm.scripted_server import ScriptedServer, serve_scripted
from yarrow.stories.model_endpoints.endpoints import ENDPOINTS_MAX

KEY = "sk-stored-and-never-shown"


@pytest.fixture(scope="module")
async def endpoint() -> AsyncIterator[ScriptedServer]:
    async with serve_scripted() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
async def served(
    dsn: str,
    endpoint: ScriptedServer,
    shared_model: SwitchableModel,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Served]:
    """The product, with an endpoint that profiles may name."""
    folder = tmp_path_factory.mktemp("served")
    allowed = (f"{endpoint.base_url}*",)
    async with serving(
        dsn, model=shared_model, data_dir=folder, llm_allowed_bases=allowed
    ) as served:
        yield served


async def create_profile(
    caller: Caller, endpoint: ScriptedServer, name: str = "mine", **more: object
) -> JsonObject:
    body = {"name": name, "model": name, "base_url": endpoint.base_url, "api_key": KEY, **more}
    status, answer = await caller.post("/llm-profiles", body)
    assert status == 201, answer
    return dict(answer["data"])


async def activate(caller: Caller, profile: JsonObject, **body: object) -> JsonObject:
    status, answer = await caller.post(f"/llm-profiles/{profile['id']}/activate", body)
    assert status == 200, answer
    return dict(answer["data"])


async def read_runtime(caller: Caller, session: str, slot: str = "narrator") -> JsonObject:
    status, answer = await caller.get("/llm-profiles/runtime", session_id=session)
    assert status == 200, answer
    return next(dict(each) for each in answer["data"] if each["slot"] == slot)


async def test_a_profile_never_shows_its_key(
    served: Served, caller: Caller, endpoint: ScriptedServer
) -> None:
    profile = await create_profile(caller, endpoint)

    status, answer = await caller.get(f"/llm-profiles/{profile['id']}")

    assert (status, answer["data"]) == (200, profile)
    assert profile | {"id": "", "created_at": 0, "updated_at": 0} == {
        "id": "",
        "name": "mine",
        "provider": "openai-compatible",
        "model": "mine",
        "base_url": endpoint.base_url,
        "has_api_key": True,
        "enabled": True,
        "created_at": 0,
        "updated_at": 0,
    }
    async with served.product.database.connection() as tx:
        stored = await tx.fetchval("SELECT string_agg(p::text, '') FROM llm_profiles p")
    assert KEY not in stored
    assert KEY.encode().hex() not in stored


async def test_the_profile_of_the_session_answers_with_its_key(
    caller: Caller, switchable: SwitchableModel, endpoint: ScriptedServer
) -> None:
    session, other = [(await create_session(caller))["id"] for _ in range(2)]
    profile = await create_profile(caller, endpoint)
    await activate(caller, profile, session_id=session)
    model = switchable.script([Say("From here.")])

    here = await respond(caller, session, "[[say=From there.]]")
    there = await respond(caller, other, "a")

    assert (here["generated_text"], there["generated_text"]) == ("From there.", "From here.")
    assert endpoint.received[-1].headers["authorization"] == f"Bearer {KEY}"
    assert endpoint.received[-1].path == "/v1/chat/completions"
    assert endpoint.received[-1].json["model"] == "mine"
    assert len(model.requests) == 1


async def test_session_comes_before_account_and_the_slot_before_any(
    caller: Caller, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    names = ("account any", "account narrator", "session any", "session narrator")
    profiles = [await create_profile(caller, endpoint, name) for name in names]
    sources = []
    for profile, name in zip(profiles, names, strict=True):
        slot = "*" if name.endswith("any") else "narrator"
        where = {"session_id": session} if name.startswith("session") else {}
        await activate(caller, profile, slot=slot, **where)
        runtime = await read_runtime(caller, session)
        sources.append((runtime["profile_name"], runtime["source"]))

    assert sources == [(name, name.split()[0]) for name in names]
    status, answer = await caller.send(
        "DELETE", "/llm-profiles/bindings/narrator", params={"session_id": session}
    )
    assert (status, answer["data"]["deleted"]) == (200, True)
    assert (await read_runtime(caller, session))["profile_name"] == "session any"
    assert len((await caller.get("/llm-profiles/bindings"))[1]["data"]) == 3


async def test_a_key_that_cannot_be_decrypted_never_stops_a_turn(
    served: Served, caller: Caller, switchable: SwitchableModel, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    profile = await create_profile(caller, endpoint)
    await activate(caller, profile)
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE llm_profiles SET secret = 'damaged'::bytea")
    switchable.script([Say("From here.")])

    answer = await respond(caller, session, "[[say=From there.]]")

    runtime = await read_runtime(caller, session)
    assert answer["generated_text"] == "From here."
    assert [each["code"] for each in answer["warnings"]] == ["MODEL_SKIPPED"]
    assert runtime["source"] == "environment"
    assert [each["reason"] for each in runtime["skipped"]] == ["key_unreadable"]


@pytest.mark.parametrize("route", ["discover", "test"])
@pytest.mark.parametrize(
    ("stored", "refusal"),
    [
        ("substr(secret, 1, 20)", (500, "secret_invalid_format")),
        ("set_byte(secret, 20, 255 - get_byte(secret, 20))", (503, "secret_unavailable")),
    ],
)
async def test_an_endpoint_is_never_asked_without_the_key_that_it_has(
    served: Served,
    caller: Caller,
    endpoint: ScriptedServer,
    route: str,
    stored: str,
    refusal: tuple[int, str],
) -> None:
    profile = await create_profile(caller, endpoint)
    path, body = f"/llm-profiles/models/{route}", {"profile_id": profile["id"]}
    async with served.product.database.transaction() as tx:
        await tx.execute(f"UPDATE llm_profiles SET secret = {stored} WHERE id = $1", profile["id"])

    status, answer = await caller.post(path, body)

    assert (status, answer["error"]["code"]) == refusal
    assert "store the key again" in answer["error"]["message"]
    assert (await caller.post(path, body | {"api_key": KEY}))[1]["data"]["ok"] is True


async def test_a_skipped_model_of_any_module_is_told(
    served: Served, caller: Caller, switchable: SwitchableModel, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    profile = await create_profile(caller, endpoint)
    slots = ("director", "verifier", "memory")
    for slot in slots:
        await activate(caller, profile, slot=slot)
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE llm_profiles SET secret = 'damaged'::bytea")
    advice, verdict, memory = '{"directive": "x"}', '{"passed": true}', "{}"
    switchable.script([Say(advice)], [Say("Rain.")], [Say(verdict)], [Say(memory)])
    names = ("enableDirector", "enableVerifier", "enableMemoryConsolidation")

    answer = await respond(caller, session, "a", config=dict.fromkeys(names, True))

    told = [each["message"] for each in answer["warnings"] if each["code"] == "MODEL_SKIPPED"]
    assert [message.split()[1] for message in told] == list(slots)


async def test_each_module_is_asked_by_the_model_of_its_slot(
    caller: Caller, switchable: SwitchableModel, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    profile = await create_profile(caller, endpoint, "checker")
    await activate(caller, profile, slot="verifier", params={"temperature": 0.9})
    model = switchable.script([Say("Rain.")])

    await respond(caller, session, "a", config={"enableVerifier": True})

    assert len(model.requests) == 1
    assert endpoint.received[-1].json["model"] == "checker"
    assert endpoint.received[-1].json["temperature"] == 0.9


async def test_parameters_of_request_slot_session_in_this_order(
    caller: Caller, switchable: SwitchableModel
) -> None:
    params = {"temperature": 0.1, "top_p": 0.2, "top_k": 3}
    session = (await create_session(caller, model_params=params))["id"]
    body = {"params": {"temperature": 0.4, "top_p": 0.5}}
    status, answer = await caller.send("PATCH", "/llm-instances/narrator", json=body)
    model = switchable.script([Say("Rain.")])

    await respond(caller, session, "a", generation_params={"temperature": 0.7})

    assert (status, answer["data"]["enabled"]) == (200, True)
    sampler = model.requests[0].sampler
    assert (sampler["temperature"], sampler["top_p"], sampler["top_k"]) == (0.7, 0.5, 3)


async def test_put_replaces_a_slot_and_patch_changes_it(caller: Caller) -> None:
    path = "/llm-instances/director"
    await caller.send("PUT", path, json={"enabled": False, "params": {"temperature": 0.4}})

    _, changed = await caller.send("PATCH", path, json={"enabled": True})
    _, replaced = await caller.send("PUT", path, json={"enabled": False})
    _, stored = await caller.get(path)
    _, reset = await caller.send("DELETE", path)

    assert describe(changed) == ("director", True, {"temperature": 0.4})
    assert describe(replaced) == ("director", False, {})
    assert stored == replaced
    assert changed["data"]["updated_at"] <= replaced["data"]["updated_at"]
    assert (describe(reset), reset["data"]["updated_at"]) == (("director", True, {}), None)


def describe(answer: JsonObject) -> tuple[str, bool, JsonObject]:
    config = answer["data"]
    return config["slot"], config["enabled"], config["params"]


async def test_a_slot_without_its_own_configuration_has_that_of_all_slots(
    caller: Caller, switchable: SwitchableModel
) -> None:
    path, shared = "/llm-instances/director", {"enabled": False, "params": {"top_p": 0.5}}
    session = (await create_session(caller))["id"]
    await caller.send("PUT", "/llm-instances/narrator", json={"enabled": True})

    await caller.send("PUT", "/llm-instances/*", json=shared)
    _, stored = await caller.get(path)
    _, listed = await caller.get("/llm-instances")
    _, changed = await caller.send("PATCH", path, json={"params": {"top_k": 3}})
    model = switchable.script([Say("Rain.")])
    await respond(caller, session, "a", config={"enableDirector": True})
    _, reset = await caller.send("DELETE", path)

    inherited = {"slot": "director", **shared, "updated_at": None}
    assert (stored["data"], listed["data"][2], reset["data"]) == (inherited,) * 3
    assert describe(changed) == ("director", False, {"top_k": 3})
    assert len(model.requests) == 1


async def test_two_changes_of_a_slot_at_once_are_both_kept(caller: Caller) -> None:
    for number in range(20):
        path, params = "/llm-instances/director", {"top_k": number + 1}
        await caller.send("PUT", path, json={"enabled": True})

        await asyncio.gather(
            caller.send("PATCH", path, json={"enabled": False}),
            caller.send("PATCH", path, json={"params": params}),
        )

        _, stored = await caller.get(path)
        assert describe(stored) == ("director", False, params)
    await caller.send("DELETE", path)


async def test_a_disabled_narrator_refuses_every_turn(
    caller: Caller, switchable: SwitchableModel
) -> None:
    session = (await create_session(caller))["id"]
    model = switchable.script([Say("Rain.")], [Say("Sun.")])
    floor = (await respond(caller, session, "a"))["floor_id"]
    await caller.send("PUT", "/llm-instances/narrator", json={"enabled": False})

    calls = [
        await caller.post(f"/sessions/{session}/respond", {"message": "b"}),
        await caller.post(f"/sessions/{session}/respond/stream", {"message": "b"}),
        await caller.post(f"/sessions/{session}/regenerate", {}),
        await caller.post(f"/floors/{floor}/retry", {}),
    ]

    codes = [(status, answer["error"]["code"]) for status, answer in calls]
    assert codes == [(409, "instance_slot_disabled_required")] * 4
    assert len(model.requests) == 1
    await caller.send("DELETE", "/llm-instances/narrator")
    await respond(caller, session, "b")


async def test_a_disabled_module_is_left_out(caller: Caller, switchable: SwitchableModel) -> None:
    session = (await create_session(caller))["id"]
    for slot in ("director", "verifier", "memory"):
        await caller.send("PUT", f"/llm-instances/{slot}", json={"enabled": False})
    model = switchable.script([Say("Rain.")])
    config = {"enableDirector": True, "enableVerifier": True, "enableMemoryConsolidation": True}

    answer = await respond(caller, session, "a", config=config)

    assert answer["generated_text"] == "Rain."
    assert [list_sent(request)[-1] for request in model.requests] == ["a"]
    _, run = await caller.get(f"/floors/{answer['floor_id']}/run")
    assert run["data"]["verifier"]["status"] == "skipped"


async def test_a_disabled_or_unknown_profile_is_a_conflict(
    caller: Caller, switchable: SwitchableModel, endpoint: ScriptedServer
) -> None:
    session = (await create_session(caller))["id"]
    profile = await create_profile(caller, endpoint)
    await activate(caller, profile)
    path = f"/llm-profiles/{profile['id']}"
    await caller.send("PATCH", path, json={"enabled": False})

    calls = [
        await caller.post(f"/sessions/{session}/respond", {"message": "a"}),
        await caller.post(f"{path}/activate", {}),
        await caller.post(f"/llm-profiles/{new_uuid()}/activate", {}),
        await caller.post("/llm-profiles/none/activate", {}),
    ]

    assert [answer["error"]["code"] for _, answer in calls] == [
        "profile_disabled",
        "profile_disabled",
        "profile_not_found",
        "profile_not_found",
    ]
    assert {status for status, _ in calls} == {409}
    assert (await caller.send("DELETE", path))[0] == 200
    switchable.script([Say("Rain.")])
    assert (await respond(caller, session, "a"))["generated_text"] == "Rain."


async def test_models_are_discovered_and_tested(caller: Caller, endpoint: ScriptedServer) -> None:
    profile = await create_profile(caller, endpoint)
    closed = endpoint.base_url.replace("/v1", "/v1/none")
    endpoint.received.clear()

    _, found = await caller.post("/llm-profiles/models/discover", {"profile_id": profile["id"]})
    _, tested = await caller.post("/llm-profiles/models/test", {"profile_id": profile["id"]})
    body = {"base_url": closed, "model": "x"}
    _, other = await caller.post("/llm-profiles/models/test", body)

    assert found["data"] == {"ok": True, "models": ["scripted"], "error": None}
    assert (tested["data"]["ok"], tested["data"]["model"]) == (True, "mine")
    assert endpoint.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in endpoint.received[1].headers
    assert other["data"]["error"] is None


async def test_a_key_is_not_sent_to_another_address(
    caller: Caller, endpoint: ScriptedServer
) -> None:
    profile = await create_profile(caller, endpoint)
    path, address = f"/llm-profiles/{profile['id']}", f"{endpoint.base_url}/other"
    endpoint.received.clear()

    body = {"profile_id": profile["id"], "base_url": address}
    await caller.post("/llm-profiles/models/test", body)
    _, changed = await caller.send("PATCH", path, json={"base_url": address})

    assert "authorization" not in endpoint.received[0].headers
    assert changed["data"]["has_api_key"] is False


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/latest", "http://10.0.0.1/v1", "file:///etc/passwd", "nothing"],
)
async def test_an_address_that_is_not_allowed_is_refused(caller: Caller, address: str) -> None:
    body = {"name": "x", "model": "x", "base_url": address}

    calls = [
        await caller.post("/llm-profiles", body),
        await caller.post("/llm-profiles/models/discover", {"base_url": address}),
        await caller.post("/llm-profiles/models/test", {"base_url": address}),
    ]

    assert [(status, each["error"]["code"]) for status, each in calls] == [
        (400, "validation_error")
    ] * 3


async def test_a_profile_of_a_denied_address_can_be_disabled_and_renamed(
    served: Served, caller: Caller, endpoint: ScriptedServer
) -> None:
    path = f"/llm-profiles/{(await create_profile(caller, endpoint))['id']}"
    async with served.product.database.transaction() as tx:
        await tx.execute("UPDATE llm_profiles SET base_url = 'http://10.0.0.1/v1'")

    bodies = [{"name": "old", "enabled": False}, {"api_key": "new"}, {"api_key": ""}]
    calls = [await caller.send("PATCH", path, json=body) for body in bodies]

    assert [status for status, _ in calls] == [200, 400, 200]
    profile = calls[-1][1]["data"]
    assert (profile["name"], profile["enabled"], profile["has_api_key"]) == ("old", False, False)


async def test_profiles_made_at_once_are_not_more_than_allowed(
    caller: Caller, endpoint: ScriptedServer
) -> None:
    for _ in range(ENDPOINTS_MAX - 1):
        await create_profile(caller, endpoint)
    body = {"name": "x", "model": "x", "base_url": endpoint.base_url}

    calls = await asyncio.gather(*(caller.post("/llm-profiles", body) for _ in range(8)))

    assert sorted(status for status, _ in calls) == [201] + [400] * 7


async def test_profiles_of_others_are_not_found(
    served: Served, caller: Caller, endpoint: ScriptedServer
) -> None:
    other = await served.account()
    path = f"/llm-profiles/{(await create_profile(caller, endpoint))['id']}"
    session = (await create_session(caller))["id"]
    mine = await create_profile(other, endpoint)

    calls = [
        await other.get(path),
        await other.send("PATCH", path, json={"name": "x"}),
        await other.send("DELETE", path),
        await other.post("/llm-profiles/models/test", {"profile_id": path.rpartition("/")[2]}),
        await other.post(f"/llm-profiles/{mine['id']}/activate", {"session_id": session}),
        await other.get("/llm-profiles/runtime", session_id=session),
    ]

    assert [status for status, _ in calls] == [404] * 6
    assert (await other.post(f"{path}/activate", {}))[0] == 409
    assert (await caller.post("/llm-instances/moon", {}))[0] == 405
    assert (await caller.get("/llm-instances/moon"))[0] == 400
