"""The first hit of each key of a book in the texts of a turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from yarrow.prompting.worldbook.key_index import Span
from yarrow.prompting.worldbook.model import SegmentKind

SOURCES = tuple(
    kind for kind in SegmentKind if kind not in {SegmentKind.MESSAGE, SegmentKind.RECURSION_BUFFER}
)

FindKeys: TypeAlias = Callable[[str], Mapping[int, Span]]

HitPosition: TypeAlias = tuple[int, int, int]
"""The number of the segment, start and end of a hit. Smaller is earlier."""


class TextSegment(msgspec.Struct, frozen=True):
    """One text that was searched."""

    kind: SegmentKind
    message_index: int | None
    text: str


@dataclass(slots=True)
class _MessageReader:
    """A way of finding keys, and how many messages it has read."""

    find: FindKeys
    read: int = 0


class KeyHits:
    """First hits by key: in messages, in each source, in the contents of active entries.

    Segments are numbered in reading order: messages from the newest, sources, contents. A hit in
    the message at index i is visible to every entry that scans deeper than i, so one hit serves
    entries of all depths.
    """

    def __init__(self, messages: Sequence[str], sources: Mapping[SegmentKind, str]) -> None:
        self._messages = messages
        self._sources = sources
        self._readers: list[_MessageReader] = []
        self._recursion_texts: list[str] = []
        self.in_messages: dict[int, HitPosition] = {}
        self.in_sources: dict[SegmentKind, dict[int, HitPosition]] = {}
        self.in_recursion_texts: dict[int, HitPosition] = {}
        self._new_keys: dict[int, set[int]] = {}

    def add_reader(self, find: FindKeys, *, depth: int) -> None:
        """Read the newest `depth` messages and all sources with `find`."""
        reader = _MessageReader(find)
        self._readers.append(reader)
        self._read_messages(reader, depth)
        for number, kind in enumerate(SOURCES, len(self._messages)):
            spans = find(self._sources[kind]) if self._sources.get(kind) else {}
            if spans:
                positions = ((key, (number, *span)) for key, span in spans.items())
                self.in_sources.setdefault(kind, {}).update(positions)

    def read_deeper(self, depth: int) -> set[int]:
        """Read up to `depth` messages; return the keys that only the last of them contains."""
        for reader in self._readers:
            self._read_messages(reader, depth)
        return self._new_keys.get(depth - 1, set())

    def add_recursion_text(self, text: str) -> set[int]:
        """Read the content of an active entry; return the keys that no content had before."""
        number = len(self._messages) + len(SOURCES) + len(self._recursion_texts)
        self._recursion_texts.append(text)
        new_keys: set[int] = set()
        for reader in self._readers:
            spans = reader.find(text)
            new = {
                key: (number, *span)
                for key, span in spans.items()
                if key not in self.in_recursion_texts
            }
            self.in_recursion_texts.update(new)
            new_keys |= new.keys()
        return new_keys

    def all_keys(self) -> set[int]:
        """Return every key with a hit."""
        return (
            self.in_messages.keys()
            | self.in_recursion_texts.keys()
            | set().union(*self.in_sources.values())
        )

    @property
    def recursion_text_count(self) -> int:
        return len(self._recursion_texts)

    def segment(self, number: int) -> TextSegment:
        if number < len(self._messages):
            return TextSegment(SegmentKind.MESSAGE, number, self._messages[number])
        number -= len(self._messages)
        if number < len(SOURCES):
            kind = SOURCES[number]
            return TextSegment(kind, None, self._sources.get(kind, ""))
        text = self._recursion_texts[number - len(SOURCES)]
        return TextSegment(SegmentKind.RECURSION_BUFFER, None, text)

    def list_segments(
        self, *, depth: int, kinds: Sequence[SegmentKind], recursion_texts: int
    ) -> list[int]:
        """Return the numbers of the visible segments that are not empty."""
        first_source = len(self._messages)
        first_recursion = first_source + len(SOURCES)
        sources = (number for number, kind in enumerate(SOURCES, first_source) if kind in kinds)
        visible = [
            *range(min(depth, first_source)),
            *sources,
            *range(first_recursion, first_recursion + recursion_texts),
        ]
        return [number for number in visible if self.segment(number).text]

    def _read_messages(self, reader: _MessageReader, depth: int) -> None:
        hits = self.in_messages
        find = reader.find
        depth = min(depth, len(self._messages))
        for number in range(reader.read, depth):
            spans = find(self._messages[number])
            new = {key: (number, *span) for key, span in spans.items() if key not in hits}
            if new:
                hits.update(new)
                self._new_keys.setdefault(number, set()).update(new)
        reader.read = max(reader.read, depth)
