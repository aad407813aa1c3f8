"""The events of one attempt, in memory."""

import re
from bisect import bisect_left
from typing import NamedTuple

import msgspec

from yarrow.ids import RunId
from yarrow.journal.events import TERMINAL, RunEvent, RunSucceeded, encode_event
from yarrow.product_events.product import StoredProduct

EVENTS_PER_ATTEMPT = 1_000_000
"""Each attempt numbers its events in a range of its own, so that a worker whose lease expired
can never use a sequence number of its successor."""
WHOLE_EVENTS = 2_000
"""A run with fewer events is stored as one chunk when it has ended."""
TIME_GRAIN_MS = 250
"""The times of events are at least this far apart."""
NUL = b"\\u0000"
"""How JSON writes the one character that PostgreSQL refuses."""
_NUL_ESCAPE = re.compile(rb"((?<!\\)(?:\\\\)*)\\u0000")

_decoder = msgspec.json.Decoder(RunEvent)


class SequencedEvent(NamedTuple):
    """An event and its sequence number in its run."""

    seq: int
    event: RunEvent


class EventTime(NamedTuple):
    """When an event was appended. Those after it have no time of their own until the next one."""

    seq: int
    at_ms: int


class EventChunk(NamedTuple):
    """Consecutive events as one JSON array, ready for a jsonb parameter."""

    first_seq: int
    last_seq: int
    events: msgspec.Raw
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
        self._unflushed: list[bytes] = []
        """The JSON of the last events, oldest first."""
        self.is_settling = False
        """The settlement writes the rest of the events."""
        self._was_flushed = False
        """The table may have a chunk of this attempt."""

    @property
    def next_seq(self) -> int:
        return self.first_seq + len(self.events)

    @property
    def has_unflushed(self) -> bool:
        return bool(self._unflushed)

    @property
    def has_ended(self) -> bool:
        return bool(self.events) and isinstance(self.events[-1], TERMINAL)

    def add(self, event: RunEvent) -> None:
        """Append an event; NUL characters become U+FFFD, which PostgreSQL can store."""
        encoded = encode_event(event)
        if NUL in encoded:
            event = _replace_nul(encoded)
            encoded = encode_event(event)
        self.events.append(event)
        self._unflushed.append(encoded)

    def mark_time(self, now_ms: int) -> None:
        """Note when the next event is appended, unless the last time is just before it."""
        if not self.times or now_ms - self.times[-1].at_ms >= TIME_GRAIN_MS:
            self.times.append(EventTime(self.next_seq, now_ms))

    def read_after(self, seq: int) -> list[SequencedEvent]:
        """Return the events with a higher sequence number."""
        start = max(0, seq + 1 - self.first_seq)
        return [
            SequencedEvent(self.first_seq + index, event)
            for index, event in enumerate(self.events[start:], start)
        ]

    def unflushed_chunk(self) -> EventChunk:
        """Return the events that the table may lack, to flush them."""
        self._was_flushed = True
        return self._make_chunk(self.next_seq - 1, self._unflushed)

    def last_chunk(self, last: RunEvent) -> EventChunk:
        """Return the chunk of the settlement: what the table may lack, and the terminal event.

        A short run becomes one chunk: it is smaller than its flushes, and compresses better. If it
        succeeded, its products are without what the settlement stores elsewhere.
        """
        is_whole = len(self.events) < WHOLE_EVENTS
        is_encoded = not is_whole or len(self._unflushed) == len(self.events)
        encoded = list(self._unflushed if is_encoded else map(encode_event, self.events))
        if is_whole and isinstance(last, RunSucceeded):
            for index, event in enumerate(self.events):
                if isinstance(event, StoredProduct) and (kept := event.to_settled()) is not event:
                    encoded[index] = encode_event(kept)
        chunk = self._make_chunk(self.next_seq, [*encoded, encode_event(last)])
        return chunk._replace(replaces_flushed=is_whole and self._was_flushed)

    def mark_flushed(self, chunk: EventChunk, *, generation: int) -> None:
        """Drop the JSON of the chunk's events: the table has them.

        A flush that was sent before the last `mark_unflushed` proves nothing any more.
        """
        if generation == self.generation:
            del self._unflushed[: chunk.last_seq - chunk.first_seq + 1]

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
        first_time = bisect_left(self.times, (first_seq,))
        return EventChunk(
            first_seq,
            last_seq,
            msgspec.Raw(b"[" + b",".join(encoded) + b"]"),
            tuple(self.times[first_time:]),
        )


def _replace_nul(data: bytes) -> RunEvent:
    # JSON escapes the backslash itself as two, so an odd number of them precedes `u0000`.
    event: RunEvent = _decoder.decode(_NUL_ESCAPE.sub(rb"\1\\ufffd", data))
    return event
