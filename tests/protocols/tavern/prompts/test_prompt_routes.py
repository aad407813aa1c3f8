"""Dry runs and previews over HTTP: the same rules as on every other route of this dialect."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller

NOBODY = "00000000-0000-7000-8000-000000000000"
DRY_RUN: JsonObject = {"message": "And then?"}
PREVIEW: JsonObject = {"text": "{{setvar::mood::calm}}{{getvar::mood}}"}


def paths(session: str) -> dict[str, JsonObject]:
    return {
        f"/sessions/{session}/respond/dry-run": DRY_RUN,
        f"/sessions/{session}/prompt-runtime/preview": PREVIEW,
    }


async def test_preview_lists_its_writes_and_writes_nothing(caller: Caller) -> None:
    session = (await create_session(caller))["id"]

    status, result = await caller.post(f"/sessions/{session}/prompt-runtime/preview", PREVIEW)

    assert (status, result["data"]["text"]) == (200, "calm")
    received = result["data"]["runtime_trace"]["macro"]
    assert received["mutation_preview"] == [
        {"kind": "set", "scope": "branch", "key": "mood", "value": "calm"}
    ]
    assert [set(trace) for trace in received["traces"]] == [
        {"macro_name", "raw_text", "resolved_text", "phase", "source_kind"}
    ] * 2
    _, kept = await caller.get("/variables", scope="branch", session_id=session)
    assert kept["data"] == []


@pytest.mark.parametrize(
    "session, body, status",
    [
        (NOBODY, {}, 404),
        ("none", {}, 404),
        ("no%00ne", {}, 400),
        (NOBODY, {"unknown": 1}, 400),
        (NOBODY, {"branch_id": ""}, 400),
    ],
)
async def test_invalid_requests_are_refused_in_the_format_of_the_protocol(
    caller: Caller, session: str, body: JsonObject, status: int
) -> None:
    for path, usual in paths(session).items():
        answered, result = await caller.post(path, {**usual, **body})

        assert (answered, set(result["error"]) >= {"code", "message"}) == (status, True)
