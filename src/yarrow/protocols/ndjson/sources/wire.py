"""Bodies of the source routes."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from yarrow.kit.json import JsonObject
from yarrow.sources.address import MAX_ADDRESS_CHARS
from yarrow.sources.model import SourceQuery

MAX_SQL = 100_000
MAX_SECRET = 100_000
MAX_ITEMS = 200
MAX_ROW_LIMIT = 2**53
SELECTION_FIELDS = ("columns", "filters", "group_by", "aggregates", "order_by")


class SourceBody(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TestSourceBody(SourceBody):
    """An address that is tried and not stored."""

    __test__ = False

    url: SecretStr = Field(min_length=1, max_length=MAX_ADDRESS_CHARS)
    password: SecretStr | None = Field(
        None, max_length=MAX_SECRET, description="In place of the one in the url."
    )

    @property
    def password_text(self) -> str | None:
        return None if self.password is None else self.password.get_secret_value()


class NewSourceBody(TestSourceBody):
    name: str = Field(min_length=1, max_length=64)


class AggregateBody(SourceBody):
    function: str = Field(max_length=20)
    column: str | None = Field(None, max_length=500)
    alias: str | None = Field(None, max_length=500)


class QueryBody(SourceBody):
    """One SELECT, or a table of the catalogue with what is wanted of it."""

    sql: str | None = Field(None, max_length=MAX_SQL)
    table_key: str | None = Field(None, max_length=1000)
    table_name: str = Field("", max_length=500, description="The name of the new table.")
    row_limit: int | None = Field(None, ge=1, le=MAX_ROW_LIMIT)
    columns: list[str] = Field([], max_length=MAX_ITEMS)
    filters: list[JsonObject] = Field([], max_length=MAX_ITEMS)
    group_by: list[str] = Field([], max_length=MAX_ITEMS)
    aggregates: list[AggregateBody] = Field([], max_length=MAX_ITEMS)
    order_by: list[str | JsonObject] = Field([], max_length=MAX_ITEMS)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.sql is None) == (self.table_key is None):
            raise ValueError("give either sql or table_key")
        chosen = [name for name in SELECTION_FIELDS if getattr(self, name)]
        if self.sql is not None and chosen:
            raise ValueError(f"{', '.join(chosen)} belong to a table_key; write them into sql")
        return self

    def to_query(self) -> SourceQuery:
        selection: JsonObject | None = None
        if self.table_key is not None:
            selection = {
                "table_key": self.table_key,
                "columns": list(self.columns),
                "filters": list(self.filters),
                "group_by": list(self.group_by),
                "aggregates": [item.model_dump() for item in self.aggregates],
                "order_by": list(self.order_by),
            }
        return SourceQuery(self.sql or "", selection, self.row_limit, self.table_name)
