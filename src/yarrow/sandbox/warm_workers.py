"""Rooms: jobs that stay for one workspace, so that its next chart finds everything warm.

A fork costs a job far more than a small query or program does: it copies every page that it
touches. So plain work, which leaves nothing behind, is done in a job that did such work before,
for the same owner. A room sees no files at all: tables are brought to it as bytes, small ones only.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from yarrow.kit.limiter import Turns
from yarrow.sandbox.client import Job, JobGone, Zygote
from yarrow.sandbox.job_spec import for_duckdb, needs_of
from yarrow.sandbox.model import Frame, Limits
from yarrow.sandbox.protocol import Answer, Bring, Failed, Kept, OpenRoom, Order, Ran
from yarrow.sandbox.python_session import most_bytes
from yarrow.sandbox.receive import receive_frame

IDLE_S = 60.0
MOST_USES = 500
MOST_TABLES_BYTES = 4 * 1024 * 1024
"""Of one order, as Parquet; with larger tables the fork is not what takes the time."""
MOST_BROUGHT_BYTES = 32 * 1024 * 1024
LONG_LIFE = 10
"""A room may compute as long as so many of its orders."""


class Key(NamedTuple):
    """Whose room it is, what its process can do, and what an order may use."""

    owner: str
    zygote: Zygote
    memory_mb: int
    seconds: float


class Wanted(NamedTuple):
    """A query or a program, the tables it may name, and the order once a room has those."""

    text: str
    tables: Mapping[str, Path]
    order: Callable[[Mapping[str, str]], Order]


class Table(NamedTuple):
    """A table's file, under a name that another content would not have."""

    path: Path
    file: str
    size: int


@dataclass(slots=True)
class _Room:
    """One job, and what it has seen so far."""

    key: Key
    job: Job
    files: set[str]
    brought_bytes: int = 0
    busy_s: float = 0.0
    uses: int = 0
    free_since: float = 0.0

    @property
    def is_worn(self) -> bool:
        return (
            self.uses >= MOST_USES
            or self.brought_bytes >= MOST_BROUGHT_BYTES
            or self.busy_s >= self.key.seconds * (LONG_LIFE / 2)
        )

    async def take_in(self, tables: Mapping[str, Table]) -> dict[str, str]:
        """The tables' names, and what the room calls their files; what it lacks is brought."""
        if not self.uses:
            # Twice the time: the clock that counts is ours, and ends the room.
            max_ms = int(self.key.seconds * 2000)
            await self.job.tell(OpenRoom(for_duckdb(self.key.memory_mb), max_ms))
        for table in tables.values():
            if table.file not in self.files:
                data = await asyncio.to_thread(table.path.read_bytes)
                await self.job.tell(Bring(table.file, len(data)), data)
                self.files.add(table.file)
                self.brought_bytes += len(data)
        return {name: table.file for name, table in tables.items()}


class Rooms:
    """Opened when first needed, given up when nobody came for a while, or too many are there."""

    def __init__(self, most: int, *, turns: Turns, spool_path: Callable[[str], Path]) -> None:
        self._most, self._turns, self._spool_path = most, turns, spool_path
        self._free: list[_Room] = []
        """The one that waited longest comes first."""
        self._sweep: asyncio.TimerHandle | None = None

    async def ask(
        self, key: Key, wanted: Wanted, *, limits: Limits
    ) -> tuple[Answer, Frame | None] | None:
        """The answer, with its frame if it has one; `TimeoutError` when it took too long.

        None when a room is not the place for it: then the ordinary way must be taken.
        """
        if (named := _named(wanted)) is None or not self._most:
            return None
        async with self._turns.one():
            room = self._take(key) or await _open(key)
            is_sound, began = False, time.monotonic()
            try:
                async with asyncio.timeout(key.seconds):
                    files = await room.take_in(named)
                    answer, frame = await self._answer(room.job, wanted.order(files), limits)
                is_sound = True
            except (JobGone, FileNotFoundError):
                return None
            finally:
                room.uses += 1
                room.busy_s += time.monotonic() - began
                self._put_back(room, is_sound=is_sound)
        return None if isinstance(answer, Failed) else (answer, frame)

    def close(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
        while self._free:
            self._free.pop().job.end()

    async def _answer(self, job: Job, order: Order, limits: Limits) -> tuple[Answer, Frame | None]:
        answer = await job.ask(order, max_bytes=most_bytes(limits))
        match answer:
            case Ran(made=made, output_bytes=size) | Kept(made=made, output_bytes=size) if made:
                path = self._spool_path(".parquet")
                return answer, await receive_frame(job, made, size, limits=limits, path=path)
            case _:
                return answer, None

    def _take(self, key: Key) -> _Room | None:
        room = next((room for room in reversed(self._free) if room.key == key), None)
        if room is not None:
            self._free.remove(room)
        return room

    def _put_back(self, room: _Room, *, is_sound: bool) -> None:
        if room.is_worn or not is_sound:
            room.job.end()
            return
        room.free_since = time.monotonic()
        self._free.append(room)
        while len(self._free) > self._most:
            self._free.pop(0).job.end()
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(IDLE_S, self._give_up)

    def _give_up(self) -> None:
        """End the rooms that nobody came for, and look again when the next may be due."""
        now, self._sweep = time.monotonic(), None
        while self._free and (left := self._free[0].free_since + IDLE_S - now) <= 0:
            self._free.pop(0).job.end()
        if self._free:
            self._sweep = asyncio.get_running_loop().call_later(left, self._give_up)


async def _open(key: Key) -> _Room:
    limits = Limits(seconds=key.seconds, memory_mb=key.memory_mb)
    needs = needs_of({}, limits, seconds=key.seconds * LONG_LIFE)
    return _Room(key, await key.zygote.start(needs), set())


def _named(wanted: Wanted) -> dict[str, Table] | None:
    """The tables that a text may mean, one too many does no harm; None if they are too large."""
    text = wanted.text.casefold()
    found = {name: path for name, path in wanted.tables.items() if name.casefold() in text}
    try:
        tables = {name: _table(path) for name, path in found.items()}
    except FileNotFoundError:
        return None
    fits = sum(table.size for table in tables.values()) <= MOST_TABLES_BYTES
    return tables if fits else None


def _table(path: Path) -> Table:
    about = path.stat()
    return Table(path, f"{path.stem}-{about.st_mtime_ns}-{about.st_size}", about.st_size)
