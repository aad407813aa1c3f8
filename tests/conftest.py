"""One PostgreSQL for all tests of a process."""

import gc
import shutil
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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="try all cases where a sample is tried otherwise"
    )


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # Until all are collected: modules and test items are no garbage.
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


def pytest_unconfigure() -> None:
    """Let the interpreter free modules when it ends: DuckDB prints a list of what is left."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The DSN of an empty database on a server of our own."""
    folder = make_memory_folder("yarrow-test-")
    with EmbeddedPostgres(folder) as server:
        yield server.start()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    """The DSN of a migrated database; tests share it and make accounts of their own."""
    return await create_database(postgres)


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database
