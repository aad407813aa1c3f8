"""Uploading: what is taken, what is refused, and that a refusal leaves nothing."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import aiohttp
import pytest
from tests.protocols.agui.attachments.uploads import (
    JPEG,
    LIMIT,
    PNG,
    UPLOAD,
    fetch,
    list_stored_files,
    make_form,
    make_png,
    read_stored_paths,
    send_form,
    start_thread,
    upload,
)
from tests.serving import Caller, Served
from tests.unit.attachments.pictures import NO_PICTURES, PICTURES
from tests.waiting import PATIENCE_S

from yarrow.protocols.agui.attachments.routes import ONCE_RULE


async def test_upload_response_matches_the_seed(caller: Caller, thread: str) -> None:
    attachment = await upload(caller, thread)

    # seed 0, attachment upload contract
    assert set(attachment) == {"bucket", "path", "mimeType", "url"}
    assert attachment["bucket"] == "agent-inputs"
    assert attachment["path"].startswith(f"agent-inputs/{caller.id}/")
    assert attachment["path"].endswith("-cat.png")
    assert attachment["mimeType"] == "image/png"
    assert attachment["url"].startswith(f"{caller.url}/api/v1/files/agent-inputs/{caller.id}/")


async def test_uploads_with_one_name_are_stored_apart(caller: Caller, thread: str) -> None:
    one = await upload(caller, thread, PNG + b"1")
    other = await upload(caller, thread, PNG + b"2")

    assert one["path"] != other["path"]
    assert (await fetch(caller, one["url"]))[1] == PNG + b"1"


@pytest.mark.parametrize("kind", PICTURES)
async def test_type_is_detected_from_the_bytes(caller: Caller, thread: str, kind: str) -> None:
    content, expected = PICTURES[kind]

    attachment = await upload(caller, thread, content, name="lie.exe")

    assert attachment["mimeType"] == expected.value
    assert attachment["path"].endswith(f"-lie.{expected.extension}")


@pytest.mark.parametrize("kind", NO_PICTURES)
async def test_file_that_is_no_picture_is_refused(
    served: Served, caller: Caller, thread: str, kind: str
) -> None:
    status, answer = await send_form(caller, make_form(thread, NO_PICTURES[kind]))

    assert (status, answer["code"]) == (415, "AGENT_ATTACHMENT_UNSUPPORTED_TYPE")
    assert await read_stored_paths(served, caller) == []


async def test_five_megabytes_are_stored(caller: Caller, thread: str) -> None:
    content = make_png(LIMIT - 3) + b"end"

    attachment = await upload(caller, thread, content)

    assert (await fetch(caller, attachment["url"]))[1] == content


@pytest.mark.parametrize(
    "content", [make_png(LIMIT + 1), bytes(LIMIT + 1)], ids=["picture", "no picture"]
)
async def test_one_byte_more_is_refused(
    served: Served, caller: Caller, thread: str, content: bytes
) -> None:
    status, answer = await send_form(caller, make_form(thread, content))

    assert (status, answer["code"]) == (413, "AGENT_ATTACHMENT_TOO_LARGE")
    assert answer["params"]["limit"] == LIMIT
    assert await read_stored_paths(served, caller) == []
    assert list_stored_files(served, caller) == []


async def test_endless_upload_is_refused_while_it_is_read(
    served: Served, caller: Caller, thread: str
) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield head(thread)
        while True:
            sent += 65_536
            yield bytes(65_536)
            await asyncio.sleep(0)

    answered = asyncio.create_task(
        send_form(caller, endless(), **{"Content-Type": "multipart/form-data; boundary=cut"})
    )
    try:
        status, answer = await answered
    except aiohttp.ClientError:
        status, answer = 413, {"code": "AGENT_ATTACHMENT_TOO_LARGE"}

    assert (status, answer["code"]) == (413, "AGENT_ATTACHMENT_TOO_LARGE")
    assert sent < 4 * LIMIT
    assert await read_stored_paths(served, caller) == []
    assert list_stored_files(served, caller) == []


def head(thread: str) -> bytes:
    """A form up to the middle of its file."""
    return (
        b'--cut\r\nContent-Disposition: form-data; name="threadId"\r\n\r\n'
        + thread.encode()
        + b'\r\n--cut\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        + PNG
    )


async def test_declared_size_is_refused_before_reading(caller: Caller, thread: str) -> None:
    length = {"Content-Length": str(100 * LIMIT)}
    reader, writer = await asyncio.open_connection(*caller.url.removeprefix("http://").split(":"))
    lines = {**caller.headers, **length, "Content-Type": "multipart/form-data; boundary=cut"}
    fields = "".join(f"{name}: {value}\r\n" for name, value in lines.items())

    writer.write(f"POST {UPLOAD} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode())
    status = await asyncio.wait_for(reader.readline(), PATIENCE_S)
    writer.close()

    assert b"413" in status


async def test_empty_file_is_refused(served: Served, caller: Caller, thread: str) -> None:
    status, answer = await send_form(caller, make_form(thread, b""))

    assert (status, answer["code"]) == (422, "AGENT_ATTACHMENT_EMPTY")
    assert await read_stored_paths(served, caller) == []


async def test_aborted_upload_leaves_nothing(served: Served, caller: Caller, thread: str) -> None:
    reached = asyncio.Event()

    async def halves() -> AsyncIterator[bytes]:
        yield head(thread) + bytes(1_000_000)
        reached.set()
        await asyncio.sleep(60)

    kind = {"Content-Type": "multipart/form-data; boundary=cut"}
    sending = asyncio.create_task(send_form(caller, halves(), **kind))
    await reached.wait()
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)

    async with asyncio.timeout(PATIENCE_S):
        while await read_stored_paths(served, caller) or list_stored_files(served, caller):
            await asyncio.sleep(0.02)


async def test_form_without_its_end_is_refused(served: Served, caller: Caller, thread: str) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=cut"}

    status, answer = await send_form(caller, head(thread) + bytes(100), **kind)

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")
    assert await read_stored_paths(served, caller) == []
    assert list_stored_files(served, caller) == []


def fields(*items: tuple[str, object, str | None]) -> aiohttp.FormData:
    data = aiohttp.FormData(default_to_multipart=True)
    for name, value, filename in items:
        data.add_field(name, value, filename=filename)
    return data


BAD_FORMS = {
    "no file": (lambda t: fields(("threadId", t, None)), "file: field required"),
    "no thread": (lambda _: fields(("file", PNG, "a.png")), "threadId: field required"),
    "another name for the file": (
        lambda t: fields(("threadId", t, None), ("image", PNG, "a.png")),
        ONCE_RULE,
    ),
    "another field": (
        lambda t: fields(("threadId", t, None), ("purpose", "x", None), ("file", PNG, "a.png")),
        ONCE_RULE,
    ),
    "file as text": (
        lambda t: fields(("threadId", t, None), ("file", "abc", None)),
        "file: must be sent as a file",
    ),
    "thread as a file": (
        lambda t: fields(("threadId", t, "t.txt"), ("file", PNG, "a.png")),
        "threadId: must be sent as text",
    ),
    "two files": (
        lambda t: fields(("threadId", t, None), ("file", PNG, "a.png"), ("file", JPEG, "b.jpg")),
        ONCE_RULE,
    ),
    "two threads": (
        lambda t: fields(("threadId", t, None), ("threadId", t, None), ("file", PNG, "a.png")),
        ONCE_RULE,
    ),
    "thread that is none": (
        lambda _: fields(("threadId", "abc", None), ("file", PNG, "a.png")),
        "threadId must be a valid UUID",
    ),
    "long thread": (
        lambda _: fields(("threadId", "a" * 1000, None), ("file", PNG, "a.png")),
        "threadId: at most 128 bytes",
    ),
    "thread after the file that is none": (
        lambda _: fields(("file", PNG, "a.png"), ("threadId", "abc", None)),
        "threadId must be a valid UUID",
    ),
}


@pytest.mark.parametrize("case", BAD_FORMS)
async def test_wrong_form_is_refused_and_leaves_nothing(
    served: Served, caller: Caller, thread: str, case: str
) -> None:
    make, rule = BAD_FORMS[case]

    status, answer = await send_form(caller, make(thread))

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")
    assert answer["detail"] == rule
    assert await read_stored_paths(served, caller) == []
    assert list_stored_files(served, caller) == []


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "multipart/form-data", "multipart/form-data; boundary=" + "x" * 300, ""],
)
async def test_body_that_is_no_form_is_refused(caller: Caller, content_type: str) -> None:
    status, answer = await send_form(caller, b"{}", **{"Content-Type": content_type})

    assert (status, answer["detail"]) == (422, "body must be multipart/form-data")


async def test_file_may_come_before_the_thread(caller: Caller, thread: str) -> None:
    data = fields(("file", PNG, "a.png"), ("threadId", thread, None))

    assert (await send_form(caller, data))[0] == 200


async def test_unknown_thread_is_not_found(served: Served, caller: Caller) -> None:
    for data in (
        make_form(str(uuid4()), PNG),
        fields(("file", PNG, "a.png"), ("threadId", str(uuid4()), None)),
    ):
        status, answer = await send_form(caller, data)

        assert (status, answer["code"]) == (404, "AGENT_SESSION_NOT_FOUND")
        assert await read_stored_paths(served, caller) == []
        assert list_stored_files(served, caller) == []


async def test_foreign_thread_is_forbidden(served: Served, caller: Caller, thread: str) -> None:
    other = await served.account()

    status, answer = await send_form(other, make_form(thread, PNG))

    assert (status, answer["code"]) == (403, "AGENT_FORBIDDEN")
    assert await read_stored_paths(served, other) == []


async def test_deleted_thread_is_not_found(caller: Caller) -> None:
    thread = await start_thread(caller)
    await caller.send("DELETE", f"/api/v1/agent/sessions/{thread}")

    status, answer = await send_form(caller, make_form(thread, PNG))

    assert (status, answer["code"]) == (404, "AGENT_SESSION_NOT_FOUND")


async def test_upload_needs_a_token(caller: Caller, thread: str) -> None:
    status, answer = await caller.send("POST", UPLOAD, data=make_form(thread, PNG), headers={})

    assert (status, answer["code"]) == (401, "AUTH_REQUIRED")


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "..\\..\\x.png", "/etc/passwd", "图片 📷.png", "a\tb", "x" * 500],
)
async def test_no_file_name_escapes_the_folder(
    served: Served, caller: Caller, thread: str, name: str
) -> None:
    attachment = await upload(caller, thread, name=name)

    folder, _, stored = attachment["path"].rpartition("/")
    assert folder == f"agent-inputs/{caller.id}"
    assert [path.name for path in list_stored_files(served, caller)] == [stored]
    assert (await fetch(caller, attachment["url"]))[0] == 200
