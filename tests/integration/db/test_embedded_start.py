"""Starting, joining and stopping the embedded server when nothing goes wrong."""

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from yarrow.db.embedded.cluster import ensure_cluster
from yarrow.db.embedded.install import Install, allow_programs, find_install
from yarrow.db.embedded.os_user import allow_traverse, can_execute, choose_user
from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid, list_postgres_pids
from yarrow.errors import Misconfigured

Ask = Callable[[str, str], Awaitable[object]]
Act = Callable[..., subprocess.Popen[str]]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="changes users, which needs root")

NOBODY = 65534


def first_line(actor: subprocess.Popen[str]) -> str:
    assert actor.stdout is not None
    return actor.stdout.readline().strip()


async def test_dsn_leads_to_an_empty_utf8_database(used_dir: Path, ask: Ask) -> None:
    with EmbeddedPostgres(used_dir) as server:
        dsn = server.start()

        assert await ask(dsn, "SELECT current_database()") == "yarrow"
        assert await ask(dsn, "SHOW server_encoding") == "UTF8"
        assert await ask(dsn, "SELECT upper('é') || lower('Ж')") == "Éж"


async def test_data_outlives_a_stop(used_dir: Path, ask: Ask) -> None:
    with EmbeddedPostgres(used_dir) as server:
        await ask(server.start(), "CREATE TABLE kept AS SELECT 7 AS n")

    with EmbeddedPostgres(used_dir) as server:
        assert await ask(server.start(), "SELECT n FROM kept") == 7


def test_stop_ends_the_server_and_may_be_repeated(used_dir: Path) -> None:
    server = EmbeddedPostgres(used_dir)
    server.start()
    assert find_postmaster_pid(used_dir) == list_postgres_pids(used_dir)[0]

    server.stop()
    server.stop()

    assert find_postmaster_pid(used_dir) is None
    assert list_postgres_pids(used_dir) == []


def test_server_listens_on_no_network(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        postmaster = psutil.Process(find_postmaster_pid(used_dir))

        assert {c.family for c in postmaster.net_connections("all")} == {socket.AF_UNIX}


def test_cluster_and_log_are_private(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        assert stat.S_IMODE((used_dir / "postgres").stat().st_mode) == 0o700
        assert stat.S_IMODE((used_dir / "postgres.log").stat().st_mode) == 0o600
        assert not used_dir.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH)


def test_socket_moves_to_a_private_folder_when_the_path_is_long(data_dir: Path, ask: Ask) -> None:
    deep = data_dir / ("d" * 60) / ("e" * 60)

    with EmbeddedPostgres(deep) as server, EmbeddedPostgres(deep) as other:
        dsn = server.start()
        place = Path(dsn.partition("host=")[2].partition("&")[0])

        assert dsn == other.start()
        assert place.parent == Path(tempfile.gettempdir())
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
    place.rmdir()


async def test_odd_characters_in_the_path_do_no_harm(data_dir: Path, ask: Ask) -> None:
    with EmbeddedPostgres(data_dir / "a b%é&#?") as server:
        assert await ask(server.start(), "SELECT 1") == 1


def test_second_user_joins_and_the_last_one_stops(used_dir: Path, act: Act) -> None:
    server = EmbeddedPostgres(used_dir)
    dsn = server.start()
    pid = find_postmaster_pid(used_dir)

    other = act()
    assert first_line(other) == dsn
    server.stop()
    assert find_postmaster_pid(used_dir) == pid
    other.communicate("")

    assert other.returncode == 0
    assert find_postmaster_pid(used_dir) is None


def test_concurrent_first_starts_make_one_server(data_dir: Path, act: Act) -> None:
    actors = [act() for _ in range(4)]

    dsns = {first_line(actor) for actor in actors}
    assert len(dsns) == 1
    assert dsns != {""}
    for actor in actors:
        actor.communicate("")

    assert (data_dir / "postgres.log").read_text().count("starting PostgreSQL") == 1
    assert find_postmaster_pid(data_dir) is None


def test_cluster_of_another_version_is_refused_with_advice(data_dir: Path) -> None:
    (data_dir / "postgres").mkdir()
    (data_dir / "postgres" / "PG_VERSION").write_text("16\n")

    with pytest.raises(Misconfigured, match=r"made by PostgreSQL 16 .* brings 18; dump it"):
        EmbeddedPostgres(data_dir).start()


def test_folder_that_is_no_cluster_is_left_alone(data_dir: Path) -> None:
    (data_dir / "postgres").mkdir()
    (data_dir / "postgres" / "holiday.jpg").touch()

    with pytest.raises(Misconfigured, match="not a PostgreSQL cluster"):
        EmbeddedPostgres(data_dir).start()

    assert [path.name for path in (data_dir / "postgres").iterdir()] == ["holiday.jpg"]


def test_broken_settings_are_reported_from_the_log(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        pass
    with (used_dir / "postgres" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = 1\n")

    with pytest.raises(Misconfigured, match="no_such_setting"):
        EmbeddedPostgres(used_dir).start()


@as_root
def test_root_hands_the_server_to_an_unprivileged_user(used_dir: Path) -> None:
    with EmbeddedPostgres(used_dir):
        owner = (used_dir / "postgres").stat().st_uid

        assert owner != 0
        assert {psutil.Process(pid).uids().effective for pid in list_postgres_pids(used_dir)} == {
            owner
        }


@as_root
def test_root_opens_closed_folders_for_passing_only(
    data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    closed = data_dir / "closed"
    closed.mkdir(mode=0o700)

    with EmbeddedPostgres(closed / "data"):
        assert stat.S_IMODE(closed.stat().st_mode) == 0o701

    opened = [vars(r)["folder"] for r in caplog.records if r.message == "db.folder_opened"]
    assert opened == [str(data_dir), str(closed), str(closed / "data")]


@as_root
def test_programs_installed_under_a_strict_umask_are_opened(data_dir: Path) -> None:
    installed, copy = find_install(), Install(data_dir / "venv" / "wheel" / "pginstall18")
    shutil.copytree(installed.root, copy.root)
    shutil.copytree(installed.libraries, copy.libraries)
    subprocess.run(["chmod", "-R", "go=", str(data_dir / "venv")], check=True)
    cluster = data_dir / "postgres"
    user = choose_user(cluster)
    assert not can_execute(user, copy.program("postgres"))

    allow_programs(copy, user)
    allow_traverse(user, cluster)
    ensure_cluster(copy, user, cluster=cluster)

    assert (cluster / "PG_VERSION").read_text() == "18\n"


@as_root
def test_normal_user_runs_it_and_root_may_visit(data_dir: Path, act: Act) -> None:
    os.chown(data_dir, NOBODY, NOBODY)
    first = act(str(NOBODY))
    assert first_line(first).startswith("postgresql://")
    first.communicate("")

    with EmbeddedPostgres(data_dir):
        assert (data_dir / "postgres").stat().st_uid == NOBODY

    again = act(str(NOBODY))
    assert first_line(again).startswith("postgresql://")
    again.communicate("")
    assert again.returncode == 0


@as_root
def test_normal_user_is_told_whose_cluster_it_is(used_dir: Path, act: Act) -> None:
    with EmbeddedPostgres(used_dir):
        pass
    used_dir.chmod(0o777)
    for name in ("postgres.lock", "postgres.users"):
        (used_dir / name).unlink()

    _, said = act(str(NOBODY)).communicate("")

    assert "belongs to user postgres; run Yarrow as that user" in said
