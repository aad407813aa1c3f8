"""Sources in the envelopes of plain calls; nothing here has credentials."""

from datetime import datetime

from yarrow.kit.json import JsonObject
from yarrow.sandbox.table_notes import encode_notes
from yarrow.sources.model import SourceState, SourceTable, StoredSource
from yarrow.tables.model import StoredTable


def encode_source(source: StoredSource, *, now: datetime) -> JsonObject:
    fetched = source.catalogue_at
    return {
        "name": source.name,
        "kind": source.kind.value,
        "address": source.address,
        "created_at": source.created_at.isoformat(),
        "table_count": source.table_count,
        "tables_truncated": source.is_truncated,
        "catalogue_at": None if fetched is None else fetched.isoformat(),
        "catalogue_age_s": None
        if fetched is None
        else max(0, int((now - fetched).total_seconds())),
    }


def encode_source_table(table: SourceTable) -> JsonObject:
    return {
        "table_key": table.key,
        "schema": table.schema,
        "name": table.name,
        "is_view": table.is_view,
        "comment": table.comment,
        "row_estimate": table.row_estimate,
        "columns": [
            {"name": column.name, "type": column.type, "comment": column.comment}
            for column in table.columns
        ],
    }


def encode_state(state: SourceState) -> JsonObject:
    return {"version": state.version, "milliseconds": state.milliseconds}


def encode_loaded(table: StoredTable) -> JsonObject:
    """The new table with the note of its origin."""
    metadata = table.source_metadata or {}
    return {
        "table_name": table.name,
        "row_count": table.row_count,
        "columns": [{"name": column.name, "type": column.type} for column in table.columns],
        "truncated": metadata.get("truncated", False),
        "notes": [],
        **encode_notes(table.notes),
        "source_metadata": metadata,
    }
