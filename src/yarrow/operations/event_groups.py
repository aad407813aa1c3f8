"""What an operator sees of a run's events."""

from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec.structs import replace

from yarrow.journal.events import TextDelta
from yarrow.journal.log import NumberedEvent
from yarrow.operations.model import EventGroup

PAUSE_MS = 1000
"""A pause that begins another group of events."""


def group_events(events: Iterable[NumberedEvent]) -> tuple[EventGroup, ...]:
    """Join neighbouring events of one kind without a pause; of texts only their length is kept.

    An event without a time has that of the last event before it that has one; an internal event
    has no number, and is listed under the number of the event before it.
    """
    last_ms: int | None = None
    groups: list[EventGroup] = []
    for number, event, at_ms in events:
        now_ms = last_ms if at_ms is None else at_ms
        is_paused = now_ms is not None and last_ms is not None and now_ms - last_ms >= PAUSE_MS
        last_ms = now_ms
        kind, at = type(event).__name__, _to_datetime(now_ms)
        length = len(event.text) if isinstance(event, TextDelta) else 0
        last = groups[-1] if groups else None
        if last is None or last.kind != kind or number - last.last_number > 1 or is_paused:
            groups.append(EventGroup(kind, number, number, at, at, 1, length))
        else:
            groups[-1] = replace(
                last,
                last_number=number,
                last_at=at,
                count=last.count + 1,
                text_chars=last.text_chars + length,
            )
    return tuple(groups)


def _to_datetime(at_ms: int | None) -> datetime | None:
    return None if at_ms is None else datetime.fromtimestamp(at_ms / 1000, UTC)
