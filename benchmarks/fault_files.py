"""The server is killed while files are uploaded: what was answered is there, and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import aiohttp
from benchmarks.client import LOST, PATIENCE_S, Client
from benchmarks.fault_bed import Bed, Layout, Outcome
from msgspec import Struct, field
from tests.loose_json import JsonObject

PICTURES = "/api/v1/agent/attachments"
SCRATCH = "/api/agent/workspace/scratch/upload"
TABLES = "/api/tables/create-table"
SAMPLE = "/api/tables/sample-table"
PNG = b"\x89PNG\r\n\x1a\n"
UPLOADERS = 3
"""Of each kind."""
MAX_BYTES = 500_000
PIECES = 8
PAUSE_S = 0.01
"""Between the pieces of a file: kills hit uploads in their middle."""


class StoredUpload(Struct, frozen=True):
    """A file whose upload was answered: where it is, and what it has."""

    address: str
    content: bytes
    table: str = ""


class Uploads(Struct):
    """What came of the uploads of a trial."""

    killed: asyncio.Event = field(default_factory=asyncio.Event)
    stored: list[StoredUpload] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """While the server lived."""


async def upload_server_killed(bed: Bed, trials: int) -> Outcome:
    """kill -9 of the only server while pictures, scratch files and tables are uploaded."""
    outcome = Outcome("the server is killed during uploads")
    servers = (await bed.use(Layout.ALONE)).servers
    for trial in range(trials):
        client, thread, uploads = await bed.client(*servers), str(uuid4()), Uploads()
        await client.call("PUT", f"/api/v1/sessions/{thread}", body={})
        async with asyncio.TaskGroup() as tasks:
            for path in (PICTURES, SCRATCH, TABLES) * UPLOADERS:
                tasks.create_task(_upload_all(bed, client, Upload(path, thread), uploads))
            await _wait_for_table(uploads)
            await asyncio.sleep(bed.dice.uniform(0.0, 2.0))
            uploads.killed.set()
            await servers[0].child.kill()
            if trial % 2:
                bed.kill_database()
            servers[0] = await bed.serve(port=servers[0].port)
        outcome.wrong += uploads.refused
        for each in uploads.stored:
            outcome.note("table stored" if each.table else "file stored")
            if not await _is_stored(client, each):
                outcome.wrong.append(f"{each.address or each.table}: answered and not stored")
        outcome.trials += 1
    return outcome


async def _wait_for_table(uploads: Uploads) -> None:
    """The sandbox has started then."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            while not any(each.table for each in uploads.stored):
                await asyncio.sleep(PAUSE_S)


class Upload(Struct, frozen=True):
    """Where one kind of files is uploaded, and the session of pictures."""

    path: str
    thread: str

    def make_content(self, noise: bytes) -> bytes:
        if self.path == TABLES:
            return "\n".join(["a", *(f"x{byte}" for byte in noise[:1000])]).encode()
        return PNG + noise if self.path == PICTURES else noise

    def build_form(self, content: bytes) -> aiohttp.FormData:
        form = aiohttp.FormData()
        if self.path == PICTURES:
            form.add_field("threadId", self.thread)
        name = {PICTURES: "a.png", SCRATCH: "a.bin", TABLES: f"t{uuid4().hex}.csv"}[self.path]
        form.add_field("file", _send_slowly(content), filename=name)
        return form

    def read_answer(self, answer: JsonObject, content: bytes) -> StoredUpload:
        if self.path == PICTURES:
            return StoredUpload(answer["attachment"]["url"], content)
        if self.path == SCRATCH:
            return StoredUpload(answer["data"]["url"], content)
        return StoredUpload("", content, table=answer["data"]["table_name"])


async def _upload_all(bed: Bed, client: Client, upload: Upload, uploads: Uploads) -> None:
    """One file after the other, until the server is killed."""
    while not uploads.killed.is_set():
        content = upload.make_content(bed.dice.randbytes(bed.dice.randint(1, MAX_BYTES)))
        try:
            status, answer = await client.call("POST", upload.path, data=upload.build_form(content))
        except LOST:
            return
        if status == 200 and answer.get("status") != "error":
            uploads.stored.append(upload.read_answer(answer, content))
        elif not uploads.killed.is_set():
            uploads.refused.append(f"{upload.path}: {status} {answer}")
        await asyncio.sleep(PAUSE_S * PIECES)


async def _send_slowly(content: bytes) -> AsyncIterator[bytes]:
    size = len(content) // PIECES + 1
    for start in range(0, len(content), size):
        yield content[start : start + size]
        await asyncio.sleep(PAUSE_S)


async def _is_stored(client: Client, stored: StoredUpload) -> bool:
    if not stored.table:
        return await client.fetch(stored.address) == stored.content
    _, answer = await client.call("POST", SAMPLE, body={"table": stored.table, "size": 1})
    first = stored.content.split()[1].decode()
    return bool(answer["status"] == "success" and answer["data"]["rows"][0]["a"] == first)
