"""Bring the server up: take over a running one, clear what a crash left, or start it."""

import logging
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from yarrow.db.embedded import server_processes
from yarrow.db.embedded.files import open_owned
from yarrow.db.embedded.install import Install, start_detached
from yarrow.db.embedded.os_user import Account
from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

# Crash recovery replays at most max_wal_size.
READY_LIMIT_S = 120.0
PATIENCE_S = 5.0
ORPHAN_GRACE_S = 0.5
ORPHAN_LIMIT_S = 10.0
RETRY_S = 0.1
LOG_LIMIT_BYTES = 1_000_000
LOG_TAIL_LINES = 5

# PostgreSQL's words for: processes of an earlier server still hold its shared memory.
STILL_IN_USE = "pre-existing shared memory block"


@dataclass(frozen=True, slots=True)
class Server:
    """What a start needs to know."""

    install: Install
    account: Account
    cluster: Path
    log: Path
    socket_dir: Path


def wait_settled(cluster: Path) -> None:
    """Let a server that is starting or stopping finish, if its process is there at all."""
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is None:
        return

    def settled() -> bool:
        noted = server_processes.read_pid_file(cluster)
        return noted is None or noted.is_ready or not server_processes.is_alive(postmaster)

    server_processes.wait_until(settled, limit_s=READY_LIMIT_S)


def clear_the_way(cluster: Path, socket_dir: Path) -> None:
    """Remove what keeps a new server from starting; nothing answers on this cluster."""
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is not None:
        log.warning("db.server_unresponsive", extra={"pid": postmaster.pid})
        server_processes.end(postmaster, patience_s=PATIENCE_S)
    noted = (cluster / "postmaster.pid", socket_dir / ".s.PGSQL.5432.lock")
    if not any(path.exists() for path in noted):
        return
    _wait_for_orphans(cluster)
    # They may be empty, or name a zombie or another process of the same user, which PostgreSQL
    # would take for a running server. We have just seen that there is none.
    for path in noted:
        path.unlink(missing_ok=True)
    log.info("db.stale_pid_files_removed", extra={"cluster": str(cluster)})


def launch(server: Server) -> int:
    """Start the postmaster and return its pid when it takes connections."""
    deadline = time.monotonic() + ORPHAN_LIMIT_S
    while True:
        _rotate(server.log)
        before = server.log.stat().st_size if server.log.exists() else 0
        pid = _spawn(server)
        if _wait_ready(server, pid):
            return pid
        said = _tail(server.log, start=before)
        if STILL_IN_USE not in said or time.monotonic() > deadline:
            raise Misconfigured(_explain(server, said))
        time.sleep(RETRY_S)


def _wait_for_orphans(cluster: Path) -> None:
    """Backends of a killed postmaster leave by themselves, unless they are busy computing."""
    if server_processes.wait_until(
        lambda: not server_processes.find_orphans(cluster), limit_s=ORPHAN_GRACE_S
    ):
        return
    for orphan in server_processes.find_orphans(cluster):
        server_processes.send(orphan, signal.SIGQUIT)
    if server_processes.wait_until(
        lambda: not server_processes.find_orphans(cluster), limit_s=ORPHAN_LIMIT_S
    ):
        return
    pids = ", ".join(str(orphan.pid) for orphan in server_processes.find_orphans(cluster))
    raise Misconfigured(
        f"processes of an earlier server still use {cluster}: {pids}; end them and start again"
    )


def _spawn(server: Server) -> int:
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
    with os.fdopen(open_owned(server.log, os.O_WRONLY | os.O_APPEND), "ab") as output:
        return start_detached(server.account, command, output=output)


def _wait_ready(server: Server, pid: int) -> bool:
    postmaster = server_processes.find(pid)

    def gone() -> bool:
        return postmaster is None or not server_processes.is_alive(postmaster)

    server_processes.wait_until(
        lambda: gone() or _is_ready(server.cluster, pid), limit_s=READY_LIMIT_S
    )
    if not gone() and _is_ready(server.cluster, pid):
        return True
    if postmaster is not None:
        server_processes.end(postmaster, patience_s=PATIENCE_S)
    return False


def _is_ready(cluster: Path, pid: int) -> bool:
    noted = server_processes.read_pid_file(cluster)
    return noted is not None and noted.pid == pid and noted.is_ready


def _rotate(path: Path) -> None:
    if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))


def _tail(path: Path, *, start: int) -> str:
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-LOG_TAIL_LINES:])


def _explain(server: Server, said: str) -> str:
    if STILL_IN_USE in said:
        return (
            f"processes of an earlier server still use {server.cluster}; find them with "
            f"`ps -u {server.account.name}`, end them and start again"
        )
    return f"the embedded database did not start; {server.log} ends with:\n{said}"
