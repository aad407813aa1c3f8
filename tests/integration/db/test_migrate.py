"""Migrations: once, all or nothing, and without Alembic in the serving process."""

import asyncio
import contextlib
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.migrate import (
    check_server,
    find_head_revision,
    find_migrations_folder,
    list_revisions,
    read_current_revision,
    upgrade_if_behind,
)
from yarrow.errors import Misconfigured

Ask = Callable[[str, str], Awaitable[object]]

VERSION = """
from yarrow.db.sql_script import run_sql_beside

revision = "{revision}"
down_revision = {down!r}


def upgrade() -> None:
    run_sql_beside(__file__)
"""

FIRST = """
CREATE TABLE note (body text NOT NULL);
INSERT INTO note VALUES ('one; two'), ('100% :colon');
CREATE FUNCTION shout(word text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN upper(word);
END
$$;
"""


def write(folder: Path, revision: str, sql: str) -> None:
    down = f"{int(revision) - 1:04}" if int(revision) > 1 else None
    stem = folder / "versions" / f"{revision}_step"
    stem.with_suffix(".py").write_text(VERSION.format(revision=revision, down=down))
    stem.with_suffix(".sql").write_text(sql)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The product's Alembic files with revisions of our own."""
    (tmp_path / "versions").mkdir()
    for name in ("env.py", "alembic.ini"):
        shutil.copy(find_migrations_folder() / name, tmp_path)
    write(tmp_path, "0001", FIRST)
    return tmp_path


async def test_fresh_database_is_migrated_once(empty_database: str, folder: Path, ask: Ask) -> None:
    assert await read_current_revision(empty_database) is None

    assert await upgrade_if_behind(empty_database, folder=folder)
    assert not await upgrade_if_behind(empty_database, folder=folder)

    assert await read_current_revision(empty_database) == find_head_revision(folder) == "0001"
    assert await ask(empty_database, "SELECT count(*) FROM note") == 2
    assert await ask(empty_database, "SELECT shout('a')") == "A"


async def test_processes_that_start_together_migrate_once(
    empty_database: str, folder: Path, ask: Ask
) -> None:
    await asyncio.gather(*(upgrade_if_behind(empty_database, folder=folder) for _ in range(3)))

    assert await ask(empty_database, "SELECT count(*) FROM note") == 2


async def test_failing_script_leaves_nothing_behind(
    empty_database: str, folder: Path, ask: Ask
) -> None:
    write(folder, "0002", "CREATE TABLE gone (n int); SELECT 1 / 0;")

    with pytest.raises(Misconfigured, match="division by zero"):
        await upgrade_if_behind(empty_database, folder=folder)

    assert await ask(empty_database, "SELECT to_regclass('gone')") is None
    assert await ask(empty_database, "SELECT to_regclass('note')") is None
    assert await read_current_revision(empty_database) is None


async def test_later_revision_is_applied_to_a_database_in_use(
    empty_database: str, folder: Path, ask: Ask
) -> None:
    await upgrade_if_behind(empty_database, folder=folder)
    write(folder, "0002", "ALTER TABLE note ADD COLUMN author text;")

    assert await upgrade_if_behind(empty_database, folder=folder)

    assert await read_current_revision(empty_database) == "0002"
    assert await ask(empty_database, "SELECT count(*) FROM note WHERE author IS NULL") == 2


async def test_database_from_the_future_is_refused(
    empty_database: str, folder: Path, ask: Ask
) -> None:
    await upgrade_if_behind(empty_database, folder=folder)
    await ask(empty_database, "UPDATE alembic_version SET version_num = '0009'")

    with pytest.raises(Misconfigured, match=r"revision 0009, which this version .* not know"):
        await upgrade_if_behind(empty_database, folder=folder)
    await ask(empty_database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(Misconfigured, match=r"revision 9999, which this version .* not know"):
        await check_server(empty_database)


async def test_accounts_of_another_product_are_left_alone(empty_database: str, ask: Ask) -> None:
    await ask(empty_database, "CREATE SCHEMA auth")
    await ask(empty_database, "CREATE TABLE auth.users (id uuid)")

    with pytest.raises(Misconfigured, match=r"auth\.users of another product"):
        await check_server(empty_database)  # as the doctor does
    with pytest.raises(Misconfigured, match=r"auth\.users of another product"):
        await upgrade_if_behind(empty_database)

    assert await read_current_revision(empty_database) is None


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("CREATE SCHEMA auth", "CREATE TABLE auth.users (id uuid)"), r"auth\.users of another"),
        (("CREATE TABLE alembic_version (version_num text)",), "permission denied for table"),
        (("REVOKE CONNECT ON DATABASE {name} FROM PUBLIC",), "permission denied for database"),
        (("ALTER DATABASE {name} CONNECTION LIMIT 0",), "too many connections"),
        ((), "could not be migrated and was left as it was: permission denied"),
    ],
)
async def test_user_with_few_rights_gets_one_line(
    empty_database: str, ask: Ask, given: tuple[str, ...], reason: str
) -> None:
    name = await ask(empty_database, "SELECT current_database()")
    for statement in (f"CREATE ROLE guest_{name} LOGIN", *given):
        await ask(empty_database, statement.format(name=name))

    with pytest.raises(Misconfigured, match=reason) as raised:
        await upgrade_if_behind(empty_database.replace("yarrow@", f"guest_{name}@"))

    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("address", ["[::1/x", "127.0.0.1:port/x", "127.0.0.1/x?sslmode=odd"])
async def test_address_that_cannot_be_read_is_not_repeated(address: str) -> None:
    with pytest.raises(Misconfigured, match="DSN cannot be read") as raised:
        await check_server(f"postgresql://yarrow:hunter2@{address}")

    assert "hunter2" not in str(raised.value)


async def test_script_that_commits_is_refused(empty_database: str, folder: Path) -> None:
    write(folder, "0001", "CREATE TABLE kept (n int); COMMIT;")

    with pytest.raises(Misconfigured, match="must not end its transaction"):
        await upgrade_if_behind(empty_database, folder=folder)


async def test_absent_server_and_wrong_address_are_told_apart(
    shared_server: str, tmp_path: Path
) -> None:
    with pytest.raises(DatabaseUnavailable):
        await read_current_revision(f"postgresql://yarrow@/yarrow?host={tmp_path}")
    with pytest.raises(Misconfigured, match="DSN cannot be read"):
        await read_current_revision("mysql://yarrow:hunter2@localhost/yarrow")
    with pytest.raises(Misconfigured, match="nowhere"):
        await read_current_revision(shared_server.replace("/yarrow?", "/nowhere?"))


async def test_the_child_gets_neither_dsn_nor_password(empty_database: str, folder: Path) -> None:
    secret = empty_database.replace("yarrow@", "yarrow:hunter2@")

    upgrading = asyncio.create_task(upgrade_if_behind(secret, folder=folder))
    words: set[str] = set()
    while not upgrading.done():
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error):
                words.update(child.cmdline(), child.environ().values())
        await asyncio.sleep(0.01)

    assert "--sql" in words
    assert not any("hunter2" in word for word in words)
    assert await upgrading


async def test_a_version_file_that_cannot_be_read_is_named(
    empty_database: str, folder: Path
) -> None:
    write(folder, "0002", "SELECT 1;")
    (folder / "versions" / "0002_step.sql").unlink()

    with pytest.raises(Misconfigured, match=r"0002_step\.sql"):
        await upgrade_if_behind(empty_database, folder=folder)


def test_serving_process_imports_neither_alembic_nor_sqlalchemy() -> None:
    code = "import sys, yarrow.db.migrate; print({'alembic', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_revisions_of_the_product_form_one_line() -> None:
    for number, revision in enumerate(list_revisions(), start=1):
        (file,) = (find_migrations_folder() / "versions").glob(f"{revision}_*.py")
        down = f'"{number - 1:04}"' if number > 1 else "None"

        assert revision == f"{number:04}"
        assert f'revision = "{revision}"\ndown_revision = {down}\n' in file.read_text()
