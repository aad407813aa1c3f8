"""Dump a database into a file and load it again, with `pg_dump` and `pg_restore`.

The programs come with the embedded PostgreSQL and work with external servers up to its version.
"""

import asyncio
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from yarrow.db.embedded.install import ENVIRONMENT, find_install
from yarrow.errors import Misconfigured
from yarrow.kit.child_process import run_program

_NEW_SETTING = b"SET transaction_timeout = 0;"
HEAD_BYTES = 4096
"""Where `pg_restore` writes its settings, before everything else."""


async def dump_database(dsn: str, file: Path, *, snapshot: str) -> None:
    """Write what an exported snapshot sees, compressed, for `pg_restore`."""
    options = ("--format=custom", f"--snapshot={snapshot}", f"--file={file}")
    await _run_postgres_program("pg_dump", *options, dsn=dsn)


async def load_database(dsn: str, file: Path, *, script: Path) -> None:
    """Fill an empty database from a dump, in one transaction. `script` is written and deleted.

    `pg_restore` itself would send a setting that servers before version 17 do not know.
    """
    options = ("--no-owner", "--no-privileges", f"--file={script}", str(file))
    await _run_postgres_program("pg_restore", *options)
    await asyncio.to_thread(_drop_line, script, _NEW_SETTING)
    options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    await _run_postgres_program("psql", *options, f"--file={script}", dsn=dsn)
    await asyncio.to_thread(script.unlink)


async def _run_postgres_program(name: str, *options: str, dsn: str | None = None) -> None:
    address, secret = (None, {}) if dsn is None else _split_password(dsn)
    connection = () if address is None else (f"--dbname={address}", "--no-password")
    exit_code, _, errors = await run_program(
        (str(find_install().program(name)), *options, *connection),
        # Without a password in the DSN, libpq finds it where asyncpg does.
        env=ENVIRONMENT | secret if secret else None,
        umask=0o077,
    )
    if exit_code:
        lines = errors.decode(errors="replace").splitlines()
        raise Misconfigured(next(iter(lines), f"{name} ended with {exit_code}"))


def _drop_line(file: Path, line: bytes) -> None:
    """Replace a line of the file's head, where no data is yet, by a comment of the same length."""
    with file.open("r+b") as script:
        head = script.read(HEAD_BYTES)
        place = head.find(line)
        if place >= 0:
            script.seek(place)
            script.write(b"-" * len(line))


def _split_password(dsn: str) -> tuple[str, dict[str, str]]:
    """The DSN without its password, which other users could read in the list of processes."""
    url = urlsplit(dsn)
    query = dict(parse_qsl(url.query))
    password = query.pop("password", None) or (url.password and unquote(url.password))
    if not password:
        return dsn, {}
    # Spaces as %20: libpq takes a + literally.
    user, host = url.username or "", url.netloc.rpartition("@")[2]
    address = url._replace(netloc=f"{user}@{host}", query=urlencode(query, quote_via=quote))
    return urlunsplit(address), {"PGPASSWORD": password}
