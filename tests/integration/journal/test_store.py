"""The stored journal: chunks, their overlap, weekly partitions, runs whose chunks are gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from tests.integration.runs.claims import cancel_unfinished_runs, claim_run
from tests.loose_json import JsonObject
from tests.observed_database import ObservedDatabase
from tests.serving import Caller, Served, run_body, serving
from tests.waiting import PATIENCE_S

from yarrow.clock import system_clock
from yarrow.db import Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.notify import Notifications
from yarrow.db.pool import open_unpooled_connection
from yarrow.ids import RunId, first_uuid
from yarrow.journal import Journal, RunLog, store
from yarrow.journal.events import RunStarted, TextDelta, UsageReported, encode_event
from yarrow.journal.journal import LINGER_S
from yarrow.journal.partition_store import keep_partitions, rotate_journal, rotate_partitions
from yarrow.llm.errors import ModelRefused
from yarrow.llm.scripted import Fail, Say, ScriptedModel

PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'run_events'::regclass
"""
INSERT = (
    "INSERT INTO run_events (run_id, first_seq, last_seq, events, internal_before) "
    "VALUES ($1, $2, $3, $4, $5)"
)


async def answer(caller: Caller) -> tuple[JsonObject, UUID]:
    body = run_body()
    accepted = await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    return body, UUID(accepted["taskId"])


async def insert_texts(tx: Tx, run_id: UUID, first: int, texts: str) -> None:
    events = b",".join(encode_event(TextDelta("m", text)) for text in texts)
    await tx.execute(
        INSERT, run_id, first, first + len(texts) - 1, msgspec.Raw(b"[" + events + b"]"), 0
    )


async def partitions(tx: Tx) -> set[str]:
    return {row["relname"] for row in await tx.fetch(PARTITIONS)}


async def test_a_long_run_is_read_and_given_out_in_pieces(served: Served) -> None:
    served.model.play([Say("x")])
    _, run_id = await answer(await served.account())
    database, journal = served.product.database, served.product.engine.journal
    await asyncio.sleep(LINGER_S)  # the events of an ended run are in memory for so long
    async with database.transaction() as tx:
        await tx.execute("DELETE FROM run_events WHERE run_id = $1", run_id)
        for first, texts in ((1, "abc"), (4, "defg"), (6, "fghij"), (11, "k")):
            await insert_texts(tx, run_id, first, texts)

    async with database.connection() as tx:
        some = await store.read_later_events(tx, RunId(run_id), 0, enough=4)
    pieces = [
        [each.event.text for each in piece if isinstance(each.event, TextDelta)]
        async for piece in journal.follow(RunId(run_id), after=1, piece_events=4)
    ]

    assert ([each.number for each in some.events], some.last_seq) == ([*range(1, 8)], 7)
    assert pieces == [["b", "c", "d", "e"], ["f", "g"], ["h", "i", "j"], ["k"]]


async def test_an_ended_run_is_one_row(served: Served) -> None:
    served.model.play([Say("one two three four")])
    _, run_id = await answer(await served.account())

    async with served.product.database.connection() as tx:
        chunks = await tx.fetch("SELECT * FROM run_events WHERE run_id = $1", run_id)
        stored = await store.read_later_events(tx, RunId(run_id), 0)

    assert len(chunks) == 1
    assert len(stored.events) == stored.last_seq == chunks[0]["last_seq"]


async def test_reading_begins_inside_a_chunk_and_skips_what_overlaps(served: Served) -> None:
    run_id = served.product.engine.new_id()
    async with served.product.database.connection() as tx:
        await insert_texts(tx, run_id, 1, "abc")
        await insert_texts(tx, run_id, 4, "de")
        await insert_texts(tx, run_id, 1, "abcdefg")

        stored = await store.read_later_events(tx, RunId(run_id), 2)

        texts = [(n, event.text) for n, event, _ in stored.events if isinstance(event, TextDelta)]
        assert texts == list(enumerate("cdefg", 3))
        assert stored.last_seq == 7


async def test_numbers_continue_behind_internal_events_of_an_earlier_chunk(served: Served) -> None:
    run_id = RunId(served.product.engine.new_id())
    run_log = RunLog(run_id, attempt=1)
    chunks = []
    for event in (RunStarted(1), UsageReported("model", 1, 1), TextDelta("m", "a")):
        run_log.add(event)
        chunks.append(run_log.unflushed_chunk())
        run_log.mark_flushed(chunks[-1], generation=run_log.generation)
    async with served.product.database.connection() as tx:
        for chunk in chunks:
            await tx.execute(
                INSERT, run_id, chunk.first_seq, chunk.last_seq, chunk.events, chunk.internal_before
            )

        stored = await store.read_later_events(tx, run_id, 0)

    assert [each.number for each in stored.events] == [1, 1, 2]


async def test_chunks_of_earlier_versions_keep_their_numbers(served: Served) -> None:
    run_id = RunId(served.product.engine.new_id())
    events = [RunStarted(1), UsageReported("model", 1, 1), TextDelta("m", "a")]
    encoded = msgspec.Raw(b"[" + b",".join(map(encode_event, events)) + b"]")
    async with served.product.database.connection() as tx:
        await tx.execute(INSERT, run_id, 1, 3, encoded, None)

        stored = await store.read_later_events(tx, run_id, 0)

    assert [each.number for each in stored.events] == [1, 2, 3]


async def test_weeks_are_made_ahead_and_dropped_when_all_of_them_is_old(served: Served) -> None:
    async with rolled_back(served) as tx:
        now = datetime(2031, 5, 14, 12, tzinfo=UTC)
        await rotate_partitions(tx, now=now, keep=timedelta(days=30))
        made = await partitions(tx)
        old, young = first_uuid(now - timedelta(days=1)), first_uuid(now + timedelta(days=8))
        await insert_texts(tx, old, 1, "a")
        await insert_texts(tx, young, 1, "a")

        await rotate_partitions(tx, now=now + timedelta(days=34), keep=timedelta(days=30))
        before = await partitions(tx)
        await rotate_partitions(tx, now=now + timedelta(days=36), keep=timedelta(days=30))
        after = await partitions(tx)

        weeks = {"20310512", "20310519", "20310526", "20310602", "20310609"}
        assert {f"run_events_week_{week}" for week in weeks} <= made
        assert "run_events_week_20310512" in before
        assert "run_events_week_20310512" not in after
        assert (await store.read_later_events(tx, RunId(old), 0)).events == []
        assert len((await store.read_later_events(tx, RunId(young), 0)).events) == 1


async def test_rows_that_came_before_their_partition_are_deleted_in_time(served: Served) -> None:
    async with rolled_back(served) as tx:
        now = datetime(2041, 5, 14, 12, tzinfo=UTC)
        early = first_uuid(now)
        await insert_texts(tx, early, 1, "a")

        await rotate_partitions(tx, now=now, keep=timedelta(days=30))
        assert "run_events_week_20410513" not in await partitions(tx)
        assert len((await store.read_later_events(tx, RunId(early), 0)).events) == 1
        await rotate_partitions(tx, now=now + timedelta(days=31), keep=timedelta(days=30))
        assert (await store.read_later_events(tx, RunId(early), 0)).events == []


@pytest.mark.parametrize("after", [0, 3])
async def test_a_run_whose_chunks_are_gone_replays_its_stored_answer(
    served: Served, tmp_path: Path, after: int
) -> None:
    served.model.play([Say("one two three four")])
    caller = await served.account()
    body, run_id = await answer(caller)
    complete = await caller.events(body["threadId"], body["runId"])

    async with without_chunks(served, run_id, tmp_path) as caller.url:
        frames = await caller.events(body["threadId"], body["runId"], after=after)
        again = await caller.events(body["threadId"], body["runId"], after=frames[-1].id)

    said = [f.data["delta"] for f in frames if f.type == "TEXT_MESSAGE_CONTENT"]
    assert said == ["one two three four"]
    assert frames[-1].data["type"] == "RUN_FINISHED"
    assert frames[-1].data["result"] == complete[-1].data["result"]
    assert all(frame.id > complete[-1].id for frame in frames)
    first = frames[0].data
    if after:
        assert first["value"]["discardedUpToId"] >= complete[-1].id
    else:
        assert first["type"] == "RUN_STARTED"
    assert again == []


async def test_a_failed_run_whose_chunks_are_gone_still_tells_why(
    served: Served, tmp_path: Path
) -> None:
    served.model.play([Fail(ModelRefused(401))])
    caller = await served.account()
    body, run_id = await answer(caller)
    complete = await caller.events(body["threadId"], body["runId"])

    async with without_chunks(served, run_id, tmp_path) as caller.url:
        frames = await caller.events(body["threadId"], body["runId"])

    assert [f.type for f in frames] == ["RUN_STARTED", "RUN_ERROR"]
    assert frames[-1].data["code"] == complete[-1].data["code"]


async def test_events_whose_notification_was_lost_reach_followers(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as api:
        caller, body = await api.account(), run_body()
        run_id = RunId(UUID((await caller.submit(body))["taskId"]))
        assert await claim_run(api, run_id) is not None
        events = caller.follow(body["threadId"], body["runId"])

        for number, text in enumerate("abc", 1):
            async with api.product.database.connection() as tx:
                await insert_texts(tx, run_id, number, text)
            async with asyncio.timeout(PATIENCE_S):
                frame = await anext(events)
            assert (frame.id, frame.data["delta"]) == (number, text)
        await cancel_unfinished_runs(api)

        async with asyncio.timeout(PATIENCE_S):
            assert [frame.type async for frame in events] == ["RUN_ERROR"]


async def test_followers_of_runs_elsewhere_share_one_poll(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as api:
        run_id = RunId(UUID((await (await api.account()).submit(run_body()))["taskId"]))
        observed = ObservedDatabase(api.product.database)
        journal = Journal(observed, Notifications(observed), heartbeat_s=3600)
        poll = asyncio.create_task(journal.poll())
        followers = [asyncio.create_task(anext(journal.follow(run_id, after=0))) for _ in range(20)]

        async with asyncio.timeout(PATIENCE_S):
            while observed.taken[poll] < 3:
                await asyncio.sleep(0.01)

        assert [observed.taken[each] for each in followers] == [1] * len(followers)
        for task in (poll, *followers):
            task.cancel()
        await cancel_unfinished_runs(api)


@asynccontextmanager
async def without_chunks(served: Served, run_id: UUID, folder: Path) -> AsyncIterator[str]:
    """Take the run's chunks away for the block; yields a server that never had them in memory."""
    database = served.product.database
    async with database.connection() as tx:
        chunks = await tx.fetch(
            "DELETE FROM run_events WHERE run_id = $1 "
            "RETURNING run_id, first_seq, last_seq, events, internal_before",
            run_id,
        )
    async with serving(database.dsn, model=ScriptedModel(), data_dir=folder, slots=0) as other:
        yield other.url
    async with database.connection() as tx:
        for chunk in chunks:
            await tx.execute(INSERT, *chunk)


@asynccontextmanager
async def rolled_back(served: Served) -> AsyncIterator[Tx]:
    """A transaction that leaves nothing behind: other tests need their events."""
    with suppress(ZeroDivisionError):
        async with served.product.database.transaction() as tx:
            yield tx
            raise ZeroDivisionError


async def test_no_partition_is_dropped_while_a_connection_keeps_them(served: Served) -> None:
    database = served.product.database
    rotate = partial(rotate_journal, database, system_clock, keep=timedelta(days=10_000))
    reader = await open_unpooled_connection(database.dsn)
    await keep_partitions(reader)

    with pytest.raises(DatabaseUnavailable):
        await rotate()

    await reader.close()
    await rotate()
