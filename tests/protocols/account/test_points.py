"""Points and the ledger over HTTP."""

from uuid import UUID, uuid4

import aiohttp
import pytest

from yarrow.db.pool import Database
from yarrow.points.adjust import adjust_points

LEDGER = "/api/v1/points/ledger"

# seed 3, points_ledger
COLUMNS = {
    "id",
    "user_id",
    "direction",
    "amount",
    "balance_after",
    "change_type",
    "biz_type",
    "biz_id",
    "event_id",
    "operator_id",
    "metadata",
    "created_at",
    "updated_at",
}


async def account_of(user: aiohttp.ClientSession) -> str:
    async with user.get("/api/v1/profile") as answer:
        account_id: str = (await answer.json())["id"]
    return account_id


async def test_new_account_has_a_hundred_points(user: aiohttp.ClientSession) -> None:
    async with user.get("/api/v1/points") as answer:
        result = await answer.json()

    assert result == {
        "balance": 100,
        "frozen_balance": 0,
        "available": 100,
        "lifetime_earned": 100,
        "lifetime_spent": 0,
    }


async def test_ledger_begins_with_the_registration(user: aiohttp.ClientSession) -> None:
    async with user.get(LEDGER) as answer:
        result = await answer.json()

    assert set(result) == {"entries"}
    (entry,) = result["entries"]
    assert set(entry) == COLUMNS
    assert (entry["change_type"], entry["direction"], entry["amount"]) == ("register", 1, 100)
    assert (entry["biz_type"], entry["biz_id"]) == (None, None)


async def test_ledger_is_read_page_by_page(user: aiohttp.ClientSession, database: Database) -> None:
    who = await account_of(user)
    for number in range(4):
        await adjust_points(database, who, delta=1, ticket_id=f"T-{number}")

    seen: list[int] = []
    query = {"limit": "2"}
    while True:
        async with user.get(LEDGER, params=query) as answer:
            result = await answer.json()
        seen += [entry["balance_after"] for entry in result["entries"]]
        if "next" not in result:
            break
        query["before"] = result["next"]

    assert seen == [104, 103, 102, 101, 100]


@pytest.mark.parametrize(
    "query",
    [{"limit": "0"}, {"limit": "101"}, {"limit": "many"}, {"before": "x"}],
)
async def test_wrong_page_is_refused(user: aiohttp.ClientSession, query: dict[str, str]) -> None:
    async with user.get(LEDGER, params=query) as answer:
        result = await answer.json(content_type=None)

    assert (answer.status, result["code"]) == (422, "REQUEST_INVALID")
    assert result["params"]["field"] == next(iter(query))


async def test_page_before_an_unknown_entry_is_refused(user: aiohttp.ClientSession) -> None:
    async with user.get(LEDGER, params={"before": str(uuid4())}) as answer:
        assert answer.status == 422


async def test_ledger_cannot_be_paged_by_an_entry_of_another_account(
    user: aiohttp.ClientSession, database: Database
) -> None:
    async with database.transaction() as tx:
        other: UUID = await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id")
        entry = await tx.fetchval("SELECT id FROM points_ledger WHERE user_id = $1", other)

    async with user.get(LEDGER, params={"before": str(entry)}) as answer:
        assert answer.status == 422
