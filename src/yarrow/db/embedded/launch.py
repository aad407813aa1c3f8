"""Start the server: wait for one in transition, remove stale files of a crash, spawn it."""

import logging
import os
import signal
import time
from pathlib import Path

from msgspec import Struct

from yarrow.db.embedded import server_processes
from yarrow.db.embedded.files import open_private
from yarrow.db.embedded.install import Install, start_detached
from yarrow.db.embedded.os_user import OsUser
from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

# Crash recovery replays at most max_wal_size.
READY_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 5.0
ORPHAN_GRACE_S = 0.5
ORPHAN_TIMEOUT_S = 10.0
RETRY_S = 0.1
LOG_LIMIT_BYTES = 1_000_000
LOG_TAIL_LINES = 5

# Part of PostgreSQL's message when processes of an earlier server hold its shared memory.
STILL_IN_USE = "pre-existing shared memory block"


class ServerSpec(Struct, frozen=True):
    """The arguments of a start."""

    install: Install
    user: OsUser
    cluster: Path
    log: Path
    socket_dir: Path


def wait_until_settled(cluster: Path) -> None:
    """Wait while the cluster's server is starting or stopping."""
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is None:
        return

    def is_settled() -> bool:
        pid_file = server_processes.read_pid_file(cluster)
        return pid_file is None or pid_file.is_ready or not server_processes.is_alive(postmaster)

    server_processes.wait_until(is_settled, timeout_s=READY_TIMEOUT_S)


def remove_stale_files(cluster: Path, socket_dir: Path) -> None:
    """Remove what a crashed server left; call it only when none answers on this cluster."""
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is not None:
        log.warning("db.server_unresponsive", extra={"pid": postmaster.pid})
        server_processes.stop_process(postmaster, timeout_s=STOP_TIMEOUT_S)
    stale_files = (cluster / "postmaster.pid", socket_dir / ".s.PGSQL.5432.lock")
    if not any(path.exists() for path in stale_files):
        return
    _wait_for_orphans(cluster)
    # They may be empty, or hold the pid of a zombie or of another process of the same user, which
    # PostgreSQL would take for a running server. There is none, as we have just checked.
    for path in stale_files:
        path.unlink(missing_ok=True)
    log.info("db.stale_pid_files_removed", extra={"cluster": str(cluster)})


def start_server(server: ServerSpec) -> int:
    """Start the postmaster; return its pid when it accepts connections."""
    deadline = time.monotonic() + ORPHAN_TIMEOUT_S
    while True:
        _rotate_log(server.log)
        before = server.log.stat().st_size if server.log.exists() else 0
        pid = _spawn_server(server)
        if _wait_ready(server, pid):
            return pid
        log_tail = _read_log_tail(server.log, start=before)
        if STILL_IN_USE not in log_tail or time.monotonic() > deadline:
            raise Misconfigured(_describe_failure(server, log_tail))
        time.sleep(RETRY_S)


def _wait_for_orphans(cluster: Path) -> None:
    """Wait for backends of a killed postmaster to exit; signal those that are busy."""
    if server_processes.wait_until(
        lambda: not server_processes.find_orphans(cluster), timeout_s=ORPHAN_GRACE_S
    ):
        return
    for orphan in server_processes.find_orphans(cluster):
        server_processes.send_signal(orphan, signal.SIGQUIT)
    if server_processes.wait_until(
        lambda: not server_processes.find_orphans(cluster), timeout_s=ORPHAN_TIMEOUT_S
    ):
        return
    pids = ", ".join(str(orphan.pid) for orphan in server_processes.find_orphans(cluster))
    raise Misconfigured(
        f"processes of an earlier server still use {cluster}: {pids}; end them and start again"
    )


def _spawn_server(server: ServerSpec) -> int:
    command = [str(server.install.program("postgres")), "-D", str(server.cluster)]
    for setting in (
        "listen_addresses=",
        "port=5432",
        f"unix_socket_directories={server.socket_dir}",
        "unix_socket_permissions=0700",
        "log_destination=stderr",
        "logging_collector=off",
    ):
        command += ["-c", setting]
    with os.fdopen(open_private(server.log, os.O_WRONLY | os.O_APPEND), "ab") as output:
        return start_detached(server.user, command, output=output)


def _wait_ready(server: ServerSpec, pid: int) -> bool:
    postmaster = server_processes.find_process(pid)

    def has_exited() -> bool:
        return postmaster is None or not server_processes.is_alive(postmaster)

    server_processes.wait_until(
        lambda: has_exited() or _is_ready(server.cluster, pid), timeout_s=READY_TIMEOUT_S
    )
    if not has_exited() and _is_ready(server.cluster, pid):
        return True
    if postmaster is not None:
        server_processes.stop_process(postmaster, timeout_s=STOP_TIMEOUT_S)
    return False


def _is_ready(cluster: Path, pid: int) -> bool:
    pid_file = server_processes.read_pid_file(cluster)
    return pid_file is not None and pid_file.pid == pid and pid_file.is_ready


def _rotate_log(path: Path) -> None:
    if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))


def _read_log_tail(path: Path, *, start: int) -> str:
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-LOG_TAIL_LINES:])


def _describe_failure(server: ServerSpec, log_tail: str) -> str:
    if STILL_IN_USE in log_tail:
        return (
            f"processes of an earlier server still use {server.cluster}; find them with "
            f"`ps -u {server.user.name}`, end them and start again"
        )
    return f"the embedded database did not start; {server.log} ends with:\n{log_tail}"
