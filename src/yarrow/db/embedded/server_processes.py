"""Find, verify and stop the server's processes.

A pid is verified by program name and working folder: after a crash of the machine it may be
another process's, and an unprivileged user can write the pid file.
"""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from msgspec import Struct

POLL_S = 0.005
PROGRAM = "postgres"


class PidFile(Struct, frozen=True):
    """The content of postmaster.pid."""

    pid: int
    socket_dir: str
    is_ready: bool


def read_pid_file(cluster: Path) -> PidFile | None:
    """The pid file; None while it is missing or half written."""
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
    """The running postmaster of the cluster, if there is one."""
    pid_file = read_pid_file(cluster)
    if pid_file is None:
        return None
    process = find_process(pid_file.pid)
    return process if process is not None and is_cluster_process(process, cluster) else None


def find_process(pid: int) -> psutil.Process | None:
    """The process of this pid, if there is one."""
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


def find_orphans(cluster: Path) -> list[psutil.Process]:
    """The cluster's server processes, whatever their parent. Slow: scans all processes."""
    return [process for process in psutil.process_iter() if is_cluster_process(process, cluster)]


def list_server_pids(postmaster: psutil.Process) -> list[int]:
    """The pids of a server, the postmaster first."""
    try:
        return [postmaster.pid, *(child.pid for child in postmaster.children())]
    except psutil.NoSuchProcess:
        return []


def is_cluster_process(process: psutil.Process, cluster: Path) -> bool:
    """Every server process has the cluster as its working folder; a zombie has none."""
    try:
        return process.name() == PROGRAM and Path(process.cwd()) == cluster
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def is_alive(process: psutil.Process) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> bool:
    """Poll until the condition holds; False when the time is over."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def stop_process(process: psutil.Process, *, timeout_s: float) -> bool:
    """Shut down fast, then immediately, then kill; wait `timeout_s` after each.

    A suspended server is resumed first, so that it receives the signals.
    """
    send_signal(process, signal.SIGCONT)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        send_signal(process, number)
        if wait_until(lambda: not is_alive(process), timeout_s=timeout_s):
            return True
    return False


def send_signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
