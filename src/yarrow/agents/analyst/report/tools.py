"""The tools of the report writer: inspect and embed charts of the client and tables."""

from collections.abc import Sequence

from yarrow.agents.analyst.arguments import read_int, read_text, read_texts
from yarrow.agents.analyst.input import ClientChart
from yarrow.agents.analyst.prompt import INSPECT, clip_row, describe_table
from yarrow.agents.analyst.report.embed_syntax import Embed, EmbedKind, match_table
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.journal.events import RunEvent, Warned
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue, encode_json
from yarrow.llm.model import ToolSpec
from yarrow.product_events.analyst import EmbeddedChart, EmbeddedTable

CHART_ROWS = 5
TABLE_ROWS = 10
MAX_TABLE_ROWS = 100

_STRING: JsonObject = {"type": "string"}
_STRINGS: JsonObject = {"type": "array", "items": _STRING}

INSPECT_CHART = ToolSpec(
    "inspect_chart",
    "Type, fields, code and first rows of charts.",
    {"type": "object", "properties": {"chart_ids": _STRINGS}, "required": ["chart_ids"]},
)
EMBED_CHART = ToolSpec(
    "embed_chart",
    "Show a chart in the report.",
    {
        "type": "object",
        "properties": {"chart_id": _STRING, "caption": _STRING},
        "required": ["chart_id"],
    },
)
EMBED_TABLE = ToolSpec(
    "embed_table",
    "Show rows of a table in the report, the largest of a column first.",
    {
        "type": "object",
        "properties": {
            "table_id": _STRING,
            "caption": _STRING,
            "columns": _STRINGS,
            "sort_by": _STRING,
            "max_rows": {"type": "integer"},
        },
        "required": ["table_id"],
    },
)
REPORT_TOOLS = (INSPECT_CHART, INSPECT, EMBED_CHART, EMBED_TABLE)


class ReportTools:
    """Runs the tools of the report writer; embeds each chart at most once."""

    def __init__(
        self,
        workspace: AnalystWorkspace,
        charts: Sequence[ClientChart],
        tables: Sequence[TableSummary],
    ) -> None:
        self._workspace = workspace
        self._charts = {chart.chart_id: chart for chart in charts}
        self._rows: dict[str, Sequence[JsonMapping]] = {
            chart.table_ref: chart.rows for chart in charts if chart.rows
        }
        self._rows |= {table.name: table.sample_rows for table in tables}
        self._stored_tables = {table.name: table.shape.row_count for table in tables}
        self._embedded_charts: set[str] = set()

    async def use(self, tool: str, arguments: JsonObject) -> tuple[str, list[RunEvent]]:
        """The result for the model, and the events for the reader."""
        match tool:
            case INSPECT_CHART.name:
                chart_ids = read_texts(arguments, "chart_ids")
                return "\n\n".join(map(self._describe_chart, chart_ids)), []
            case INSPECT.name:
                tables = await self._workspace.summarise(read_texts(arguments, "table_names"))
                return "\n\n".join(map(describe_table, tables)) or "not found", []
            case EMBED_CHART.name:
                chart_id = read_text(arguments, "chart_id")
                events = self._embed_chart(chart_id, read_text(arguments, "caption"))
                return "ok" if chart_id in self._charts else "not found", events
            case EMBED_TABLE.name:
                event = await self._embed_table(arguments)
                return "ok" if isinstance(event, EmbeddedTable) else "not found", [event]
            case _:
                return f"There is no tool {tool}.", []

    def make_embed_events(self, embed: Embed) -> list[RunEvent]:
        """The event of an embed in the text; a warning if its target does not exist."""
        if embed.kind is EmbedKind.CHART:
            return self._embed_chart(embed.target, embed.caption)
        name = match_table(embed.target, self._rows)
        if name is None:
            return [_warn_unknown_table(embed.target)]
        return [self._show_rows(name, embed.caption, self._rows[name][:TABLE_ROWS])]

    def _describe_chart(self, chart_id: str) -> str:
        chart = self._charts.get(chart_id)
        if chart is None:
            return f"{chart_id}: not found"
        rows = chart.rows or self._rows.get(chart.table_ref, ())
        sample = [clip_row(row) for row in rows[:CHART_ROWS]]
        return (
            f"{chart_id}: {chart.chart_type}, {encode_json(chart.encodings).decode()}\n"
            f"{chart.code}\nFirst rows: {encode_json(sample).decode()}"
        )

    def _embed_chart(self, chart_id: str, caption: str) -> list[RunEvent]:
        if chart_id not in self._charts:
            return [Warned("CHART_NOT_FOUND", f"The report names an unknown chart {chart_id}")]
        if chart_id in self._embedded_charts:
            return []
        self._embedded_charts.add(chart_id)
        return [EmbeddedChart(chart_id, caption)]

    async def _embed_table(self, arguments: JsonObject) -> RunEvent:
        target = read_text(arguments, "table_id") or read_text(arguments, "table_name")
        name = match_table(target, self._rows)
        if name is None:
            return _warn_unknown_table(target)
        columns, sort_by = read_texts(arguments, "columns"), read_text(arguments, "sort_by")
        limit = _read_row_limit(arguments)
        if name in self._stored_tables:
            try:
                rows = await self._workspace.top_rows(
                    name, columns=columns, sort_by=sort_by, limit=limit
                )
            except CodeFailed:
                return _warn_unknown_table(name)
        else:
            rows = _select_rows(self._rows[name], columns=columns, sort_by=sort_by, limit=limit)
        return self._show_rows(name, read_text(arguments, "caption"), rows)

    def _show_rows(self, name: str, caption: str, rows: Sequence[JsonMapping]) -> EmbeddedTable:
        columns = tuple(dict.fromkeys(key for row in rows for key in row))
        row_count = self._stored_tables.get(name, len(self._rows[name]))
        return EmbeddedTable(name, caption, columns, rows, row_count)


def _warn_unknown_table(name: str) -> Warned:
    return Warned("TABLE_NOT_FOUND", f"The report names an unknown table {name}")


def _select_rows(
    rows: Sequence[JsonMapping], *, columns: Sequence[str], sort_by: str, limit: int
) -> list[JsonMapping]:
    """Rows that came with a chart, in descending order of a column, with some columns."""
    ordered = sorted(rows, key=lambda row: _make_sort_key(row.get(sort_by)))[:limit]
    known = {column for row in rows for column in row}
    selected = [column for column in columns if column in known]
    if not selected:
        return ordered
    return [{column: row.get(column) for column in selected} for row in ordered]


def _make_sort_key(value: JsonValue) -> tuple[bool, float]:
    """Large numbers first, everything else after all numbers."""
    return (False, -value) if isinstance(value, int | float) else (True, 0)


def _read_row_limit(arguments: JsonObject) -> int:
    count = read_int(arguments, "max_rows")
    return TABLE_ROWS if count is None else max(1, min(count, MAX_TABLE_ROWS))
