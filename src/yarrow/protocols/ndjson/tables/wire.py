"""Bodies of the table routes. Unknown fields are ignored: pages send more."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.ndjson.tables.row_filters import parse_filters
from yarrow.tables.model import SAMPLE_SIZE, SampleMethod, SampleRequest
from yarrow.tables.read import MAX_SAMPLE

MAX_NAME = 1024
MAX_FIELDS = 1000
MAX_OFFSET = 2**62

_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ","}


def _null_as_empty(value: JsonValue) -> JsonValue:
    return [] if value is None else value


Names = Annotated[list[str], Field(max_length=MAX_FIELDS), BeforeValidator(_null_as_empty)]


class TableBody(BaseModel):
    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class TableNameBody(TableBody):
    """`delete-table` and `analyze`."""

    table_name: str = Field(min_length=1, max_length=MAX_NAME)


class SyncTableBody(TableNameBody):
    """`sync-table-data`, as it is documented; `sync_body` reads it."""

    rows: list[JsonObject]


class ExportTableBody(TableNameBody):
    """`export-table-csv`."""

    delimiter: str = ","

    @property
    def delimiter_text(self) -> str:
        return _DELIMITERS.get(self.delimiter, self.delimiter)


class SampleBody(TableBody):
    """`sample-table`."""

    table: str = Field(
        min_length=1, max_length=MAX_NAME, validation_alias=AliasChoices("table", "table_name")
    )
    size: int = Field(SAMPLE_SIZE, ge=0, le=MAX_SAMPLE)
    method: SampleMethod = SampleMethod.HEAD
    offset: int = Field(0, ge=0, le=MAX_OFFSET)
    order_by_fields: Names = []
    select_fields: Names = []
    aggregate_fields_and_functions: Annotated[
        list[tuple[str | None, str]],
        Field(max_length=MAX_FIELDS),
        BeforeValidator(_null_as_empty),
    ] = []
    filters: Annotated[
        list[JsonObject], Field(max_length=MAX_FIELDS), BeforeValidator(_null_as_empty)
    ] = []

    def to_request(self) -> SampleRequest:
        return SampleRequest(
            size=self.size,
            method=self.method,
            offset=self.offset,
            order_by=self.order_by_fields,
            select=self.select_fields,
            aggregates=self.aggregate_fields_and_functions,
            filters=parse_filters(self.filters),
        )
