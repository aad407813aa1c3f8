"""A cache of parsed assets by version id. Versions are immutable, so entries are never stale."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from yarrow.assets import store
from yarrow.db import Tx
from yarrow.ids import VersionId
from yarrow.kit.cache import LruCache
from yarrow.kit.json import JsonObject, encode_json

Parsed = TypeVar("Parsed")

MOST = 256
MOST_BYTES = 64 * 1024 * 1024


class ParsedAssets(Generic[Parsed]):
    """Caches the results of `parse`, at most `most` of them.

    `most_bytes` limits the JSON they were parsed from: how much memory a parsed form takes is not
    known, but it grows with that. So that both limits are one, an entry counts as at least its
    share of the bytes.
    """

    def __init__(
        self,
        parse: Callable[[JsonObject], Parsed],
        *,
        most: int = MOST,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._parse = parse
        self._share = most_bytes / most
        self._cache: LruCache[VersionId, Parsed] = LruCache(most_bytes)

    def __len__(self) -> int:
        return len(self._cache)

    async def load(self, tx: Tx, version_ids: Sequence[VersionId]) -> Mapping[VersionId, Parsed]:
        """Load and parse versions; only those that are not cached are read.

        Parsing runs in a thread: a book of ten thousand entries takes half a second.
        """
        forms: dict[VersionId, Parsed] = {}
        missing: list[VersionId] = []
        for version_id in dict.fromkeys(version_ids):
            if (form := self._cache.get(version_id)) is None:
                missing.append(version_id)
            else:
                forms[version_id] = form
        if missing:
            for version_id, content in (await store.read_contents(tx, missing)).items():
                forms[version_id] = await asyncio.to_thread(
                    self._parse_and_cache, version_id, content
                )
        return forms

    def find(self, version_id: VersionId) -> Parsed | None:
        """Return a parsed version if it is cached."""
        return self._cache.get(version_id)

    def keep(self, version_id: VersionId, content: JsonObject) -> Parsed:
        """Parse content that was read before, unless the version is cached."""
        form = self._cache.get(version_id)
        return self._parse_and_cache(version_id, content) if form is None else form

    def _parse_and_cache(self, version_id: VersionId, content: JsonObject) -> Parsed:
        form = self._parse(content)
        self._cache.put(version_id, form, size=max(self._share, len(encode_json(content))))
        return form
