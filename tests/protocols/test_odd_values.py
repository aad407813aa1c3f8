"""No value of any parameter or body field makes the server fail or break its OpenAPI document."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from uuid import UUID, uuid4

import aiohttp
import pytest
from msgspec import Struct
from msgspec.structs import asdict
from tests.loose_json import JsonObject
from tests.protocols.conformance import ResponseRules
from tests.protocols.ndjson.analyst_client import AnalystClient
from tests.protocols.odd_values import (
    ODD_TEXTS,
    OddRequest,
    Operation,
    list_operations,
    odd_requests,
    sample,
    valid_requests,
)
from tests.protocols.tavern.asset_files import KINDS, create_asset
from tests.protocols.tavern.story_calls import import_lines, read_floors, reply_line, user_line
from tests.serving import Caller, Served, run_body, serving
from yarl import URL

from yarrow.llm.scripted import ScriptedModel

TOGETHER = 8
LONG = b"x" * 5000
ENVELOPES = [("error", code) for code in ("INVALID_REQUEST", "TABLE_NOT_FOUND")]
EVERY_VALUE = (1, 1)
SAMPLED_STEPS = (3, 9)
"""Of valid and of odd values. A field has about three valid ones: one of them is sent. Nine is no
divisor of the 16 odd bodies, 19 odd texts and 14 odd parts: each field gets one or two of them, and
the next field others. `make fuzz` sends every value."""
NOT_WALKED = frozenset({"/api/tables/reset-db-file", "/api/v1/auth/logout", "/healthz"})
"""Without parameters; the first would delete what the others need, the second end their token."""


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("odd")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture(scope="module")
async def caller(served: Served) -> Caller:
    return await served.account(points=1_000_000)


@pytest.fixture(scope="module")
async def page(caller: Caller) -> JsonObject:
    return (await caller.get("/openapi.json"))[1]


EXTRA_REQUESTS = [
    OddRequest(f"?workspace: {kind}", "GET", f"/api/tables/list-tables?workspace={text}")
    for kind, text in ODD_TEXTS.items()
] + [
    OddRequest(f"{path}: {kind}", "GET", f"{path}{text}")
    for kind, text in ODD_TEXTS.items()
    for path in ("/docs/", "/static/", "/", "/api/", "/presets?unknown=")
]
"""Parameters that the document does not have."""


class Known:
    """Values that name something of the account, so that a request reaches the code behind it."""

    def __init__(self, served: Served, caller: Caller) -> None:
        self.served, self.caller = served, caller
        self.ids: dict[str, str] = {}

    async def create(self) -> None:
        for kind in KINDS.values():
            self.ids[kind.path] = (await create_asset(self.caller, kind))["id"]
        for name, path in (("preset", "/presets"), ("worldbook", "/worldbooks")):
            self.ids[f"/export/{name}"] = self.ids[path]
        self.ids["/export/regex"] = self.ids["/regex-profiles"]
        self.ids["/export/character"] = self.ids["/characters"]
        session = await import_lines(self.caller, [user_line("Hi."), reply_line("Hello.")])
        floor = (await read_floors(self.caller, session))[0]
        self.ids |= {"/sessions": session, "/floors": floor["id"]}
        self.ids["/messages"] = self.ids["/pages"] = str(uuid4())
        analyst = AnalystClient(self.served, self.caller, workspace="default")
        await analyst.create_table("sales")
        await self.caller.submit(run_body(thread=self.thread))

    thread = str(uuid4())

    def values(self, path: str) -> Mapping[str, str]:
        """Of the parameters of this path."""
        found = max((each for each in self.ids if path.startswith(each)), key=len, default="")
        name = self.ids.get(found, str(uuid4()))
        return {
            "id": name,
            "asset_id": name,
            "session_id": self.ids["/sessions"],
            "floor_id": self.ids["/floors"],
            "namespace": "inventory",
            "slot": "gold",
            "threadId": self.thread,
            "agent": "assistant",
            "branch_id": "main",
            "key": "main",
            "version": "1",
            "left": "1",
            "right": "1",
            "table_name": "sales",
            "name": "notes.txt",
            "userId": self.caller.id,
            "filename": "a.png",
            "bucket": "agent-inputs",
            "path": f"{self.caller.id}/a.png",
            "expires": "9999999999",
            "scope": "global",
        }


@pytest.fixture(scope="module")
async def known(served: Served, caller: Caller) -> Known:
    known = Known(served, caller)
    await known.create()
    return known


class Received(Struct, frozen=True):
    """A response that was read to its end."""

    status: int
    content_type: str = ""
    body: bytes = b""


async def send(caller: Caller, odd: OddRequest) -> Received:
    headers = {**caller.headers, **odd.headers}
    if odd.body is not None:
        headers["Content-Type"] = odd.content_type
    url = URL(caller.url + odd.path, encoded=True)
    try:
        async with caller.http.request(odd.method, url, data=odd.body, headers=headers) as answer:
            return Received(answer.status, answer.content_type, await answer.read())
    except aiohttp.ClientError as error:
        return Received(599 if isinstance(error, aiohttp.ClientConnectionError) else 598)


def list_requests(
    operation: Operation, values: Mapping[str, str], steps: tuple[int, int], start: int
) -> list[OddRequest]:
    """Every so many-th of the valid and of the odd requests; the first is as documented."""
    valid = sample(valid_requests(operation, values), steps[0])
    return [*valid, *sample(odd_requests(operation, values), steps[1], start)]


async def send_requests(
    caller: Caller, operation: Operation, requests: Iterable[OddRequest], rules: ResponseRules
) -> Counter[str]:
    """The requests that the server failed or answered otherwise than documented, and how."""
    limit, failed = asyncio.Semaphore(TOGETHER), Counter[str]()

    async def try_request(odd: OddRequest) -> None:
        async with limit:
            received = await send(caller, odd)
        breach = f"status {received.status}" if received.status >= 500 else None
        if breach is None and odd.same_route:
            breach = rules.find_breach(operation, **asdict(received))
        if breach is not None:
            failed[f"{operation.method} {operation.path} {odd.label} -> {breach}"] += 1

    async with asyncio.TaskGroup() as group:
        for odd in requests:
            group.create_task(try_request(odd))
    return failed


async def test_no_address_beside_the_document_fails_the_server(caller: Caller) -> None:
    statuses = [(odd.label, (await send(caller, odd)).status) for odd in EXTRA_REQUESTS]

    assert [each for each in statuses if each[1] >= 500] == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/tables/get-table?table_name=a%00b", None),
        ("GET", f"/api/agent/runs/{UUID(int=1)}?run_id=%00", None),
        ("GET", "/api/agent/workspace/scratch/a%00b", None),
        ("GET", f"/api/agent/workspace/scratch/{'x' * 300}", None),
        ("GET", f"/api/agent/workspace/scratch/{'x' * 5000}", None),
        ("POST", "/api/tables/sync-table-data", rb'{"table_name": "a\u0000b", "rows": []}'),
        ("POST", "/api/tables/sync-table-data", b'{"table_name": "%b", "rows": []}' % LONG),
        ("POST", "/api/tables/analyze", rb'{"table_name": "a\u0000b"}'),
        ("GET", "/presets?search=%00", None),
        ("GET", f"/presets/{'x' * 5000}", None),
        ("GET", f"/api/v1/agent/history?threadId={'x' * 5000}", None),
    ],
)
async def test_nul_and_long_names_are_errors_of_the_client(
    caller: Caller, method: str, path: str, body: bytes | None
) -> None:
    headers = {**caller.headers, "Content-Type": "application/json"}
    url = URL(caller.url + path, encoded=True)
    async with caller.http.request(method, url, data=body, headers=headers) as answer:
        error = await answer.json(content_type=None)

    if answer.status == 200:  # the analyst's protocol: errors are envelopes
        assert (error["status"], error["error"]["code"]) in ENVELOPES
    else:
        assert 400 <= answer.status < 500


async def test_allow_names_every_method_of_the_address(caller: Caller) -> None:
    async with caller.http.delete(f"{caller.url}/presets", headers=caller.headers) as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "GET, POST")


@pytest.mark.timeout(1200)
async def test_values_of_every_parameter_get_a_documented_response(
    caller: Caller,
    page: JsonObject,
    known: Known,
    thorough: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failed, rules = Counter[str](), ResponseRules(page)
    steps = EVERY_VALUE if thorough else SAMPLED_STEPS
    with caplog.at_level(logging.ERROR):
        for start, operation in enumerate(list_operations(page)):
            if operation.path not in NOT_WALKED:
                values = known.values(operation.path)
                requests = list_requests(operation, values, steps, start)
                failed += await send_requests(caller, operation, requests, rules)

    assert "\n".join(sorted(failed)) == ""
    assert [record.message for record in caplog.records] == []
