"""Tables in the envelopes of plain calls."""

from collections.abc import Sequence

from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.sandbox.messages import Sheet
from yarrow.sandbox.table_notes import encode_notes
from yarrow.tables.model import CreatedTable, StoredTable


def encode_table(table: StoredTable) -> JsonObject:
    """An entry of `list-tables`."""
    return {
        "name": table.name,
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "row_count": table.row_count,
        "sample_rows": list(table.sample),
        "view_source": None,
        "source_metadata": table.source_metadata,
        "source_type": table.source_type.value,
        "source_filename": table.source_filename,
        "original_name": table.original_name,
    }


def encode_created(result: CreatedTable) -> JsonObject:
    """The created table; `notes` only if reading the file gave any."""
    encoded: JsonObject = {
        "table_name": result.table.name,
        "row_count": result.table.row_count,
        "columns": list(result.table.column_types),
    }
    return encoded | encode_notes(result.notes)


def encode_page(
    table: StoredTable, rows: Sequence[JsonMapping], *, page: int, page_size: int
) -> JsonObject:
    return {
        "table_name": table.name,
        "columns": list(table.column_types),
        "rows": rows,
        "total_rows": table.row_count,
        "page": page,
        "page_size": page_size,
    }


def encode_table_sheet(sheet: Sheet) -> JsonObject:
    """A sheet; `notes` only if reading it gave any."""
    encoded: JsonObject = {
        "name": sheet.name,
        "columns": [{"name": column.name, "type": column.type} for column in sheet.columns],
        "rows": sheet.rows,
        "row_count": sheet.row_count,
    }
    return encoded | encode_notes(sheet.notes)
