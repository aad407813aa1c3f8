"""The lock: a root of its own for the process that forks, and a smaller one for each job.

`leave_the_host` and `build_root` are called once, by the process that forks. It keeps its
capabilities inside its own user namespace, because it needs them for `enter`, which every fork
calls before it reads a byte that somebody else wrote.
"""

import os
import resource
import signal
import sys
from pathlib import Path

from yarrow.datasets.sandbox import syscalls as sys_
from yarrow.datasets.sandbox.orders import Start
from yarrow.datasets.sandbox.seccomp import forbid_system_calls

TABLES = "/datasets"
"""Where the process that forks sees all tables, and a job sees nothing."""
JOB = "/job"
"""Where a job sees its own tables and may write."""

SCRATCH_MB = 256
OPEN_FILES = 256
THREADS = 512

_NOBODY = 65534
_READ_ONLY = sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_HOST = "/host"


def leave_the_host() -> None:
    """Namespaces of our own. As root the jobs get a user of their own too; else it stays ours."""
    ready_r, ready_w = os.pipe()
    host, uid, gid = os.getpid(), os.geteuid(), os.getegid()
    helper = os.fork()
    if helper == 0:
        os.close(ready_w)
        os._exit(_write_maps(host, uid, gid) if os.read(ready_r, 1) else 1)
    sys_.unshare(
        sys_.CLONE_NEWUSER
        | sys_.CLONE_NEWNS
        | sys_.CLONE_NEWPID
        | sys_.CLONE_NEWNET
        | sys_.CLONE_NEWIPC
        | sys_.CLONE_NEWUTS
        | sys_.CLONE_NEWCGROUP
    )
    os.write(ready_w, b"x")
    if os.waitpid(helper, 0)[1] != 0:
        raise OSError("user ids cannot be mapped")
    os.close(ready_r)
    os.close(ready_w)


def _write_maps(process: int, uid: int, gid: int) -> int:
    folder = Path(f"/proc/{process}")
    more = f"\n1 {_NOBODY} 1" if uid == 0 else ""
    try:
        if uid != 0:
            (folder / "setgroups").write_text("deny")
        (folder / "gid_map").write_text(f"0 {gid} 1{more}")
        (folder / "uid_map").write_text(f"0 {uid} 1{more}")
    except OSError:
        return 1
    return 0


def build_root(tables: Path) -> None:
    """A root with the libraries, read-only, and the tables; the host's is gone after this."""
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    root = "/tmp"  # noqa: S108  # any folder will do; we cover it for nobody but us
    sys_.mount("tmpfs", root, kind="tmpfs", options="mode=0755,size=1m")
    Path(root + _HOST).mkdir()
    sys_.pivot_root(root, root + _HOST)
    os.chdir("/")
    for folder in dict.fromkeys((*_LIBRARIES, sys.base_prefix, sys.prefix)):
        _show_folder(folder)
    Path("/dev").mkdir()
    for device in _DEVICES:
        Path(device).touch()
        sys_.bind(_HOST + device, device, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NOEXEC)
    Path(JOB).mkdir()
    Path(TABLES).mkdir()
    sys_.bind(
        f"{_HOST}{tables}", TABLES, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC
    )
    sys_.unmount(_HOST)
    Path(_HOST).rmdir()
    sys_.restrict("/", _READ_ONLY, below=False)


def _show_folder(folder: str) -> None:
    """The host's folder in its old place; links to other folders stay links."""
    real, shown = Path(_HOST + folder), Path(folder)
    shown.parent.mkdir(parents=True, exist_ok=True)
    if real.is_symlink():
        shown.symlink_to(real.readlink())
    elif real.is_dir() and not shown.exists():
        shown.mkdir()
        sys_.bind(str(real), folder, attributes=_READ_ONLY)


def enter(job: Start, *, mapped_bytes: int) -> None:
    """See the job's files and nothing else, hold no right, and keep to the limits."""
    sys_.unshare(sys_.CLONE_NEWNS | sys_.CLONE_NEWIPC)
    flags = sys_.MS_NOSUID | sys_.MS_NODEV
    sys_.mount("tmpfs", JOB, kind="tmpfs", flags=flags, options=f"mode=0777,size={SCRATCH_MB}m")
    os.chdir(JOB)
    for shown, file in job.readable.items():
        _show_file(file, shown, attributes=_READ_ONLY | sys_.ATTR_NOEXEC)
    for shown, file in job.writable.items():
        _show_file(file, shown, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NODEV | sys_.ATTR_NOEXEC)
    sys_.unmount(TABLES)
    _become_nobody()
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


def _become_nobody() -> None:
    """The second user of the namespace, where there is one."""
    if _is_mapped(1):
        os.setgroups([])
        os.setresgid(1, 1, 1)
        os.setresuid(1, 1, 1)


def _is_mapped(uid: int) -> bool:
    try:
        os.chown(JOB, uid, uid)
    except OSError:
        return False
    return True


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


def give_up_rights() -> None:
    """What every job does, also where there are no namespaces."""
    sys_.forbid_debugging()
    sys_.die_with_parent(signal.SIGKILL)
    sys_.forbid_new_privileges()
    forbid_system_calls()
