"""Scratch files over real HTTP: names, addresses that work, hostile paths, and the quota."""

import hashlib
from pathlib import Path

import aiohttp
import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.table_calls import (
    TABLES,
    call_refused,
    call_tables,
    in_workspace,
    upload_form,
)
from tests.serving import Caller, Served, serving
from yarl import URL

SCRATCH = "/api/agent/workspace/scratch"


async def bring(caller: Caller, content: bytes, *, filename: str) -> JsonObject:
    form = upload_form(content, filename=filename)
    status, answer = await caller.send("POST", f"{SCRATCH}/upload", data=form)
    assert (status, answer["status"]) == (200, "success"), answer
    return dict(answer["data"])


async def fetch(caller: Caller, address: str) -> tuple[aiohttp.ClientResponse, bytes]:
    url = URL(caller.url + address, encoded=True)
    headers = {"Authorization": caller.headers["Authorization"]}
    async with caller.http.get(url, headers=headers) as answer:
        return answer, await answer.read()


# reference, §6: stored as <base>_<sha256[:8]><ext> -> {path, url}


@pytest.mark.parametrize("workspace", ["default", "计划 #1/2"])
async def test_an_uploaded_file_is_named_by_its_content_and_its_address_works(
    caller: Caller, workspace: str
) -> None:
    content = "城市,n\n北京,1\n".encode()
    digest = hashlib.sha256(content).hexdigest()[:8]

    kept = await bring(in_workspace(caller, workspace), content, filename="销售 表.csv")

    assert kept["path"] == f"scratch/销售 表_{digest}.csv"
    answer, body = await fetch(caller, kept["url"])
    assert (answer.status, body) == (200, content)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize(
    "filename",
    ["../../../etc/passwd", "..\\..\\evil.exe", ".hidden", "...", "a/b/c.txt", "x" * 900],
)
async def test_a_hostile_name_stays_in_the_folder(
    served: Served, caller: Caller, filename: str
) -> None:
    kept = await bring(caller, b"content", filename=filename)

    name = kept["path"].removeprefix("scratch/")
    assert "/" not in name
    assert not name.startswith(".")
    assert (await fetch(caller, kept["url"]))[1] == b"content"
    folder = served.product.tables.sandbox.folder / "scratch"
    assert [path for path in folder.rglob(name) if path.is_file()]


async def test_html_file_is_never_served_as_html(caller: Caller) -> None:
    kept = await bring(caller, b"<script>alert(1)</script>", filename="a.html")

    answer, _ = await fetch(caller, kept["url"])

    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "..%2f..%2fsecret",
        "%2e%2e/x",
        "..%5c..%5cx",
        "%2fetc%2fpasswd",
        "C:%5cx",
        "a%00b",
        "a/../../b",
    ],
)
async def test_a_path_that_leads_out_is_denied(caller: Caller, path: str) -> None:
    answer, body = await fetch(caller, f"{SCRATCH}/{path}")

    assert answer.status == 403, body
    assert b'"ACCESS_DENIED"' in body


@pytest.mark.parametrize("path", ["none.csv", "scratch", "a/b.csv", "scratch/none.csv"])
async def test_a_file_that_is_not_there_is_not_found(caller: Caller, path: str) -> None:
    assert await call_refused(caller, "GET", f"{SCRATCH}/{path}") == (200, "TABLE_NOT_FOUND")


async def test_files_of_others_and_of_other_workspaces_are_not_found(
    served: Served, caller: Caller
) -> None:
    kept = await bring(caller, b"mine", filename="mine.txt")
    stranger = await served.account()

    for other in (stranger, in_workspace(caller, "another")):
        found = await call_refused(other, "GET", kept["url"])

        assert found == (200, "TABLE_NOT_FOUND")


async def test_a_reset_takes_scratch_files_too(caller: Caller) -> None:
    kept = await bring(caller, b"mine", filename="mine.txt")

    await call_tables(caller, "reset-db-file", {})

    assert await call_refused(caller, "GET", kept["url"]) == (200, "TABLE_NOT_FOUND")


async def test_more_than_the_quota_is_refused_and_leaves_nothing(
    dsn: str, served: Served, tmp_path: Path
) -> None:
    async with serving(dsn, model=served.model, data_dir=tmp_path, scratch_max_mb=1) as small:
        caller = await small.account()
        await bring(caller, bytes(700_000), filename="first.bin")
        form = upload_form(bytes(range(256)) * 2000, filename="second.bin")

        found = await call_refused(caller, "POST", f"{SCRATCH}/upload", data=form)

        assert found == (200, "STORAGE_FULL")
        assert list((tmp_path / "datasets" / "spool").iterdir()) == []
        await bring(await small.account(), bytes(700_000), filename="of another.bin")


async def test_the_same_file_again_takes_no_more_room(
    dsn: str, served: Served, tmp_path: Path
) -> None:
    async with serving(dsn, model=served.model, data_dir=tmp_path, scratch_max_mb=1) as small:
        caller = await small.account()

        first = await bring(caller, bytes(700_000), filename="same.bin")

        assert await bring(caller, bytes(700_000), filename="same.bin") == first


async def test_without_a_token_there_is_no_file(caller: Caller) -> None:
    kept = await bring(caller, b"mine", filename="mine.txt")

    assert await call_refused(caller, "GET", kept["url"], headers={}) == (401, "AUTH_REQUIRED")
    assert await call_refused(caller, "GET", f"{TABLES}/list-tables", headers={}) == (
        401,
        "AUTH_REQUIRED",
    )
