"""The cluster folder: created once and atomically, checked at every start."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from yarrow.db.embedded.install import MAJOR, Install, start_as_user
from yarrow.db.embedded.os_user import OsUser, chown_tree
from yarrow.errors import Misconfigured

SUPERUSER = "yarrow"
UNFINISHED = "postgres.new-"

# Written into postgresql.conf by initdb, where an operator may change them.
SETTINGS = {
    "max_connections": "100",
    "shared_buffers": "64MB",
    "min_wal_size": "32MB",
    "max_wal_size": "512MB",
    # One server, no standby: less to write when tables and indexes are built.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # Containers often have 64 MB of /dev/shm, or none. Files in the cluster always work, and
    # without parallel queries there is next to nothing in them.
    "dynamic_shared_memory_type": "mmap",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "huge_pages": "off",
    # Four processes fewer: three readers and the replication launcher.
    "io_method": "sync",
    "max_logical_replication_workers": "0",
    "jit": "off",
    # Clients get their errors; the server's log must not repeat their data.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    "timezone": "UTC",
}


def ensure_cluster(install: Install, user: OsUser, *, cluster: Path) -> None:
    """Create the cluster if there is none; check its PostgreSQL version."""
    for leftover in cluster.parent.glob(f"{UNFINISHED}*"):
        # The initdb of a killed process may still write into it; the next start removes the rest.
        shutil.rmtree(leftover, ignore_errors=True)
    if not cluster.exists() or not any(cluster.iterdir()):
        _create_cluster(install, user, cluster=cluster)
    version = cluster / "PG_VERSION"
    if not version.is_file():
        raise Misconfigured(
            f"{cluster} is not a PostgreSQL cluster; move it away, or choose another "
            "YARROW_DATA_DIR"
        )
    major = version.read_text().strip()
    if major != str(MAJOR):
        raise Misconfigured(
            f"{cluster} was made by PostgreSQL {major} and this Yarrow brings {MAJOR}; dump it "
            f"with the pg_dump of version {major}, move the folder away, start again and load "
            "the dump, or set YARROW_DATABASE_URL to a server of that version"
        )
    if user.is_other and cluster.stat().st_uid != user.uid:
        chown_tree(user, cluster)


def _create_cluster(install: Install, user: OsUser, *, cluster: Path) -> None:
    """Run initdb in a temporary folder and rename it: a crash leaves no half-made cluster."""
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=cluster.parent))
    if user.is_other:
        chown_tree(user, unfinished)
    _run_initdb(install, user, folder=unfinished)
    unfinished.rename(cluster)
    _sync_folder(cluster.parent)


def _run_initdb(install: Install, user: OsUser, *, folder: Path) -> None:
    command = [str(install.program("initdb")), "--pgdata", str(folder), "--username", SUPERUSER]
    command += ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
    for name, value in SETTINGS.items():
        command += ["--set", f"{name}={value}"]
    with tempfile.TemporaryFile() as output:
        process = start_as_user(user, command, output=output, errors=subprocess.STDOUT)
        if _wait_for_initdb(process) == 0:
            return
        output.seek(0)
        errors = output.read().decode(errors="replace").strip()
    shutil.rmtree(folder, ignore_errors=True)
    raise Misconfigured(f"initdb could not make the database in {folder.parent}:\n{errors}")


def _wait_for_initdb(process: subprocess.Popen[bytes]) -> int:
    """Wait for initdb; kill it if the wait is interrupted."""
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
