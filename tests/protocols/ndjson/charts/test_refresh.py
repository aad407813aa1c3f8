"""`refresh-derived-data` over real HTTP and the real sandbox: signed programs, within limits."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.table_calls import call_refused, in_workspace, list_names, upload
from tests.serving import Caller, Served

from yarrow.accounts.server_secrets import read_signing_secret
from yarrow.agents.analyst.chart.make_chart import make_code_signer

REFRESH = "/api/agent/refresh-derived-data"

CODE = """\
import pandas as pd
sales = pd.read_parquet('data/sales.parquet')
by_city = sales.groupby('city', as_index=False)['amount'].sum()
"""


@pytest.fixture
def signed(served: Served):
    """A body whose code this server signed."""
    sign = make_code_signer(read_signing_secret(served.product.settings))

    def body(code: str, **more) -> JsonObject:
        sent = {"input_tables": [{"name": "sales"}], "output_variable": "by_city"}
        return {"code": code, "code_signature": sign.sign(code), **sent, **more}

    return body


async def test_a_signed_program_is_run_over_the_tables_of_today(caller: Caller, signed) -> None:
    await upload(caller, "city,amount\nBerlin,1\n", table_name="sales")
    await caller.post(
        "/api/tables/sync-table-data",
        {
            "table_name": "sales",
            "rows": [{"city": "Paris", "amount": 2}, {"city": "Paris", "amount": 3}],
        },
    )

    _, answer = await caller.post(REFRESH, signed(CODE))

    assert answer == {
        "status": "success",
        "data": {"row_count": 1, "rows": [{"city": "Paris", "amount": 5}]},
    }
    assert await list_names(caller) == ["sales"]


async def test_a_virtual_result_takes_the_place_of_its_table(caller: Caller, signed) -> None:
    await upload(caller, table_name="sales")
    body = signed(CODE, virtual=True, output_table_name="d-by_city")

    for _ in range(2):
        _, answer = await caller.post(REFRESH, body)

    assert answer["data"]["virtual"] == {"table_name": "d_by_city", "row_count": 2}
    assert await list_names(caller) == ["sales", "d_by_city"]


async def test_a_signed_query_is_run_too(caller: Caller, signed) -> None:
    await upload(caller, table_name="sales")
    query = "SELECT city, sum(amount)::INT AS total FROM sales GROUP BY city ORDER BY city"

    _, answer = await caller.post(REFRESH, signed(query))

    assert answer["data"]["rows"] == [
        {"city": "Berlin", "total": 10},
        {"city": "Paris", "total": 5},
    ]


async def test_inline_rows_replace_a_table_that_is_not_stored(caller: Caller, signed) -> None:
    given = [{"name": "sales", "rows": [{"city": "Rom", "amount": 4}]}]

    _, answer = await caller.post(REFRESH, signed(CODE, input_tables=given))

    assert answer["data"]["rows"] == [{"city": "Rom", "amount": 4}]
    assert await list_names(caller) == []


# reference, §8: bad signature, over 256 KiB, more than 50 tables -> VALIDATION_ERROR


@pytest.mark.parametrize(
    "change",
    [
        {"code": CODE + "\n# changed"},
        {"code_signature": "0" * 64},
        {"code_signature": "签"},
        {"output_variable": "not an identifier"},
        {"output_variable": "class"},
        {"input_tables": [{"name": f"t{n}"} for n in range(51)]},
    ],
)
async def test_unsigned_or_oversized_program_is_refused(
    caller: Caller, signed, change: JsonObject
) -> None:
    body = {**signed(CODE), **change}

    assert await call_refused(caller, "POST", REFRESH, json=body) == (200, "VALIDATION_ERROR")


async def test_a_program_over_the_limit_is_refused_even_if_signed(caller: Caller, signed) -> None:
    body = signed("#" * (256 * 1024 + 1))

    assert await call_refused(caller, "POST", REFRESH, json=body) == (200, "VALIDATION_ERROR")


async def test_a_program_that_fails_says_so(caller: Caller, signed) -> None:
    await upload(caller, table_name="sales")

    found = await call_refused(caller, "POST", REFRESH, json=signed("by_city = 1 / 0"))

    assert found == (200, "CODE_EXECUTION_ERROR")


async def test_tables_of_others_cannot_be_read(served: Served, caller: Caller, signed) -> None:
    await upload(await served.account(), table_name="sales")
    await upload(in_workspace(caller, "elsewhere"), table_name="sales")

    found = await call_refused(caller, "POST", REFRESH, json=signed(CODE))

    assert found == (200, "TABLE_NOT_FOUND")


@pytest.mark.parametrize(
    "change",
    [
        {"input_tables": [{"name": "../../x", "rows": [{"a": 1}]}]},
        {"input_tables": "sales"},
        {"code": None},
        {"virtual": "perhaps"},
    ],
)
async def test_a_broken_body_is_an_invalid_request(
    caller: Caller, signed, change: JsonObject
) -> None:
    body = {**signed(CODE), **change}

    assert await call_refused(caller, "POST", REFRESH, json=body) == (200, "INVALID_REQUEST")
