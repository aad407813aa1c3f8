"""The process that forks: it has imported everything, and hands each job to a copy of itself.

Started by `process` as `main(TRADE, MODE, FOLDER, SOCKET)`. With the mode `jailed` it
moves out of the host first; a light process stays behind only to wait for it.
"""

import errno
import gc
import importlib
import os
import resource
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.namespaces import fork_inside, leave_the_host
from yarrow.isolation.privileges import give_up_rights, go_last, session_goes_last
from yarrow.sandbox import jail
from yarrow.sandbox.channel import Channel
from yarrow.sandbox.protocol import Kill, Start

READY = b"ready"
MAX_MESSAGE = 128 * 1024

_messages = msgspec.json.Decoder(Start | Kill)


class Trade(Protocol):
    """What a zygote can do: a module with these two functions."""

    def warm_up(self) -> None:
        """Import, open, allocate: whatever every job would do again. No threads may start."""
        ...

    def work(self, channel: Channel) -> None:
        """Carry out the orders of one job."""
        ...


class Zygote:
    """Forks on request, ends jobs on request, and goes when the server does."""

    def __init__(self, control: socket.socket, trade: Trade, *, folder: Path | None) -> None:
        self._control = control
        self._trade = trade
        self._folder = folder
        """Where the tables are, for jobs without a jail; None: jobs are jailed."""
        self._jobs: dict[int, int] = {}
        self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._mapped = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[0])

    def serve(self) -> None:
        """Until the server closes its end."""
        waker_r, waker_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker_w, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._control.send(READY)
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(waker_r, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._control:
                        self._obey()
                    else:
                        os.read(waker_r, 4096)
                self._reap()

    def _obey(self) -> None:
        data, fds, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 1)
        if not data:
            os._exit(0)
        match _messages.decode(data):
            case Kill(job):
                if (process := self._jobs.get(job)) is not None:
                    os.kill(process, signal.SIGKILL)
            case Start() as start:
                self._fork(start, fds[0])
                os.close(fds[0])

    def _fork(self, start: Start, sock: int) -> None:
        if self._folder is None:
            # A process may unshare its children's pids only while they are its own.
            sys_.setns(self._own_pids, sys_.CLONE_NEWPID)
            sys_.unshare(sys_.CLONE_NEWPID)
        try:
            process = os.fork()
        except OSError:
            return
        if process:
            self._jobs[start.job] = process
            return
        try:
            self._become_job(start, sock)
        finally:
            os._exit(1)

    def _become_job(self, start: Start, sock: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(sock, 3)
        sys_.close_from(4)
        channel = Channel(socket.socket(fileno=3))
        files = channel.files()
        if self._folder is None:
            jail.enter(start, files, mapped_bytes=self._mapped)
        else:
            os.chdir(self._folder)
            jail.limit(start, mapped_bytes=self._mapped)
            give_up_rights()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.close(nothing)
        self._trade.work(channel)
        os._exit(0)

    def _reap(self) -> None:
        while True:
            try:
                process, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            gone = [job for job, pid in self._jobs.items() if pid == process]
            for job in gone:
                del self._jobs[job]


def main(trade: str, mode: str, folder: str, control: str) -> None:
    sys_.die_with_parent(signal.SIGKILL)
    sock = socket.socket(fileno=int(control))
    weigh_session = session_goes_last()
    if mode == "jailed":
        leave_the_host()
        warm, is_warm = os.pipe()
        inside = fork_inside(
            lambda: _serve(
                trade, sock, Path(folder), jailed=True, when_warm=lambda: os.close(is_warm)
            )
        )
        os.close(is_warm)
        os.read(warm, 1)
        weigh_session()
        _wait_for(inside)
    else:
        _serve(trade, sock, Path(folder), jailed=False, when_warm=weigh_session)


def _serve(
    trade: str,
    sock: socket.socket,
    folder: Path,
    *,
    jailed: bool,
    when_warm: Callable[[], None],
) -> None:
    """Load everything as quickly as others allow; what comes after that can wait for them."""
    module: Trade = importlib.import_module(f"yarrow.sandbox.{trade}")
    module.warm_up()
    gc.collect()
    gc.freeze()
    when_warm()
    go_last()
    zygote = Zygote(sock, module, folder=None if jailed else folder)
    if jailed:
        jail.build_root(folder)
    zygote.serve()


def _wait_for(process: int) -> None:
    _, status = os.waitpid(process, 0)
    sys.exit(0 if status == 0 else errno.EIO)
