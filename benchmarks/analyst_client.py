"""The analyst's client: HTTP only, and nothing counts that did not bring the right answer."""

from collections.abc import Callable, Mapping
from time import perf_counter

import aiohttp
from benchmarks.analyst_script import REPORT, TABLE, TOTALS, sales_csv
from benchmarks.load import BrokenRun
from msgspec import Struct, field
from tests.loose_json import JsonObject, JsonValue, decode_json

AGENT = "/api/agent/"
TABLES = "/api/tables/"
SHOWN = 500


class Started(Struct, frozen=True):
    """Seconds from the command to the first 200, on an empty folder and on a used one."""

    first_s: float
    warm_s: float


class Analyst(Struct, frozen=True):
    """One server under test."""

    name: str
    url: str
    http: aiohttp.ClientSession
    pids: Callable[[], list[int]]
    """All its processes, asked anew each time: they come and go."""
    started: Started
    model: JsonObject
    headers: Mapping[str, str] = field(default_factory=dict)
    speaks_sql: bool = False


class Streamed(Struct, frozen=True):
    """The lines of one stream, and when they came."""

    lines: list[JsonObject]
    first_byte_s: float
    total_s: float

    def of_type(self, name: str) -> list[JsonObject]:
        return [line for line in self.lines if line.get("type") == name]


class Workspace:
    """One workspace of one server."""

    def __init__(self, analyst: Analyst, name: str) -> None:
        self._analyst = analyst
        self._headers = {**analyst.headers, "X-Workspace-Id": name}

    async def upload(self, table: str = TABLE) -> None:
        """Store the table of sales under a name."""
        form = aiohttp.FormData()
        form.add_field("table_name", table)
        form.add_field("file", sales_csv(), filename=f"{table}.csv", content_type="text/csv")
        url = f"{self._analyst.url}{TABLES}create-table"
        async with self._analyst.http.post(url, data=form, headers=self._headers) as answer:
            _success(answer, await answer.read())

    async def list_tables(self) -> float:
        """Seconds for the list of all tables."""
        began = perf_counter()
        url = f"{self._analyst.url}{TABLES}list-tables"
        async with self._analyst.http.get(url, headers=self._headers) as answer:
            _success(answer, await answer.read())
        return perf_counter() - began

    async def explain(self, *, model_ms: int = 0) -> Streamed:
        """One question that is answered in words, by a model that takes its time."""
        streamed = await self._ask("data-agent-streaming", _question(f"[[explain {model_ms}]]"))
        if not streamed.of_type("explain"):
            raise BrokenRun(str(streamed.lines)[:SHOWN])
        return streamed

    async def explained(self) -> float:
        """Seconds for such a question when the model answers at once."""
        return (await self.explain()).total_s

    async def chart(self, way: str = "chart") -> float:
        """Seconds for one chart and its summary; the chart must show the right numbers."""
        streamed = await self._ask("data-agent-streaming", _question(f"[[{way} 0]]"))
        results, ends = streamed.of_type("result"), streamed.of_type("completion")
        if [_shown(line) for line in results] != [TOTALS]:
            raise BrokenRun(str(streamed.lines)[:SHOWN])
        if [line["status"] for line in ends] != ["success"]:
            raise BrokenRun(str(ends)[:SHOWN])
        return streamed.total_s

    async def report(self, *, pace_ms: int = 0) -> float:
        """Seconds for one report; it must be there to its last word."""
        asked = {"charts": [], "user_prompt": f"Write about the sales. [[report {pace_ms}]]"}
        streamed = await self._ask("generate-report-chat", asked)
        text = "".join(str(line["content"]) for line in streamed.of_type("text_delta"))
        if text != "".join(REPORT):
            raise BrokenRun(f"the report has {len(text)} characters: {text[:SHOWN]}")
        return streamed.total_s

    async def _ask(self, endpoint: str, asked: JsonObject) -> Streamed:
        body = {"model": self._analyst.model, "input_tables": [{"name": TABLE}], **asked}
        url = f"{self._analyst.url}{AGENT}{endpoint}"
        began = perf_counter()
        async with self._analyst.http.post(url, json=body, headers=self._headers) as answer:
            data = await answer.content.readany()
            first_byte_s = perf_counter() - began
            data += await answer.content.read()
            total_s = perf_counter() - began
            if answer.content_type != "application/x-ndjson":
                raise BrokenRun(f"{answer.status} {data[:SHOWN].decode(errors='replace')}")
        lines = [decode_json(line) for line in data.splitlines()]
        return Streamed(lines, first_byte_s, total_s)


def _question(wish: str) -> JsonObject:
    return {"user_question": f"How do the regions sell? {wish}", "max_iterations": 3}


def _shown(result: JsonObject) -> dict[str, float]:
    rows: JsonValue = result["content"]["result"]["content"]["rows"]
    return {row["region"]: row["amount"] for row in rows}


def _success(answer: aiohttp.ClientResponse, data: bytes) -> None:
    if answer.status != 200 or decode_json(data).get("status") != "success":
        raise BrokenRun(f"{answer.status} {data[:SHOWN].decode(errors='replace')}")
