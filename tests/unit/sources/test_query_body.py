"""The body of a query at a source: what would be left out of it silently is refused."""

import pytest
from pydantic import ValidationError
from tests.loose_json import JsonObject

from yarrow.protocols.ndjson.sources.wire import QueryBody


@pytest.mark.parametrize(
    "body",
    [
        {"table_key": "t", "filter": [{"column": "a", "operator": "EQ", "value": 1}]},
        {"table_key": "t", "groupBy": ["a"]},
        {"sql": "SELECT 1", "columns": ["a"]},
        {"sql": "SELECT 1", "filters": [{"column": "a", "operator": "EQ", "value": 1}]},
        {"sql": "SELECT 1", "group_by": ["a"]},
        {"sql": "SELECT 1", "aggregates": [{"function": "count"}]},
        {"sql": "SELECT 1", "order_by": ["a"]},
    ],
    ids=range(7),
)
def test_misspelt_fields_and_a_selection_beside_sql_are_refused(body: JsonObject) -> None:
    with pytest.raises(ValidationError):
        QueryBody.model_validate(body)


def test_sql_may_have_a_name_a_limit_and_empty_lists() -> None:
    body = QueryBody.model_validate(
        {"sql": "SELECT 1", "table_name": "one", "row_limit": 3, "columns": [], "filters": []}
    )

    query = body.to_query()

    assert (query.sql, query.selection, query.row_limit) == ("SELECT 1", None, 3)
