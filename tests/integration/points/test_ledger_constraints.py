"""Each rule of the ledger, broken on purpose in the database. seed 3, points_ledger."""

from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from tests.integration.points.rows import CHARGE, COMMON, entry, insert

from yarrow.db.pool import Database
from yarrow.ids import AccountId, SessionId

EVERY_TYPE = ["register", "consume", "grant", "adjust"]


def without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


@pytest.mark.parametrize("change_type", EVERY_TYPE)
async def test_right_entry_is_accepted(
    database: Database, account_id: AccountId, session_id: SessionId, change_type: str
) -> None:
    async with database.transaction() as tx:
        row = await insert(tx, "points_ledger", entry(account_id, session_id, change_type))

    assert row["change_type"] == change_type


@pytest.mark.parametrize(
    ("change_type", "spoiled"),
    [
        ("adjust", {"direction": 1}),
        ("grant", {"metadata": {**COMMON, "charge": CHARGE, "ext": {}}}),
        ("grant", {"metadata": {**COMMON, "operator_type": "admin"}}),
        ("grant", {"metadata": {**COMMON, "operator_type": "system", "request_id": None}}),
        ("consume", {"balance_after": 0, "amount": 1}),
        ("consume", {"metadata": {**COMMON, "charge": {**CHARGE, "cost": "12"}, "ext": {}}}),
    ],
)
async def test_unusual_entry_is_accepted(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    change_type: str,
    spoiled: dict[str, Any],
) -> None:
    async with database.transaction() as tx:
        row = entry(account_id, session_id, change_type, **spoiled)
        assert await insert(tx, "points_ledger", row)


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("ck_points_ledger_amount", "consume", {"amount": 0}),
    ("ck_points_ledger_amount", "consume", {"amount": -1}),
    ("ck_points_ledger_direction", "adjust", {"direction": 0}),
    ("ck_points_ledger_direction", "adjust", {"direction": 2}),
    ("ck_points_ledger_balance_after", "consume", {"balance_after": -1}),
    ("ck_points_ledger_change_type", "grant", {"change_type": "gift"}),
    # Breaks ck_points_ledger_biz_type too; PostgreSQL names the first by name.
    ("ck_points_ledger_biz_binding", "consume", {"biz_type": "shop"}),
    ("ck_points_ledger_event_id", "consume", {"event_id": " "}),
    ("ck_points_ledger_biz_binding", "register", {"biz_type": "chat"}),
    ("ck_points_ledger_biz_binding", "consume", {"biz_type": None}),
    ("ck_points_ledger_biz_binding", "consume", {"biz_id": None}),
    ("ck_points_ledger_biz_binding", "grant", {"biz_type": None, "biz_id": None}),
    ("ck_points_ledger_biz_binding", "adjust", {"biz_id": None}),
    ("ck_points_ledger_direction_coupling", "register", {"direction": -1}),
    ("ck_points_ledger_direction_coupling", "grant", {"direction": -1}),
    ("ck_points_ledger_direction_coupling", "consume", {"direction": 1}),
]


@pytest.mark.parametrize("case", REFUSED)
async def test_wrong_column_is_refused(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    case: tuple[str, str, dict[str, Any]],
) -> None:
    constraint, change_type, spoiled = case
    row = entry(account_id, session_id, change_type, **spoiled)

    with pytest.raises(asyncpg.CheckViolationError) as refused:
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", row)

    assert refused.value.constraint_name == constraint


async def test_register_is_refused_with_a_session(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    row = entry(account_id, session_id, "register", biz_id=session_id)

    with pytest.raises(asyncpg.CheckViolationError, match="biz_binding"):
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", row)


COMMON_REFUSED: list[Any] = [
    [],
    "text",
    1,
    {},
    without(COMMON, "schema_version"),
    {**COMMON, "schema_version": 2},
    {**COMMON, "schema_version": "1"},
    {**COMMON, "schema_version": None},
    without(COMMON, "operator_type"),
    {**COMMON, "operator_type": "robot"},
    {**COMMON, "operator_type": None},
    without(COMMON, "run_id"),
    {**COMMON, "run_id": ""},
    {**COMMON, "run_id": " "},
    {**COMMON, "run_id": 7},
    {**COMMON, "run_id": None},
    {**COMMON, "ext": []},
    {**COMMON, "ext": "x"},
    {**COMMON, "ext": None},
]


@pytest.mark.parametrize("metadata", COMMON_REFUSED)
async def test_wrong_metadata_is_refused(
    database: Database, account_id: AccountId, session_id: SessionId, metadata: Any
) -> None:
    row = entry(account_id, session_id, "grant", metadata=metadata)

    with pytest.raises(asyncpg.CheckViolationError) as refused:
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", row)

    assert refused.value.constraint_name == "ck_points_ledger_metadata"


BY_TYPE_REFUSED: list[tuple[str, Any]] = [
    ("register", {**COMMON, "charge": CHARGE}),
    ("register", {**COMMON, "charge": None}),
    ("consume", COMMON),
    ("consume", {**COMMON, "charge": None}),
    ("consume", {**COMMON, "charge": []}),
    ("consume", {**COMMON, "charge": {}}),
    *[("consume", {**COMMON, "charge": without(CHARGE, key)}) for key in CHARGE],
    ("consume", {**COMMON, "charge": {**CHARGE, "message_id": "not-a-uuid"}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "message_seq": 0}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "message_seq": "1"}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "model_code": None}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "input_tokens": -1}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "output_tokens": -1}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "cost": 0.5}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "cost": "-1"}}),
    ("consume", {**COMMON, "charge": {**CHARGE, "cost": "free"}}),
    ("adjust", COMMON),
    ("adjust", {**COMMON, "ext": {}}),
    ("adjust", {**COMMON, "ext": {"ticket_id": ""}}),
    ("adjust", {**COMMON, "ext": {"ticket_id": "  "}}),
    ("adjust", {**COMMON, "ext": {"ticket_id": 5}}),
    ("adjust", {**COMMON, "ext": {"ticket_id": None}}),
]


@pytest.mark.parametrize(("change_type", "metadata"), BY_TYPE_REFUSED)
async def test_metadata_of_another_shape_is_refused(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    change_type: str,
    metadata: Any,
) -> None:
    row = entry(account_id, session_id, change_type, metadata=metadata)

    with pytest.raises(asyncpg.CheckViolationError) as refused:
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", row)

    assert refused.value.constraint_name == "ck_points_ledger_metadata"


async def test_event_id_counts_once_per_account(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await insert(tx, "points_ledger", entry(account_id, session_id, "grant"))

    with pytest.raises(asyncpg.UniqueViolationError, match="ux_points_ledger_user_event"):
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", entry(account_id, session_id, "consume"))


async def test_two_accounts_may_use_one_event_id(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        other = await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id")
        await insert(tx, "points_ledger", entry(account_id, session_id, "grant"))

        assert await insert(tx, "points_ledger", entry(other, session_id, "grant"))


@pytest.mark.parametrize("column", ["user_id", "biz_id", "operator_id"])
async def test_entry_needs_rows_that_exist(
    database: Database, account_id: AccountId, session_id: SessionId, column: str
) -> None:
    row = entry(account_id, session_id, "grant", **{column: uuid4()})

    with pytest.raises(asyncpg.ForeignKeyViolationError):
        async with database.transaction() as tx:
            await insert(tx, "points_ledger", row)


async def test_charged_session_cannot_be_removed(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        await insert(tx, "points_ledger", entry(account_id, session_id, "consume"))

    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="points_ledger_biz_id"):
        async with database.transaction() as tx:
            await tx.execute("DELETE FROM sessions WHERE id = $1", session_id)


async def test_operator_who_leaves_is_forgotten_in_the_entry(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        operator = await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id")
        row = entry(account_id, session_id, "grant", operator_id=operator)
        kept = await insert(tx, "points_ledger", row)

        await tx.execute("DELETE FROM auth.users WHERE id = $1", operator)

        query = "SELECT operator_id FROM points_ledger WHERE id = $1"
        assert await tx.fetchval(query, kept["id"]) is None


async def test_account_that_leaves_takes_its_rows_along(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        await tx.execute("DELETE FROM auth.users WHERE id = $1", account_id)

        for table, column in [
            ("points_ledger", "user_id"),
            ("user_points", "user_id"),
            ("profiles", "id"),
        ]:
            query = f"SELECT count(*) FROM {table} WHERE {column} = $1"
            assert await tx.fetchval(query, account_id) == 0
