"""Bring a database to the schema that this code expects.

Alembic and SQLAlchemy stay out of the serving process: whether there is anything to do is
read from file names and one row, and only then a child process imports them.
"""

import asyncio
import logging
import re
import sys
from pathlib import Path

import asyncpg

from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import Misconfigured

log = logging.getLogger("yarrow.db")

RUNNER = "yarrow.db.alembic_runner"
VERSION_FILE = re.compile(r"(\d{4})_\w+\.py")
CONNECT_LIMIT_S = 30.0


def migrations_folder() -> Path:
    """Inside the package when installed from a wheel, at the repository's root otherwise."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "migrations", package.parents[1] / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise Misconfigured("the migrations are missing from this installation; install Yarrow again")


def known_revisions(folder: Path | None = None) -> list[str]:
    """Every revision this code brings, oldest first: `0001_foundation.py` is revision 0001."""
    versions = (folder or migrations_folder()) / "versions"
    found = (VERSION_FILE.fullmatch(path.name) for path in versions.glob("*.py"))
    return sorted(match[1] for match in found if match)


def head_revision(folder: Path | None = None) -> str | None:
    known = known_revisions(folder)
    return known[-1] if known else None


async def current_revision(dsn: str) -> str | None:
    """The revision of the database, or nothing if it was never migrated."""
    connection = await _connect(dsn)
    try:
        revision: str | None = await connection.fetchval("SELECT version_num FROM alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    finally:
        await connection.close()
    return revision


def is_behind(current: str | None, known: list[str]) -> bool:
    """Whether there is something to do; a database from the future is the operator's matter."""
    if current is not None and current not in known:
        raise Misconfigured(
            f"the database is at revision {current}, which this version of Yarrow does not know: "
            "a newer one has migrated it; install that version, or use another database"
        )
    return bool(known) and current != known[-1]


async def upgrade_if_behind(dsn: str, *, folder: Path | None = None) -> bool:
    """Migrate to the head if need be; says whether there was anything to do.

    Safe to call from many processes at once: they queue up behind an advisory lock.
    """
    place = folder or migrations_folder()
    current = await current_revision(dsn)
    if not is_behind(current, known_revisions(place)):
        return False
    await _run_alembic(dsn, place)
    log.info("db.migrated", extra={"before": current, "after": head_revision(place)})
    return True


async def _run_alembic(dsn: str, folder: Path) -> None:
    """The DSN may hold a password, so it travels by stdin: arguments are public."""
    command = [sys.executable, "-P", "-m", RUNNER, str(folder)]
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*command, stdin=pipe, stderr=pipe)
    try:
        _, said = await child.communicate(dsn.encode())
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode != 0:
        raise Misconfigured(
            "the database could not be migrated and was left as it was:\n"
            + said.decode(errors="replace").strip()
        )


async def _connect(dsn: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(dsn, timeout=CONNECT_LIMIT_S)
    except asyncpg.ClientConfigurationError as error:
        # Its words may repeat the password.
        raise Misconfigured("the database's DSN cannot be read; see YARROW_DATABASE_URL") from error
    except (
        asyncpg.InvalidAuthorizationSpecificationError,
        asyncpg.InvalidCatalogNameError,
    ) as error:
        raise Misconfigured(f"PostgreSQL refuses the connection: {error}") from error
    except (OSError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError) as error:
        raise DatabaseUnavailable from error
