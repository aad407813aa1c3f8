"""Folders of files, and files in an S3 bucket, as sources."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from obstore.store import S3Store
from tests.protocols.ndjson.sources.test_files import connect, load, read
from tests.s3 import new_bucket, s3_server
from tests.serving import Caller


def parquet(**columns: list[object]) -> bytes:
    file = BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


@pytest.fixture
def lake(folder: Path) -> Path:
    path = folder / uuid4().hex
    (path / "2026").mkdir(parents=True)
    (path / "cities.parquet").write_bytes(parquet(city=["北京", "Rome"], n=[1, 2]))
    (path / "2026" / "visits.csv").write_text("city,visits\nRome,5\nRome,7\n")
    (path / "notes.txt").write_text("no table")
    (path / "link.csv").symlink_to("/etc/passwd")
    return path


async def test_files_of_a_folder_are_tables(caller: Caller, lake: Path) -> None:
    source = await connect(caller, f"file://{lake}")
    _, tables = await caller.get(f"{source}/tables")

    await load(
        caller,
        source,
        sql='SELECT c.city, sum(v.visits) AS n FROM cities c JOIN "2026".visits v USING (city) '
        "GROUP BY 1",
        table_name="joined",
    )

    keys = [table["table_key"] for table in tables["data"]["tables"]]
    assert keys == ["2026.visits", "main.cities"]
    assert await read(caller, "joined") == [{"city": "Rome", "n": 12}]


async def test_a_file_that_cannot_be_read_is_listed_as_such(caller: Caller, lake: Path) -> None:
    (lake / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    source = await connect(caller, f"file://{lake}")

    _, listed = await caller.get(f"{source}/tables")
    status, answer = await caller.post(f"{source}/query", {"table_key": "main.broken"})

    tables = {table["table_key"]: table for table in listed["data"]["tables"]}
    assert tables["main.broken"]["columns"] == []
    assert "cannot be read" in tables["main.broken"]["comment"]
    assert tables["main.cities"]["columns"]
    assert (status, answer["status"]) == (422, "error"), answer


async def test_nothing_outside_of_the_folder_is_read(caller: Caller, lake: Path) -> None:
    source = await connect(caller, f"file://{lake}")

    for sql in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM link",
    ):
        status, answer = await caller.post(f"{source}/query", {"sql": sql})
        assert (status, answer["status"]) == (422, "error"), answer


@pytest.fixture(scope="module")
async def s3() -> AsyncIterator[str]:
    async with s3_server() as endpoint:
        yield endpoint


async def test_files_of_a_bucket_are_tables(caller: Caller, s3: str) -> None:
    url = await new_bucket(s3)
    bucket = url.partition("@")[2].partition("/")[0]
    store = S3Store(
        bucket,
        access_key_id="key",
        secret_access_key="secret",
        endpoint=s3,
        region="us-east-1",
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )
    await obstore.put_async(store, "some/prefix/t.parquet", parquet(a=[1, 2, 3]))
    await obstore.put_async(store, "elsewhere/t.parquet", parquet(a=[9]))
    source = await connect(caller, url)

    table = await load(caller, source, sql="SELECT sum(a) AS s FROM t WHERE a > 1", table_name="s3")
    outside = f"SELECT * FROM 's3://{bucket}/elsewhere/t.parquet'"
    status, _ = await caller.post(f"{source}/query", {"sql": outside})

    assert table["row_count"] == 1
    assert await read(caller, "s3") == [{"s": 5}]
    assert status == 422
