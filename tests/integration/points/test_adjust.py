"""Operators' movements: a ticket, a session, and never the points of a running run."""

import asyncio
from uuid import uuid4

import pytest
from tests.integration.points.movements import hold

from yarrow.accounts.errors import AccountNotFound
from yarrow.db.pool import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.points import store
from yarrow.points.adjust import adjust_points, grant_points
from yarrow.points.errors import PointsHeld, TicketUsed
from yarrow.points.model import Balance, ChangeType, MovementDirection
from yarrow.points.read import find_balance


async def test_adjustment_moves_points_either_way(
    database: Database, account_id: AccountId
) -> None:
    await adjust_points(database, str(account_id), delta=30, ticket_id="T-1")
    entry = await adjust_points(database, str(account_id), delta=-50, ticket_id="T-2")

    assert (entry.direction, entry.amount, entry.balance_after) == (MovementDirection.OUT, 50, 80)
    assert entry.metadata["ext"] == {"ticket_id": "T-2"}
    assert entry.metadata["operator_type"] == "admin"
    _, balance = await find_balance(database, str(account_id))
    assert balance == Balance(80, 0, 130, 50)


async def test_grant_only_gives(database: Database, account_id: AccountId) -> None:
    entry = await grant_points(database, str(account_id), amount=5, ticket_id="T-1")

    assert (entry.change_type, entry.balance_after) == (ChangeType.GRANT, 105)
    with pytest.raises(InvalidInput, match="direction"):
        await grant_points(database, str(account_id), amount=-5, ticket_id="T-2")


async def test_operator_entries_share_one_automation_session(
    database: Database, account_id: AccountId
) -> None:
    moves = [
        adjust_points(database, str(account_id), delta=1, ticket_id=f"T-{number}")
        for number in range(10)
    ]
    entries = await asyncio.gather(*moves)

    (session_id,) = {entry.biz_id for entry in entries}
    async with database.connection() as tx:
        query = "SELECT session_type FROM sessions WHERE id = $1"
        assert await tx.fetchval(query, session_id) == "automation"
        assert (await store.read_balance(tx, account_id)).balance == 110


async def test_held_points_cannot_be_taken(database: Database, account_id: AccountId) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 40)

    with pytest.raises(PointsHeld) as refused:
        await adjust_points(database, str(account_id), delta=-61, ticket_id="T-1")

    assert (refused.value.available, refused.value.held) == (60, 40)


async def test_repeated_ticket_moves_points_once(database: Database, account_id: AccountId) -> None:
    repeats = [adjust_points(database, str(account_id), delta=7, ticket_id="T-1") for _ in range(8)]
    entries = await asyncio.gather(*repeats)

    assert len({entry.id for entry in entries}) == 1
    _, balance = await find_balance(database, str(account_id))
    assert balance.balance == 107


async def test_used_ticket_cannot_move_another_number(
    database: Database, account_id: AccountId
) -> None:
    await adjust_points(database, str(account_id), delta=7, ticket_id="T-1")

    with pytest.raises(TicketUsed):
        await adjust_points(database, str(account_id), delta=8, ticket_id="T-1")


@pytest.mark.parametrize(("delta", "ticket_id"), [(0, "T-1"), (5, " "), (5, "x" * 129)])
async def test_movement_without_number_or_ticket_is_refused(
    database: Database, account_id: AccountId, delta: int, ticket_id: str
) -> None:
    with pytest.raises(InvalidInput):
        await adjust_points(database, str(account_id), delta=delta, ticket_id=ticket_id)


async def test_account_is_found_by_its_email(database: Database) -> None:
    email = f"{uuid4().hex}@example.org"
    async with database.transaction() as tx:
        made = await tx.fetchval("INSERT INTO auth.users (email) VALUES ($1) RETURNING id", email)

    account_id, balance = await find_balance(database, email.upper())

    assert (account_id, balance.balance) == (made, 100)


@pytest.mark.parametrize("who", ["nobody@example.org", "00000000-0000-0000-0000-0000000000ff"])
async def test_unknown_account_is_not_found(database: Database, who: str) -> None:
    with pytest.raises(AccountNotFound):
        await adjust_points(database, who, delta=1, ticket_id="T-1")
