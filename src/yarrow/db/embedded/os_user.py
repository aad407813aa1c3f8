"""The operating system user that runs the embedded server, and its access to files.

PostgreSQL refuses to run as root. Started as root, we hand the cluster to an unprivileged
user that already exists; the system's user table is never changed.
"""

import logging
import os
import pwd
import stat
from pathlib import Path

from msgspec import Struct

from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

ROOT_UID = 0
UNPRIVILEGED = ("postgres", "nobody")


class OsUser(Struct, frozen=True):
    """The user that owns the cluster and runs the server."""

    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()


def choose_user(cluster: Path) -> OsUser:
    """The owner of an existing cluster; for a new one we, or as root an unprivileged user."""
    ours = os.geteuid()
    owner = cluster.stat() if cluster.exists() else None
    if ours == ROOT_UID:
        if owner is None or owner.st_uid == ROOT_UID:
            return _find_unprivileged()
        return OsUser(_name_user(owner.st_uid), owner.st_uid, owner.st_gid)
    if owner is not None and owner.st_uid != ours:
        raise Misconfigured(
            f"{cluster} belongs to user {_name_user(owner.st_uid)}; run Yarrow as that user or as "
            "root, change the owner of the folder, or choose another YARROW_DATA_DIR"
        )
    return OsUser(_name_user(ours), ours, os.getegid())


def chown_tree(user: OsUser, folder: Path) -> None:
    """Change the owner of everything below, of links and not of their targets."""
    try:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, user.uid, user.gid, follow_symlinks=False)
    except PermissionError as error:
        raise Misconfigured(
            f"PostgreSQL does not run as root, and this root may not give {folder} to "
            f"{user.name}: start Yarrow as a normal user"
        ) from error


def allow_traverse(user: OsUser, target: Path) -> None:
    """Give the user the search bit on the folders above the target, and nothing else."""
    for folder in reversed(target.parents):
        if not _has_permission(user, folder, bits=stat.S_IXOTH):
            _grant_access(user, folder, bits=stat.S_IXOTH)
            log.warning("db.folder_opened", extra={"folder": str(folder), "user": user.name})


def allow_read(user: OsUser, root: Path) -> None:
    """Let the user read and execute an installation that was made under a strict umask."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            _grant_access(user, path, bits=_compute_mode_bits(path))
    log.warning("db.programs_opened", extra={"folder": str(root), "user": user.name})


def can_execute(user: OsUser, program: Path) -> bool:
    return _has_permission(user, program, bits=stat.S_IROTH | stat.S_IXOTH)


def _compute_mode_bits(path: Path) -> int:
    """Read, and execute for folders and for what the owner may execute."""
    executable = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
    return stat.S_IROTH | stat.S_IXOTH if executable else stat.S_IROTH


def _has_permission(user: OsUser, path: Path, *, bits: int) -> bool:
    return path.stat().st_mode >> _find_class_shift(user, path) & bits == bits


def _grant_access(user: OsUser, path: Path, *, bits: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        path.chmod(mode | bits << _find_class_shift(user, path))
    except OSError as error:
        raise Misconfigured(
            f"user {user.name} has to pass {path}, whose mode cannot be changed: "
            f"{error.strerror}; change it yourself, or choose another place"
        ) from error


def _find_class_shift(user: OsUser, path: Path) -> int:
    """By how many bits the permissions that apply to the user are left of those of others."""
    owner = path.stat()
    if owner.st_uid == user.uid:
        return 6
    return 3 if owner.st_gid == user.gid else 0


def _find_unprivileged() -> OsUser:
    for name in UNPRIVILEGED:
        entry = _find_user(name)
        if entry is not None:
            return OsUser(entry.pw_name, entry.pw_uid, entry.pw_gid)
    raise Misconfigured(
        "PostgreSQL does not run as root and there is no user postgres or nobody to run it; "
        "create one of them, start Yarrow as a normal user, or set YARROW_DATABASE_URL"
    )


def _find_user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _name_user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
