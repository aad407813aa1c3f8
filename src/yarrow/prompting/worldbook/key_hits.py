"""Where each key of a book was seen first, among the texts that a turn offers."""

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
"""A hit: the number of its segment, start and end. Smaller is earlier."""


class TextSegment(msgspec.Struct, frozen=True):
    """One text that was searched."""

    kind: SegmentKind
    message_index: int | None
    text: str


@dataclass(slots=True)
class _MessageReader:
    """A way of finding keys, with how many messages it has read."""

    find: FindKeys
    read: int = 0


class KeyHits:
    """First sightings by key: in messages, in each source, in the contents of active entries.

    Segments are numbered in reading order: messages from the newest, sources, then contents.
    A message at index i shows a key to every entry that scans deeper than i, so one sighting
    serves entries of all depths.
    """

    def __init__(self, messages: Sequence[str], sources: Mapping[SegmentKind, str]) -> None:
        self._messages = messages
        self._sources = sources
        self._readers: list[_MessageReader] = []
        self._echo_texts: list[str] = []
        self.in_messages: dict[int, HitPosition] = {}
        self.in_sources: dict[SegmentKind, dict[int, HitPosition]] = {}
        self.in_echoes: dict[int, HitPosition] = {}
        self._fresh: dict[int, set[int]] = {}

    def add_reader(self, find: FindKeys, *, depth: int) -> None:
        """Read the newest messages, as many as `depth`, and all sources with `find`."""
        reader = _MessageReader(find)
        self._readers.append(reader)
        self._read_messages(reader, depth)
        for number, kind in enumerate(SOURCES, len(self._messages)):
            spans = find(self._sources[kind]) if self._sources.get(kind) else {}
            if spans:
                spots = ((key, (number, *span)) for key, span in spans.items())
                self.in_sources.setdefault(kind, {}).update(spots)

    def deepen(self, depth: int) -> set[int]:
        """Read up to `depth` messages; the keys that the last of them shows for the first time."""
        for reader in self._readers:
            self._read_messages(reader, depth)
        return self._fresh.get(depth - 1, set())

    def add_echo(self, text: str) -> set[int]:
        """Read the content of an active entry; the keys that no content has shown before."""
        number = len(self._messages) + len(SOURCES) + len(self._echo_texts)
        self._echo_texts.append(text)
        fresh: set[int] = set()
        for reader in self._readers:
            spans = reader.find(text)
            new = {key: (number, *span) for key, span in spans.items() if key not in self.in_echoes}
            self.in_echoes.update(new)
            fresh |= new.keys()
        return fresh

    def seen(self) -> set[int]:
        """Every key seen anywhere."""
        return (
            self.in_messages.keys() | self.in_echoes.keys() | set().union(*self.in_sources.values())
        )

    @property
    def echoes(self) -> int:
        return len(self._echo_texts)

    def segment(self, number: int) -> TextSegment:
        if number < len(self._messages):
            return TextSegment(SegmentKind.MESSAGE, number, self._messages[number])
        number -= len(self._messages)
        if number < len(SOURCES):
            kind = SOURCES[number]
            return TextSegment(kind, None, self._sources.get(kind, ""))
        text = self._echo_texts[number - len(SOURCES)]
        return TextSegment(SegmentKind.RECURSION_BUFFER, None, text)

    def numbers(self, *, depth: int, kinds: Sequence[SegmentKind], echoes: int) -> list[int]:
        """The segments, with something in them, that an entry with these wishes may see."""
        first_source = len(self._messages)
        first_echo = first_source + len(SOURCES)
        sources = (n for n, kind in enumerate(SOURCES, first_source) if kind in kinds)
        visible = [
            *range(min(depth, first_source)),
            *sources,
            *range(first_echo, first_echo + echoes),
        ]
        return [number for number in visible if self.segment(number).text]

    def _read_messages(self, reader: _MessageReader, depth: int) -> None:
        seen = self.in_messages
        find = reader.find
        depth = min(depth, len(self._messages))
        for number in range(reader.read, depth):
            spans = find(self._messages[number])
            new = {key: (number, *span) for key, span in spans.items() if key not in seen}
            if new:
                seen.update(new)
                self._fresh.setdefault(number, set()).update(new)
        reader.read = max(reader.read, depth)
