"""An analyst's day: tables in a workspace, questions about them, and the lines of the answers."""

from collections.abc import AsyncIterator
from io import BytesIO
from uuid import UUID

import aiohttp
from msgspec import Struct
from tests.loose_json import JsonObject, decode_json
from tests.serving import Caller, Served

from yarrow.ids import AccountId
from yarrow.kit.json import encode_json
from yarrow.llm.scripted import Call, Say
from yarrow.sandbox.model import FileToRead
from yarrow.tables.create import create_table
from yarrow.tables.model import Workspace
from yarrow.tables.read import list_tables
from yarrow.tables.temp_files import spool_file, stream_once

DATA_AGENT = "/api/agent/data-agent-streaming"
QUESTIONS = "/api/agent/get-recommendation-questions"
REPORT = "/api/agent/generate-report-chat"
LOADING = "/api/agent/data-loading-chat"
STREAMS = (DATA_AGENT, QUESTIONS, REPORT, LOADING)

SALES = "month,region,revenue\n2026-01,north,10\n2026-01,south,20\n2026-02,north,30\n"
BY_REGION_SQL = "SELECT region, sum(revenue) AS total FROM sales GROUP BY region ORDER BY region"
BY_REGION_PYTHON = (
    "import pandas as pd\n"
    "sales = pd.read_parquet('data/sales.parquet')\n"
    "totals = sales.groupby('region', as_index=False)['revenue'].sum()\n"
    "totals = totals.rename(columns={'revenue': 'total'})\n"
)
BARS: JsonObject = {"chart_type": "Bar Chart", "encodings": {"x": "region", "y": "total"}}
TOTALS = [{"region": "north", "total": 40}, {"region": "south", "total": 20}]


def make_action(action: str, **fields: object) -> Say:
    """An action as a model writes it."""
    return Say(encode_json({"action": action, **fields}).decode())


def visualize(**changed: object) -> Say:
    """A chart of revenue by region, by SQL unless told otherwise."""
    step: JsonObject = {
        "thought": "compare",
        "display_instruction": "**Revenue** by region",
        "input_tables": ["sales"],
        "output_variable": "totals",
        "chart": BARS,
    }
    if "code" not in changed:
        step["sql"] = BY_REGION_SQL
    return make_action("visualize", **{**step, **changed})


SUMMARY = make_action("summary", summary="The north sold more.")
CLARIFY = make_action(
    "clarify", thought="unsure", questions=[{"text": "Which?", "options": ["A", "B"]}]
)


def think(message: str) -> Call:
    return Call("think", {"message": message})


class AnalystClient(Struct):
    """One account's workspace."""

    served: Served
    caller: Caller
    workspace: str = "analyst"

    @property
    def headers(self) -> dict[str, str]:
        return {**self.caller.headers, "X-Workspace-Id": self.workspace}

    @property
    def workspace_ref(self) -> Workspace:
        return Workspace(AccountId(UUID(self.caller.id)), self.workspace)

    async def create_table(self, name: str, csv: str = SALES) -> None:
        """A table of this name."""
        tables = self.served.product.tables
        async with spool_file(tables, stream_once(csv.encode())) as source:
            await create_table(tables, self.workspace_ref, FileToRead(source, f"{name}.csv"))

    async def list_tables(self) -> list[str]:
        return [
            table.name
            for table in await list_tables(self.served.product.tables, self.workspace_ref)
        ]

    async def ask(self, question: str = "Who sells most?", **body: object) -> list[JsonObject]:
        """All lines of an answer about the table `sales`."""
        sent: JsonObject = {"user_question": question, "input_tables": [{"name": "sales"}]}
        return await self.post_lines(DATA_AGENT, {**sent, **body})

    async def resume(self, pause: JsonObject, reply: str, **body: object) -> list[JsonObject]:
        """Answer a pause as the seed prints it: three fields and nothing else."""
        fields = ("trajectory", "completed_step_count")
        whole: JsonObject = {field: pause[field] for field in fields}
        whole["user_question"] = reply
        return await self.post_lines(DATA_AGENT, {**whole, **body})

    async def post_lines(self, path: str, body: JsonObject, **params: str) -> list[JsonObject]:
        async with self.post(path, body, params=params) as answer:
            assert answer.status == 200, await answer.text()
            assert answer.content_type == "application/x-ndjson", await answer.text()
            return [drop_usage(line) async for line in read_lines(answer)]

    async def post_refused(self, path: str, body: object, **kwargs) -> JsonObject:
        """The error of a stream that did not begin."""
        async with self.post(path, body, **kwargs) as answer:
            assert answer.status == 200, await answer.text()
            assert answer.content_type == "application/json"
            whole = decode_json(await answer.read())
        assert set(whole) == {"status", "error"}
        assert whole["status"] == "error"
        error: JsonObject = whole["error"]
        assert set(error) == {"code", "message", "retry"}
        return error

    def post(
        self,
        path: str,
        body: object,
        *,
        headers: dict[str, str] | None = None,
        params: dict[str, str] | None = None,
    ):
        return self.caller.http.post(
            self.caller.url + path,
            data=body if isinstance(body, bytes | BytesIO) else encode_json(body),
            headers={"Content-Type": "application/json", **self.headers, **(headers or {})},
            params=params,
        )

    async def attach(self, session_id: str, **params: str) -> list[JsonObject]:
        async with self.open_stream(session_id, **params) as answer:
            assert answer.content_type == "application/x-ndjson", await answer.text()
            return [drop_usage(line) async for line in read_lines(answer)]

    def open_stream(self, session_id: str, **params: str):
        url = f"{self.caller.url}/api/agent/runs/{session_id}"
        return self.caller.http.get(url, headers=self.headers, params=params)


async def read_lines(answer: aiohttp.ClientResponse) -> AsyncIterator[JsonObject]:
    """The lines of a stream, read strictly: an object with a type on each, each with its end."""
    buffer = b""
    async for chunk in answer.content.iter_any():
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            value = decode_json(line)
            assert isinstance(value, dict)
            assert isinstance(value["type"], str)
            assert "token" not in value
            yield value
    assert buffer == b""


def line_types(lines: list[JsonObject]) -> list[str]:
    return [line["type"] for line in lines]


def drop_progress(lines: list[JsonObject]) -> list[JsonObject]:
    return [line for line in lines if line["type"] != "progress"]


def drop_usage(line: JsonObject) -> JsonObject:
    """Without what the run took, which every last line has: `test_usage.py` is about it."""
    return {key: value for key, value in line.items() if key != "usage"}


def find_line(lines: list[JsonObject], kind: str) -> JsonObject:
    """The one line of a type."""
    found = [line for line in lines if line["type"] == kind]
    assert len(found) == 1, line_types(lines)
    return found[0]
