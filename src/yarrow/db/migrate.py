"""Bring a database to the schema that this code expects.

Alembic and SQLAlchemy (22 MB) stay out of the serving process. Whether anything is to be done is
read from file names and one row; then a child process has Alembic write the pending revisions as
SQL, and this process runs them in one transaction.
"""

import logging
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import Misconfigured
from yarrow.kit.child_process import run_program

log = logging.getLogger("yarrow.db")

VERSION_FILE = re.compile(r"(\d{4})_\w+\.py")
DEFAULT_PORT = 5432
MIN_POSTGRES = 14
CONNECT_TIMEOUT_S = 30.0

LOCK_KEY = int.from_bytes(b"yarrow", "big")
"""Of the advisory lock that makes processes migrate one after the other; any number does."""


def find_migrations_folder() -> Path:
    """Inside the package when installed from a wheel, at the repository's root otherwise."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "migrations", package.parents[1] / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise Misconfigured("the migrations are missing from this installation; install Yarrow again")


def list_revisions(folder: Path | None = None) -> list[str]:
    """The revisions of this code, oldest first: `0002_attachments.py` is revision 0002."""
    versions = (folder or find_migrations_folder()) / "versions"
    matches = (VERSION_FILE.fullmatch(path.name) for path in versions.glob("*.py"))
    return sorted(match[1] for match in matches if match)


def find_head_revision(folder: Path | None = None) -> str | None:
    known = list_revisions(folder)
    return known[-1] if known else None


async def read_current_revision(dsn: str) -> str | None:
    """The revision of the database; None if it was never migrated."""
    async with _open_connection(dsn) as connection:
        return await _read_revision(connection)


def is_behind(current: str | None, known: list[str]) -> bool:
    """Whether revisions are pending; a revision of newer code is `Misconfigured`."""
    if current is not None and current not in known:
        raise Misconfigured(
            f"the database is at revision {current}, which this version of Yarrow does not know: "
            "a newer one has migrated it; install that version, or use another database"
        )
    return bool(known) and current != known[-1]


async def upgrade_if_behind(dsn: str, *, folder: Path | None = None) -> bool:
    """Apply pending revisions; return whether there were any.

    Safe to call from several processes at once: an advisory lock lets one of them migrate.
    """
    folder = folder or find_migrations_folder()
    known = list_revisions(folder)
    async with _open_connection(dsn) as connection:
        before = current = await _read_revision(connection)
        if before is None:
            await _require_own_schema(connection)
        while is_behind(current, known):
            script = await _write_sql(folder, since=current)
            current = await _run_migration(connection, script, since=current)
    if current != before:
        log.info("db.migrated", extra={"before": before, "after": current})
    return current != before


async def _require_own_schema(connection: asyncpg.Connection) -> None:
    """Refuse a database that another product has made its accounts in."""
    # Not by to_regclass(): it raises where the user may not look into the schema.
    if await connection.fetchval(
        "SELECT count(*) FROM pg_class WHERE relname = 'users' "
        "AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')"
    ):
        raise Misconfigured(
            "this database has a table auth.users of another product, as Supabase does: make one "
            "for Yarrow (CREATE DATABASE yarrow) and set YARROW_DATABASE_URL to it"
        )


async def check_server(dsn: str) -> str:
    """The server's version; `Misconfigured` if it is too old, or cannot be migrated."""
    async with _open_connection(dsn) as connection:
        revision = await _read_revision(connection)
        if revision is None:
            await _require_own_schema(connection)
        major = connection.get_server_version().major
        may_create = await connection.fetchval(
            "SELECT has_database_privilege(current_database(), 'CREATE') "
            "AND has_schema_privilege('public', 'CREATE')"
        )
    if major < MIN_POSTGRES:
        raise Misconfigured(f"PostgreSQL {major} is too old: {MIN_POSTGRES} or newer is needed")
    is_behind(revision, list_revisions(find_migrations_folder()))
    if not may_create:
        where = describe_address(dsn)
        raise Misconfigured(f"the user may not create schemas and tables at {where}")
    return f"PostgreSQL {major}"


async def _write_sql(folder: Path, *, since: str | None) -> str:
    """Have Alembic write the revisions behind `since` as one script."""
    python = (sys.executable, "-X", "utf8", "-P")
    alembic = (*python, "-m", "alembic", "-c", str(folder / "alembic.ini"))
    exit_code, script, errors = await run_program(
        (*alembic, "upgrade", f"{since or 'base'}:head", "--sql")
    )
    if exit_code:
        raise Misconfigured(f"the migrations cannot be read:\n{errors.decode(errors='replace')}")
    return script.decode()


async def _run_migration(
    connection: asyncpg.Connection, script: str, *, since: str | None
) -> str | None:
    """Run the script unless another process was faster; return the revision afterwards."""
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK_KEY)
            if await _read_revision(connection) == since:
                await connection.execute(script)
            if not connection.is_in_transaction():
                raise Misconfigured("a migration must not end its transaction")
            return await _read_revision(connection)
    except asyncpg.PostgresError as error:
        raise Misconfigured(
            f"the database could not be migrated and was left as it was: {error}"
        ) from error


async def _read_revision(connection: asyncpg.Connection) -> str | None:
    # Not by to_regclass(): inside a transaction it may miss a table that was made meanwhile.
    try:
        async with connection.transaction():
            revision: str | None = await connection.fetchval(
                "SELECT version_num FROM alembic_version"
            )
    except asyncpg.UndefinedTableError:
        return None
    return revision


@asynccontextmanager
async def _open_connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await _connect_database(dsn)
    try:
        yield connection
    except asyncpg.InsufficientPrivilegeError as error:
        raise Misconfigured(f"PostgreSQL at {describe_address(dsn)} refuses: {error}") from error
    finally:
        await connection.close()


async def _connect_database(dsn: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(dsn, timeout=CONNECT_TIMEOUT_S)
    except ValueError as error:  # ClientConfigurationError is one
        # Its text may repeat the password.
        raise Misconfigured("the database's DSN cannot be read; see YARROW_DATABASE_URL") from error
    except (OSError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError) as error:
        raise DatabaseUnavailable(describe_address(dsn)) from error
    except asyncpg.PostgresError as error:
        reason = str(error).splitlines()[0]
        where = describe_address(dsn)
        raise Misconfigured(f"PostgreSQL at {where} refuses the connection: {reason}") from error


def describe_address(dsn: str) -> str:
    """Host and port of a DSN, without user, password and database."""
    try:
        parts = urlsplit(dsn)
        port = parts.port or DEFAULT_PORT
    except ValueError:
        return "the address of YARROW_DATABASE_URL"
    return f"{parts.hostname} port {port}" if parts.hostname else "its local socket"
