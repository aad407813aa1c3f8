"""A browser where there is one, and the product with and without accounts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.browser.chromium import Chromium, chromium, find_chromium
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
async def browser(
    chromium_path: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Chromium]:
    async with chromium(chromium_path, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
async def local(dsn: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """The product as it comes: no accounts, one local user."""
    async with serving(dsn, model=model, data_dir=tmp_path, auth=AuthMode.OFF) as served:
        yield served
