"""The bodies of calls that draw. Unknown fields are let pass: pages send more."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from yarrow.kit.json import JsonObject

MAX_ROWS = 100_000
MAX_MARKDOWN = 1_000_000
MAX_CHARTS = 100


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class RowsGiven(_Body):
    """Rows that came along, and what they are called."""

    name: str = ""
    rows: list[JsonObject] = Field(default_factory=list, max_length=MAX_ROWS)


class Drawable(_Body):
    """A chart: a finished spec, or a wish and the rows or the table it is about."""

    vega_lite: JsonObject | None = None
    chart_type: str = ""
    encodings: JsonObject = Field(default_factory=dict)
    config: JsonObject = Field(default_factory=dict)
    field_metadata: JsonObject = Field(default_factory=dict)
    table_ref: str = Field("", validation_alias=AliasChoices("table_ref", "table", "table_name"))
    rows: list[JsonObject] = Field(default_factory=list, max_length=MAX_ROWS)
    chart_data: RowsGiven | None = None

    @property
    def given_rows(self) -> list[JsonObject]:
        return self.rows or (self.chart_data.rows if self.chart_data else [])

    @property
    def intent(self) -> JsonObject:
        return {
            "chart_type": self.chart_type,
            "encodings": self.encodings,
            "config": self.config,
        }


class RenderBody(Drawable):
    """`POST /api/agent/render-chart`."""

    scale: float = Field(1.0, ge=0.1, le=4.0)


class ReportChart(Drawable):
    """A chart that a report may show."""

    chart_id: str = Field(min_length=1, max_length=256)


class ExportBody(_Body):
    """`POST /api/agent/export-report`."""

    markdown: str = Field(max_length=MAX_MARKDOWN)
    charts: list[ReportChart] = Field(default_factory=list, max_length=MAX_CHARTS)
    title: str = Field("", max_length=500)
