"""The lock: a root of its own for the process that forks, and a smaller one for each job.

The process that forks leaves the host and calls `build_root`, once. It keeps its capabilities
inside its own user namespace, because it needs them for `enter`, which every fork calls before it
reads a byte that somebody else wrote.
"""

import os
import resource
from pathlib import Path

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.namespaces import HOST, READ_ONLY, new_root
from yarrow.isolation.privileges import become_nobody, give_up_rights
from yarrow.sandbox.protocol import Files, Start

TABLES = "/datasets"
"""Where the process that forks sees all tables, and a job sees nothing."""
JOB = "/job"
"""Where a job sees its own tables and may write."""

SCRATCH_MB = 256
OPEN_FILES = 256
THREADS = 512


def build_root(tables: Path) -> None:
    """A root with the libraries, read-only, and the tables; the host's is gone after this."""
    with new_root():
        Path(JOB).mkdir()
        Path(TABLES).mkdir()
        attributes = sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC
        sys_.bind(f"{HOST}{tables}", TABLES, attributes=attributes)


def enter(job: Start, files: Files, *, mapped_bytes: int) -> None:
    """See the job's files and nothing else, hold no right, and keep to the limits."""
    sys_.unshare(sys_.CLONE_NEWNS | sys_.CLONE_NEWIPC)
    flags = sys_.MS_NOSUID | sys_.MS_NODEV
    sys_.mount("tmpfs", JOB, kind="tmpfs", flags=flags, options=f"mode=0777,size={SCRATCH_MB}m")
    os.chdir(JOB)
    for shown, file in files.readable.items():
        _show_file(file, shown, attributes=READ_ONLY | sys_.ATTR_NOEXEC)
    for shown, file in files.writable.items():
        _show_file(file, shown, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC)
    sys_.unmount(TABLES)
    become_nobody()
    limit(job, mapped_bytes=mapped_bytes)
    sys_.drop_capabilities()
    give_up_rights()


def _show_file(file: str, shown: str, *, attributes: int) -> None:
    source, target = Path(TABLES, file), Path(JOB, shown)
    if ".." in source.parts or ".." in target.parts:
        raise OSError("a job's files lie in their folders")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.parent.chmod(0o777)
    target.touch()
    sys_.bind(str(source), str(target), attributes=attributes)


def limit(job: Start, *, mapped_bytes: int) -> None:
    """The kernel's own limits; memory is counted from what the process has already mapped."""
    for kind, most in {
        resource.RLIMIT_AS: mapped_bytes + job.memory_mb * 1024 * 1024,
        resource.RLIMIT_CPU: job.cpu_s,
        resource.RLIMIT_FSIZE: job.file_mb * 1024 * 1024,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_NPROC: THREADS,
        resource.RLIMIT_CORE: 0,
    }.items():
        resource.setrlimit(kind, (most, most))
