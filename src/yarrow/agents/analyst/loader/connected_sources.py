"""Connected sources in the loader's catalogue: their tables, and plans that load by a query there.

Everything but the test of a connection is read from the kept catalogues: a source that is away is
still listed, and costs no time.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from yarrow.agents.analyst.loader.loadable_tables import DataSource, LoadableTable
from yarrow.errors import InvalidInput, NotFound, YarrowError
from yarrow.ids import AccountId
from yarrow.journal.events import Warned
from yarrow.kit.json import JsonObject
from yarrow.sources.check_selection import complete_selection
from yarrow.sources.model import SourceTable, StoredSource
from yarrow.sources.sources import Sources

PREFIX: Final = "sources/"
SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
TEST_TIMEOUT_S = 20.0
DESCRIBED_COLUMNS = 200

_SELECTED = ("columns", "filters", "group_by", "aggregates", "order_by", "row_limit")


class ConnectedSources:
    """The sources of one account during one run."""

    def __init__(self, sources: Sources, account_id: AccountId, warnings: list[Warned]) -> None:
        self._sources, self._account_id, self._warnings = sources, account_id, warnings

    async def list_sources(self) -> list[DataSource]:
        """All sources with the tables of their kept catalogues."""
        stored = await self._sources.list(self._account_id)
        return [
            DataSource(f"{PREFIX}{source.name}", await self._list_tables(source))
            for source in stored
        ]

    async def describe(self, source_id: str, key: str) -> str:
        """A table in a few lines of text, from the kept catalogue; raises `NotFound`."""
        source, table = await self._find_source_table(source_id, key)
        columns = ", ".join(
            f"{column.name} ({column.type}{': ' + column.comment if column.comment else ''})"
            for column in table.columns[:DESCRIBED_COLUMNS]
        )
        rows = "unknown" if table.row_estimate is None else f"about {table.row_estimate}"
        comment = f"\nComment: {table.comment}" if table.comment else ""
        return (
            f"{table.key} at {source.kind.value} source {source.name}: {rows} rows{comment}\n"
            f"Columns: {columns}\nCatalogue of {source.catalogue_at:%Y-%m-%d %H:%M} UTC; no rows "
            "are read before the user loads it."
        )

    async def complete_plan(self, plan: JsonObject) -> JsonObject:
        """The plan with the requests that load its candidates from sources.

        A source that is away, or lacks a column, is a warning, and its candidates are left out.
        """
        actions = plan.get("actions")
        if not isinstance(actions, list):
            return plan
        completed: list[JsonObject] = []
        problems: list[str] = []
        for action in actions:
            if isinstance(action, dict):
                candidates = action.get("candidates")
                items = (
                    [item for item in candidates if isinstance(item, dict)]
                    if isinstance(candidates, list)
                    else []
                )
                usable, failed = await self._complete_candidates(items)
                problems += failed
                if usable:
                    completed.append({**action, "candidates": usable})
        if problems and not completed:
            return {"error": " ".join(problems)}
        return {**plan, "actions": completed, **({"left_out": problems} if problems else {})}

    async def _complete_candidates(
        self, items: Sequence[JsonObject]
    ) -> tuple[list[JsonObject], list[str]]:
        names = {_find_source_name(item) for item in items} - {""}
        away = await self._find_away(sorted(names))
        usable: list[JsonObject] = []
        problems: list[str] = []
        for item in items:
            name = _find_source_name(item)
            if not name:
                usable.append(item)
            elif name in away:
                problems.append(f"{item.get('display_name')}: {away[name]}.")
            else:
                try:
                    usable.append(await self._add_request(item))
                except (InvalidInput, NotFound) as error:
                    problems.append(f"{item.get('display_name')}: {error}.")
        for problem in problems:
            self._warnings.append(Warned(SOURCE_UNAVAILABLE, f"Not in the plan: {problem}"))
        return usable, problems

    async def _find_away(self, names: Sequence[str]) -> Mapping[str, str]:
        """Why a source cannot be used now, by its name."""

        async def test_source(name: str) -> str | None:
            try:
                async with asyncio.timeout(TEST_TIMEOUT_S):
                    await self._sources.test_stored(self._account_id, name)
            except TimeoutError:
                return f"the source {name} does not answer"
            except YarrowError as error:
                return f"source {name}: {error}"
            return None

        reasons = await asyncio.gather(*(test_source(name) for name in names))
        return {name: why for name, why in zip(names, reasons, strict=True) if why is not None}

    async def _add_request(self, item: JsonObject) -> JsonObject:
        name = _find_source_name(item)
        body: JsonObject = {"table_name": item.get("display_name") or ""}
        if isinstance(item.get("sql"), str):
            body["sql"] = item["sql"]
        else:
            _, table = await self._find_source_table(str(item["source_id"]), str(item["table_key"]))
            chosen = {field: item[field] for field in _SELECTED if item.get(field)}
            complete_selection(table, chosen)
            body |= {"table_key": table.key, **chosen}
        request: JsonObject = {"method": "POST", "path": f"/api/sources/{name}/query", "body": body}
        return {**item, "load": request}

    async def _find_source_table(
        self, source_id: str, key: str
    ) -> tuple[StoredSource, SourceTable]:
        source = await self._sources.find(self._account_id, source_id.removeprefix(PREFIX))
        return source, await self._sources.find_table(source, key)

    async def _list_tables(self, source: StoredSource) -> list[LoadableTable]:
        return [
            LoadableTable(
                table.key,
                table.name,
                columns=[column.name for column in table.columns],
                row_estimate=table.row_estimate,
                description=table.comment,
                path=(table.schema,) if table.schema else (),
            )
            for table in await self._sources.search(source)
        ]


def _find_source_name(item: JsonObject) -> str:
    source_id = item.get("source_id")
    is_connected = isinstance(source_id, str) and source_id.startswith(PREFIX)
    return str(source_id).removeprefix(PREFIX) if is_connected else ""
