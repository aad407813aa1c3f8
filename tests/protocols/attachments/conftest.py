"""One served product for each module, with attachments in a folder."""

from collections.abc import AsyncIterator

import pytest
from tests.protocols.agui.stage import Stage
from tests.protocols.attachments.desk import a_thread
from tests.serving import Caller, Served, serving


@pytest.fixture(scope="module")
def shared_stage() -> Stage:
    return Stage()


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("attachments")
    async with serving(dsn, model=shared_stage, data_dir=folder) as served:
        yield served


@pytest.fixture
def stage(shared_stage: Stage) -> Stage:
    shared_stage.script()
    return shared_stage


@pytest.fixture
async def caller(served: Served, stage: Stage) -> Caller:
    return await served.account(points=1_000)


@pytest.fixture
async def thread(caller: Caller) -> str:
    """A session of the caller's."""
    return await a_thread(caller)
