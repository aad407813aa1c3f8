"""The journal of this process: live logs, the flush loop, following any run."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from typing import NamedTuple
from uuid import UUID

import asyncpg

from yarrow.clock import Clock, system_clock
from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.notify import Notifications
from yarrow.ids import RunId
from yarrow.journal import store
from yarrow.journal.events import TERMINAL, RunEvent
from yarrow.journal.log import EventChunk, NumberedEvent, RunLog, split_events
from yarrow.journal.rebuild import rebuild_events

log = logging.getLogger("yarrow.runs")

FLUSH_S = 0.025
FOLLOWED_FLUSH_S = 0.1
"""Flush interval of a run that is followed here: those followers read from memory, and a
statement costs more than sending many events."""
ALONE_FLUSH_S = 0.25
"""Flush interval while no other process listens: the table is for a takeover only then."""
EVENTS_TO_FLUSH = 2_000
"""A run with so many new events is flushed at once: until then their JSON fills memory."""
RETRY_S = 0.25
POLL_S = 1.0
"""How long a follower waits for a notification before the table is asked for news."""
LINGER_S = 2.0
"""How long the log of an ended run stays in memory, so that its followers need no query."""


class _EventBatch(NamedTuple):
    """Events behind a sequence number, and the sequence number of the last of them."""

    events: list[NumberedEvent]
    seq: int
    has_ended: bool = False
    """Whether the run's last event is among them or before them."""


def _read_log(run_log: RunLog, seq: int) -> _EventBatch:
    last_seq = max(seq, run_log.next_seq - 1)
    return _EventBatch(run_log.read_after(seq), last_seq, run_log.has_ended)


class Journal:
    """All live logs of this process, and the way to follow any run of the product."""

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        *,
        heartbeat_s: float,
        clock: Clock = system_clock,
    ) -> None:
        self._database = database
        self._notifications = notifications
        self._clock = clock
        self._heartbeat_s = heartbeat_s
        self._followers = _Followers()
        self._announced: set[RunId] = set()
        self._live: dict[RunId, RunLog] = {}
        self._dirty: set[RunLog] = set()
        self._dirtied = asyncio.Event()
        self._in_flight: frozenset[RunLog] = frozenset()
        self._flush_done = asyncio.Event()
        notifications.subscribe(store.EVENTS_CHANNEL, self._on_notify)
        notifications.on_gap(self._mark_all_unflushed)

    def announce(self, run_id: RunId) -> None:
        """A new run is about to start here: its followers wait for it without a query."""
        self._announced.add(run_id)

    def withdraw(self, run_id: RunId) -> None:
        """The announced run did not start here."""
        self._announced.discard(run_id)
        self._followers.wake(run_id)

    def open(self, run_id: RunId, *, attempt: int) -> RunLog:
        """Start the log of an attempt."""
        self._announced.discard(run_id)
        run_log = self._live[run_id] = RunLog(run_id, attempt=attempt)
        # A short run that only this process reads is written once, by its settlement.
        run_log.flushed_at = asyncio.get_running_loop().time()
        return run_log

    def append(self, run_log: RunLog, event: RunEvent) -> None:
        """Append an event: followers here see it now, the table has it after the next flush."""
        run_log.mark_time(int(self._clock().timestamp() * 1000))
        if run_log not in self._dirty:
            self._dirty.add(run_log)
            self._dirtied.set()
        run_log.add(event)
        self._followers.wake(run_log.run_id)

    async def stop_flushing(self, run_log: RunLog) -> None:
        """Leave the rest of the run's events to the settlement.

        A flush beside it would store events twice, or deadlock with it: neither a lost connection
        nor the loop starts another.
        """
        if run_log.settling_since is None:
            run_log.settling_since = asyncio.get_running_loop().time()
        await self._finish_flush(run_log)

    async def flush_one(self, run_log: RunLog) -> None:
        """Write what the table lacks of a run, at once."""
        await self._finish_flush(run_log)
        if run_log.has_unflushed:
            await self._write_batch([(run_log, run_log.unflushed_chunk())])

    async def _finish_flush(self, run_log: RunLog) -> None:
        """Take the run from the loop's next flush, and wait for one that is under way: two
        transactions that insert the same events in different orders would deadlock."""
        self._dirty.discard(run_log)
        if run_log in self._in_flight:
            await self._flush_done.wait()

    def close_log(self, run_log: RunLog, last: RunEvent) -> None:
        """Add the stored terminal event; the log is discarded after `LINGER_S`."""
        self._dirty.discard(run_log)
        run_log.finish(last)
        self._followers.wake(run_log.run_id)
        asyncio.get_running_loop().call_later(LINGER_S, self.discard, run_log)

    def discard(self, run_log: RunLog) -> None:
        """Forget the log: the run has ended, or another worker owns it."""
        self._dirty.discard(run_log)
        if self._live.get(run_log.run_id) is run_log:
            del self._live[run_log.run_id]
            self._followers.wake(run_log.run_id)

    async def follow(
        self,
        run_id: RunId,
        *,
        after: int,
        patience_s: float | None = None,
        piece_events: int | None = None,
    ) -> AsyncGenerator[list[NumberedEvent], None]:
        """Yield the run's events behind a client's number, live or stored, up to the last one.

        A list has all that there are, or `piece_events`: a long replay holds no more, and lets
        other tasks run. An empty list is a heartbeat. The stream ends early only when the process
        stops. A database that is away is waited for, but with `patience_s` only so long: after the
        beginning of the settlement if that was here, else after the database was lost.
        """
        loop = asyncio.get_running_loop()
        now = loop.time
        run_log: RunLog | None = None
        lost_at: float | None = None
        # An event's sequence number is at least its number: no event behind `after` is missed.
        with self._followers.join(run_id, seq=after, now=now()) as follower:
            while not self._followers.closed:
                # The future comes first: an event between reading and waiting still wakes us.
                wake = follower.next_wake()
                try:
                    news = await self._read_news(run_id, follower.seq, enough=piece_events)
                    run_log, lost_at = self._live.get(run_id), None
                except DatabaseUnavailable:
                    news = _EventBatch([], follower.seq)
                    if patience_s is not None:
                        lost_at = now() if lost_at is None else lost_at
                        settling_since = None if run_log is None else run_log.settling_since
                        if now() - (settling_since or lost_at) >= patience_s:
                            raise
                        loop.call_later(RETRY_S, follower.notify)
                follower.seq = news.seq
                for piece in split_events(news.events, after=after, size=piece_events):
                    yield piece
                    follower.sent_at = now()
                    if len(piece) == piece_events:
                        await asyncio.sleep(0)
                if news.has_ended:
                    return
                if news.events:
                    continue
                await wake
                if now() - follower.sent_at >= self._heartbeat_s:
                    yield []
                    follower.sent_at = now()

    async def read(self, run_id: RunId) -> list[NumberedEvent]:
        """Read the stored events of all attempts."""
        async with self._database.connection() as tx:
            return (await store.read_later_events(tx, run_id, 0)).events

    async def read_present(self, run_id: RunId) -> list[NumberedEvent]:
        """Read the events that a run has now, live or stored."""
        return (await self._read_news(run_id, 0)).events

    async def _read_news(
        self, run_id: RunId, seq: int, *, enough: int | None = None
    ) -> _EventBatch:
        """Read the events behind a sequence number, of the stored ones only as many as `enough`."""
        run_log = self._live.get(run_id)
        if run_log is not None and seq >= run_log.first_seq - 1:
            return _read_log(run_log, seq)
        if run_id in self._announced:
            return _EventBatch([], seq)
        async with self._database.connection() as tx:
            stored = await store.read_later_events(tx, run_id, seq, enough=enough)
            if stored.events:
                return _EventBatch(*stored, isinstance(stored.events[-1].event, TERMINAL))
            if run_log is not None:
                # A cursor from before this attempt, and nothing stored of the earlier ones.
                return _read_log(run_log, seq)
            if not await store.has_run_ended(tx, run_id):
                return _EventBatch([], seq)
            # Events that were stored between the two queries; after them nothing can come.
            stored = await store.read_later_events(tx, run_id, seq)
            events = stored.events or rebuild_events(await store.read_without_chunks(tx, run_id))
            return _EventBatch(events, stored.last_seq, has_ended=True)

    def _on_notify(self, payload: str) -> None:
        """Another process stored events of these runs; those that live here need no query."""
        for run_id in payload.split():
            if (known := RunId(UUID(run_id))) not in self._live:
                self._followers.wake(known)

    def is_followed(self, run_id: RunId) -> bool:
        """Whether a stream of this process follows the run."""
        return self._followers.is_followed(run_id)

    def close_followers(self) -> None:
        """End every stream; clients reconnect with the last number they have."""
        self._followers.close()

    async def poll(self) -> None:
        """Loop: wake followers whose notification was lost, and those that owe a heartbeat.

        One query a second for all runs that do not execute here.
        """
        while True:
            await asyncio.sleep(POLL_S)
            self._followers.wake_silent(asyncio.get_running_loop().time() - self._heartbeat_s)
            cursors = self._followers.cursors(besides=self._live.keys() | self._announced)
            if not cursors:
                continue
            with suppress(DatabaseUnavailable, asyncpg.PostgresError):
                async with self._database.connection() as tx:
                    for run_id in await store.list_runs_with_new_events(tx, cursors):
                        self._followers.wake(run_id)

    async def flush(self) -> None:
        """Loop: every 25 ms, write the new events of runs that are due (`_take_due`)."""
        while True:
            await self._dirtied.wait()
            await asyncio.sleep(FLUSH_S)
            self._in_flight = self._take_due(asyncio.get_running_loop().time())
            if not self._dirty:
                self._dirtied.clear()
            if not self._in_flight:
                continue
            self._flush_done.clear()
            batch = [
                (run_log, run_log.unflushed_chunk())
                for run_log in self._in_flight
                if run_log.has_unflushed
            ]
            try:
                await self._write_batch(batch)
            except DatabaseUnavailable:
                log.warning("journal.database_lost", extra={"runs": len(self._live)})
                self._mark_all_unflushed()
                await asyncio.sleep(RETRY_S)
            except asyncpg.PostgresError:
                log.exception("journal.flush_failed", extra={"runs": len(self._in_flight)})
                await self._write_one_by_one(batch)
            finally:
                self._in_flight = frozenset()
                self._flush_done.set()

    def _take_due(self, now: float) -> frozenset[RunLog]:
        has_readers = self._notifications.has_other_listeners
        due = frozenset(
            run_log
            for run_log in self._dirty
            if run_log.count_unflushed() >= EVENTS_TO_FLUSH
            or now >= run_log.flushed_at + self._flush_interval(run_log, has_readers=has_readers)
        )
        for run_log in due:
            run_log.flushed_at = now
        self._dirty -= due
        return due

    def _flush_interval(self, run_log: RunLog, *, has_readers: bool) -> float:
        if not has_readers:
            return ALONE_FLUSH_S
        return FOLLOWED_FLUSH_S if self._followers.is_followed(run_log.run_id) else 0.0

    async def _write_batch(self, batch: Sequence[tuple[RunLog, EventChunk]]) -> None:
        generations = [run_log.generation for run_log, _ in batch]
        async with self._database.reserved_connection() as tx:
            notifies = self._notifications.has_other_listeners
            await store.append_chunks(tx, batch, notifies=notifies)
        for (run_log, chunk), generation in zip(batch, generations, strict=True):
            run_log.mark_flushed(chunk, generation=generation)

    async def _write_one_by_one(self, batch: Sequence[tuple[RunLog, EventChunk]]) -> None:
        """One run's events are refused: the others must not wait for them.

        The settlement of that run meets the same error, and fails it.
        """
        for item in batch:
            with suppress(asyncpg.PostgresError, DatabaseUnavailable):
                await self._write_batch([item])

    def _mark_all_unflushed(self) -> None:
        """After a lost connection: the server may have crashed and lost asynchronous commits."""
        for run_log in self._live.values():
            if run_log.events and not run_log.has_ended:
                run_log.mark_unflushed()
                if run_log.settling_since is None:
                    self._dirty.add(run_log)
        self._dirtied.set()


class _Follower:
    """One stream: the sequence number it has read up to, when it sent, and what wakes it."""

    __slots__ = ("sent_at", "seq", "wake")

    def __init__(self, seq: int, now: float) -> None:
        self.seq, self.sent_at = seq, now
        self.wake: asyncio.Future[None] | None = None

    def next_wake(self) -> asyncio.Future[None]:
        """Return a future for the next wake-up. Take it before reading: no event is missed then."""
        self.wake = asyncio.get_running_loop().create_future()
        return self.wake

    def notify(self) -> None:
        if self.wake is not None and not self.wake.done():
            self.wake.set_result(None)


class _Followers:
    """Who follows which run in this process, and waking them."""

    def __init__(self) -> None:
        self._by_run: dict[RunId, set[_Follower]] = {}
        self.closed = False

    def is_followed(self, run_id: RunId) -> bool:
        return run_id in self._by_run

    @contextmanager
    def join(self, run_id: RunId, *, seq: int, now: float) -> Iterator[_Follower]:
        """Follow the run while the block lasts."""
        follower = _Follower(seq, now)
        self._by_run.setdefault(run_id, set()).add(follower)
        try:
            yield follower
        finally:
            followers = self._by_run[run_id]
            followers.discard(follower)
            if not followers:
                del self._by_run[run_id]

    def cursors(self, *, besides: AbstractSet[RunId]) -> dict[RunId, int]:
        """The lowest sequence number that followers of each other run have read up to."""
        return {
            run_id: min(follower.seq for follower in followers)
            for run_id, followers in self._by_run.items()
            if run_id not in besides
        }

    def wake(self, run_id: RunId) -> None:
        for follower in self._by_run.get(run_id, ()):
            follower.notify()

    def wake_silent(self, since: float) -> None:
        """Wake those that have sent nothing since a time of the loop's clock."""
        for followers in self._by_run.values():
            for follower in followers:
                if follower.sent_at <= since:
                    follower.notify()

    def close(self) -> None:
        """End every stream; clients reconnect with the last number they have."""
        self.closed = True
        for run_id in self._by_run:
            self.wake(run_id)
