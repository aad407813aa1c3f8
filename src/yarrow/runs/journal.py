"""The journal: numbered events of runs, in memory at once, in the table within a blink.

A run that executes in this process has a `RunLog`; followers here read it directly. A flush
loop appends what is new, for all runs in one statement, and its NOTIFY wakes followers in other
processes; they read the table, which is the truth. Flushes commit without waiting for the disk:
the log in memory stays complete until the run is settled, and after a lost connection all of it
is written again, so nothing depends on those commits having survived.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from yarrow.db import Database
from yarrow.errors import DatabaseUnavailable
from yarrow.ids import RunId
from yarrow.kit.json import JsonValue, decode_json
from yarrow.runs.events import TERMINAL, RunEvent, encode_event, event_from

log = logging.getLogger("yarrow.runs")

CHANNEL = "yarrow_events"
FLUSH_S = 0.025
FOLLOWED_FLUSH_S = 0.1
"""How long the table may lack the events of a run that is followed here: whoever waits for those
has them from memory, and a statement costs more than sending many events."""
RETRY_S = 0.25
LOOK_S = 1.0
"""How long a follower trusts the silence before it looks at the table itself."""
LINGER_S = 2.0
"""How long an ended run stays in memory, so that its followers need no query for the end."""
IDS_PER_NOTIFY = 200
NUL = b"\\u0000"
"""How JSON writes the one character that PostgreSQL refuses."""

_APPEND = """
WITH added AS (
    INSERT INTO run_events (run_id, seq, event)
    SELECT e.run_id, e.seq, e.event
    FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::jsonb[]) AS e (run_id, attempt, seq, event)
    JOIN runs r ON r.id = e.run_id AND r.attempt = e.attempt AND r.status = 'running'
    ON CONFLICT DO NOTHING
)
SELECT pg_notify('yarrow_events', told), set_config('synchronous_commit', 'off', true)
FROM unnest($5::text[]) AS told
"""

_OVER = "SELECT ended_at IS NOT NULL FROM runs WHERE id = $1"

_READ = "SELECT seq, event FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq"


class Numbered(NamedTuple):
    """An event and its place in its run."""

    seq: int
    event: RunEvent


class Encoded(NamedTuple):
    """An event's place and its JSON, ready for a jsonb parameter."""

    seq: int
    json: msgspec.Raw


class RunLog:
    """The events of one attempt, from its first to its last."""

    def __init__(self, run_id: RunId, *, attempt: int, first_seq: int) -> None:
        self.run_id = run_id
        self.attempt = attempt
        self.first_seq = first_seq
        self.flushed_at = 0.0
        self.events: list[RunEvent] = []
        self._unstored: list[bytes] = []
        """The JSON of the last events: those that the table may not have yet."""

    def add(self, event: RunEvent) -> None:
        """Write down the next fact."""
        encoded = encode_event(event)
        if NUL in encoded:
            event = without_nul(encoded)
            encoded = encode_event(event)
        self.events.append(event)
        self._unstored.append(encoded)

    def after(self, seq: int) -> list[Numbered]:
        """The events behind a place."""
        start = max(0, seq + 1 - self.first_seq)
        return [
            Numbered(self.first_seq + place, event)
            for place, event in enumerate(self.events[start:], start)
        ]

    def unstored(self) -> list[Encoded]:
        """The events that the table may not have yet."""
        first = self.next_seq - len(self._unstored)
        return [
            Encoded(seq, msgspec.Raw(encoded)) for seq, encoded in enumerate(self._unstored, first)
        ]

    def stored(self, count: int) -> None:
        """The table has the next so many events: their JSON is not needed again."""
        del self._unstored[:count]

    def ended(self, last: RunEvent) -> None:
        """The table has everything, the last fact included."""
        self.add(last)
        self._unstored.clear()

    def doubt(self) -> None:
        """The table may have lost what it was given."""
        self._unstored = [encode_event(event) for event in self.events]

    @property
    def next_seq(self) -> int:
        return self.first_seq + len(self.events)


class Journal:
    """All logs of this process, and the way to follow any run of the product."""

    def __init__(self, database: Database, *, heartbeat_s: float) -> None:
        self._database = database
        self._heartbeat_s = heartbeat_s
        self._expected: set[RunId] = set()
        self._live: dict[RunId, RunLog] = {}
        self._dirty: set[RunLog] = set()
        self._dirtied = asyncio.Event()
        self._in_flight: frozenset[RunLog] = frozenset()
        self._landed = asyncio.Event()
        self._followed: Counter[RunId] = Counter()
        self._watchers: dict[RunId, list[asyncio.Future[None]]] = {}
        self._closed = False

    def expect(self, run_id: RunId) -> None:
        """A new run starts here in a moment: its followers need not ask the table for it."""
        self._expected.add(run_id)

    def expect_no_more(self, run_id: RunId) -> None:
        """The run did not start here after all."""
        self._expected.discard(run_id)
        self._wake(run_id)

    def open(self, run_id: RunId, *, attempt: int, first_seq: int) -> RunLog:
        """Begin the log of an attempt."""
        self._expected.discard(run_id)
        run_log = self._live[run_id] = RunLog(run_id, attempt=attempt, first_seq=first_seq)
        return run_log

    def append(self, run_log: RunLog, event: RunEvent) -> None:
        """Add the next fact: followers here see it now, the table with the next flush."""
        run_log.add(event)
        if run_log not in self._dirty:
            self._dirty.add(run_log)
            self._dirtied.set()
        self._wake(run_log.run_id)

    async def hand_over(self, run_log: RunLog) -> list[Encoded]:
        """What the table does not have yet, for the settlement to write.

        Flushing of this run has stopped then: two transactions that insert the same events in
        two orders would wait for each other.
        """
        self._dirty.discard(run_log)
        if run_log in self._in_flight:
            await self._landed.wait()
        return run_log.unstored()

    async def store(self, run_log: RunLog) -> None:
        """Write what the table lacks of a run that goes on elsewhere."""
        unstored = await self.hand_over(run_log)
        if unstored:
            await self._append([(run_log, unstored)])

    def settled(self, run_log: RunLog, last: RunEvent) -> None:
        """The run's end is in the table: tell the followers, and forget it after a while."""
        self._dirty.discard(run_log)
        run_log.ended(last)
        self._wake(run_log.run_id)
        asyncio.get_running_loop().call_later(LINGER_S, self.discard, run_log)

    def discard(self, run_log: RunLog) -> None:
        """This log counts no more: the run is over, or another worker's."""
        self._dirty.discard(run_log)
        if self._live.get(run_log.run_id) is run_log:
            del self._live[run_log.run_id]
            self._wake(run_log.run_id)

    async def follow(self, run_id: RunId, *, after: int) -> AsyncIterator[list[Numbered]]:
        """The run's events behind a place, live or stored, up to its last one.

        An empty list is a heartbeat. The stream ends early only when the process stops.
        """
        now = asyncio.get_running_loop().time
        spoke_at = now()
        self._followed[run_id] += 1
        try:
            while not self._closed:
                news = self._watch(run_id)
                batch = await self._look(run_id, after)
                if batch:
                    yield batch
                    after, spoke_at = batch[-1].seq, now()
                    if isinstance(batch[-1].event, TERMINAL):
                        return
                    continue
                if await self._is_over(run_id):
                    # What came between the two looks; then there is nothing to wait for.
                    if batch := await self._look(run_id, after):
                        yield batch
                    return
                await news
                if now() - spoke_at >= self._heartbeat_s:
                    yield []
                    spoke_at = now()
        finally:
            self._followed[run_id] -= 1
            if not self._followed[run_id]:
                del self._followed[run_id]

    async def _look(self, run_id: RunId, after: int) -> list[Numbered]:
        run_log = self._live.get(run_id)
        if run_log is not None and after >= run_log.first_seq - 1:
            return run_log.after(after)
        if run_id in self._expected:
            return []
        stored = await self.read(run_id, after=after)
        if stored or run_log is None:
            return stored
        return run_log.after(after)

    async def _is_over(self, run_id: RunId) -> bool:
        """Whether there is nothing to wait for; asked when a follower has seen all there is."""
        run_log = self._live.get(run_id)
        if run_log is not None:
            return bool(run_log.events) and isinstance(run_log.events[-1], TERMINAL)
        if run_id in self._expected:
            return False
        try:
            async with self._database.connection() as tx:
                return bool(await tx.fetchval(_OVER, run_id))
        except DatabaseUnavailable:
            return False

    async def read(self, run_id: RunId, *, after: int) -> list[Numbered]:
        """What the table has behind a place; nothing when it cannot be asked."""
        try:
            async with self._database.connection() as tx:
                rows = await tx.fetch(_READ, run_id, after)
        except DatabaseUnavailable:
            return []
        return [Numbered(row["seq"], event_from(row["event"])) for row in rows]

    def _watch(self, run_id: RunId) -> asyncio.Future[None]:
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._watchers.setdefault(run_id, []).append(news)
        return news

    def _wake(self, run_id: RunId) -> None:
        for news in self._watchers.pop(run_id, ()):
            if not news.done():
                news.set_result(None)

    def _wake_all(self) -> None:
        for run_id in list(self._watchers):
            self._wake(run_id)

    def heard(self, payload: str) -> None:
        """Another process stored events of these runs."""
        for run_id in payload.split():
            if (known := RunId(UUID(run_id))) not in self._live:
                self._wake(known)

    def close_followers(self) -> None:
        """End every stream; clients come back with the last number they saw."""
        self._closed = True
        self._wake_all()

    async def look_around(self) -> None:
        """For ever: let followers look, in case a notice was lost or a heartbeat is due."""
        while True:
            await asyncio.sleep(LOOK_S)
            self._wake_all()

    async def listen(self) -> None:
        """For ever: hear of other processes' events; a lost connection is made again.

        It is the first to know that the database went away, perhaps between two flushes.
        """
        while True:
            lost = asyncio.Event()
            try:
                connection = await self._database.listen({CHANNEL: self.heard}, on_lost=lost.set)
            except DatabaseUnavailable:
                await asyncio.sleep(RETRY_S)
                continue
            self._doubt_everything()
            try:
                await lost.wait()
            finally:
                self._doubt_everything()
                await connection.close()

    async def flush(self) -> None:
        """For ever: store what is new and due, looking every 25 ms while there is something."""
        while True:
            await self._dirtied.wait()
            await asyncio.sleep(FLUSH_S)
            self._in_flight = self._due(asyncio.get_running_loop().time())
            self._dirty -= self._in_flight
            if not self._dirty:
                self._dirtied.clear()
            if not self._in_flight:
                continue
            self._landed.clear()
            try:
                await self._append([(run_log, run_log.unstored()) for run_log in self._in_flight])
            except DatabaseUnavailable:
                log.warning("journal.database_lost", extra={"runs": len(self._live)})
                self._doubt_everything()
                await asyncio.sleep(RETRY_S)
            except asyncpg.PostgresError:
                # Whatever it is, the settlement will meet it again and can fail the run.
                log.exception("journal.flush_failed", extra={"runs": len(self._in_flight)})
            finally:
                self._in_flight = frozenset()
                self._landed.set()

    def _due(self, now: float) -> frozenset[RunLog]:
        due = frozenset(
            run_log
            for run_log in self._dirty
            if run_log.run_id not in self._followed or now >= run_log.flushed_at + FOLLOWED_FLUSH_S
        )
        for run_log in due:
            run_log.flushed_at = now
        return due

    async def _append(self, batch: list[tuple[RunLog, list[Encoded]]]) -> None:
        rows = [(run_log, encoded) for run_log, events in batch for encoded in events]
        async with self._database.connection() as tx:
            await tx.execute(
                _APPEND,
                [run_log.run_id for run_log, _ in rows],
                [run_log.attempt for run_log, _ in rows],
                [encoded.seq for _, encoded in rows],
                [encoded.json for _, encoded in rows],
                list(_payloads(run_log.run_id for run_log, _ in batch)),
            )
        for run_log, events in batch:
            run_log.stored(len(events))

    def _doubt_everything(self) -> None:
        """A server that went away may have lost what it had not written to disk."""
        for run_log in self._live.values():
            if run_log.events and not isinstance(run_log.events[-1], TERMINAL):
                run_log.doubt()
                self._dirty.add(run_log)
        self._dirtied.set()


def encoded(seq: int, event: RunEvent) -> Encoded:
    """An event for a jsonb parameter."""
    return Encoded(seq, msgspec.Raw(encode_event(event)))


def without_nul(data: bytes) -> RunEvent:
    """The event with U+FFFD in place of NUL, which PostgreSQL cannot keep."""
    return event_from(_replaced(decode_json(data)))


def _replaced(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return value.replace("\0", "\ufffd")
        case list():
            return [_replaced(item) for item in value]
        case dict():
            return {_replaced(key): _replaced(item) for key, item in value.items()}
        case _:
            return value


def _payloads(run_ids: Iterable[RunId]) -> Iterable[str]:
    ids = [str(run_id) for run_id in run_ids]
    for start in range(0, len(ids), IDS_PER_NOTIFY):
        yield " ".join(ids[start : start + IDS_PER_NOTIFY])
