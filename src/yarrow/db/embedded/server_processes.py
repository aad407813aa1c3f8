"""The server's processes: found by their pid file, verified by name and working folder.

A pid alone proves nothing. After a crash of the machine it may belong to anybody, and the
pid file lies in a folder that an unprivileged user can write.
"""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

POLL_S = 0.005
PROGRAM = "postgres"


@dataclass(frozen=True, slots=True)
class PidFile:
    """What a postmaster says of itself in postmaster.pid."""

    pid: int
    socket_dir: str
    is_ready: bool


def read_pid_file(cluster: Path) -> PidFile | None:
    """The pid file, or nothing while it is missing or half written."""
    try:
        lines = (cluster / "postmaster.pid").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return None
    if not lines or not lines[0].strip().isdigit():
        return None
    lines += [""] * (8 - len(lines))
    return PidFile(
        pid=int(lines[0]), socket_dir=lines[4].strip(), is_ready=lines[7].strip() == "ready"
    )


def find_postmaster(cluster: Path) -> psutil.Process | None:
    """The running postmaster of this cluster, if there is one."""
    noted = read_pid_file(cluster)
    if noted is None:
        return None
    process = find(noted.pid)
    return process if process is not None and works_in(process, cluster) else None


def find(pid: int) -> psutil.Process | None:
    """The process of this pid, if there is one."""
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def find_orphans(cluster: Path) -> list[psutil.Process]:
    """Server processes of this cluster, wherever they hang. Looks at every process: slow."""
    return [process for process in psutil.process_iter() if works_in(process, cluster)]


def family(postmaster: psutil.Process) -> list[int]:
    """The pids of a server, the postmaster first."""
    try:
        return [postmaster.pid, *(child.pid for child in postmaster.children())]
    except psutil.NoSuchProcess:
        return []


def works_in(process: psutil.Process, cluster: Path) -> bool:
    """Every server process keeps the cluster as its working folder. A zombie has none."""
    try:
        return process.name() == PROGRAM and Path(process.cwd()) == cluster
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def is_alive(process: psutil.Process) -> bool:
    """A zombie that its parent has not collected holds nothing any more."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(reached: Callable[[], bool], *, limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def end(process: psutil.Process, *, patience_s: float) -> bool:
    """Fast shutdown, then the immediate one, then the kill; each gets its share of patience.

    A server that was suspended is woken first, so that it can hear.
    """
    send(process, signal.SIGCONT)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        send(process, number)
        if wait_until(lambda: not is_alive(process), limit_s=patience_s):
            return True
    return False


def send(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
