"""One browser for all tests of a process; servers without and with accounts for those of a file."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser
from tests.browser.chromium import find_chromium
from tests.browser.driven import launch
from tests.browser.leftovers import end_leftovers
from tests.own_database import create_database
from tests.product_fixtures import model
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode
from yarrow.speech.scripted import ScriptedRecogniser

__all__ = ["model"]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium here: `apt-get install chromium`, or run as root with CI=true")
    return path


@pytest.fixture(scope="session")
async def window(chromium_path: str) -> AsyncIterator[Browser]:
    """The browser; each test has a context of its own in it."""
    async with launch(chromium_path) as browser:
        yield browser


@pytest.fixture(scope="module")
async def shared_site(
    postgres: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """With a database of its own: sessions of other files have their pictures in other folders."""
    folder = tmp_path_factory.mktemp("site")
    dsn = await create_database(postgres)
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, auth=AuthMode.OFF) as served:
        yield served


@pytest.fixture
async def site(shared_site: Served) -> AsyncIterator[Served]:
    """The product without accounts. Tests share its local user and whatever they stored."""
    began_at = shared_site.product.engine.clock()
    yield shared_site
    await end_leftovers(shared_site, began_at)


@pytest.fixture(scope="module")
async def shared_served(
    dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture
async def served(shared_served: Served) -> AsyncIterator[Served]:
    """The product with accounts; a test makes accounts of its own."""
    began_at = shared_served.product.engine.clock()
    yield shared_served
    await end_leftovers(shared_served, began_at)


@pytest.fixture(scope="module")
async def shared_hearing(
    dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Served, ScriptedRecogniser]]:
    recogniser, folder = ScriptedRecogniser("what was spoken"), tmp_path_factory.mktemp("hearing")
    async with serving(
        dsn, model=ScriptedModel(), data_dir=folder, auth=AuthMode.OFF, recogniser=recogniser
    ) as served:
        yield served, recogniser


@pytest.fixture
async def hearing(
    shared_hearing: tuple[Served, ScriptedRecogniser],
) -> tuple[Served, ScriptedRecogniser]:
    """The product with a recogniser that understands every recording."""
    shared_hearing[1].received.clear()
    return shared_hearing
