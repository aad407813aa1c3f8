"""Away from the host: namespaces of our own, and a root that shows only what is asked for."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from yarrow.isolation import syscalls as sys_

HOST = "/host"
"""Where the host's root is while the new one is built."""
READ_ONLY = sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV

_NOBODY = 65534
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


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


def fork_inside(serve: Callable[[], None]) -> int:
    """The first process of the new namespace of pids: when it goes, the kernel ends the rest."""
    process = os.fork()
    if process == 0:
        sys_.die_with_parent(signal.SIGKILL)
        serve()
        os._exit(0)
    return process


@contextmanager
def new_root(more: Iterable[str] = ()) -> Iterator[None]:
    """A read-only root with the libraries and the folders named; the host's is gone after this.

    Within the block the new root can still be written, and the host's lies at `HOST`.
    """
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    root = "/tmp"  # noqa: S108  # any folder will do; we cover it for nobody but us
    sys_.mount("tmpfs", root, kind="tmpfs", options="mode=0755,size=1m")
    Path(root + HOST).mkdir()
    sys_.pivot_root(root, root + HOST)
    os.chdir("/")
    for folder in dict.fromkeys((*_LIBRARIES, sys.base_prefix, sys.prefix, *more)):
        _show_folder(folder)
    Path("/dev").mkdir()
    for device in _DEVICES:
        Path(device).touch()
        sys_.bind(HOST + device, device, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NOEXEC)
    yield
    sys_.unmount(HOST)
    Path(HOST).rmdir()
    sys_.restrict("/", READ_ONLY, below=False)


def _show_folder(folder: str) -> None:
    """The host's folder in its old place; links to other folders stay links."""
    real, shown = Path(HOST + folder), Path(folder)
    if real.is_symlink():
        shown.parent.mkdir(parents=True, exist_ok=True)
        shown.symlink_to(real.readlink())
    elif real.is_dir() and not shown.exists():
        shown.mkdir(parents=True)
        sys_.bind(str(real), folder, attributes=READ_ONLY)
