"""Bodies of the chart routes. Unknown fields are ignored: pages send more."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from yarrow.http.body import SentObject
from yarrow.kit.json import JsonObject

MAX_ROWS = 100_000


class ChartModel(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class ChartRows(ChartModel):
    """Rows sent with a chart, and the name of their table."""

    name: str = ""
    rows: list[SentObject] = Field(default_factory=list, max_length=MAX_ROWS)


class ChartDescription(ChartModel):
    """A Vega-Lite spec, or a chart type with encodings and the rows or the table to draw."""

    vega_lite: JsonObject | None = None
    chart_type: str = ""
    encodings: JsonObject = Field(default_factory=dict)
    config: JsonObject = Field(default_factory=dict)
    field_metadata: JsonObject = Field(default_factory=dict)
    table_ref: str = Field("", validation_alias=AliasChoices("table_ref", "table", "table_name"))
    rows: list[SentObject] = Field(default_factory=list, max_length=MAX_ROWS)
    chart_data: ChartRows | None = None

    @property
    def inline_rows(self) -> list[JsonObject]:
        return self.rows or (self.chart_data.rows if self.chart_data else [])

    @property
    def intent(self) -> JsonObject:
        return {
            "chart_type": self.chart_type,
            "encodings": self.encodings,
            "config": self.config,
        }


class RenderBody(ChartDescription):
    """`POST /api/agent/render-chart`."""

    scale: float = Field(1.0, ge=0.1, le=4.0)


class InputTable(BaseModel):
    """A table by its name; rows are used where no such table is stored."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^/\\\x00]+$")
    rows: list[SentObject] | None = None


class RefreshBody(BaseModel):
    """`POST /api/agent/refresh-derived-data`."""

    model_config = ConfigDict(extra="ignore")

    input_tables: list[InputTable] = Field(default_factory=list)
    code: str
    code_signature: str
    output_variable: str = Field(max_length=200)
    output_table_name: str | None = Field(None, max_length=500)
    virtual: bool = False
