"""Proxies before the database and the model of a server, which stop it between two steps.

A step is a statement that the server executes, a request to the model or a piece of its answer.
Each has a point before it: nothing of it has arrived. A statement that commits has a point behind
it as well: it is stored, and the server does not know.
"""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit
from zlib import crc32

from benchmarks.processes import LOOPBACK
from msgspec import Struct, field

SOCKET = ".s.PGSQL.5432"
CHUNK = 256 * 1024
HEADER = 5
"""Bytes of a message's type and length."""
NAME_CHARS = 90
COMMIT = "COMMIT;"
IDLE = b"I"
"""The state of a connection without a transaction: what it has executed is committed."""
ASKED, PIECE = "the model is asked", "a piece of the model's answer"
BACKGROUND = re.compile(
    r"AND worker_id = \$1|queued_work|AS eta|FROM pgqueuer q |FROM pg_locks|LISTEN"
    r"|set_config\('jit'|typeinfo_tree"
    r"|(INTO|UPDATE|FROM) (workers|branch_waiters|pgqueuer_log) (\(|SET|WHERE)"
)
"""Statements that a server executes also when nobody asks for anything, or on a new connection."""
WRITES = re.compile(r"\b(INSERT|UPDATE|DELETE|COMMIT)\b")
"""Behind a statement that only reads everything is as it was before it."""


class Point(Struct, frozen=True):
    """A place between two steps."""

    step: str
    is_behind: bool = False
    """The step is done, and the server has no answer."""
    number: int = 1
    """Of several that are called the same."""

    def __str__(self) -> str:
        return f"{'after' if self.is_behind else 'before'} #{self.number} of {self.step}"


class StepWatch(Struct):
    """Sees the points of all connections of a server; one of them strikes."""

    target: Point | None = None
    strike: Callable[[], None] = lambda: None
    points: list[Point] = field(default_factory=list)
    has_struck: bool = False
    is_on: bool = False

    def begin(self, target: Point | None, strike: Callable[[], None]) -> None:
        self.points, self.has_struck, self.is_on = [], False, True
        self.target, self.strike = target, strike

    def end(self) -> None:
        self.is_on = False

    def pass_point(self, step: str, *, is_behind: bool = False) -> None:
        """Note a point; strike if it is the one."""
        if not self.is_on:
            return
        number = 1 + sum(p.step == step and p.is_behind == is_behind for p in self.points)
        self.points.append(Point(step, is_behind, number))
        if self.points[-1] == self.target:
            self.has_struck, self.is_on = True, False
            self.strike()


class _Statement(Struct, frozen=True):
    """A statement that a server executes."""

    name: str = ""
    """Its text in short; empty if it is not part of a turn."""
    writes: bool = False


def _read_statement(sql: str) -> _Statement:
    text = " ".join(sql.split())
    if BACKGROUND.search(text):
        return _Statement()
    is_short = len(text) <= NAME_CHARS
    name = text if is_short else f"{text[:NAME_CHARS]}… {crc32(text.encode()):x}"
    return _Statement(name, writes=WRITES.search(text) is not None)


class _Messages:
    """Splits a stream of protocol messages."""

    def __init__(self, *, has_startup: bool) -> None:
        self._rest = b""
        self._has_startup = has_startup

    def split(self, data: bytes) -> list[bytes]:
        """The messages that are complete now."""
        self._rest += data
        found = []
        while len(self._rest) >= HEADER:
            start = 0 if self._has_startup else 1
            size = start + int.from_bytes(self._rest[start : start + 4])
            if len(self._rest) < size:
                break
            found.append(self._rest[:size])
            self._rest, self._has_startup = self._rest[size:], False
        return found


class _Statements:
    """What one connection prepares, binds and executes."""

    def __init__(self) -> None:
        self._prepared: dict[bytes, _Statement] = {}
        self._bound = self._last = _Statement()
        self._unanswered: deque[_Statement] = deque()

    def read_request(self, message: bytes) -> str:
        """The name of the statement that this message of the client executes, if it does."""
        kind, body = message[:1], message[HEADER:]
        match kind:
            case b"P":
                name, query, _ = body.split(b"\0", 2)
                self._prepared[name] = _read_statement(query.decode())
            case b"B":
                self._bound = self._prepared.get(body.split(b"\0", 2)[1], _Statement())
            case b"E":
                self._last = self._bound
                return self._last.name
            case b"Q":
                self._last = self._read_query(body.rstrip(b"\0").decode())
                self._unanswered.append(self._last)
                return self._last.name
            case b"S":
                self._unanswered.append(self._last)
        return ""

    def _read_query(self, sql: str) -> _Statement:
        """A query without parameters; the end of a transaction is named by its last statement."""
        if sql == COMMIT:
            before = self._last.name
            return _Statement(f"{COMMIT} behind {before}", writes=True) if before else self._last
        return _read_statement(sql)

    def read_answer(self, message: bytes) -> str:
        """The name of the statement that is committed with this message, if one is."""
        if message[:1] != b"Z" or not self._unanswered:
            return ""
        statement = self._unanswered.popleft()
        return statement.name if statement.writes and message[HEADER:] == IDLE else ""


class StepWire:
    """The two proxies of a server, and all their connections."""

    def __init__(self, upstream: Path, model_port: int) -> None:
        self.watch = StepWatch()
        self.is_away = False
        """Connections to the database are closed at once."""
        self.questions = 0
        """How often something was sent to the model."""
        self.dsn = ""
        self.model_url = ""
        self._upstream, self._model_port = upstream, model_port
        self._open: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Close all connections to the database; what was not forwarded yet is lost."""
        for writer in self._open:
            writer.transport.abort()

    async def connect_database(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Forward messages in both directions until either side closes."""
        if self.is_away:
            writer.transport.abort()
            return
        try:
            up_reader, up_writer = await asyncio.open_unix_connection(self._upstream)
        except OSError:
            writer.transport.abort()
            return
        statements, both = _Statements(), {writer, up_writer}
        self._open |= both

        def forward_request(message: bytes) -> None:
            if step := statements.read_request(message):
                self.watch.pass_point(step)
            up_writer.write(message)

        def forward_answer(message: bytes) -> None:
            if step := statements.read_answer(message):
                self.watch.pass_point(step, is_behind=True)
            writer.write(message)

        try:
            await _until_either(
                _split(reader, _Messages(has_startup=True), forward_request),
                _split(up_reader, _Messages(has_startup=False), forward_answer),
            )
        finally:
            self._open -= both
            writer.close()
            up_writer.close()

    async def connect_model(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Forward what the server asks and the pieces that it gets."""
        up_reader, up_writer = await asyncio.open_connection(LOOPBACK, self._model_port)
        try:
            await _until_either(
                self._forward_pieces(reader, up_writer, ASKED),
                self._forward_pieces(up_reader, writer, PIECE),
            )
        finally:
            writer.close()
            up_writer.close()

    async def _forward_pieces(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, step: str
    ) -> None:
        while data := await reader.read(CHUNK):
            self.questions += step == ASKED
            self.watch.pass_point(step)
            writer.write(data)


async def _split(
    reader: asyncio.StreamReader, messages: _Messages, forward: Callable[[bytes], None]
) -> None:
    while data := await reader.read(CHUNK):
        for message in messages.split(data):
            forward(message)


async def _until_either(*directions: Coroutine[None, None, None]) -> None:
    """Return when one direction has ended; a connection that was cut is no error here."""
    tasks = [asyncio.create_task(each) for each in directions]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def step_wire(dsn: str, model_port: int, folder: Path) -> AsyncIterator[StepWire]:
    """Proxies before the database at `dsn`, which listens on a Unix socket, and a model."""
    [upstream] = parse_qs(urlsplit(dsn).query)["host"]
    wire = StepWire(Path(upstream, SOCKET), model_port)
    database = await asyncio.start_unix_server(wire.connect_database, folder / SOCKET)
    model = await asyncio.start_server(wire.connect_model, LOOPBACK, 0)
    async with database, model:
        wire.dsn = dsn.replace(f"host={quote(upstream)}", f"host={quote(str(folder))}")
        wire.model_url = f"http://{LOOPBACK}:{model.sockets[0].getsockname()[1]}/v1"
        yield wire
