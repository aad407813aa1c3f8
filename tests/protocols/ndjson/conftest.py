"""A served product that believes to have a model of its operator's, played by the stage."""

from collections.abc import AsyncIterator

import pytest
from tests.protocols.agui.stage import Stage
from tests.protocols.staged import caller, shared_stage, stage
from tests.serving import Served, serving

__all__ = ["caller", "served", "shared_stage", "stage"]


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    base = "http://127.0.0.1:9/v1"
    async with serving(dsn, model=shared_stage, data_dir=folder, llm_base_url=base) as served:
        yield served
