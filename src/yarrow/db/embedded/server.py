"""A PostgreSQL of our own in the data dir, for those who bring none.

Blocking code: call it before the event loop starts, or in a thread. Several processes may
share one data dir; the first starts the server, the last one to leave stops it. A process
that is killed leaves the server running, and the next start takes it over.
"""

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from yarrow.db.embedded import launch, os_user, server_processes
from yarrow.db.embedded.cluster import ensure_cluster
from yarrow.db.embedded.files import make_data_dir
from yarrow.db.embedded.install import find_install, open_programs
from yarrow.db.embedded.locks import Membership, turn
from yarrow.db.embedded.probe import answers, dsn_of
from yarrow.db.embedded.socket import choose_socket_dir
from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

STOP_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the embedded server in a data dir."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def log(self) -> Path:
        return self.data_dir / "postgres.log"

    @property
    def turn(self) -> Path:
        return self.data_dir / "postgres.lock"

    @property
    def users(self) -> Path:
        return self.data_dir / "postgres.users"


class EmbeddedPostgres:
    """The server of one data dir, as used by this process."""

    def __init__(self, data_dir: Path) -> None:
        self._layout = Layout(data_dir.resolve())
        self._membership: Membership | None = None
        self._dsn = ""

    @property
    def data_dir(self) -> Path:
        return self._layout.data_dir

    @property
    def dsn(self) -> str:
        """Where it answers, once it was started."""
        return self._dsn

    def start(self) -> str:
        """Join the running server or start it; returns a DSN for asyncpg.

        May be called again: a server that died meanwhile is started anew.
        """
        make_data_dir(self._layout.data_dir)
        with turn(self._layout.turn), ExitStack() as undo:
            undo.callback(self._leave)
            if self._membership is None:
                self._membership = Membership(self._layout.users)
            self._dsn = self._bring_up()
            undo.pop_all()
        return self._dsn

    def stop(self) -> None:
        """Leave; the last one to leave stops the server and waits for its end."""
        if self._membership is None:
            return
        with turn(self._layout.turn):
            self._leave()

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

    def _bring_up(self) -> str:
        cluster = self._layout.cluster
        install = find_install()
        account = os_user.choose_account(cluster)
        if account.is_other:
            open_programs(install, account)
            os_user.open_way(account, cluster)
        ensure_cluster(install, account, cluster=cluster)
        running = _running_socket_dir(cluster)
        if running is not None:
            log.info("db.server_joined", extra={"cluster": str(cluster)})
            return dsn_of(running)
        socket_dir = choose_socket_dir(account, cluster)
        launch.clear_the_way(cluster, socket_dir)
        pid = launch.launch(launch.Server(install, account, cluster, self._layout.log, socket_dir))
        if not answers(str(socket_dir)):
            raise Misconfigured(
                f"the embedded database runs and does not answer in {socket_dir}; "
                f"see {self._layout.log}"
            )
        log.info("db.server_started", extra={"cluster": str(cluster), "pid": pid})
        return dsn_of(str(socket_dir))

    def _leave(self) -> None:
        if self._membership is not None:
            if self._membership.is_last():
                _stop_server(self._layout.cluster)
            self._membership.leave()
        self._membership = None


def postmaster_pid(data_dir: Path) -> int | None:
    """The pid of the server's first process, if it runs."""
    postmaster = server_processes.find_postmaster(Layout(data_dir.resolve()).cluster)
    return postmaster.pid if postmaster else None


def postgres_pids(data_dir: Path) -> list[int]:
    """All processes of the server, the postmaster first: for the accounting of CPU time."""
    postmaster = server_processes.find_postmaster(Layout(data_dir.resolve()).cluster)
    return server_processes.family(postmaster) if postmaster else []


def _running_socket_dir(cluster: Path) -> str | None:
    """Where a server of this cluster answers already. Its own word counts for the place."""
    launch.wait_settled(cluster)
    noted = server_processes.read_pid_file(cluster)
    if noted is None or not noted.is_ready or not answers(noted.socket_dir):
        return None
    return noted.socket_dir


def _stop_server(cluster: Path) -> None:
    postmaster = server_processes.find_postmaster(cluster)
    if postmaster is None:
        return
    ended = server_processes.end(postmaster, patience_s=STOP_PATIENCE_S)
    name = "db.server_stopped" if ended else "db.server_not_stopped"
    log.info(name, extra={"cluster": str(cluster), "pid": postmaster.pid})
