"""The same storage tests on a folder and on a real S3 server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from tests.s3 import new_bucket, s3_server

from yarrow.attachments.open_storage import open_storage
from yarrow.attachments.storage import Storage
from yarrow.settings import Settings


@pytest.fixture(scope="session")
async def s3_endpoint() -> AsyncIterator[str]:
    async with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(params=["default folder", "named folder", "s3"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path, s3_endpoint: str) -> Storage:
    url = {
        "default folder": None,
        "named folder": f"file://{tmp_path}/some%20where",
        "s3": await new_bucket(s3_endpoint),
    }[request.param]
    return open_storage(Settings(data_dir=tmp_path, storage_url=SecretStr(url) if url else None))
