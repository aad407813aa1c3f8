"""Which operating system user runs the embedded server, and what it may reach.

PostgreSQL refuses to run as root. Started as root, we hand the cluster to an unprivileged
user that already exists; the system's user table is never changed.
"""

import logging
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

ROOT_UID = 0
UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """The user that owns the cluster and runs the server."""

    name: str
    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()


def choose_account(cluster: Path) -> Account:
    """An existing cluster is run by its owner, a new one by us or by an unprivileged user."""
    ours = os.geteuid()
    owner = cluster.stat() if cluster.exists() else None
    if ours == ROOT_UID:
        if owner is None or owner.st_uid == ROOT_UID:
            return _unprivileged()
        return Account(_name(owner.st_uid), owner.st_uid, owner.st_gid)
    if owner is not None and owner.st_uid != ours:
        raise Misconfigured(
            f"{cluster} belongs to user {_name(owner.st_uid)}; run Yarrow as that user or as "
            "root, change the owner of the folder, or choose another YARROW_DATA_DIR"
        )
    return Account(_name(ours), ours, os.getegid())


def give_to(account: Account, folder: Path) -> None:
    """Make the account the owner of everything below, links themselves and not their targets."""
    try:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, account.uid, account.gid, follow_symlinks=False)
    except PermissionError as error:
        raise Misconfigured(
            f"PostgreSQL does not run as root, and this root may not give {folder} to "
            f"{account.name}: start Yarrow as a normal user"
        ) from error


def open_way(account: Account, target: Path) -> None:
    """Let the account pass through the folders above the target, and no more than that."""
    for folder in reversed(target.parents):
        if not _allows(account, folder, bits=stat.S_IXOTH):
            _grant(account, folder, bits=stat.S_IXOTH)
            log.warning("db.folder_opened", extra={"folder": str(folder), "user": account.name})


def open_tree(account: Account, root: Path) -> None:
    """Let the account read and run an installation made under a strict umask."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            _grant(account, path, bits=_needed(path))
    log.warning("db.programs_opened", extra={"folder": str(root), "user": account.name})


def may_run(account: Account, program: Path) -> bool:
    return _allows(account, program, bits=stat.S_IROTH | stat.S_IXOTH)


def _needed(path: Path) -> int:
    """Read for all, run for folders and for what its owner may run."""
    runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
    return stat.S_IROTH | stat.S_IXOTH if runs else stat.S_IROTH


def _allows(account: Account, path: Path, *, bits: int) -> bool:
    return path.stat().st_mode >> _class_shift(account, path) & bits == bits


def _grant(account: Account, path: Path, *, bits: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        path.chmod(mode | bits << _class_shift(account, path))
    except OSError as error:
        raise Misconfigured(
            f"user {account.name} has to pass {path}, whose mode cannot be changed: "
            f"{error.strerror}; change it yourself, or choose another place"
        ) from error


def _class_shift(account: Account, path: Path) -> int:
    """How far the permission bits that count for the account stand left of the others' bits."""
    found = path.stat()
    if found.st_uid == account.uid:
        return 6
    return 3 if found.st_gid == account.gid else 0


def _unprivileged() -> Account:
    for name in UNPRIVILEGED:
        found = _lookup(name)
        if found is not None:
            return Account(found.pw_name, found.pw_uid, found.pw_gid)
    raise Misconfigured(
        "PostgreSQL does not run as root and there is no user postgres or nobody to run it; "
        "create one of them, start Yarrow as a normal user, or set YARROW_DATABASE_URL"
    )


def _lookup(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
