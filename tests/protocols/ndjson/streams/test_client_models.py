"""A model that the client brings: asked instead of the server's, its key kept from everybody."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    DATA_AGENT,
    QUESTIONS,
    AnalystClient,
    find_line,
    line_types,
)
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.llm.scripted_server import ScriptedServer, serve_scripted

KEY = "sk-brought-and-never-seen-again"
SUMMARY = '[[say={"action": "summary", "summary": "By the brought one."}]]'


@pytest.fixture(scope="module")
async def endpoint() -> AsyncIterator[ScriptedServer]:
    async with serve_scripted() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
async def served(
    dsn: str, endpoint: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """A product without a model of its own, that lets clients bring this one."""
    folder = tmp_path_factory.mktemp("brought")
    allowed = (f"{endpoint.base_url}*",)
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=folder, llm_allowed_bases=allowed) as served:
        yield served


@pytest.fixture
async def analyst(served: Served) -> AnalystClient:
    analyst = AnalystClient(served, await served.account())
    await analyst.create_table("sales")
    return analyst


def brought(endpoint: ScriptedServer, **changed: str) -> JsonObject:
    return {
        "endpoint": "openai",
        "model": "brought-model",
        "api_key": KEY,
        "api_base": endpoint.base_url,
        **changed,
    }


async def test_client_model_is_called_with_its_key(
    analyst: AnalystClient, endpoint: ScriptedServer
) -> None:
    lines = await analyst.ask(SUMMARY, model=brought(endpoint, model=" brought-model "))

    assert find_line(lines, "completion")["content"]["summary"] == "By the brought one."
    sent = endpoint.received[-1]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["model"] == "brought-model"
    assert analyst.served.model.requests == []


async def test_resumed_turn_sends_its_model_again(
    analyst: AnalystClient, endpoint: ScriptedServer
) -> None:
    asking = '[[say={"action": "clarify", "questions": [{"text": "Which?"}]}]]'
    pause = find_line(await analyst.ask(asking, model=brought(endpoint)), "clarify")

    lines = await analyst.resume(pause, SUMMARY, model=brought(endpoint))

    assert find_line(lines, "completion")


async def test_questions_come_from_it_too(analyst: AnalystClient, endpoint: ScriptedServer) -> None:
    body = {"start_question": '[[say={"text": "Why?"}]]', "model": brought(endpoint)}

    lines = await analyst.post_lines(QUESTIONS, body)

    assert find_line(lines, "question")["text"] == "Why?"


async def test_key_of_a_client_model_is_stored_nowhere_in_plain(
    analyst: AnalystClient, endpoint: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    texts = [SUMMARY, "[[status=401]]", "[[status=400]]", "[[cut=0]] [[tokens=1]]"]

    lines = [await analyst.ask(text, model=brought(endpoint)) for text in texts[:3]]

    assert line_types(lines[1])[-1] == "error"
    assert KEY not in str(lines)
    assert KEY not in caplog.text
    assert KEY not in await everything_stored(analyst.served)


@pytest.mark.parametrize("text", [SUMMARY, "[[status=401]]"])
async def test_its_encrypted_key_is_deleted_with_the_end_of_the_run(
    analyst: AnalystClient, endpoint: ScriptedServer, text: str
) -> None:
    await analyst.ask(text, model=brought(endpoint))

    async with analyst.served.product.database.connection() as tx:
        kept = await tx.fetchval("SELECT count(*) FROM runs WHERE input::jsonb ? 'model'")
    assert kept == 0


async def everything_stored(served: Served) -> str:
    """All rows of all tables, as text."""
    async with served.product.database.connection() as tx:
        tables = await tx.fetch(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name "
            "FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        names = [row["name"] for row in tables]
        assert "public.runs" in names
        rows = [await tx.fetch(f"SELECT t::text AS said FROM {name} t") for name in names]
    return "\n".join(row["said"] for found in rows for row in found)


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "LLM_AUTH_FAILED"), (403, "ACCESS_DENIED"), (404, "LLM_MODEL_NOT_FOUND")],
)
async def test_its_refusals_have_their_codes(
    analyst: AnalystClient, endpoint: ScriptedServer, status: int, code: str
) -> None:
    lines = await analyst.ask(f"[[status={status}]]", model=brought(endpoint))

    assert find_line(lines, "error")["error"]["code"] == code


@pytest.mark.parametrize(
    "model",
    [
        {"api_base": "http://169.254.169.254/v1"},
        {"api_base": "file:///etc/passwd"},
        {"api_base": f"http://user:{KEY}@127.0.0.1/v1"},
        {"api_key": "two\nlines"},
    ],
)
async def test_addresses_that_are_not_allowed_are_refused_before_the_stream(
    analyst: AnalystClient, endpoint: ScriptedServer, model: dict[str, str]
) -> None:
    error = await analyst.post_refused(
        DATA_AGENT, {"user_question": "?", "model": brought(endpoint, **model)}
    )

    assert error["code"] == "INVALID_REQUEST"
    assert KEY not in error["message"]


async def test_without_an_address_the_servers_model_is_meant(analyst: AnalystClient) -> None:
    lines = await analyst.ask(model={"endpoint": "openai", "model": "gpt", "api_key": KEY})

    assert "No model is configured" in find_line(lines, "completion")["content"]["summary"]


async def test_a_model_without_an_address_is_warned_of_once(analyst: AnalystClient) -> None:
    lines = await analyst.ask("?", model={"model": "some-other-model", "api_key": KEY})

    assert find_line(lines, "warning")["warning"]["message_code"] == "MODEL_IGNORED"


async def test_the_servers_own_model_may_be_named(analyst: AnalystClient) -> None:
    lines = await analyst.ask("?", model={"model": analyst.served.model.name})

    assert "warning" not in line_types(lines)


async def test_an_address_with_a_password_says_where_the_key_goes(analyst: AnalystClient) -> None:
    model = {"model": "m", "api_base": "https://user:secret@models.example/v1"}

    error = await analyst.post_refused(DATA_AGENT, {"user_question": "?", "model": model})

    assert error["message"].endswith("a key goes into model.api_key")
    assert "secret" not in error["message"]


async def test_an_address_of_our_own_network_is_not_dialled(
    dsn: str, tmp_path: Path, endpoint: ScriptedServer
) -> None:
    allowed = ("http://*.example.com/*", "http://*:*/v1")
    hidden = brought(endpoint, api_base=f"http://127.0.0.1:{endpoint.port}/x.example.com/v1")
    named = brought(endpoint, api_base=f"http://localhost:{endpoint.port}/v1")
    before = endpoint.stats.requests
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path, llm_allowed_bases=allowed
    ) as served:
        analyst = AnalystClient(served, await served.account())
        refused = await analyst.post_refused(DATA_AGENT, {"user_question": "?", "model": hidden})
        *_, last = await analyst.ask(SUMMARY, model=named)

    assert refused["code"] == "INVALID_REQUEST"
    assert last["type"] == "error"
    assert endpoint.stats.requests == before
