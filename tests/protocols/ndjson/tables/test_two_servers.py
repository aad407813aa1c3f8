"""Two servers on two data dirs share their tables through an S3 store.

The first has no worker: the second executes the runs that the first accepts.
"""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace
from pydantic import SecretStr
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    DATA_AGENT,
    QUESTIONS,
    AnalystClient,
    drop_progress,
    find_line,
)
from tests.s3 import new_bucket, s3_server
from tests.serving import serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.tables.read import find_table

SECRET = "shared by both servers, and long enough"


class Pair(Struct, frozen=True):
    """One account at two servers."""

    one: AnalystClient
    other: AnalystClient


@pytest.fixture(scope="module")
async def pair(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pair]:
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    async with s3_server() as endpoint:
        url = await new_bucket(endpoint)
        serve = partial(
            serving, dsn, model=ScriptedModel(), storage_url=url, jwt_secret=SecretStr(SECRET)
        )
        async with (
            serve(data_dir=folders[0], slots=0) as one,
            serve(data_dir=folders[1]) as other,
        ):
            caller = await one.account()
            away = replace(caller, url=other.url, http=other.http)
            yield Pair(AnalystClient(one, caller), AnalystClient(other, away))


async def call(client: AnalystClient, path: str, body: object = None) -> JsonObject:
    method = "GET" if body is None else "POST"
    sent = {} if body is None else {"json": body}
    _, answer = await client.caller.send(method, path, headers=client.headers, **sent)
    return answer


async def test_every_request_about_a_table_works_at_either_server(pair: Pair) -> None:
    await pair.one.create_table("sales")

    for client in (pair.other, pair.one):
        page = await call(client, "/api/tables/get-table?table_name=sales")
        assert [row["revenue"] for row in page["data"]["rows"]] == [10, 20, 30]
        sample = await call(client, "/api/tables/sample-table", {"table": "sales"})
        assert sample["data"]["total_row_count"] == 3
        numbers = await call(client, "/api/tables/analyze", {"table_name": "sales"})
        assert len(numbers["data"]["statistics"]) == 3
        lines = await client.ask("bar chart of revenue by region")
        made = find_line(lines, "result")["content"]["result"]
        assert made["refined_goal"]["chart"]["encodings"] == {"x": "region", "y": "revenue"}
        asked = await client.post_lines(QUESTIONS, {"input_tables": [{"name": "sales"}]})
        assert asked[-1] == {"type": "done", "count": 4}


async def test_rows_of_a_request_are_read_wherever_its_run_is_executed(pair: Pair) -> None:
    rows = [{"shop": "ab"[n % 2], "sold": n} for n in range(9)]
    for number, client in enumerate((pair.one, pair.other)):
        tables = [{"name": f"inline{number}", "rows": rows}]
        body = {"user_question": "bar chart of sold by shop", "input_tables": tables}

        result = find_line(await client.post_lines(DATA_AGENT, body), "result")

        assert result["content"]["result"]["content"]["virtual"]["row_count"] == 9


async def test_a_deleted_table_is_gone_at_both(pair: Pair) -> None:
    await pair.one.create_table("short_lived")
    await call(pair.other, "/api/tables/get-table?table_name=short_lived")

    await call(pair.one, "/api/tables/delete-table", {"table_name": "short_lived"})

    answer = await call(pair.other, "/api/tables/get-table?table_name=short_lived")
    assert answer["error"]["message"] == "no table short_lived"


async def test_a_lost_cache_is_filled_again_and_a_lost_file_is_told(pair: Pair) -> None:
    await pair.one.create_table("fragile")
    tables = pair.one.served.product.tables
    table = await find_table(tables, pair.one.workspace_ref, "fragile")
    lose(table.path)
    page = await call(pair.one, "/api/tables/get-table?table_name=fragile")
    assert page["data"]["total_rows"] == 3

    lose(table.path)
    assert tables.store is not None
    await tables.store.delete(f"tables/{table.id}.parquet")

    answer = await call(pair.one, "/api/tables/get-table?table_name=fragile")
    assert answer["error"]["message"] == "the file of table fragile is gone; upload it again"
    lines = await pair.one.ask(input_tables=[{"name": "fragile"}])
    warning, done = drop_progress(lines)
    assert "file of table 'fragile' is gone" in warning["warning"]["message"]
    assert "files of these tables are gone" in done["content"]["summary"]


def lose(file: Path) -> None:
    file.unlink()


async def test_the_cache_is_bounded(pair: Pair) -> None:
    for number in range(3):
        await pair.one.create_table(f"cached{number}")
    files = replace(pair.one.served.product.tables, cache_bytes=1).files

    files.evict(older_than_s=-60)

    assert list(files.folder.glob("*.parquet")) == []
    page = await call(pair.one, "/api/tables/get-table?table_name=cached1")
    assert page["data"]["total_rows"] == 3
