"""Holding, consuming and releasing points, one at a time. seed 3, runtime charging policy."""

from collections.abc import Callable
from decimal import Decimal
from uuid import uuid4

import asyncpg
import pytest
from msgspec.structs import replace
from tests.integration.points.movements import consume, hold

from yarrow.accounts.errors import AccountNotFound
from yarrow.db.pool import Database
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.points import store
from yarrow.points.errors import PointsShort
from yarrow.points.model import Balance, ChangeType, Charge, MovementDirection

MakeCharge = Callable[[str], Charge]


@pytest.fixture
def charge_for(session_id: SessionId) -> MakeCharge:
    def make(run_key: str) -> Charge:
        return Charge(
            run_key=run_key,
            session_id=session_id,
            message_id=MessageId(uuid4()),
            model_code="small",
            input_tokens=30,
            output_tokens=12,
            cost=Decimal("0.0000125"),
            amount=20,
            request_id=None,
        )

    return make


async def test_held_points_are_not_available(database: Database, account_id: AccountId) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)

        balance = await store.read_balance(tx, account_id)

    assert balance == Balance(100, 20, 100, 0)
    assert balance.available == 80


async def test_hold_of_more_than_is_free_says_how_much_is_free(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 90)

        with pytest.raises(PointsShort) as short:
            await hold(tx, account_id, 20)

    assert (short.value.needed, short.value.available) == (20, 10)


async def test_free_run_releases_nothing_and_asks_nothing(account_id: AccountId) -> None:
    class NoQueries:
        def __getattr__(self, name: str) -> None:
            raise AssertionError(f"{name} was called")

    await store.release_points(NoQueries(), account_id, 0)  # type: ignore[arg-type]


async def test_hold_of_an_unknown_account_is_not_found(database: Database) -> None:
    with pytest.raises(AccountNotFound):
        async with database.transaction() as tx:
            await hold(tx, AccountId(uuid4()), 20)


async def test_failed_run_costs_nothing(database: Database, account_id: AccountId) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)
        await store.release_points(tx, account_id, 20)

        assert await store.read_balance(tx, account_id) == Balance(100, 0, 100, 0)


async def test_release_of_what_was_not_held_is_refused(
    database: Database, account_id: AccountId
) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with database.transaction() as tx:
            await store.release_points(tx, account_id, 1)


async def test_successful_run_costs_its_price(
    database: Database, account_id: AccountId, charge_for: MakeCharge
) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)

        assert await consume(tx, account_id, charge_for("r1"))

        assert await store.read_balance(tx, account_id) == Balance(80, 0, 100, 20)


async def test_charge_is_in_the_ledger_as_the_seed_prints_it(
    database: Database, account_id: AccountId, session_id: SessionId, charge_for: MakeCharge
) -> None:
    charge = charge_for("r1")
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)
        await consume(tx, account_id, charge)
        newest = (await store.read_entries(tx, account_id, 1)).entries[0]

    assert (newest.change_type, newest.direction) == (ChangeType.CONSUME, MovementDirection.OUT)
    assert (newest.amount, newest.balance_after) == (20, 80)
    assert (newest.biz_type, newest.biz_id) == ("chat", session_id)
    assert newest.event_id == f"chat.run.success:{session_id}:r1"
    assert newest.metadata == {
        "schema_version": 1,
        "operator_type": "system",
        "run_id": "r1",
        "request_id": None,
        "charge": {
            "message_id": str(charge.message_id),
            "message_seq": 2,
            "model_code": "small",
            "input_tokens": 30,
            "output_tokens": 12,
            "cost": "0.000012",
        },
        "ext": {},
    }


async def test_run_is_charged_once(
    database: Database, account_id: AccountId, charge_for: MakeCharge
) -> None:
    async with database.transaction() as tx:
        await hold(tx, account_id, 20)
        assert await consume(tx, account_id, charge_for("r1"))

        assert not await consume(tx, account_id, charge_for("r1"))

        assert await store.read_balance(tx, account_id) == Balance(80, 0, 100, 20)


async def test_free_run_leaves_no_entry(
    database: Database, account_id: AccountId, charge_for: MakeCharge
) -> None:
    async with database.transaction() as tx:
        assert not await consume(tx, account_id, replace(charge_for("r1"), amount=0))

        assert len((await store.read_entries(tx, account_id, 10)).entries) == 1


async def test_charge_without_a_hold_is_refused(
    database: Database, account_id: AccountId, charge_for: MakeCharge
) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="ck_user_points"):
        async with database.transaction() as tx:
            await consume(tx, account_id, charge_for("r1"))


async def test_ledger_pages_meet_without_gap_or_overlap(
    database: Database, account_id: AccountId, charge_for: MakeCharge
) -> None:
    async with database.transaction() as tx:
        for number in range(5):
            await hold(tx, account_id, 20)
            await consume(tx, account_id, charge_for(f"r{number}"))

        first = await store.read_entries(tx, account_id, 4)
        second = await store.read_entries(tx, account_id, 4, before=first.next_before)

    afters = [entry.balance_after for entry in first.entries + second.entries]
    assert afters == [0, 20, 40, 60, 80, 100]
    assert second.next_before is None


async def test_cursor_of_another_account_is_refused(
    database: Database, account_id: AccountId
) -> None:
    with pytest.raises(InvalidInput, match="before names no entry"):
        async with database.connection() as tx:
            await store.read_entries(tx, account_id, 10, before=uuid4())
