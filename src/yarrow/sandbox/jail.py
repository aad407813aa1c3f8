"""Mounts, user and limits of the fork server and its jobs.

The fork server enters its namespaces and calls `build_root` once. It keeps its capabilities inside
its own user namespace, because `enter_jail` needs them. Every job calls `enter_jail` before it
reads a byte of untrusted input.
"""

import os
import resource
from pathlib import Path

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.landlock import restrict_files
from yarrow.isolation.namespaces import HOST, READ_ONLY, enter_new_root
from yarrow.isolation.privileges import drop_privileges, switch_user_if_mapped
from yarrow.isolation.seccomp import build_filter
from yarrow.sandbox.messages import JobFiles, StartJob

TABLES = "/datasets"
"""Where the fork server sees all tables; a job has it unmounted."""
JOB = "/job"
"""Where a job sees its own tables and may write."""

SCRATCH_MB = 256
SCRATCH_FILES = 20_000
"""Of a job, its tables included: an empty file takes a kilobyte of the kernel's memory, which
neither `SCRATCH_MB` nor a limit of the process counts."""
OPEN_FILES = 256
THREADS = 512
FIRST_PID = 1
"""Of every job, in its pid namespace."""
START_CPU_S = 2


def build_root(tables: Path) -> None:
    """Replace the root by one with the libraries, read-only, and the tables.

    Also build the filter of system calls, which all jobs install.
    """
    build_filter(frozenset(), FIRST_PID)
    with enter_new_root():
        Path(JOB).mkdir()
        Path(TABLES).mkdir()
        attributes = sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC
        sys_.bind_mount(f"{HOST}{tables}", TABLES, attributes=attributes)


def enter_jail(job: StartJob, files: JobFiles, *, mapped_bytes: int) -> None:
    """Mount the job's files and unmount the rest, drop all privileges, set the limits."""
    sys_.unshare(sys_.CLONE_NEWNS | sys_.CLONE_NEWIPC)
    flags = sys_.MS_NOSUID | sys_.MS_NODEV
    options = f"mode=0777,size={SCRATCH_MB}m,nr_inodes={SCRATCH_FILES}"
    sys_.mount("tmpfs", JOB, kind="tmpfs", flags=flags, options=options)
    os.chdir(JOB)
    for name, file in files.readable.items():
        _bind_file(file, name, attributes=READ_ONLY | sys_.ATTR_NOEXEC)
    for name, file in files.writable.items():
        _bind_file(file, name, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC)
    sys_.unmount(TABLES)
    switch_user_if_mapped()
    set_limits(job, mapped_bytes=mapped_bytes)
    sys_.drop_capabilities()
    drop_privileges()


def enter_landlock(job: StartJob, files: JobFiles, *, folder: Path, mapped_bytes: int) -> None:
    """Without namespaces: leave the job its own files and the libraries, by Landlock, and no
    capability of the server."""
    os.chdir(folder)
    restrict_files(
        readable=[folder / file for file in files.readable.values()],
        writable=[folder / file for file in files.writable.values()],
    )
    set_limits(job, mapped_bytes=mapped_bytes)
    sys_.drop_capabilities()
    drop_privileges()


def _bind_file(file: str, name: str, *, attributes: int) -> None:
    source, target = Path(TABLES, file), Path(JOB, name)
    if ".." in source.parts or ".." in target.parts:
        raise OSError("a job's file must lie in its folder: its path has ..")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.parent.chmod(0o777)
    target.touch()
    sys_.bind_mount(str(source), str(target), attributes=attributes)


def sum_cpu_seconds(job: StartJob) -> int:
    """Processor time of all requests of a job, and of its start."""
    return job.cpu_s * job.requests + START_CPU_S


def set_limits(job: StartJob, *, mapped_bytes: int) -> None:
    """Set the kernel's limits; the job's memory comes on top of what is mapped already."""
    for kind, value in {
        resource.RLIMIT_AS: mapped_bytes + job.memory_mb * 1024 * 1024,
        resource.RLIMIT_CPU: sum_cpu_seconds(job),
        resource.RLIMIT_FSIZE: job.file_mb * 1024 * 1024,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_NPROC: THREADS,
        resource.RLIMIT_CORE: 0,
    }.items():
        resource.setrlimit(kind, (value, value))
