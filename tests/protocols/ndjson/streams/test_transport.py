"""How the streams look from outside (seed 001, protocol overview)."""

import asyncio
from io import BytesIO

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.ndjson.analyst_client import (
    DATA_AGENT,
    LOADING,
    QUESTIONS,
    REPORT,
    STREAMS,
    SUMMARY,
    AnalystClient,
    line_types,
    make_action,
    read_lines,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Served

from yarrow.llm.scripted import Hold

AGENT_IS_THERE = (DATA_AGENT, QUESTIONS, REPORT)


@pytest.mark.parametrize("path", AGENT_IS_THERE)
async def test_every_stream_is_lines_of_json_with_a_request_id(  # DF001
    analyst: AnalystClient, switchable: SwitchableModel, path: str
) -> None:
    switchable.script([SUMMARY], [SUMMARY])

    async with analyst.post(
        path, {"user_question": "?", "input_tables": [{"name": "sales"}]}
    ) as got:
        lines = [line async for line in read_lines(got)]

    assert got.status == 200
    assert got.headers["Content-Type"] == "application/x-ndjson"
    assert got.headers["X-Request-Id"]
    assert lines[0]["phase"] == "building_context"
    assert {"run_id", "session_id"} < lines[0].keys()


async def test_characters_are_not_escaped(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:  # DF001
    switchable.script([make_action("summary", summary="北方卖得最好 🙂")])

    async with analyst.post(DATA_AGENT, {"user_question": "谁?"}) as answer:
        body = await answer.read()

    assert "北方卖得最好 🙂".encode() in body
    assert body.endswith(b"\n")
    assert b"\n\n" not in body
    assert b"data:" not in body


async def test_the_first_line_does_not_wait_for_the_model(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    hold = Hold()
    switchable.script([hold, SUMMARY])

    async with analyst.post(DATA_AGENT, {"user_question": "?"}) as answer:
        first = decode_json(await answer.content.readline())
        hold.release.set()
        rest = [line async for line in read_lines(answer)]

    assert first["type"] == "progress"
    assert rest[-1]["type"] == "completion"


async def test_request_id_is_returned(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    switchable.script([SUMMARY])

    async with analyst.post(
        DATA_AGENT, {"user_question": "?"}, headers={"X-Request-Id": "my-trace"}
    ) as got:
        assert got.headers["X-Request-Id"] == "my-trace"


@pytest.mark.parametrize("path", STREAMS)  # DF003, DF004
async def test_a_body_that_is_not_called_json_is_refused(analyst: AnalystClient, path: str) -> None:
    error = await analyst.post_refused(path, b"{}", headers={"Content-Type": "text/plain"})

    assert (error["code"], error["retry"]) == ("INVALID_REQUEST", False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"user_question": "   "}',
        b'{"user_question": 7}',
        b'{"user_question": "?", "max_iterations": -1}',
        b'{"user_question": "?", "input_tables": [{}]}',
        b'{"user_question": "?", "trajectory": "x"}',
        b'{"user_question": "?", "model": {"api_base": "not an address"}}',
        b'{"trajectory": [], "input_tables": [{"name": "sales"}]}',
        b'{"trajectory": [], "user_question": " "}',
    ],
)
async def test_invalid_body_is_refused_before_the_stream(
    analyst: AnalystClient, body: bytes
) -> None:
    error = await analyst.post_refused(DATA_AGENT, body)

    assert (error["code"], error["retry"]) == ("INVALID_REQUEST", False)


async def test_loader_requires_messages(analyst: AnalystClient) -> None:
    assert (await analyst.post_refused(LOADING, {}))["code"] == "INVALID_REQUEST"


async def test_a_workspace_name_must_be_printable(analyst: AnalystClient) -> None:
    analyst.workspace = "x" * 300

    assert (await analyst.post_refused(DATA_AGENT, {"user_question": "?"}))[
        "code"
    ] == "INVALID_REQUEST"


async def test_nulls_count_as_left_out(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    switchable.script([SUMMARY])
    nothing: JsonObject = dict.fromkeys(
        ("model", "primary_tables", "focused_thread", "trajectory", "attached_images")
    )

    lines = await analyst.post_lines(DATA_AGENT, {"user_question": "?", **nothing})

    assert lines[-1]["type"] == "completion"


async def test_without_a_token_the_envelope_says_so(analyst: AnalystClient) -> None:
    analyst.caller.headers.clear()

    assert (await analyst.post_refused(DATA_AGENT, {"user_question": "?"}))[
        "code"
    ] == "AUTH_REQUIRED"


async def test_a_body_over_the_limit_is_413(analyst: AnalystClient) -> None:  # DF019, DF010
    body_of_51_mb = BytesIO(b" " * (51 * 1024 * 1024))

    async with analyst.post(
        DATA_AGENT, body_of_51_mb, headers={"X-Request-Id": "my-trace"}
    ) as answer:
        body = decode_json(await answer.read())

    assert answer.status == 413
    assert body["error"]["code"] == "FILE_TOO_LARGE"
    assert body["error"]["request_id"] == "my-trace"


async def test_other_methods_are_not_for_streams(analyst: AnalystClient, served: Served) -> None:
    async with analyst.caller.http.get(served.url + DATA_AGENT, headers=analyst.headers) as answer:
        assert answer.status == 405


async def test_two_streams_of_one_workspace_run_concurrently(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], [visualize()], [SUMMARY], [SUMMARY])

    both = await asyncio.gather(analyst.ask(), analyst.ask())

    assert [line_types(lines)[-1] for lines in both] == ["completion", "completion"]
    assert sorted(await analyst.list_tables()) == ["d_totals", "d_totals_2", "sales"]
