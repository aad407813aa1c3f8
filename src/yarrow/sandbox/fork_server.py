"""The fork server: a process that has imported everything and forks a child for each job.

`client` starts it as `main(JOB_MODULE, MODE, FOLDER, SOCKET)`. In mode `jailed` it enters new
namespaces; a small outer process only waits for it.
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
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.cpu_time import exit_when_spent, has_spent_cpu_time
from yarrow.isolation.namespaces import enter_namespaces, fork_inside
from yarrow.isolation.privileges import lower_priority, lower_session_priority
from yarrow.sandbox import jail
from yarrow.sandbox.channel import JobChannel
from yarrow.sandbox.messages import JobEnded, KillJob, StartJob

READY = b"ready\n"
MAX_MESSAGE = 128 * 1024

_messages = msgspec.json.Decoder(StartJob | KillJob)


class JobModule(Protocol):
    """The functions of `sql_job` and `python_job`."""

    def warm_up(self) -> None:
        """Before the first fork: import, open and allocate what every job needs. No threads."""
        ...

    def answer_requests(self, channel: JobChannel) -> None:
        """In the job: answer the requests on its socket."""
        ...


class _ForkedJob(NamedTuple):
    job: int
    cpu_s: int


class ForkServer:
    """Forks and kills jobs on request; exits when the server closes the control socket."""

    def __init__(self, control: socket.socket, module: JobModule, *, folder: Path | None) -> None:
        self._control = control
        self._module = module
        self._folder = folder
        """The tables' folder, for jobs without a jail; None: jobs are jailed."""
        self._jobs: dict[int, _ForkedJob] = {}
        """By pid. A job that is to be killed is no longer here."""
        self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._mapped = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[0])

    def serve(self) -> None:
        wakeup_r, wakeup_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wakeup_w, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        exit_when_spent()
        os.write(1, READY)
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(wakeup_r, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._control:
                        self._handle_message()
                    else:
                        os.read(wakeup_r, 4096)
                self._reap_jobs()

    def _handle_message(self) -> None:
        data, fds, _, _ = socket.recv_fds(self._control, MAX_MESSAGE, 1)
        if not data:
            os._exit(0)
        match _messages.decode(data):
            case KillJob(job):
                for pid in [pid for pid, forked in self._jobs.items() if forked.job == job]:
                    del self._jobs[pid]
                    os.kill(pid, signal.SIGKILL)
            case StartJob() as start:
                self._fork_job(start, fds[0])
                os.close(fds[0])

    def _fork_job(self, start: StartJob, sock: int) -> None:
        if self._folder is None:
            # Each job gets a pid namespace. A process may unshare one for its children only while
            # their present one is its own, so that is restored first.
            sys_.setns(self._own_pids, sys_.CLONE_NEWPID)
            sys_.unshare(sys_.CLONE_NEWPID)
        try:
            pid = os.fork()
        except OSError:
            self._report_end(JobEnded(start.job, has_spent_cpu_time=False))
            return
        if pid:
            self._jobs[pid] = _ForkedJob(start.job, jail.sum_cpu_seconds(start))
            return
        try:
            self._run_job(start, sock)
        finally:
            os._exit(1)

    def _run_job(self, start: StartJob, sock: int) -> None:
        sys_.die_with_parent(signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(sock, 3)
        sys_.close_from(4)
        channel = JobChannel(socket.socket(fileno=3), cpu_s=start.cpu_s)
        files = channel.read_files()
        if self._folder is None:
            jail.enter_jail(start, files, mapped_bytes=self._mapped)
        else:
            jail.enter_landlock(start, files, folder=self._folder, mapped_bytes=self._mapped)
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        os.close(null)
        self._module.answer_requests(channel)
        os._exit(0)

    def _reap_jobs(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if (forked := self._jobs.pop(pid, None)) is not None:
                exit_code, used_s = (
                    os.waitstatus_to_exitcode(status),
                    usage.ru_utime + usage.ru_stime,
                )
                is_spent = has_spent_cpu_time(exit_code, used_s, hard_limit_s=forked.cpu_s)
                self._report_end(JobEnded(forked.job, is_spent))

    def _report_end(self, ended: JobEnded) -> None:
        with suppress(OSError):  # a server that does not read, or has left
            message = msgspec.json.encode(ended)
            self._control.send(message, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def main(module: str, mode: str, folder: str, control: str) -> None:
    sock = socket.socket(fileno=int(control))
    lower_session = lower_session_priority()
    if mode == "jailed":
        enter_namespaces()
        warm_r, warm_w = os.pipe()
        inner = fork_inside(
            lambda: _serve_jobs(
                module, sock, Path(folder), jailed=True, when_warm=lambda: os.close(warm_w)
            )
        )
        sock.close()  # the server sees at once that the inner process has ended
        os.close(warm_w)
        os.read(warm_r, 1)
        lower_session()
        _wait_and_exit(inner)
    else:
        _serve_jobs(module, sock, Path(folder), jailed=False, when_warm=lower_session)


def _serve_jobs(
    module_name: str,
    sock: socket.socket,
    folder: Path,
    *,
    jailed: bool,
    when_warm: Callable[[], None],
) -> None:
    """Load at normal priority, then serve at a lower one."""
    module: JobModule = importlib.import_module(f"yarrow.sandbox.{module_name}")
    module.warm_up()
    gc.collect()
    gc.freeze()
    when_warm()
    lower_priority()
    server = ForkServer(sock, module, folder=None if jailed else folder)
    if jailed:
        jail.build_root(folder)
    server.serve()


def _wait_and_exit(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    sys.exit(0 if status == 0 else errno.EIO)
