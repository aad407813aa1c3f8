"""Every rule of seed 2's validation table, at its boundary, in the seed's words."""

from typing import Any
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.account_rows import read_account_rows
from tests.serving import RUNS, Caller, Served, run_body

IMAGE = {"type": "binary", "mimeType": "image/png", "url": "https://storage.example.com/a.png"}
USER = {"id": "m1", "role": "user", "content": "hello"}
ANSWER = {"id": "m2", "role": "assistant", "content": "hi"}


def said(*blocks: Any) -> JsonObject:
    """A body whose user message has these content blocks."""
    return run_body(messages=[{"id": "m1", "role": "user", "content": list(blocks)}])


def text(length: int) -> JsonObject:
    return {"type": "text", "text": "字" * length}


def without(body: JsonObject, *fields: str) -> JsonObject:
    return {name: value for name, value in body.items() if name not in fields}


ALLOWED: dict[str, JsonObject] = {
    "runId of 128 characters": run_body(run="字" * 128),
    "message id of 512 characters": run_body(messages=[USER | {"id": "😀" * 512}]),
    "upper case threadId": run_body(thread=str(uuid4()).upper()),
    "200 messages": run_body(messages=[USER, *[ANSWER] * 199]),
    "10,000 characters": run_body("字" * 10_000),
    "10,000 characters over all blocks": said(text(6000), text(4000)),
    "10,000 characters beside an image": said(text(10_000), IMAGE),
    "image alone": said(IMAGE),
    "any kind of image": said(IMAGE | {"mimeType": "IMAGE/webp"}),
    "data that is null": said(IMAGE | {"data": None}),
    "image as AG-UI 1.0 has it": said(
        {"type": "image", "source": {"type": "url", "value": IMAGE["url"]}}
    ),
    "every other role behind the user's": run_body(
        messages=[
            USER,
            {"id": "a", "role": "assistant", "content": None, "toolCalls": []},
            {"id": "b", "role": "system", "content": "x"},
            {"id": "c", "role": "tool", "content": "x", "toolCallId": "t"},
            {"id": "d", "role": "developer", "content": "x"},
            {"id": "e", "role": "reasoning", "content": "x"},
            {"id": "f", "role": "activity", "activityType": "PLAN", "content": {"a": 1}},
        ]
    ),
    "no state, tools, context or forwardedProps": without(
        run_body(), "state", "tools", "context", "forwardedProps"
    ),
    "optional fields that are null": run_body(
        state=None, tools=None, context=None, forwardedProps=None, parentRunId=None
    ),
    "fields of newer clients": run_body(protocolVersion="1.0", resume=[], later={"x": 1}),
    "numbers that JSON allows": run_body(state={"big": 10**30, "small": 1e-300}),
}

REFUSED: dict[str, tuple[JsonObject, str]] = {
    "runId of 129 characters": (run_body(run="字" * 129), "runId exceeds length limit"),
    "201 messages": (
        run_body(messages=[USER, *[ANSWER] * 200]),
        "RunAgentInput.messages exceeds limit",
    ),
    "10,001 characters": (
        run_body("字" * 10_001),
        "RunAgentInput user message text exceeds limit",
    ),
    "10,001 characters over all blocks": (
        said(text(6000), IMAGE, text(4001)),
        "RunAgentInput user message text exceeds limit",
    ),
    "no message": (
        run_body(messages=[]),
        "RunAgentInput.messages must contain exactly one user message",
    ),
    "no user message": (
        run_body(messages=[ANSWER]),
        "RunAgentInput.messages must contain exactly one user message",
    ),
    "two user messages": (
        run_body(messages=[USER, ANSWER, USER]),
        "RunAgentInput.messages must contain exactly one user message",
    ),
    "user message second": (
        run_body(messages=[{"id": "s", "role": "system", "content": "x"}, USER]),
        "RunAgentInput.messages[0].role must be user",
    ),
    "binary of another kind": (
        said(IMAGE | {"mimeType": "application/pdf"}),
        "binary content requires image mimeType",
    ),
    "binary that only sounds like an image": (
        said(IMAGE | {"mimeType": "ximage/png"}),
        "binary content requires image mimeType",
    ),
    "binary of no kind": (
        said(without(IMAGE, "mimeType")),
        "binary content requires image mimeType",
    ),
    "binary without url": (said(without(IMAGE, "url")), "binary content requires url"),
    "binary with an empty url": (said(IMAGE | {"url": ""}), "binary content requires url"),
    "binary with only an id": (
        said(without(IMAGE, "url") | {"id": "file-1"}),
        "binary content requires url",
    ),
    "binary with data": (
        said(IMAGE | {"data": "aGVsbG8="}),
        "binary content data is not allowed",
    ),
    "binary with data instead of url": (
        said(without(IMAGE, "url") | {"data": "aGVsbG8="}),
        "binary content data is not allowed",
    ),
    "AG-UI 1.0 image with data": (
        said({"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/a"}}),
        "binary content data is not allowed",
    ),
}

NO_ADDRESSES = [
    "a.png",
    "/api/v1/files/agent-inputs/a.png?expires=1&signature=x",
    "data:image/png;base64,aGk=",
    "ftp://storage.example.com/a.png",
    "https://",
]

NOT_UUIDS = [
    "",
    "thread-1",
    "550e8400-e29b-41d4-a716-44665544000",
    "550e8400-e29b-41d4-a716-4466554400000",
    "550e8400-e29b-41d4-a716-44665544000g",
    " 550e8400-e29b-41d4-a716-446655440000",
    "{550e8400-e29b-41d4-a716-446655440000}",
    "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
    "550e8400-e29b-41d4-a716-4466554_0000",
    "０" * 32,
]

MALFORMED: dict[str, tuple[JsonObject, str]] = {
    "threadId missing": (without(run_body(), "threadId"), "threadId"),
    "threadId a number": (run_body() | {"threadId": 1}, "threadId"),
    "runId missing": (without(run_body(), "runId"), "runId"),
    "runId empty": (run_body() | {"runId": ""}, "runId"),
    "runId null": (run_body() | {"runId": None}, "runId"),
    "messages missing": (without(run_body(), "messages"), "messages"),
    "messages an object": (run_body(messages={}), "messages"),
    "message a string": (run_body(messages=["hello"]), "messages.0"),
    "message without a role": (run_body(messages=[without(USER, "role")]), "messages.0"),
    "message of an unknown role": (run_body(messages=[USER | {"role": "robot"}]), "messages.0"),
    "message without an id": (run_body(messages=[without(USER, "id")]), "messages.0.id"),
    "message with a long id": (run_body(messages=[USER | {"id": "m" * 513}]), "messages.0.id"),
    "content missing": (run_body(messages=[without(USER, "content")]), "messages.0.content"),
    "content empty": (run_body(" \n"), "messages.0.content"),
    "content without blocks": (said(), "messages.0.content"),
    "block of an unknown type": (said({"type": "video"}), "messages.0.content.0"),
    "block without text": (said({"type": "text"}), "messages.0.content.0.text"),
    "tools an object": (run_body(tools={}), "tools"),
    "tool without a name": (run_body(tools=[{"description": "x"}]), "tools.0.name"),
    "tool parameters a list": (
        run_body(tools=[{"name": "x", "description": "x", "parameters": []}]),
        "tools.0.parameters",
    ),
    "context a string": (run_body(context="x"), "context"),
    "context value a number": (
        run_body(context=[{"description": "x", "value": 1}]),
        "context.0.value",
    ),
}


@pytest.mark.parametrize("body", ALLOWED.values(), ids=ALLOWED.keys())
async def test_body_within_the_rules_is_accepted(caller: Caller, body: JsonObject) -> None:
    # Threads are fixed when the table is made; accounts are not.
    body = body | {"threadId": str(uuid4())} if body["threadId"].islower() else body

    status, answer = await caller.post(RUNS, body)

    assert status == 202, answer
    assert (answer["threadId"], answer["runId"]) == (body["threadId"].lower(), body["runId"])


@pytest.mark.parametrize(("body", "rule"), REFUSED.values(), ids=REFUSED.keys())
async def test_refusal_has_the_message_of_the_seed(
    served: Served, caller: Caller, body: JsonObject, rule: str
) -> None:
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post(RUNS, body)

    assert (status, problem["detail"]) == (422, rule)
    assert problem["code"] == "AGENT_INPUT_INVALID"
    assert await read_account_rows(served.product.database, caller.id) == before


@pytest.mark.parametrize("url", NO_ADDRESSES)
async def test_image_must_have_a_web_address(caller: Caller, url: str) -> None:
    status, problem = await caller.post(RUNS, said(IMAGE | {"url": url}))

    assert status == 422
    assert problem["detail"].startswith("binary content url must be a valid signed URL: ")
    assert problem["params"] == {"field": "messages.0.content"}


@pytest.mark.parametrize("thread", NOT_UUIDS)
async def test_thread_must_be_a_uuid(caller: Caller, thread: str) -> None:
    status, problem = await caller.post(RUNS, run_body() | {"threadId": thread})

    assert (status, problem["detail"]) == (422, "threadId must be a valid UUID")
    assert problem["params"] == {"field": "threadId"}


@pytest.mark.parametrize(("body", "field"), MALFORMED.values(), ids=MALFORMED.keys())
async def test_malformed_field_is_named(
    served: Served, caller: Caller, body: JsonObject, field: str
) -> None:
    before = await read_account_rows(served.product.database, caller.id)

    status, problem = await caller.post(RUNS, body)

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    assert problem["params"] == {"field": field}
    assert await read_account_rows(served.product.database, caller.id) == before
