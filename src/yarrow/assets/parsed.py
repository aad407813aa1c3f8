"""Parsed forms of assets, kept in memory by version id. A version never changes, so nothing here
is ever stale; what was not used for longest makes room."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from yarrow.assets import store
from yarrow.db import Tx
from yarrow.ids import VersionId
from yarrow.kit.json import JsonObject, encode_json

Parsed = TypeVar("Parsed")

MOST = 256
MOST_BYTES = 64 * 1024 * 1024


class ParsedAssets(Generic[Parsed]):
    """What `parse` makes of assets, at most `most` of them.

    `most_bytes` limits the JSON they were made of: how much memory a parsed form takes is not
    known, but it grows with that.
    """

    def __init__(
        self,
        parse: Callable[[JsonObject], Parsed],
        *,
        most: int = MOST,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._parse = parse
        self._most, self._most_bytes = most, most_bytes
        self._kept: OrderedDict[VersionId, tuple[Parsed, int]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    async def load(self, tx: Tx, version_ids: Sequence[VersionId]) -> Mapping[VersionId, Parsed]:
        """The parsed forms of these versions; only the ones not kept are read.

        Parsing goes to a thread: a book of ten thousand entries takes half a second.
        """
        found = {wanted: self._use(wanted) for wanted in version_ids if wanted in self._kept}
        missing = [wanted for wanted in dict.fromkeys(version_ids) if wanted not in found]
        if missing:
            for wanted, content in (await store.read_contents(tx, missing)).items():
                parsed, size = await asyncio.to_thread(self._read, content)
                found[wanted] = self._add(wanted, parsed, size)
        return found

    def find(self, version_id: VersionId) -> Parsed | None:
        """The parsed form of a version if it is kept; nothing is read."""
        return self._use(version_id) if version_id in self._kept else None

    def keep(self, version_id: VersionId, content: JsonObject) -> Parsed:
        """The parsed form of a version whose content is at hand."""
        if version_id in self._kept:
            return self._use(version_id)
        return self._add(version_id, *self._read(content))

    def _read(self, content: JsonObject) -> tuple[Parsed, int]:
        return self._parse(content), len(encode_json(content))

    def _add(self, version_id: VersionId, parsed: Parsed, size: int) -> Parsed:
        """Keep it; another request may have brought the same one meanwhile."""
        if version_id in self._kept:
            return self._use(version_id)
        self._kept[version_id] = (parsed, size)
        self._bytes += size
        while len(self._kept) > self._most or self._bytes > self._most_bytes:
            _, (_, freed) = self._kept.popitem(last=False)
            self._bytes -= freed
        return parsed

    def _use(self, version_id: VersionId) -> Parsed:
        self._kept.move_to_end(version_id)
        return self._kept[version_id][0]
