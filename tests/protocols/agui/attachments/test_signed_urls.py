"""Signed addresses over HTTP: without a token, for a while, and only as they were written."""

import asyncio
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.attachments.uploads import (
    PNG,
    SIGNED_URL,
    fetch,
    fetch_problem,
    list_stored_files,
    start_thread,
    upload,
    wait_until_expired,
)
from tests.serving import Caller, Served, serving

from yarrow.llm.scripted import ScriptedModel


@pytest.fixture
async def attachment(caller: Caller, thread: str) -> JsonObject:
    return await upload(caller, thread)


async def ask(caller: Caller, attachment: JsonObject, **other: str) -> tuple[int, JsonObject]:
    given = {name: attachment[name] for name in ("bucket", "path")} | other
    return await caller.send("GET", SIGNED_URL, params=given)


async def test_signed_url_needs_no_token(caller: Caller, attachment: JsonObject) -> None:
    status, body, headers = await fetch(caller, attachment["url"])

    assert (status, body) == (200, PNG)
    assert headers["content-type"] == "image/png"
    assert headers["content-length"] == str(len(PNG))
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["cache-control"].startswith("private, max-age=")


async def test_signed_url_response_matches_the_seed(caller: Caller, attachment: JsonObject) -> None:
    status, answer = await ask(caller, attachment)

    # seed 0, attachment signed URL contract
    assert status == 200
    assert set(answer) == {"bucket", "path", "url"}
    assert (answer["bucket"], answer["path"]) == ("agent-inputs", attachment["path"])
    assert (await fetch(caller, answer["url"]))[1] == PNG


async def test_every_changed_byte_fails(caller: Caller, attachment: JsonObject) -> None:
    url = attachment["url"]
    start = len(caller.url) + 1
    changed = [
        url[:at] + ("0" if url[at] != "0" else "1") + url[at + 1 :] for at in range(start, len(url))
    ]

    answers = await asyncio.gather(*(fetch(caller, url) for url in changed))

    assert {status for status, _, _ in answers} <= {403, 404, 422}
    assert PNG not in {body for _, body, _ in answers}


@pytest.mark.parametrize("added", ["&", "&x=1", "=", "0"])
async def test_appended_text_invalidates_the_url(
    caller: Caller, attachment: JsonObject, added: str
) -> None:
    assert await fetch_problem(caller, attachment["url"] + added) == (
        403,
        "AGENT_SIGNED_URL_INVALID",
    )


async def test_path_traversal_fails(caller: Caller, attachment: JsonObject) -> None:
    for climb in ("%2e%2e/", "..%2f", "%2e%2e%2f%2e%2e%2fjwt_secret"):
        address = attachment["url"].replace(f"{caller.id}/", f"{caller.id}/{climb}", 1)

        assert (await fetch(caller, address))[0] in {403, 404}


async def test_other_bucket_is_refused(caller: Caller, attachment: JsonObject) -> None:
    status, answer = await ask(caller, attachment, bucket="avatars")

    assert (status, answer["code"]) == (422, "AGENT_ATTACHMENT_BUCKET_INVALID")


async def test_path_of_another_account_is_refused(
    served: Served, caller: Caller, attachment: JsonObject
) -> None:
    other = await served.account()
    paths = ["", "x", f"agent-inputs/{caller.id}/../../jwt_secret", "agent-inputs/"]

    answers = [await ask(caller, attachment, path=path) for path in paths]
    answers.append(await ask(other, attachment))

    assert {(s, a["code"]) for s, a in answers} == {(403, "AGENT_ATTACHMENT_PATH_SCOPE_INVALID")}


@pytest.mark.parametrize("missing", ["bucket", "path"])
async def test_missing_parameter_is_named(caller: Caller, missing: str) -> None:
    given = {"bucket": "agent-inputs", "path": "agent-inputs/x"}
    del given[missing]

    status, answer = await caller.send("GET", SIGNED_URL, params=given)

    assert (status, answer["params"]) == (422, {"field": missing})


async def test_nul_in_a_path_is_refused(caller: Caller, attachment: JsonObject) -> None:
    status, answer = await ask(caller, attachment, path="\0")

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")


async def test_path_without_a_file_gets_no_url(caller: Caller, attachment: JsonObject) -> None:
    status, answer = await ask(caller, attachment, path=attachment["path"].replace("cat", "dog"))

    assert (status, answer["code"]) == (404, "AGENT_SIGNED_URL_GENERATION_FAILED")


async def test_signing_needs_a_token_and_both_parameters(
    caller: Caller, attachment: JsonObject
) -> None:
    assert (await caller.get(SIGNED_URL, bucket="agent-inputs"))[0] == 422
    assert (await caller.send("GET", SIGNED_URL, params={"path": attachment["path"]}))[0] == 422
    assert (await caller.send("GET", SIGNED_URL, headers={}))[0] == 401


async def test_file_that_is_gone_is_not_found(
    served: Served, caller: Caller, attachment: JsonObject
) -> None:
    (stored,) = list_stored_files(served, caller)
    stored.unlink()

    assert await fetch_problem(caller, attachment["url"]) == (404, "AGENT_ATTACHMENT_NOT_FOUND")


async def test_url_expires(dsn: str, tmp_path: Path) -> None:
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path, attachment_url_ttl_s=1
    ) as served:
        caller = await served.account()
        url = (await upload(caller, await start_thread(caller)))["url"]

        await wait_until_expired(caller, url)

        assert await fetch_problem(caller, url) == (403, "AGENT_SIGNED_URL_INVALID")


async def test_url_starts_with_the_public_base_url(dsn: str, tmp_path: Path) -> None:
    base = "https://api.example.com/yarrow"
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path, public_base_url=f"{base}/"
    ) as served:
        caller = await served.account()
        attachment = await upload(caller, await start_thread(caller))

    assert attachment["url"].startswith(f"{base}/api/v1/files/agent-inputs/")
