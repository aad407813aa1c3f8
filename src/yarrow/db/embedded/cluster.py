"""The cluster folder: made once, all or nothing, and checked at every start."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from yarrow.db.embedded.install import MAJOR, Install, run_as
from yarrow.db.embedded.os_user import Account, give_to
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
    # The client is told of its errors; the server's log must not repeat its data.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "UTC",
    "timezone": "UTC",
}


def ensure_cluster(install: Install, account: Account, *, cluster: Path) -> None:
    """Make the cluster if there is none, and check that it is one of our version."""
    for left_over in cluster.parent.glob(f"{UNFINISHED}*"):
        # The initdb of a killed process may still write into it; the next start removes the rest.
        shutil.rmtree(left_over, ignore_errors=True)
    if not cluster.exists() or not any(cluster.iterdir()):
        _make(install, account, cluster=cluster)
    version = cluster / "PG_VERSION"
    if not version.is_file():
        raise Misconfigured(
            f"{cluster} is not a PostgreSQL cluster; move it away, or choose another "
            "YARROW_DATA_DIR"
        )
    found = version.read_text().strip()
    if found != str(MAJOR):
        raise Misconfigured(
            f"{cluster} was made by PostgreSQL {found} and this Yarrow brings {MAJOR}; dump it "
            f"with the pg_dump of version {found}, move the folder away, start again and load "
            "the dump, or set YARROW_DATABASE_URL to a server of that version"
        )
    if account.is_other and cluster.stat().st_uid != account.uid:
        give_to(account, cluster)


def _make(install: Install, account: Account, *, cluster: Path) -> None:
    """Build beside the final place and rename: a crash leaves no half-made cluster."""
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=cluster.parent))
    if account.is_other:
        give_to(account, unfinished)
    _initdb(install, account, folder=unfinished)
    unfinished.rename(cluster)
    _sync(cluster.parent)


def _initdb(install: Install, account: Account, *, folder: Path) -> None:
    command = [str(install.program("initdb")), "--pgdata", str(folder), "--username", SUPERUSER]
    command += ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
    for name, value in SETTINGS.items():
        command += ["--set", f"{name}={value}"]
    with tempfile.TemporaryFile() as output:
        process = run_as(account, command, output=output, errors=subprocess.STDOUT)
        if _wait(process) == 0:
            return
        output.seek(0)
        said = output.read().decode(errors="replace").strip()
    shutil.rmtree(folder, ignore_errors=True)
    raise Misconfigured(f"initdb could not make the database in {folder.parent}:\n{said}")


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Wait for initdb; whatever ends the wait ends initdb as well."""
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
