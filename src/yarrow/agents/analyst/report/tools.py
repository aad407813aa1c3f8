"""What a report can look at and show: charts that the client has, and tables."""

from collections.abc import Sequence

from yarrow.agents.analyst.arguments import int_argument, text_argument, text_arguments
from yarrow.agents.analyst.input import ChartGiven
from yarrow.agents.analyst.prompt import INSPECT, clipped, describe_table
from yarrow.agents.analyst.report.embeds import Embed, EmbedKind, table_meant
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.kit.json import JsonMapping, JsonObject, encode_json
from yarrow.llm.model import ToolSpec
from yarrow.runs.events import Produced, RunEvent, Warned

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
    """Answers what the writer asks, and knows what was shown: each chart at most once."""

    def __init__(
        self,
        workspace: AnalystWorkspace,
        charts: Sequence[ChartGiven],
        tables: Sequence[TableSummary],
    ) -> None:
        self._workspace = workspace
        self._charts = {chart.chart_id: chart for chart in charts}
        self._rows: dict[str, Sequence[JsonMapping]] = {
            chart.table_ref: chart.rows for chart in charts if chart.rows
        }
        self._rows |= {table.name: table.sample_rows for table in tables}
        self._kept = {table.name for table in tables}
        self._seen: set[str] = set()

    async def answer(self, tool: str, given: JsonObject) -> tuple[str, list[RunEvent]]:
        """What the model hears, and what the reader sees."""
        match tool:
            case INSPECT_CHART.name:
                wanted = text_arguments(given, "chart_ids")
                return "\n\n".join(self._described(chart_id) for chart_id in wanted), []
            case INSPECT.name:
                found = await self._workspace.summarise(text_arguments(given, "table_names"))
                return "\n\n".join(describe_table(table) for table in found) or "not found", []
            case EMBED_CHART.name:
                chart_id = text_argument(given, "chart_id")
                events = self._chart(chart_id, text_argument(given, "caption"))
                return "ok" if chart_id in self._charts else "not found", events
            case EMBED_TABLE.name:
                event = await self._sorted_table(given)
                return "ok" if isinstance(event, Produced) else "not found", [event]
            case _:
                return f"There is no tool {tool}.", []

    def shown(self, embed: Embed) -> list[RunEvent]:
        """What a place in the report shows; a warning if there is no such thing."""
        if embed.kind is EmbedKind.CHART:
            return self._chart(embed.target, embed.caption)
        name = table_meant(embed.target, self._rows)
        if name is None:
            return [_no_table(embed.target)]
        return [_table(name, embed.caption, self._rows[name][:TABLE_ROWS])]

    def _described(self, chart_id: str) -> str:
        chart = self._charts.get(chart_id)
        if chart is None:
            return f"{chart_id}: not found"
        known = chart.rows or self._rows.get(chart.table_ref, ())
        rows = [clipped(row) for row in known[:CHART_ROWS]]
        return (
            f"{chart_id}: {chart.chart_type}, {encode_json(chart.encodings).decode()}\n"
            f"{chart.code}\nFirst rows: {encode_json(rows).decode()}"
        )

    def _chart(self, chart_id: str, caption: str) -> list[RunEvent]:
        if chart_id not in self._charts:
            return [Warned("CHART_NOT_FOUND", f"The report names an unknown chart {chart_id}")]
        if chart_id in self._seen:
            return []
        self._seen.add(chart_id)
        said = {"chart_id": chart_id, "caption": caption}
        return [Produced("embed_chart", said, kept=False)]

    async def _sorted_table(self, given: JsonObject) -> RunEvent:
        wanted = text_argument(given, "table_id") or text_argument(given, "table_name")
        name = table_meant(wanted, self._rows)
        if name is None:
            return _no_table(wanted)
        columns, sort_by = text_arguments(given, "columns"), text_argument(given, "sort_by")
        limit = _row_count(given)
        if name in self._kept:
            try:
                rows = await self._workspace.top_rows(
                    name, columns=columns, sort_by=sort_by, limit=limit
                )
            except CodeFailed:
                return _no_table(name)
        else:
            rows = _picked(self._rows[name], columns=columns, sort_by=sort_by, limit=limit)
        return _table(name, text_argument(given, "caption"), rows)


def _no_table(name: str) -> Warned:
    return Warned("TABLE_NOT_FOUND", f"The report names an unknown table {name}")


def _table(name: str, caption: str, rows: Sequence[JsonMapping]) -> Produced:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    said = {"table_id": name, "caption": caption, "columns": columns, "rows": list(rows)}
    return Produced("embed_table", said, kept=False)


def _picked(
    rows: Sequence[JsonMapping], *, columns: Sequence[str], sort_by: str, limit: int
) -> list[JsonMapping]:
    """Rows that came with a chart, in the order and with the columns that were asked for."""
    numbers = [row for row in rows if isinstance(row.get(sort_by), int | float)]
    others = [row for row in rows if row not in numbers]
    ordered = [*sorted(numbers, key=lambda row: -row[sort_by]), *others][:limit]
    known = {column for row in rows for column in row}
    wanted = [column for column in columns if column in known]
    return [{column: row.get(column) for column in wanted} if wanted else row for row in ordered]


def _row_count(arguments: JsonObject) -> int:
    count = int_argument(arguments, "max_rows")
    return TABLE_ROWS if count is None else max(1, min(count, MAX_TABLE_ROWS))
