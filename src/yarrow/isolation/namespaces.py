"""Enter new namespaces, and replace the root by one with few folders."""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from yarrow.isolation import syscalls as sys_

HOST = "/host"
"""Mount point of the host's root while the new one is built."""
READ_ONLY = sys_.ATTR_RDONLY | sys_.ATTR_NOSUID | sys_.ATTR_NODEV

_NOBODY = 65534
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def enter_namespaces() -> None:
    """Enter new namespaces of every kind; as root, map a second user for `switch_user_if_mapped`.

    A helper process that stays outside writes the id maps.
    """
    ready_r, ready_w = os.pipe()
    pid, uid, gid = os.getpid(), os.geteuid(), os.getegid()
    helper = os.fork()
    if helper == 0:
        os.close(ready_w)
        os._exit(_write_maps(pid, uid, gid) if os.read(ready_r, 1) else 1)
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


def _write_maps(pid: int, uid: int, gid: int) -> int:
    """Returns an exit code."""
    folder = Path(f"/proc/{pid}")
    second = f"\n1 {_NOBODY} 1" if uid == 0 else ""
    try:
        if uid != 0:
            (folder / "setgroups").write_text("deny")
        (folder / "gid_map").write_text(f"0 {gid} 1{second}")
        (folder / "uid_map").write_text(f"0 {uid} 1{second}")
    except OSError:
        return 1
    return 0


def fork_inside(serve: Callable[[], None]) -> int:
    """Fork the first process of the new pid namespace; when it dies, the kernel kills the rest.

    It dies with its parent. A parent that died before the request is seen by a pipe, because the
    pid of a parent outside the namespace is 0.
    """
    alive_r, alive_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(alive_w)
        sys_.die_with_parent(signal.SIGKILL)
        if select.select([alive_r], [], [], 0)[0]:
            os._exit(1)
        os.close(alive_r)
        serve()
        os._exit(0)
    os.close(alive_r)
    return pid


@contextmanager
def enter_new_root(extra_folders: Iterable[str] = ()) -> Iterator[None]:
    """Replace the root by a read-only one with the libraries and these folders.

    Within the block the new root is writable, and the host's root is mounted at `HOST`.
    """
    sys_.mount("none", "/", flags=sys_.MS_REC | sys_.MS_PRIVATE)
    root = "/tmp"  # noqa: S108  # any folder: the mount is visible in our namespace only
    sys_.mount("tmpfs", root, kind="tmpfs", options="mode=0755,size=1m")
    Path(root + HOST).mkdir()
    sys_.pivot_root(root, root + HOST)
    os.chdir("/")
    for folder in dict.fromkeys((*LIBRARIES, sys.base_prefix, sys.prefix, *extra_folders)):
        _bind_folder(folder)
    Path("/dev").mkdir()
    for device in DEVICES:
        Path(device).touch()
        sys_.bind_mount(HOST + device, device, attributes=sys_.ATTR_NOSUID | sys_.ATTR_NOEXEC)
    yield
    sys_.unmount(HOST)
    Path(HOST).rmdir()
    sys_.restrict_mount("/", READ_ONLY, below=False)


def _bind_folder(folder: str) -> None:
    """Mount the host's folder at the same path; a symbolic link is copied."""
    source, target = Path(HOST + folder), Path(folder)
    if source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source.readlink())
    elif source.is_dir() and not target.exists():
        target.mkdir(parents=True)
        sys_.bind_mount(str(source), folder, attributes=READ_ONLY)
