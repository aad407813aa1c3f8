"""One PostgreSQL for all tests of a process."""

import gc
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings
from tests.examples import register_profiles
from tests.memory_folder import make_memory_folder
from tests.own_database import create_database

from yarrow.db import Database, open_database
from yarrow.db.embedded.server import EmbeddedPostgres

register_profiles()
settings.load_profile("sample")

GARBAGE_THRESHOLD = 50_000
"""New objects before a collection; with Python's 700, tests spend a tenth of their CPU in it."""

TESTS = Path(__file__).parent
LONGEST = [
    TESTS / "integration" / "test_faults.py",
    TESTS / "integration" / "sandbox" / "test_ordinary_user.py",
    TESTS / "protocols" / "test_model_trouble.py",
    TESTS / "protocols" / "test_odd_values.py",
]
"""Files of minutes: begun last, they would leave the other core idle at the end."""

OWN_FOLDER = pytest.StashKey[Path]()
"""The folder of all `tmp_path`s of this run; kept if a test failed.

pytest's own is shared by all runs of a user, and each of them closes it to others when it begins: a
database of another run, whose user is not root, cannot reach its folder below it any more.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="try all cases where a sample is tried otherwise"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # Until all are collected: modules and test items are no garbage.
    if not config.option.basetemp:
        config.option.basetemp = tempfile.mkdtemp(prefix="yarrow-pytest-")
        config.stash[OWN_FOLDER] = Path(config.option.basetemp)
    if config.getoption("--thorough"):
        settings.load_profile("thorough")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether to try all cases of a long list, not a sample of them."""
    return bool(request.config.getoption("--thorough"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path not in LONGEST)
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Leave modules and test items out of garbage collection: each full one would walk them all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD)
    gc.enable()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.TESTS_FAILED and OWN_FOLDER in session.config.stash:
        del session.config.stash[OWN_FOLDER]


def pytest_unconfigure(config: pytest.Config) -> None:
    gc.unfreeze()  # DuckDB prints a list of the modules that are left when the interpreter ends.
    if folder := config.stash.get(OWN_FOLDER, None):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The DSN of an empty database on a server of our own."""
    folder = make_memory_folder("yarrow-test-")
    with EmbeddedPostgres(folder) as server:
        yield server.start()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
async def dsn(postgres: str) -> str:
    """The DSN of a migrated database for the tests of a file, which make accounts of their own.

    A run that a file leaves unfinished would be executed by the servers of the next one.
    """
    return await create_database(postgres)


@pytest.fixture(scope="module")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database
