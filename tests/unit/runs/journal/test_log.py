"""The log of an attempt: numbering, what the table lacks, characters PostgreSQL refuses."""

from uuid import uuid4

from yarrow.ids import RunId
from yarrow.runs.events import RunCancelled, RunStarted, TextDelta
from yarrow.runs.journal import RunLog


def log_of(count: int, *, attempt: int = 1) -> RunLog:
    run_log = RunLog(RunId(uuid4()), attempt=attempt)
    for n in range(count):
        run_log.add(TextDelta("m", str(n)))
    return run_log


def unflushed(run_log: RunLog) -> list[int]:
    return [event.seq for event in run_log.list_unflushed()]


def test_events_are_numbered_from_the_attempts_first_number() -> None:
    run_log = log_of(3, attempt=2)

    assert [event.seq for event in run_log.read_after(1_000_001)] == [1_000_002, 1_000_003]
    assert [event.seq for event in run_log.read_after(7)] == [1_000_001, 1_000_002, 1_000_003]
    assert run_log.read_after(1_000_003) == []


def test_only_new_events_are_flushed() -> None:
    run_log = log_of(3)

    run_log.mark_flushed(2, generation=run_log.generation)
    run_log.add(RunStarted(1))

    assert unflushed(run_log) == [3, 4]


def test_after_a_lost_connection_everything_is_flushed_again() -> None:
    run_log = log_of(3)
    run_log.mark_flushed(3, generation=run_log.generation)

    run_log.mark_unflushed()

    assert unflushed(run_log) == [1, 2, 3]


def test_a_flush_sent_before_the_connection_was_lost_does_not_count() -> None:
    run_log = log_of(3)
    generation = run_log.generation

    run_log.mark_unflushed()
    run_log.mark_flushed(2, generation=generation)

    assert unflushed(run_log) == [1, 2, 3]


def test_the_last_event_ends_the_log_and_leaves_nothing_to_flush() -> None:
    run_log = log_of(2)

    run_log.finish(RunCancelled(5))

    assert run_log.has_ended
    assert unflushed(run_log) == []
    assert run_log.next_seq == 4


def test_nul_becomes_a_character_that_postgresql_can_store() -> None:
    run_log = log_of(0)

    run_log.add(TextDelta("m", "a\0b"))
    run_log.add(TextDelta("m", "\\u0000 as six characters"))

    assert run_log.events[0] == TextDelta("m", "a\ufffdb")
    assert run_log.events[1] == TextDelta("m", "\\u0000 as six characters")
    assert b"\\u0000" not in bytes(run_log.list_unflushed()[0].json)
