"""The catalogue of loadable tables: list it, search it, build a load plan from it."""

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from yarrow.agents.analyst.loader.load_filters import normalise_filters
from yarrow.agents.analyst.loader.loadable_tables import WORKSPACE_SOURCE, DataSource, LoadableTable
from yarrow.kit.json import JsonObject, JsonValue

MAX_LISTED = 200
USUAL_FOUND, MAX_FOUND = 50, 200
FIELDS = ("name", "description", "columns")
"""The fields that a search looks into by default."""
CONNECTED, EVERYWHERE = "connected", "all"


class CatalogueEntry(Struct, frozen=True):
    """A table with its source."""

    source: DataSource
    table: LoadableTable

    def encode(self) -> JsonObject:
        status = "imported" if self.source.id == WORKSPACE_SOURCE else "not imported"
        return {"source_id": self.source.id, **_encode_table(self.table), "status": status}

    def join_fields(self, fields: Sequence[str]) -> str:
        parts = {
            "name": self.table.name,
            "description": self.table.description,
            "columns": "\n".join(self.table.columns),
        }
        return "\n".join(parts[field] for field in fields if field in parts)


def summarise_sources(sources: Sequence[DataSource]) -> JsonObject:
    """The number of tables of each source."""
    return {
        "sources": [
            {
                "source_id": source.id,
                "table_count": len(source.tables),
                "is_hierarchical": any(table.path for table in source.tables),
            }
            for source in sources
        ]
    }


def list_folder(source: DataSource, path: Sequence[str], name_part: str) -> JsonObject:
    """The folders and tables directly below a folder, if their names contain `name_part`."""
    depth = len(path)
    below = [table for table in source.tables if list(table.path[:depth]) == list(path)]
    here = [table for table in below if len(table.path) == depth]
    deeper = sorted(table.path[depth] for table in below if len(table.path) > depth)
    folders: list[JsonObject] = [
        {"name": name, "table_count": len(list(all_))} for name, all_ in groupby(deeper)
    ]
    tables = [_encode_table(table) for table in here]
    return {
        "source_id": source.id,
        "path": list(path),
        "folders": _filter_by_name(folders, name_part)[:MAX_LISTED],
        "tables": _filter_by_name(tables, name_part)[:MAX_LISTED],
        "truncated": max(len(folders), len(tables)) > MAX_LISTED,
    }


def list_entries(sources: Sequence[DataSource], scope: str) -> list[CatalogueEntry]:
    """The tables of a scope: all, the workspace, connected, one source, or `source:folder`."""
    name, _, folder = scope.partition(":")
    path = [part for part in folder.split("/") if part]
    return [
        CatalogueEntry(source, table)
        for source in sources
        if _matches_source(name or EVERYWHERE, source)
        for table in source.tables
        if list(table.path[: len(path)]) == path
    ]


def report_no_match(sources: Sequence[DataSource]) -> JsonObject:
    ids = [source.id for source in sources]
    note = "Nothing matches. Try a shorter pattern, or another scope."
    return {"results": [], "valid_source_ids": ids, "note": note}


def find_entry(sources: Sequence[DataSource], source_id: str, key: str) -> CatalogueEntry | None:
    """The table with this key, else the one with this name."""
    entries = [entry for entry in list_entries(sources, EVERYWHERE) if entry.source.id == source_id]
    exact = (entry for entry in entries if entry.table.key == key)
    alike = (entry for entry in entries if entry.table.name.casefold() == key.casefold())
    return next(exact, None) or next(alike, None)


def build_load_plan(
    sources: Sequence[DataSource], candidates: Sequence[JsonValue], reasoning: str
) -> JsonObject:
    """A plan of the candidates that exist; an error if none of them does."""
    items = [item for item in candidates if isinstance(item, dict)]
    resolved = [(item, _find_candidate_entry(sources, item)) for item in items]
    usable = [_encode_candidate(item, entry) for item, entry in resolved if entry is not None]
    missing = [_format_candidate(item) for item, entry in resolved if entry is None]
    if missing and not usable:
        known = ", ".join(source.id for source in sources)
        return {
            "error": f"No such table: {', '.join(missing)}. Look with list_data or find_data; "
            f"sources: {known}."
        }
    plan: JsonObject = {"type": "load_plan", "candidates": usable, "reasoning": reasoning}
    return {"actions": [plan], **({"unresolved": missing} if missing else {})}


def _matches_source(name: str, source: DataSource) -> bool:
    return name in (EVERYWHERE, source.id) or (name == CONNECTED and source.id != WORKSPACE_SOURCE)


def _filter_by_name(items: list[JsonObject], part: str) -> list[JsonObject]:
    return [item for item in items if part.casefold() in str(item["name"]).casefold()]


def _encode_table(table: LoadableTable) -> JsonObject:
    encoded: JsonObject = {
        "name": table.name,
        "table_key": table.key,
        "path": list(table.path),
        "description": table.description,
        "columns": list(table.columns),
    }
    counts = {"row_count": table.row_count, "row_estimate": table.row_estimate}
    return {**encoded, **{name: count for name, count in counts.items() if count is not None}}


def _find_candidate_entry(sources: Sequence[DataSource], item: JsonObject) -> CatalogueEntry | None:
    source_id = str(item.get("source_id") or "")
    keys = (item.get(name) for name in ("table_key", "source_table", "display_name"))
    entries = (find_entry(sources, source_id, key) for key in keys if isinstance(key, str) and key)
    return next((entry for entry in entries if entry is not None), None)


def _encode_candidate(item: JsonObject, entry: CatalogueEntry) -> JsonObject:
    encoded = {
        **item,
        "source_id": entry.source.id,
        "table_key": entry.table.key,
        "display_name": item.get("display_name") or entry.table.name,
        "source_table": entry.table.key,
    }
    return {**encoded, "filters": normalise_filters(item.get("filters"))}


def _format_candidate(item: JsonObject) -> str:
    return f"{item.get('source_id', '')}:{item.get('table_key') or item.get('display_name', '')}"
