"""A browser where there is one, and the product with and without accounts."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser
from tests.browser.chromium import find_chromium
from tests.browser.driven import launch
from tests.product_fixtures import model, served
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.settings import AuthMode

__all__ = ["model", "served"]


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_chromium()
    if path is None:
        pytest.skip("no Chromium here: `apt-get install chromium`, or run as root with CI=true")
    return path


@pytest.fixture(scope="session")
async def window(chromium_path: str) -> AsyncIterator[Browser]:
    """One browser for all tests that drive pages."""
    async with launch(chromium_path) as browser:
        yield browser


@pytest.fixture(scope="module")
async def site(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """The product without accounts, one for all tests of a module: they share its local user."""
    folder = tmp_path_factory.mktemp("site")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, auth=AuthMode.OFF) as served:
        yield served
