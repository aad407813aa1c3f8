"""The whole way with a real S3 server behind it, and with one that is away."""

from pathlib import Path

from tests.protocols.agui.attachments.uploads import (
    LIMIT,
    PNG,
    fetch,
    fetch_problem,
    list_stored_files,
    make_form,
    make_image_run,
    make_png,
    read_stored_paths,
    send_form,
    start_thread,
    upload,
)
from tests.s3 import new_bucket, s3_server
from tests.serving import serving

from yarrow.llm.scripted import Say, ScriptedModel

GONE = "s3://key:secret@bucket?endpoint=http://127.0.0.1:9"


async def test_picture_stored_in_s3_reaches_the_model(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with s3_server() as endpoint:
        url = await new_bucket(endpoint)
        async with serving(dsn, model=model, data_dir=tmp_path, storage_url=url) as served:
            caller = await served.account()
            thread = await start_thread(caller)
            model.play([Say("A cat.")])

            attachment = await upload(caller, thread)
            body = make_image_run(thread, attachment["url"])
            await caller.submit(body)
            await caller.events(thread, body["runId"])

            assert attachment["url"].startswith(caller.url)
            assert (await fetch(caller, attachment["url"]))[1] == PNG
            assert len(model.requests[-1].messages[-1].images) == 1
            largest = await upload(caller, thread, make_png(LIMIT))
            assert len((await fetch(caller, largest["url"]))[1]) == LIMIT
            refused = await send_form(caller, make_form(thread, make_png(LIMIT + 1)))
            assert refused[1]["code"] == "AGENT_ATTACHMENT_TOO_LARGE"
            assert len(await read_stored_paths(served, caller)) == 2
            assert list_stored_files(served, caller) == []


async def test_upload_to_unreachable_storage_is_unavailable(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path, storage_url=GONE) as served:
        caller = await served.account()
        thread = await start_thread(caller)

        status, answer = await send_form(caller, make_form(thread, PNG))

        assert (status, answer["code"]) == (503, "AGENT_ATTACHMENT_STORAGE_UNAVAILABLE")
        assert "127.0.0.1:9" not in str(answer)


async def test_file_in_unreachable_storage_is_unavailable(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel()
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        caller = await served.account()
        attachment = await upload(caller, await start_thread(caller))
    async with serving(dsn, model=model, data_dir=tmp_path, storage_url=GONE) as served:
        address = attachment["url"].replace(caller.url, served.url)
        caller.url, caller.http = served.url, served.http

        assert await fetch_problem(caller, address) == (503, "AGENT_ATTACHMENT_STORAGE_UNAVAILABLE")
