"""What tests of attachments do over HTTP: upload, show, look at what is stored."""

import asyncio
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import aiohttp
from tests.loose_json import JsonObject, decode_json
from tests.serving import Caller, Served, run_body

UPLOAD = "/api/v1/agent/attachments"
SIGNED_URL = "/api/v1/agent/attachments/signed-url"
HISTORY = "/api/v1/agent/history"
LIMIT = 5 * 1024 * 1024

PNG = b"\x89PNG\r\n\x1a\n" + bytes(56)
JPEG = b"\xff\xd8\xff\xe0" + bytes(60)


def make_png(size: int) -> bytes:
    """A file of this size that begins like a picture."""
    return PNG + bytes(size - len(PNG))


async def start_thread(caller: Caller) -> str:
    """A session of the caller's, with one answered turn."""
    body = run_body("hello")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return str(body["threadId"])


def make_form(
    thread: str | None, content: bytes | None, *, name: str = "cat.png"
) -> aiohttp.FormData:
    """The form as the seed has it."""
    fields = aiohttp.FormData(quote_fields=False)
    if thread is not None:
        fields.add_field("threadId", thread)
    if content is not None:
        fields.add_field("file", BytesIO(content), filename=name, content_type="image/png")
    return fields


async def send_form(caller: Caller, data: object, **headers: str) -> tuple[int, JsonObject]:
    return await caller.send("POST", UPLOAD, data=data, headers=caller.headers | headers)


async def upload(
    caller: Caller, thread: str, content: bytes = PNG, *, name: str = "cat.png"
) -> JsonObject:
    """The attachment, as the answer has it."""
    status, answer = await send_form(caller, make_form(thread, content, name=name))
    assert status == 200, answer
    attachment: JsonObject = answer["attachment"]
    return attachment


def make_image_run(thread: str, *urls: str, text: str = "what is it?", run: str = "") -> JsonObject:
    """A run whose message has these pictures."""
    blocks = [{"type": "binary", "mimeType": "image/png", "url": url} for url in urls]
    content = [{"type": "text", "text": text}, *blocks] if text else blocks
    message = {"id": "m1", "role": "user", "content": content}
    return run_body(thread=thread, run=run or f"run-{uuid4().hex[:8]}", messages=[message])


async def fetch(caller: Caller, url: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """What an address answers to somebody without a token."""
    async with caller.http.get(url, headers=headers) as answer:
        return answer.status, await answer.read(), {k.lower(): v for k, v in answer.headers.items()}


async def wait_until_expired(caller: Caller, url: str) -> None:
    """Return when a signed URL is no longer served."""
    while (await fetch(caller, url))[0] == 200:
        await asyncio.sleep(0.05)


async def fetch_problem(caller: Caller, url: str) -> tuple[int, str]:
    status, body, _ = await fetch(caller, url)
    return status, str(decode_json(body)["code"])


async def read_stored_paths(served: Served, caller: Caller) -> list[str]:
    """The paths the table has of the account."""
    async with served.product.database.connection() as tx:
        rows = await tx.fetch(
            "SELECT path FROM attachments WHERE account_id = $1::text::uuid", caller.id
        )
    return [row["path"] for row in rows]


def list_stored_files(served: Served, caller: Caller) -> list[Path]:
    """The files the folder has of the account, drafts included."""
    folder = served.product.settings.data_dir / "attachments" / "agent-inputs" / caller.id
    return [path for path in folder.rglob("*") if path.is_file()]
