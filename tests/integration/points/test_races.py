"""Money under contention: each rule with many rivals. seed 3, runtime charging policy."""

import asyncio
from decimal import Decimal
from uuid import uuid4

from tests.integration.points.movements import consume, hold

from yarrow.db.pool import Database
from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.points import store
from yarrow.points.errors import PointsShort
from yarrow.points.model import Balance, Charge


def charge(session_id: SessionId, run_key: str, amount: int) -> Charge:
    return Charge(
        run_key=run_key,
        session_id=session_id,
        message_id=MessageId(uuid4()),
        model_code="m",
        input_tokens=1,
        output_tokens=1,
        cost=Decimal(0),
        amount=amount,
        request_id="q",
    )


async def test_points_for_one_run_are_held_by_one_of_fifty(
    database: Database, account_id: AccountId
) -> None:
    async def try_hold() -> bool:
        try:
            async with database.transaction() as tx:
                await hold(tx, account_id, 100)
        except PointsShort:
            return False
        return True

    won = await asyncio.gather(*(try_hold() for _ in range(50)))

    assert won.count(True) == 1
    async with database.connection() as tx:
        assert await store.read_balance(tx, account_id) == Balance(100, 100, 100, 0)


async def test_twenty_settlements_of_one_run_charge_it_once(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)

    async def settle() -> bool:
        async with database.transaction() as tx:
            return await consume(tx, account_id, charge(session_id, "r", 20))

    charged = await asyncio.gather(*(settle() for _ in range(20)))

    assert charged.count(True) == 1
    async with database.connection() as reader:
        assert await store.read_balance(reader, account_id) == Balance(80, 0, 100, 20)


async def test_concurrent_charges_leave_one_unbroken_ledger(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async def hold_and_settle(number: int) -> None:
        async with database.transaction() as tx:
            await hold(tx, account_id, 2)
        async with database.transaction() as tx:
            # The transaction's clock is set before the rivals get in each other's way.
            await tx.execute("SELECT pg_sleep($1)", (number % 5) / 200)
            assert await consume(tx, account_id, charge(session_id, f"r{number}", 2))

    await asyncio.gather(*(hold_and_settle(number) for number in range(40)))

    async with database.connection() as tx:
        page = await store.read_entries(tx, account_id, 100)
        balance = await store.read_balance(tx, account_id)
    oldest_first = page.entries[::-1]
    running = 0
    for entry in oldest_first:
        running += entry.direction * entry.amount
        assert entry.balance_after == running
    assert balance == Balance(20, 0, 100, 80)
    assert running == balance.balance


async def test_charge_and_hold_do_not_lose_each_other(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 50)

    async def settle(number: int) -> None:
        async with database.transaction() as tx:
            await consume(tx, account_id, charge(session_id, f"r{number}", 1))

    async def hold_one() -> None:
        async with database.transaction() as tx:
            await hold(tx, account_id, 1)

    work = [settle(number) for number in range(20)] + [hold_one() for _ in range(20)]
    await asyncio.gather(*work)

    async with database.connection() as reader:
        assert await store.read_balance(reader, account_id) == Balance(80, 50, 100, 20)
