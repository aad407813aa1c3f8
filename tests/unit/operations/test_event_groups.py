"""What an operator sees of a run's events: kinds, numbers, times and lengths."""

from datetime import UTC, datetime

from yarrow.journal.events import RunStarted, RunSucceeded, TextDelta, UsageReported
from yarrow.journal.log import NumberedEvent
from yarrow.operations.event_groups import group_events

EVENTS = [
    NumberedEvent(1, RunStarted(0)),
    NumberedEvent(2, TextDelta("m", "ab")),
    NumberedEvent(3, TextDelta("m", "c")),
    NumberedEvent(4, TextDelta("m", "d")),
    NumberedEvent(5, RunSucceeded(0, {})),
]


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_a_pause_of_a_second_begins_another_group() -> None:
    times = [1000, None, 1900, 7000, 7500]

    groups = group_events(
        [each._replace(at_ms=at_ms) for each, at_ms in zip(EVENTS, times, strict=True)]
    )

    assert [
        (each.first_number, each.last_number, each.first_at, each.last_at) for each in groups
    ] == [
        (1, 1, at(1), at(1)),
        (2, 3, at(1), at(1.9)),
        (4, 4, at(7), at(7)),
        (5, 5, at(7.5), at(7.5)),
    ]
    assert [each.text_chars for each in groups] == [0, 3, 1, 0]


def test_events_of_older_versions_have_no_times() -> None:
    groups = group_events(EVENTS)

    assert [(each.kind, each.count) for each in groups] == [
        ("RunStarted", 1),
        ("TextDelta", 3),
        ("RunSucceeded", 1),
    ]
    assert {each.first_at for each in groups} == {None}


def test_internal_events_are_listed_under_the_number_before_them() -> None:
    usage = NumberedEvent(4, UsageReported("model", 1, 2))

    groups = group_events([*EVENTS[:4], usage, usage, EVENTS[4]])

    assert [(each.kind, each.first_number, each.last_number, each.count) for each in groups] == [
        ("RunStarted", 1, 1, 1),
        ("TextDelta", 2, 4, 3),
        ("UsageReported", 4, 4, 2),
        ("RunSucceeded", 5, 5, 1),
    ]
