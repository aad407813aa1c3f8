"""The events of one attempt, in memory.

An event has a sequence number, its place in the journal, and a number that clients know it by. The
two differ by the internal events before it, which no client gets: without a number of their own
they leave no gap in a stream.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from yarrow.ids import RunId
from yarrow.journal.events import (
    INTERNAL,
    TERMINAL,
    RunEvent,
    RunSucceeded,
    TextDelta,
    encode_event,
)
from yarrow.product_events.product import StoredProduct

EVENTS_PER_ATTEMPT = 1_000_000
"""Each attempt numbers its events in a range of its own, so that a worker whose lease expired
can never use a sequence number of its successor."""
WHOLE_EVENTS = 2_000
"""A run with fewer events is stored as one chunk when it has ended."""
TIME_GRAIN_MS = 200
"""The times of events are at least this far apart."""
NUL = b"\\u0000"
"""How JSON writes the one character that PostgreSQL refuses."""
_NUL_ESCAPE = re.compile(rb"((?<!\\)(?:\\\\)*)\\u0000")

_decoder = msgspec.json.Decoder(RunEvent)


class NumberedEvent(NamedTuple):
    """An event and the number that clients know it by; an internal event has that of the event
    before it."""

    number: int
    event: RunEvent
    at_ms: int | None = None
    """When it was appended. Events after it have no time of their own until the next one."""


class EventTime(NamedTuple):
    """When the event with a number was appended."""

    number: int
    at_ms: int


def number_events(
    events: Sequence[RunEvent], first_number: int, times: Iterable[EventTime] = ()
) -> list[NumberedEvent]:
    """Number consecutive events; `first_number` is for the first that is not internal."""
    numbered: list[NumberedEvent] = []
    number, at_ms = first_number, dict(times)
    for event in events:
        if type(event) in INTERNAL:
            numbered.append(NumberedEvent(number - 1, event))
        else:
            numbered.append(NumberedEvent(number, event, at_ms.get(number)))
            number += 1
    return numbered


class EventChunk(NamedTuple):
    """Consecutive events as one JSON array, ready for a jsonb parameter."""

    first_seq: int
    last_seq: int
    events: msgspec.Raw
    internal_before: int
    """How many events of the attempt before the chunk have no number."""
    times: tuple[EventTime, ...] = ()
    replaces_flushed: bool = False
    """It has all events of the attempt, and chunks that were flushed before can go."""


class RunLog:
    """All events of one attempt, and the JSON of those that the table may lack."""

    def __init__(self, run_id: RunId, *, attempt: int) -> None:
        self.run_id = run_id
        self.attempt = attempt
        self.first_seq = (attempt - 1) * EVENTS_PER_ATTEMPT + 1
        self.flushed_at = 0.0
        self.generation = 0
        """Counts the calls of `mark_unflushed`."""
        self.events: list[RunEvent] = []
        self.times: list[EventTime] = []
        self._internal_seqs: list[int] = []
        """The sequence numbers of internal events."""
        self._unflushed: list[bytes] = []
        """The JSON of the last events, oldest first."""
        self.settling_since: float | None = None
        """By the loop's clock; the settlement writes the rest of the events."""
        self._was_flushed = False
        """The table may have a chunk of this attempt."""

    @property
    def next_seq(self) -> int:
        return self.first_seq + len(self.events)

    @property
    def has_unflushed(self) -> bool:
        return bool(self._unflushed)

    def count_unflushed(self) -> int:
        """How many events the table may lack."""
        return len(self._unflushed)

    @property
    def has_ended(self) -> bool:
        return bool(self.events) and type(self.events[-1]) in TERMINAL

    def add(self, event: RunEvent) -> None:
        """Append an event; NUL characters become U+FFFD, which PostgreSQL can store."""
        encoded = encode_event(event)
        if NUL in encoded:
            event = _replace_nul(encoded)
            encoded = encode_event(event)
        if type(event) in INTERNAL:
            self._internal_seqs.append(self.next_seq)
        self.events.append(event)
        self._unflushed.append(encoded)

    def mark_time(self, now_ms: int) -> None:
        """Note when the next event is appended, unless the last time is just before it."""
        if not self.times or now_ms - self.times[-1].at_ms >= TIME_GRAIN_MS:
            self.times.append(EventTime(self.next_seq - len(self._internal_seqs), now_ms))

    def read_after(self, seq: int) -> list[NumberedEvent]:
        """Return the events with a higher sequence number, by the numbers of clients."""
        first_seq = max(self.first_seq, seq + 1)
        first_number = first_seq - self._count_internal(first_seq)
        return number_events(
            self.events[first_seq - self.first_seq :], first_number, self._list_times(first_number)
        )

    def _list_times(self, first_number: int) -> list[EventTime]:
        return self.times[bisect_left(self.times, (first_number,)) :]

    def _count_internal(self, seq: int) -> int:
        """How many events before a sequence number are internal."""
        return bisect_left(self._internal_seqs, seq)

    def unflushed_chunk(self) -> EventChunk:
        """Return the events that the table may lack, to flush them."""
        self._was_flushed = True
        return self._make_chunk(self.next_seq - 1, self._unflushed)

    def make_settlement_chunk(self, last: RunEvent) -> EventChunk:
        """Return the chunk of the settlement: what the table may lack, and the terminal event.

        A short run becomes one chunk: it is smaller than its flushes, and compresses better. If it
        succeeded, its products are without what the settlement stores elsewhere.
        """
        is_whole = len(self.events) < WHOLE_EVENTS
        is_encoded = not is_whole or len(self._unflushed) == len(self.events)
        encoded = list(self._unflushed if is_encoded else map(encode_event, self.events))
        if is_whole and isinstance(last, RunSucceeded):
            for index, event in enumerate(self.events):
                if type(event) is TextDelta:  # nearly always
                    continue
                if isinstance(event, StoredProduct) and (kept := event.to_settled()) is not event:
                    encoded[index] = encode_event(kept)
        chunk = self._make_chunk(self.next_seq, [*encoded, encode_event(last)])
        return chunk._replace(replaces_flushed=is_whole and self._was_flushed)

    def mark_flushed(self, chunk: EventChunk, *, generation: int) -> None:
        """Drop the JSON of the chunk's events: the table has them.

        A flush that was sent before the last `mark_unflushed` proves nothing any more.
        """
        if generation == self.generation:
            first_unflushed = self.next_seq - len(self._unflushed)
            del self._unflushed[: max(0, chunk.last_seq + 1 - first_unflushed)]

    def mark_unflushed(self) -> None:
        """Treat all events as unflushed: asynchronous commits may be lost in a database crash."""
        self.generation += 1
        self._unflushed = [encode_event(event) for event in self.events]

    def finish(self, last: RunEvent) -> None:
        """Add the terminal event, which the settlement has stored with all events before it."""
        self.add(last)
        self._unflushed.clear()

    def _make_chunk(self, last_seq: int, encoded: list[bytes]) -> EventChunk:
        first_seq = last_seq - len(encoded) + 1
        internal_before = self._count_internal(first_seq)
        return EventChunk(
            first_seq,
            last_seq,
            msgspec.Raw(b"[" + b",".join(encoded) + b"]"),
            internal_before,
            tuple(self._list_times(first_seq - internal_before)),
        )


def _replace_nul(data: bytes) -> RunEvent:
    # JSON escapes the backslash itself as two, so an odd number of them precedes `u0000`.
    event: RunEvent = _decoder.decode(_NUL_ESCAPE.sub(rb"\1\\ufffd", data))
    return event


def split_events(
    events: Sequence[NumberedEvent], *, after: int, size: int | None
) -> Iterator[list[NumberedEvent]]:
    """The events behind a client's number, in lists of at most `size`, or in one."""
    batch = [each for each in events if each.number > after]
    size = size or max(1, len(batch))
    return (batch[start : start + size] for start in range(0, len(batch), size))
