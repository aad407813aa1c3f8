"""Add, list and delete sources; fetch and search their catalogues; query them into tables."""

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.kit.notes import write_note
from yarrow.kit.secrets_box import SecretsBox
from yarrow.sandbox.table_notes import Sentence, encode_notes
from yarrow.sources import store
from yarrow.sources.address import parse_source_address, require_source_name
from yarrow.sources.allowed_hosts import AllowedHosts
from yarrow.sources.check_selection import complete_selection
from yarrow.sources.connector.process import Connector, QueryResult
from yarrow.sources.errors import (
    SourceDenied,
    SourceNotFound,
    SourceTableNotFound,
    TooManySources,
)
from yarrow.sources.model import (
    SourceAddress,
    SourceCatalogue,
    SourceQuery,
    SourceState,
    SourceTable,
    StoredSource,
)
from yarrow.tables.create import import_table
from yarrow.tables.model import (
    ImportedRows,
    SourceType,
    StoredTable,
    TableOrigin,
    Tables,
    Workspace,
)

NAMELESS = "result"
CUT_NOTES = {
    "rows": Sentence.CUT_BY_ROWS,
    "bytes": Sentence.CUT_BY_BYTES,
}


class Sources(Struct, frozen=True):
    """The data sources of accounts. Credentials are decrypted for one request at a time."""

    tables: Tables
    box: SecretsBox
    reach: AllowedHosts
    connector: Connector
    clock: Clock
    max_sources: int

    @property
    def database(self) -> Database:
        return self.tables.database

    async def add(
        self, account_id: AccountId, name: str, url: str, *, password: str | None = None
    ) -> StoredSource:
        """Store a source after its catalogue was fetched; a source that fails is not stored."""
        name = require_source_name(name)
        address = parse_source_address(url, password)
        async with self.database.connection() as tx:
            self._require_room(await store.count_sources(tx, account_id))
        catalogue = await self._fetch_catalogue(account_id, address)
        secret = self.box.encrypt(msgspec.json.encode([url, password]))
        source = StoredSource(
            new_uuid(), name, address.kind, address.text, secret, created_at=self.clock()
        )
        async with self.database.transaction() as tx:
            await store.lock_sources(tx, account_id)
            self._require_room(await store.count_sources(tx, account_id))
            await store.insert_source(tx, account_id, source)
            await store.replace_catalogue(tx, source.id, catalogue)
        return await self.find(account_id, name)

    async def list(self, account_id: AccountId) -> Sequence[StoredSource]:
        async with self.database.connection() as tx:
            return await store.list_sources(tx, account_id)

    async def find(self, account_id: AccountId, name: str) -> StoredSource:
        async with self.database.connection() as tx:
            source = await store.find_source(tx, account_id, name)
        if source is None:
            raise SourceNotFound(name)
        return source

    async def delete(self, account_id: AccountId, name: str) -> None:
        """Delete a source, its credentials and its catalogue; tables loaded from it stay."""
        async with self.database.transaction() as tx:
            if not await store.delete_source(tx, account_id, name):
                raise SourceNotFound(name)

    async def test(self, account_id: AccountId, url: str, password: str | None) -> SourceState:
        """Log in at an address that is not stored."""
        return await self._ping_source(account_id, parse_source_address(url, password))

    async def test_stored(self, account_id: AccountId, name: str) -> SourceState:
        return await self._ping_source(
            account_id, self._decrypt_address(await self.find(account_id, name))
        )

    async def refresh(self, account_id: AccountId, name: str) -> StoredSource:
        """Fetch the catalogue again; if that fails, the old one stays."""
        source = await self.find(account_id, name)
        catalogue = await self._fetch_catalogue(account_id, self._decrypt_address(source))
        async with self.database.transaction() as tx:
            if not await store.replace_catalogue(tx, source.id, catalogue):
                raise SourceNotFound(name)
        return await self.find(account_id, name)

    async def search(
        self, source: StoredSource, text: str = "", *, limit: int | None = None, offset: int = 0
    ) -> Sequence[SourceTable]:
        """The tables of the kept catalogue with all words of the text; the source is not asked."""
        async with self.database.connection() as tx:
            return await store.list_tables(
                tx, source.id, words=text.split(), limit=limit, offset=offset
            )

    async def find_table(self, source: StoredSource, key: str) -> SourceTable:
        """A table of the kept catalogue; `SourceTableNotFound` if there is none."""
        async with self.database.connection() as tx:
            table = await store.find_table(tx, source.id, key)
        if table is None:
            raise SourceTableNotFound(source.name, key)
        return table

    async def query(self, workspace: Workspace, name: str, query: SourceQuery) -> StoredTable:
        """Run a query at the source and store its rows as a table of the workspace."""
        source = await self.find(workspace.account_id, name)
        query = await self._complete_query(source, query)
        address = await self.reach.check(self._decrypt_address(source))

        async def write_rows(file: Path) -> ImportedRows:
            result = await self.connector.query(
                address, query, file=file, owner=str(workspace.account_id)
            )
            return ImportedRows(
                result.columns, result.row_count, self._describe_origin(source, result)
            )

        origin = TableOrigin(query.table_name or NAMELESS, SourceType.DATA_LOADER, f"source:{name}")
        return await import_table(self.tables, workspace, origin, write_rows)

    async def _complete_query(self, source: StoredSource, query: SourceQuery) -> SourceQuery:
        """The query with the parts of its table; columns must be in the catalogue."""
        if query.selection is None:
            if not query.sql.strip():
                raise InvalidInput("give sql or table_key", field="sql")
            return query
        table = await self.find_table(source, str(query.selection.get("table_key") or ""))
        return SourceQuery(
            selection=complete_selection(table, query.selection),
            row_limit=query.row_limit,
            table_name=query.table_name or table.name,
        )

    def _describe_origin(self, source: StoredSource, result: QueryResult) -> JsonObject:
        """The note of origin that is kept with the table."""
        cut = CUT_NOTES.get(result.cut)
        notes = [*result.notes]
        if cut:
            notes.append(write_note(cut, rows=result.row_count))
        return {
            "source": source.name,
            "kind": source.kind.value,
            "address": source.address,
            "sql": result.sql,
            "row_count": result.row_count,
            "truncated": bool(result.cut),
            "loaded_at": self.clock().isoformat(),
            "notes": [],
            **encode_notes(notes),
        }

    async def _ping_source(self, account_id: AccountId, address: SourceAddress) -> SourceState:
        address = await self.reach.check(address)
        start = time.monotonic()
        version = await self.connector.ping(address, owner=str(account_id))
        return SourceState(version, round((time.monotonic() - start) * 1000))

    async def _fetch_catalogue(
        self, account_id: AccountId, address: SourceAddress
    ) -> SourceCatalogue:
        address = await self.reach.check(address)
        return await self.connector.fetch_catalogue(address, owner=str(account_id))

    def _decrypt_address(self, source: StoredSource) -> SourceAddress:
        """Parsed again, so that the rules of today hold; raises like a wrong password if the
        server's key has changed."""
        plaintext = self.box.decrypt(source.secret)
        if plaintext is None:
            raise SourceDenied
        url, password = msgspec.json.decode(plaintext, type=tuple[str, str | None])
        return parse_source_address(url, password)

    def _require_room(self, count: int) -> None:
        if count >= self.max_sources:
            raise TooManySources(self.max_sources)
