"""Describe an uploaded table, or compute one figure of it. A tool that needs `tables/`."""

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from yarrow.errors import YarrowError
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.tables.duckdb_sql import COUNT_ALIAS
from yarrow.tables.model import SampleRequest, StoredTable, Tables, Workspace
from yarrow.tables.read import list_tables, sample_table
from yarrow.tools.arguments import WITHOUT_NUL, Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

MAX_TABLES = 50
SHOWN_ROWS = 5
MAX_GROUPS = 20
MAX_COLUMNS = 10
"""A card's table has no more."""

_FUNCTIONS: Final = {"sum": "sum", "average": "avg", "max": "max", "min": "min", "count": "count"}
_MEASURES = ", ".join(_FUNCTIONS)

_Name = Annotated[str, Meta(max_length=200, pattern=WITHOUT_NUL)]


class TableArguments(Arguments, frozen=True):
    table: Annotated[
        _Name, Meta(description="Its name; the newest one with these columns if left out")
    ] = ""
    measure: Annotated[_Name, Meta(description=f"What to compute: {_MEASURES}")] = ""
    column: Annotated[_Name, Meta(description="The column that is measured")] = ""
    by: Annotated[_Name, Meta(description="Compute it for each value of this column")] = ""


class SummariseTable:
    """Reads the caller's default workspace; rows are computed in the sandbox."""

    description = ToolDescription(
        name="summarise_table",
        description="The tables the user uploaded: without arguments a list of them; with a table "
        "its columns and first rows; with a measure and a column one figure, or one for each "
        "value of another column.",
        parameters=build_parameters(TableArguments),
    )

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        query = read_arguments(TableArguments, arguments)
        workspace, words = Workspace(caller.account_id), WORDS[caller.language]
        stored = await list_tables(self._tables, workspace, limit=MAX_TABLES)
        if not stored or not (query.table or query.measure):
            return _list_tables(stored, words)
        query = _split_names(stored, query)
        table = _find_table(stored, query)
        if not query.measure:
            return _describe_table(table, words)
        if query.measure not in _FUNCTIONS:
            raise ToolError(f"measure must be one of {_MEASURES}")
        if query.measure == "count" and not query.by:
            return _show_figure(table, query, table.row_count, words)
        pairs, count = await self._measure_groups(workspace, table, query)
        if query.by:
            return _show_groups(table, query, pairs, count, words)
        return _show_figure(table, query, pairs[0][1] if pairs else None, words)

    async def _measure_groups(
        self, workspace: Workspace, table: StoredTable, query: TableArguments
    ) -> tuple[list[tuple[JsonValue, JsonValue]], int]:
        """Pairs of group and value, a single one without a group; and how many there are."""
        by = _find_column(table, query.by) if query.by else ""
        column = None if query.measure == "count" else _find_column(table, query.column)
        function = _FUNCTIONS[query.measure]
        name = f"{column}_{function}" if column else COUNT_ALIAS
        request = SampleRequest(
            size=MAX_GROUPS,
            select=(by,) if by else (),
            aggregates=((column, function),),
            order_by=(by,) if by else (),
        )
        try:
            sample = await sample_table(self._tables, workspace, table.name, request=request)
        except YarrowError as error:
            raise ToolError(f"the table could not be computed: {error}") from None
        if sample.rows and name not in sample.rows[0]:  # a sum of texts is left out
            raise ToolError(f"texts have no {query.measure}: {column}")
        pairs = [(row.get(by), _round_number(row[name])) for row in sample.rows]
        return pairs, sample.total_row_count


def _round_number(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 4)
    return value


def _split_names(stored: Sequence[StoredTable], query: TableArguments) -> TableArguments:
    """Part `by` and `column` where both are columns of a table: 各地区销售额 has no border."""
    joined = (query.by + query.column).casefold()
    if not (query.by and query.column):
        return query
    for table in reversed(stored):
        names = {column.name.casefold(): column.name for column in table.columns}
        if query.by.casefold() in names and query.column.casefold() in names:
            return query
        splits = [at for at in range(len(joined)) if joined[:at] in names and joined[at:] in names]
        if len(splits) == 1:
            by, column = joined[: splits[0]], joined[splits[0] :]
            return replace(query, by=names[by], column=names[column])
    return query


def _find_table(stored: Sequence[StoredTable], query: TableArguments) -> StoredTable:
    """The table of this name in any case, without its ending.

    Without a name it is the newest one that has the columns that are asked for.
    """
    name = query.table
    if not name:
        wanted = {column.casefold() for column in (query.column, query.by) if column}
        having = [
            table
            for table in stored
            if wanted <= {column.name.casefold() for column in table.columns}
        ]
        return (having or stored)[-1]
    wanted_name = name.rpartition(".")[0].casefold() if "." in name else name.casefold()
    for table in stored:
        if wanted_name in (table.name.casefold(), table.original_name.casefold()):
            return table
    raise ToolError(f"there is no table {name}; known: {', '.join(t.name for t in stored)}")


def _find_column(table: StoredTable, name: str) -> str:
    for column in table.columns:
        if column.name.casefold() == name.casefold():
            return column.name
    known = ", ".join(column.name for column in table.columns)
    raise ToolError(f"{table.name} has no column {name or '(none named)'}; known: {known}")


def _list_tables(stored: Sequence[StoredTable], words: ToolWords) -> ToolAnswer:
    tables = [
        {
            "table": table.name,
            "rows": table.row_count,
            "columns": [column.name for column in table.columns],
        }
        for table in stored
    ]
    text = encode_json({"tables": tables}).decode()
    if not stored:
        return ToolAnswer(text, {"title": words.no_tables})
    items = [
        {
            "title": table.name,
            "detail": f"{table.row_count} × {len(table.columns)}: "
            + ", ".join(column.name for column in table.columns)[:500],
        }
        for table in stored
    ]
    return ToolAnswer(text, {"title": words.tables, "items": items})


def _describe_table(table: StoredTable, words: ToolWords) -> ToolAnswer:
    columns = [{"name": column.name, "type": column.type} for column in table.columns]
    names = [column.name for column in table.columns][:MAX_COLUMNS]
    rows = [[_format_cell(row.get(name)) for name in names] for row in table.sample[:SHOWN_ROWS]]
    result = {"table": table.name, "rows": table.row_count, "columns": columns}
    card: JsonObject = {"title": table.name, "facts": {words.rows: table.row_count}}
    if rows and names:
        card["table"] = {"columns": [name[:200] or "?" for name in names], "rows": list(rows)}
    return ToolAnswer(encode_json(result).decode(), card)


def _show_figure(
    table: StoredTable, query: TableArguments, value: JsonValue, words: ToolWords
) -> ToolAnswer:
    result: JsonObject = {
        "table": table.name,
        "measure": query.measure,
        "column": query.column,
        "value": value,
    }
    label = f"{words.measures[query.measure]} {query.column}".strip()
    card: JsonObject = {"title": table.name, "facts": {label: _format_cell(value)}}
    return ToolAnswer(encode_json(result).decode(), card)


def _show_groups(
    table: StoredTable,
    query: TableArguments,
    pairs: Sequence[tuple[JsonValue, JsonValue]],
    count: int,
    words: ToolWords,
) -> ToolAnswer:
    groups: list[JsonValue] = [{"group": group, "value": value} for group, value in pairs]
    result: JsonObject = {
        "table": table.name,
        "measure": query.measure,
        "column": query.column,
        "by": query.by,
        "groups": groups,
    }
    if count > len(pairs):
        result["groups_in_all"] = count
    label = f"{words.measures[query.measure]} {query.column}".strip()
    rows: list[JsonValue] = [[_format_cell(group), _format_cell(value)] for group, value in pairs]
    card: JsonObject = {
        "title": table.name,
        "table": {"columns": [query.by, label], "rows": rows},
    }
    return ToolAnswer(encode_json(result).decode(), card)


def _format_cell(value: JsonValue) -> JsonValue:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return "–" if value is None else str(value)[:200]
