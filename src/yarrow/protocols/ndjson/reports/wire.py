"""The body of `export-report`. Unknown fields are ignored: pages send more."""

from pydantic import Field

from yarrow.protocols.ndjson.charts.wire import ChartDescription, ChartModel

MAX_MARKDOWN = 1_000_000
MAX_CHARTS = 100


class ReportChart(ChartDescription):
    """A chart that a report may embed."""

    chart_id: str = Field(min_length=1, max_length=256)


class ExportReportBody(ChartModel):
    """`POST /api/agent/export-report`."""

    markdown: str = Field(max_length=MAX_MARKDOWN)
    charts: list[ReportChart] = Field(default_factory=list, max_length=MAX_CHARTS)
    title: str = Field("", max_length=500)
