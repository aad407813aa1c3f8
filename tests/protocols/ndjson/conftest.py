"""A served product with a scripted model that tests share, and a workspace for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.own_database import create_database
from tests.protocols.fixtures import caller, switchable
from tests.protocols.ndjson.analyst_client import AnalystClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, serving

from yarrow.isolation.landlock import is_available
from yarrow.sandbox.client import ForkServerClient

__all__ = ["caller", "switchable"]

SOME_ENDPOINT = "http://127.0.0.1:9/v1"
"""Nobody answers there; that it is set lets the analyst believe in a model."""


@pytest.fixture(scope="session")
async def served(
    postgres: str, shared_model: SwitchableModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """The whole product with accounts on. Tests share it and bring new accounts."""
    dsn, folder = await create_database(postgres), tmp_path_factory.mktemp("served")
    async with serving(
        dsn, model=shared_model, data_dir=folder, llm_base_url=SOME_ENDPOINT
    ) as served:
        yield served


async def cannot_isolate(_: ForkServerClient) -> str | None:
    return "no namespaces"


@pytest.fixture
async def without_python(
    dsn: str, shared_model: SwitchableModel, tmp_path: Path
) -> AsyncIterator[Served]:
    """The product on a machine that cannot isolate Python."""
    if not is_available():
        pytest.skip("the kernel has no Landlock")
    async with serving(
        dsn,
        model=shared_model,
        data_dir=tmp_path,
        llm_base_url=SOME_ENDPOINT,
        probe=cannot_isolate,
    ) as served:
        yield served


@pytest.fixture
def empty_analyst(served: Served, caller: Caller) -> AnalystClient:
    """A workspace without tables."""
    return AnalystClient(served, caller)


@pytest.fixture
async def analyst(empty_analyst: AnalystClient) -> AnalystClient:
    """A workspace with the table `sales`."""
    await empty_analyst.create_table("sales")
    return empty_analyst
