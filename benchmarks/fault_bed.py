"""The ground for fault trials: processes, an account, and a look at the books afterwards."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from time import perf_counter

import psutil
from benchmarks.client import Client, Frame, Refused, Stuck, Wish, complaints
from benchmarks.deployment import Account, Deployment, Server
from benchmarks.fault_invariants import fault_violations, file_violations
from benchmarks.invariants import Violation, unfinished, violations
from benchmarks.processes import START_LIMIT_S, STOP_LIMIT_S, Child, send
from msgspec import Struct, field

from yarrow.db import open_database
from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid
from yarrow.db.embedded.server_processes import is_alive, wait_until

REST_S = 20.0
PLENTY = 1_000_000
ORPHAN_CHECKS = 50
MAX_TAKEOVER_S = 6.0
"""Reported, not judged: a machine with other work on it is slower."""
SLOW = f"took more than {MAX_TAKEOVER_S:.0f} s"


class Untried(Exception):
    """This machine does not let us make the fault."""


class Outcome(Struct):
    """What came of the trials of one fault."""

    fault: str
    trials: int = 0
    runs: int = 0
    wrong: list[str] = field(default_factory=list)
    recoveries: list[float] = field(default_factory=list)
    """Seconds from the fault until a run it hit went on; for the database, the longest pause
    between two acceptances."""
    notes: dict[str, int] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    """Seconds until each run of a neighbour was accepted."""
    growth_mb: float | None = None
    """Growth of the server's resident memory."""

    def note(self, what: str) -> None:
        self.notes[what] = self.notes.get(what, 0) + 1


class Layout(Enum):
    """The processes on one database that a fault hits."""

    ALONE = 1
    PAIR = 2
    """Two servers: races between processes, not only between tasks."""
    WORKERS = 3
    """A server without a worker of its own, and two workers."""


class Processes(Struct):
    """What runs now. A fault that replaces a process replaces it here."""

    layout: Layout
    servers: list[Server] = field(default_factory=list)
    workers: list[Child] = field(default_factory=list)

    @property
    def children(self) -> list[Child]:
        return [*(server.child for server in self.servers), *self.workers]


class Bed(Struct):
    """A deployment on which faults are tried."""

    deployment: Deployment
    dsn: str = ""
    database: EmbeddedPostgres | None = None
    dice: random.Random = field(default_factory=random.Random)
    processes: Processes | None = None

    async def use(self, layout: Layout) -> Processes:
        """The processes of the last fault if they have this layout, else new ones."""
        kept = self.processes
        if kept is not None and kept.layout is layout and not any(c.ended for c in kept.children):
            return kept
        if kept is not None:
            await end(kept.children)
        self.processes, started = None, Processes(layout)
        match layout:
            case Layout.ALONE:
                started.servers.append(await self.serve())
            case Layout.PAIR:
                started.servers += [await self.serve(), await self.serve()]
            case Layout.WORKERS:
                started.servers.append(await self.serve("--no-worker"))
                started.workers += [await self.deployment.worker() for _ in range(2)]
        self.processes = started
        return started

    async def serve(self, *options: str, port: int = 0) -> Server:
        """Start a server, and learn from the first one where the database is."""
        server = await self.deployment.serve(*options, port=port)
        self.dsn = self.dsn or await self.deployment.dsn()
        return server

    async def client(self, *servers: Server, points: int = PLENTY) -> Client:
        """A new account that uses these servers in turn."""
        account = await self._account(servers[0], points)
        return Client(self.deployment.http, account, *(server.url for server in servers))

    async def _account(self, server: Server, points: int) -> Account:
        async with open_database(self.dsn, size=4) as database:
            return await self.deployment.account(server, database, points=points)

    async def live_workers(self) -> int:
        """Workers that gave a sign of life in the last two seconds."""
        async with open_database(self.dsn, size=4) as database, database.connection() as tx:
            count: int = await tx.fetchval(
                "SELECT count(*) FROM workers WHERE seen_at > now() - interval '2 seconds'"
            )
            return count

    async def wait_for_workers(self, count: int) -> None:
        """Return when so many workers are alive."""
        async with asyncio.timeout(START_LIMIT_S):
            while await self.live_workers() != count:
                await asyncio.sleep(0.2)

    async def books(self) -> list[Violation]:
        """Wait until everything has ended, and check every rule; nothing may have been started."""
        if not self.dsn:
            return []
        deadline = perf_counter() + REST_S
        async with open_database(self.dsn, size=4) as database, database.connection() as tx:
            while await unfinished(tx) and perf_counter() < deadline:
                await asyncio.sleep(0.1)
            files = await file_violations(tx, self.deployment.data_dir)
            return [*await violations(tx), *await fault_violations(tx), *files]

    async def orphans(self, killed: Child) -> list[str]:
        """Children of a killed process that are still there after a while."""
        for _ in range(ORPHAN_CHECKS):
            left = _session_processes(killed.pid)
            if not left:
                return []
            await asyncio.sleep(0.1)
        return [f"process {process.pid} outlives {killed.pid}" for process in left]

    def kill_database(self) -> None:
        """End all of PostgreSQL as a power cut would."""
        for pid in self.deployment.database_pids():
            send(pid, signal.SIGKILL)

    async def stop_database(self) -> None:
        """An immediate shutdown: no checkpoint, so that the next start has to recover."""
        postmaster = find_postmaster_pid(self.deployment.data_dir)
        if postmaster is not None:
            process = psutil.Process(postmaster)
            send(postmaster, signal.SIGQUIT)
            await asyncio.to_thread(_wait_gone, process)

    async def start_database(self) -> None:
        """Start it again, as an operator would."""
        if self.database is None:
            self.database = EmbeddedPostgres(self.deployment.data_dir)
        await asyncio.to_thread(self.database.start)

    async def crash_backend(self) -> None:
        """Kill one connection's process: PostgreSQL then ends all of them and recovers."""
        async with open_database(self.dsn, size=4) as database, database.connection() as tx:
            pid = await tx.fetchval(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                "AND pid <> pg_backend_pid() AND application_name = '' LIMIT 1"
            )
        send(pid, signal.SIGKILL)

    def close(self) -> None:
        """Leave the database to those who still use it."""
        if self.database is not None:
            self.database.stop()


def _session_processes(leader: int) -> list[psutil.Process]:
    """The processes of a session besides PostgreSQL's, which serves other processes too."""
    found = []
    for process in psutil.process_iter(["name", "status"]):
        with suppress(ProcessLookupError, PermissionError):
            if os.getsid(process.pid) != leader or process.info["status"] == psutil.STATUS_ZOMBIE:
                continue
            if process.info["name"] != "postgres":
                found.append(process)
    return found


def _wait_gone(process: psutil.Process) -> None:
    """A postmaster whose parent does not collect it stays behind as a zombie."""
    wait_until(lambda: not is_alive(process), timeout_s=STOP_LIMIT_S)


@contextmanager
def judged(outcome: Outcome) -> Iterator[None]:
    """Whatever a client could not get done is a finding."""
    try:
        yield
    except (Refused, Stuck) as wrong:
        outcome.wrong.append(f"{outcome.fault}: {type(wrong).__name__}: {wrong}")


async def follow_all(
    outcome: Outcome, client: Client, wishes: Sequence[Wish], expected: str
) -> list[list[Frame]]:
    """Submit the runs and follow all of them to their ends, checking what each client sees."""

    async def one(wish: Wish) -> list[Frame]:
        frames: list[Frame] = []
        with judged(outcome):
            await client.submit(wish)
            outcome.runs += 1
            await client.watch(wish, seen=frames)
            outcome.wrong += complaints(wish, frames, expected)
        return frames

    async with asyncio.TaskGroup() as tasks:
        going = [tasks.create_task(one(wish)) for wish in wishes]
    return [task.result() for task in going]


def recovery(frames: list[Frame], struck_at: float) -> float | None:
    """Seconds from the fault to the restart of a run; None if the fault did not hit it."""
    for place, frame in enumerate(frames):
        if frame.at > struck_at and (frame.restarts or place == 0):
            return frame.at - struck_at
    return None


async def end(children: Sequence[Child]) -> None:
    """Stop processes in an orderly way."""
    await asyncio.gather(*(child.stop() for child in children))
