"""The log of an attempt: numbering, what the table lacks, characters PostgreSQL refuses."""

from uuid import uuid4

from tests.loose_json import decode_json

from yarrow.ids import RunId
from yarrow.journal import EventChunk, RunLog
from yarrow.journal.events import RunCancelled, RunStarted, TextDelta, UsageReported
from yarrow.journal.log import WHOLE_EVENTS

USAGE = UsageReported("model", 3, 4)


def log_of(count: int, *, attempt: int = 1) -> RunLog:
    run_log = RunLog(RunId(uuid4()), attempt=attempt)
    for n in range(count):
        run_log.add(TextDelta("m", str(n)))
    return run_log


def unflushed(run_log: RunLog) -> list[int]:
    chunk = run_log.unflushed_chunk()
    return list(range(chunk.first_seq, chunk.last_seq + 1))


def texts(chunk: EventChunk) -> list[str]:
    return [event.get("text", event["kind"]) for event in decode_json(bytes(chunk.events))]


def test_events_are_numbered_from_the_attempts_first_number() -> None:
    run_log = log_of(3, attempt=2)

    assert [event.number for event in run_log.read_after(1_000_001)] == [1_000_002, 1_000_003]
    assert [event.number for event in run_log.read_after(7)] == [1_000_001, 1_000_002, 1_000_003]
    assert run_log.read_after(1_000_003) == []


def test_internal_events_leave_no_gap_in_the_numbers() -> None:
    run_log = log_of(2)
    run_log.add(USAGE)
    run_log.add(USAGE)
    run_log.add(TextDelta("m", "3"))

    assert [event.number for event in run_log.read_after(0)] == [1, 2, 2, 2, 3]
    assert [event.number for event in run_log.read_after(3)] == [2, 3]
    assert [event.number for event in run_log.read_after(4)] == [3]


def test_a_chunk_knows_how_many_events_before_it_are_internal() -> None:
    run_log = log_of(2)
    run_log.add(USAGE)
    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)
    run_log.add(USAGE)

    chunk = run_log.unflushed_chunk()

    assert (chunk.first_seq, chunk.last_seq, chunk.internal_before) == (4, 4, 1)
    assert run_log.make_settlement_chunk(RunCancelled(5)).internal_before == 0


def test_only_new_events_are_flushed() -> None:
    run_log = log_of(2)

    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)
    run_log.add(RunStarted(1))
    run_log.add(TextDelta("m", "3"))

    assert unflushed(run_log) == [3, 4]
    assert texts(run_log.unflushed_chunk()) == ["run_started", "3"]


def test_after_a_lost_connection_everything_is_flushed_again() -> None:
    run_log = log_of(3)
    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)

    run_log.mark_unflushed()

    assert unflushed(run_log) == [1, 2, 3]


def test_a_flush_sent_before_the_connection_was_lost_does_not_count() -> None:
    run_log = log_of(3)
    generation, chunk = run_log.generation, run_log.unflushed_chunk()

    run_log.mark_unflushed()
    run_log.mark_flushed(chunk, generation=generation)

    assert unflushed(run_log) == [1, 2, 3]


def test_a_short_run_is_settled_as_one_chunk() -> None:
    run_log = log_of(2, attempt=2)
    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)

    chunk = run_log.make_settlement_chunk(RunCancelled(5))

    assert chunk.replaces_flushed
    assert (chunk.first_seq, chunk.last_seq) == (1_000_001, 1_000_003)
    assert texts(chunk) == ["0", "1", "run_cancelled"]


def test_a_run_that_was_never_flushed_replaces_nothing() -> None:
    chunk = log_of(2).make_settlement_chunk(RunCancelled(5))

    assert not chunk.replaces_flushed
    assert texts(chunk) == ["0", "1", "run_cancelled"]


def test_a_long_run_is_settled_with_what_the_table_lacks() -> None:
    run_log = log_of(WHOLE_EVENTS)
    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)
    run_log.add(TextDelta("m", "new"))

    chunk = run_log.make_settlement_chunk(RunCancelled(5))

    assert not chunk.replaces_flushed
    assert (chunk.first_seq, chunk.last_seq) == (WHOLE_EVENTS + 1, WHOLE_EVENTS + 2)
    assert texts(chunk) == ["new", "run_cancelled"]


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
    assert b"\\u0000" not in bytes(run_log.unflushed_chunk().events).partition(b"}")[0]


def test_times_are_kept_a_fifth_of_a_second_apart() -> None:
    run_log = RunLog(RunId(uuid4()), attempt=2)
    for now_ms in (0, 100, 199, 200, 4000):
        run_log.mark_time(now_ms)
        run_log.add(TextDelta("m", "x"))

    assert run_log.times == [(1_000_001, 0), (1_000_004, 200), (1_000_005, 4000)]


def test_a_chunk_has_the_times_of_its_events() -> None:
    run_log = RunLog(RunId(uuid4()), attempt=1)
    run_log.mark_time(0)
    run_log.add(TextDelta("m", "1"))
    run_log.mark_flushed(run_log.unflushed_chunk(), generation=run_log.generation)
    run_log.add(TextDelta("m", "2"))
    run_log.mark_time(900)
    run_log.add(TextDelta("m", "3"))

    assert [each.at_ms for each in run_log.read_after(0)] == [0, None, 900]
    assert [each.at_ms for each in run_log.read_after(2)] == [900]
    assert run_log.unflushed_chunk().times == ((3, 900),)
    assert run_log.make_settlement_chunk(RunCancelled(1000)).times == ((1, 0), (3, 900))
