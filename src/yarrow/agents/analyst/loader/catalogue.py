"""What could be loaded: listed, found, and put into a plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from yarrow.agents.analyst.loader.load_filters import normalised_filters
from yarrow.agents.analyst.loader.workspace import WORKSPACE_SOURCE, DataSource, LoadableTable
from yarrow.kit.json import JsonObject, JsonValue

MAX_LISTED = 200
USUAL_FOUND, MAX_FOUND = 50, 200
FIELDS = ("name", "description", "columns")
"""What a search looks into, if it does not say."""
CONNECTED, EVERYWHERE = "connected", "all"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A table and the source it lies in."""

    source: DataSource
    table: LoadableTable

    def as_found(self) -> JsonObject:
        status = "imported" if self.source.id == WORKSPACE_SOURCE else "not imported"
        return {"source_id": self.source.id, **_listed(self.table), "status": status}

    def text(self, fields: Sequence[str]) -> str:
        parts = {
            "name": self.table.name,
            "description": self.table.description,
            "columns": "\n".join(self.table.columns),
        }
        return "\n".join(parts[field] for field in fields if field in parts)


def summary(sources: Sequence[DataSource]) -> JsonObject:
    """How many tables there are, source by source."""
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


def listing(source: DataSource, path: Sequence[str], wanted: str) -> JsonObject:
    """The folders and tables right below a folder of a source; `wanted` is part of their names."""
    depth = len(path)
    below = [table for table in source.tables if list(table.path[:depth]) == list(path)]
    here = [table for table in below if len(table.path) == depth]
    deeper = sorted(table.path[depth] for table in below if len(table.path) > depth)
    folders = [{"name": name, "table_count": len(list(all_))} for name, all_ in groupby(deeper)]
    tables = [_listed(table) for table in here]
    return {
        "source_id": source.id,
        "path": list(path),
        "folders": _named_like(folders, wanted)[:MAX_LISTED],
        "tables": _named_like(tables, wanted)[:MAX_LISTED],
        "truncated": max(len(folders), len(tables)) > MAX_LISTED,
    }


def within(sources: Sequence[DataSource], scope: str) -> list[CatalogueEntry]:
    """The tables a search is about: everywhere, here, elsewhere, in a source, or in its folder."""
    name, _, folder = scope.partition(":")
    path = [part for part in folder.split("/") if part]
    return [
        CatalogueEntry(source, table)
        for source in sources
        if _covers(name or EVERYWHERE, source)
        for table in source.tables
        if list(table.path[: len(path)]) == path
    ]


def none_found(sources: Sequence[DataSource]) -> JsonObject:
    ids = [source.id for source in sources]
    note = "Nothing matches. Try a shorter pattern, or another scope."
    return {"results": [], "valid_source_ids": ids, "note": note}


def find_entry(sources: Sequence[DataSource], source_id: str, key: str) -> CatalogueEntry | None:
    """The table of this key; a name is taken for one too."""
    entries = [entry for entry in within(sources, EVERYWHERE) if entry.source.id == source_id]
    exact = (entry for entry in entries if entry.table.key == key)
    alike = (entry for entry in entries if entry.table.name.casefold() == key.casefold())
    return next(exact, None) or next(alike, None)


def load_plan(sources: Sequence[DataSource], candidates: JsonValue, reasoning: str) -> JsonObject:
    """A plan of the candidates that exist; an error, if there were some and none of them does."""
    given = [item for item in candidates if isinstance(item, dict)] if candidates else []
    planned = [(item, _resolved(sources, item)) for item in given]
    found = [_candidate(item, entry) for item, entry in planned if entry is not None]
    missing = [_named(item) for item, entry in planned if entry is None]
    if missing and not found:
        known = ", ".join(source.id for source in sources)
        return {
            "error": f"No such table: {', '.join(missing)}. Look with list_data or find_data; "
            f"sources: {known}."
        }
    plan = {"type": "load_plan", "candidates": found, "reasoning": reasoning}
    return {"actions": [plan], **({"unresolved": missing} if missing else {})}


def _covers(name: str, source: DataSource) -> bool:
    return name in (EVERYWHERE, source.id) or (name == CONNECTED and source.id != WORKSPACE_SOURCE)


def _named_like(items: list[JsonObject], wanted: str) -> list[JsonObject]:
    return [item for item in items if wanted.casefold() in str(item["name"]).casefold()]


def _listed(table: LoadableTable) -> JsonObject:
    said: JsonObject = {"name": table.name, "table_key": table.key, "path": list(table.path)}
    said |= {"description": table.description, "columns": list(table.columns)}
    return said if table.row_count is None else {**said, "row_count": table.row_count}


def _resolved(sources: Sequence[DataSource], item: JsonObject) -> CatalogueEntry | None:
    source_id = str(item.get("source_id") or "")
    keys = (item.get(name) for name in ("table_key", "source_table", "display_name"))
    entries = (find_entry(sources, source_id, key) for key in keys if isinstance(key, str) and key)
    return next((entry for entry in entries if entry is not None), None)


def _candidate(item: JsonObject, entry: CatalogueEntry) -> JsonObject:
    kept = {
        **item,
        "source_id": entry.source.id,
        "table_key": entry.table.key,
        "display_name": item.get("display_name") or entry.table.name,
        "source_table": entry.table.key,
    }
    return {**kept, "filters": normalised_filters(item.get("filters"))}


def _named(item: JsonObject) -> str:
    return f"{item.get('source_id', '')}:{item.get('table_key') or item.get('display_name', '')}"
