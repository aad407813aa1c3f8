"""One browser for all tests of a process; servers without and with accounts for those of a file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser
from tests.browser.bound_model import BoundModel, Site
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


@asynccontextmanager
async def _serving_bound(dsn: str, folder: Path, auth: AuthMode) -> AsyncIterator[Site]:
    model = BoundModel()
    async with serving(dsn, model=model, data_dir=folder, auth=auth) as served:
        yield Site(
            url=served.url,
            http=served.http,
            product=served.product,
            model=model,
            requests=served.requests,
        )


@pytest.fixture(scope="module")
async def shared_site(
    postgres: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """With a database of its own: sessions of other files have their pictures in other folders."""
    folder = tmp_path_factory.mktemp("site")
    dsn = await create_database(postgres)
    async with _serving_bound(dsn, folder, AuthMode.OFF) as site:
        yield site


@pytest.fixture
async def site(shared_site: Site) -> AsyncIterator[Site]:
    """The product without accounts. Tests share its local user and whatever they stored."""
    began_at = shared_site.product.engine.clock()
    yield shared_site
    await end_leftovers(shared_site, began_at)


@pytest.fixture(scope="module")
async def shared_served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("served")
    async with _serving_bound(dsn, folder, AuthMode.JWT) as served:
        yield served


@pytest.fixture
async def served(shared_served: Site) -> AsyncIterator[Site]:
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
