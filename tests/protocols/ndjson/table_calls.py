"""What tests of tables do over HTTP: bring files, ask about tables, read envelopes."""

from io import BytesIO

import aiohttp
from msgspec.structs import replace
from tests.loose_json import JsonObject, JsonValue
from tests.serving import Caller

TABLES = "/api/tables"

SALES = "city,amount,day\nBerlin,3,2026-01-02\nParis,5,2026-01-03\nBerlin,7,2026-01-04\n"


def upload_form(
    content: bytes | str, *, filename: str | None = "sales.csv", field: str = "file", **texts: str
) -> aiohttp.FormData:
    """A form with a file, or with a field if there is no file name."""
    form = aiohttp.FormData(quote_fields=False, default_to_multipart=True)
    for name, text in texts.items():
        form.add_field(name, text)
    data = content.encode() if isinstance(content, str) else content
    form.add_field(field, BytesIO(data) if filename else data.decode(), filename=filename)
    return form


async def upload(
    caller: Caller, content: bytes | str = SALES, *, filename: str = "sales.csv", **texts: str
) -> JsonObject:
    """The data of a table that was created."""
    form = upload_form(content, filename=filename, **texts)
    status, answer = await caller.send("POST", f"{TABLES}/create-table", data=form)
    assert status == 200, answer
    assert answer["status"] == "success", answer
    return dict(answer["data"])


async def call_tables(caller: Caller, call: str, body: JsonValue) -> JsonObject:
    """The data of a call that succeeds."""
    status, answer = await caller.post(f"{TABLES}/{call}", body)
    assert (status, answer["status"]) == (200, "success"), answer
    assert set(answer) == {"status", "data"}
    return dict(answer["data"])


async def call_refused(caller: Caller, method: str, path: str, **kwargs) -> tuple[int, str]:
    """Status and code of a call that fails, in the envelope of plain calls."""
    status, answer = await caller.send(method, path, **kwargs)
    assert answer["status"] == "error", answer
    code = answer["error"]["code"]
    more = {"note"} if code == "FILE_PARSE_ERROR" else set()
    assert set(answer["error"]) == {"code", "message", "retry", "request_id"} | more
    assert answer["error"]["request_id"]
    return status, code


def in_workspace(caller: Caller, workspace: str) -> Caller:
    """The same account in another workspace."""
    return replace(caller, headers={**caller.headers, "X-Workspace-Id": workspace})


async def list_names(caller: Caller) -> list[str]:
    _, answer = await caller.get(f"{TABLES}/list-tables")
    return [table["name"] for table in answer["data"]["tables"]]
