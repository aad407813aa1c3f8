"""The PostgreSQL server in the data dir, used when no DSN is configured.

Blocking code: call it before the event loop starts, or in a thread. Several processes may
share one data dir; the first starts the server, the last one to leave stops it. A process
that is killed leaves the server running, and the next start joins it.
"""

import logging
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from yarrow.db.embedded import launch, os_user, server_processes
from yarrow.db.embedded.cluster import ensure_cluster
from yarrow.db.embedded.files import make_data_dir
from yarrow.db.embedded.install import allow_programs, find_install
from yarrow.db.embedded.locks import ServerMembership, exclusive_lock
from yarrow.db.embedded.probe import build_dsn, is_answering
from yarrow.db.embedded.socket import choose_socket_dir
from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

STOP_TIMEOUT_S = 30.0


class ServerFiles(Struct, frozen=True):
    """The files of the embedded server in a data dir."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def log(self) -> Path:
        return self.data_dir / "postgres.log"

    @property
    def lock(self) -> Path:
        return self.data_dir / "postgres.lock"

    @property
    def users(self) -> Path:
        return self.data_dir / "postgres.users"

    @property
    def reserve(self) -> Path:
        return self.data_dir / "postgres.reserve"


class EmbeddedPostgres:
    """This process's use of the server of one data dir."""

    def __init__(self, data_dir: Path) -> None:
        self._files = ServerFiles(data_dir.resolve())
        self._membership: ServerMembership | None = None
        self._dsn = ""

    @property
    def data_dir(self) -> Path:
        return self._files.data_dir

    @property
    def dsn(self) -> str:
        """The DSN of the started server."""
        return self._dsn

    def start(self) -> str:
        """Join the running server or start it; returns a DSN for asyncpg.

        May be called again: a server that died is restarted.
        """
        make_data_dir(self._files.data_dir)
        with exclusive_lock(self._files.lock), ExitStack() as undo:
            undo.callback(self._leave_server)
            if self._membership is None:
                self._membership = ServerMembership(self._files.users)
            self._dsn = self._join_or_start()
            undo.pop_all()
        return self._dsn

    def stop(self) -> None:
        """Leave; the last one to leave stops the server and waits for its end."""
        if self._membership is None:
            return
        with exclusive_lock(self._files.lock):
            self._leave_server()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _join_or_start(self) -> str:
        cluster = self._files.cluster
        install = find_install()
        user = os_user.choose_user(cluster)
        if user.is_other:
            allow_programs(install, user)
            os_user.allow_traverse(user, cluster)
        ensure_cluster(install, user, cluster=cluster)
        running = _find_running_socket_dir(cluster)
        if running is not None:
            log.info("db.server_joined", extra={"cluster": str(cluster)})
            return build_dsn(running)
        socket_dir = choose_socket_dir(user, cluster)
        launch.remove_stale_files(cluster, socket_dir)
        pid = launch.start_server(
            launch.ServerSpec(install, user, cluster, self._files.log, socket_dir)
        )
        if not is_answering(str(socket_dir)):
            raise Misconfigured(
                f"the embedded database runs and does not answer in {socket_dir}; "
                f"see {self._files.log}"
            )
        log.info("db.server_started", extra={"cluster": str(cluster), "pid": pid})
        return build_dsn(str(socket_dir))

    def _leave_server(self) -> None:
        if self._membership is not None:
            if self._membership.is_last():
                _stop_server(self._files.cluster)
            self._membership.leave()
        self._membership = None


def find_postmaster_pid(data_dir: Path) -> int | None:
    """The pid of the postmaster, if it runs."""
    postmaster = server_processes.find_postmaster(ServerFiles(data_dir.resolve()).cluster)
    return postmaster.pid if postmaster else None


def list_postgres_pids(data_dir: Path) -> list[int]:
    """The pids of the server, the postmaster first; for measuring CPU time."""
    postmaster = server_processes.find_postmaster(ServerFiles(data_dir.resolve()).cluster)
    return server_processes.list_server_pids(postmaster) if postmaster else []


def _find_running_socket_dir(cluster: Path) -> str | None:
    """The socket folder of a running server, as its pid file names it."""
    launch.wait_until_settled(cluster)
    pid_file = server_processes.read_pid_file(cluster)
    if pid_file is None or not pid_file.is_ready or not is_answering(pid_file.socket_dir):
        return None
    return pid_file.socket_dir


def _stop_server(cluster: Path) -> None:
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is None:
        return
    stopped = server_processes.stop_process(postmaster, timeout_s=STOP_TIMEOUT_S)
    name = "db.server_stopped" if stopped else "db.server_not_stopped"
    log.info(name, extra={"cluster": str(cluster), "pid": postmaster.pid})
