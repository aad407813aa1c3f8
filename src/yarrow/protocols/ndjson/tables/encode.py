"""Tables as plain calls show them."""

from collections.abc import Sequence

from yarrow.kit.json import JsonObject
from yarrow.sandbox.protocol import Sheet
from yarrow.tables.model import Created, Table


def listed(table: Table) -> JsonObject:
    """An entry of `list-tables`."""
    return {
        "name": table.name,
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "row_count": table.row_count,
        "sample_rows": list(table.sample),
        "view_source": None,
        "source_metadata": None,
        "source_type": table.source_type.value,
        "source_filename": table.source_filename,
        "original_name": table.original_name,
    }


def created(made: Created) -> JsonObject:
    """What became of a file; `notes` only if its owner should know more."""
    said: JsonObject = {
        "table_name": made.table.name,
        "row_count": made.table.row_count,
        "columns": list(made.table.column_types),
    }
    return {**said, "notes": list(made.notes)} if made.notes else said


def paged(table: Table, rows: Sequence[JsonObject], *, page: int, page_size: int) -> JsonObject:
    return {
        "table_name": table.name,
        "columns": list(table.column_types),
        "rows": rows,
        "total_rows": table.row_count,
        "page": page,
        "page_size": page_size,
    }


def sheet(shown: Sheet) -> JsonObject:
    return {
        "name": shown.name,
        "columns": [{"name": column.name, "type": column.type} for column in shown.columns],
        "rows": shown.rows,
        "row_count": shown.row_count,
    }
