"""The served product of each test. Apart from `conftest`, so that unit tests do not import it.

A folder of tests takes these fixtures by importing them into its conftest.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel


@pytest.fixture
def model() -> ScriptedModel:
    """The model that the product's agents ask; a test may replace its script before asking."""
    return ScriptedModel()


@pytest.fixture
async def served(dsn: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """The whole product with accounts on, over real HTTP, with the scripted model."""
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        yield served
