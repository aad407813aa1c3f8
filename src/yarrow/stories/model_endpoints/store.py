"""SQL of model endpoints, bindings and slots."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from msgspec.structs import replace

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.stories.model_endpoints.model import (
    NO_CHOICES,
    ModelChoices,
    ModelEndpoint,
    ModelProvider,
    ModelSlot,
    SlotConfig,
)

JOIN_MODELS = """
LEFT JOIN LATERAL (
    SELECT json_build_object(
        'bindings', (
            SELECT json_agg(json_build_array(lb.slot, lb.session_id IS NOT NULL, lp.id, lp.name,
                lp.provider, lp.model, lp.base_url, encode(lp.secret, 'base64'), lp.is_enabled,
                lb.params))
            FROM llm_bindings lb JOIN llm_profiles lp ON lp.id = lb.profile_id
            WHERE lb.account_id = s.user_id AND (lb.session_id IS NULL OR lb.session_id = s.id)),
        'slots', (
            SELECT json_agg(json_build_array(li.slot, li.is_enabled, li.params, li.updated_at))
            FROM llm_instances li WHERE li.account_id = s.user_id)
    )::text AS models
) chosen ON true
"""
"""Join for a statement with `sessions s` that selects `chosen.models`."""

_decoder = msgspec.json.Decoder(ModelChoices)


def decode_choices(text: str | None) -> ModelChoices:
    """Decode the column of `JOIN_MODELS`."""
    return NO_CHOICES if text is None else _decoder.decode(text)


async def read_account_choices(tx: Tx, account_id: AccountId) -> ModelChoices:
    """The bindings for all stories of an account, and its slots."""
    text = await tx.fetchval(
        f"SELECT chosen.models FROM (SELECT $1::uuid AS user_id, NULL::uuid AS id) s {JOIN_MODELS}",  # noqa: S608
        account_id,
    )
    return decode_choices(text)


async def lock_endpoints(tx: Tx, account_id: AccountId) -> None:
    """Lock an account's endpoints until the transaction ends, so that they can be counted."""
    await tx.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"llm_profiles:{account_id}"
    )


async def list_endpoints(tx: Tx, account_id: AccountId) -> tuple[ModelEndpoint, ...]:
    rows = await tx.fetch(
        "SELECT * FROM llm_profiles WHERE account_id = $1 ORDER BY created_at, id", account_id
    )
    return tuple(map(_build_endpoint, rows))


async def find_endpoint(tx: Tx, account_id: AccountId, endpoint_id: UUID) -> ModelEndpoint | None:
    row = await tx.fetchrow(
        "SELECT * FROM llm_profiles WHERE account_id = $1 AND id = $2", account_id, endpoint_id
    )
    return None if row is None else _build_endpoint(row)


async def save_endpoint(tx: Tx, account_id: AccountId, endpoint: ModelEndpoint) -> None:
    """Insert or replace an endpoint."""
    await tx.execute(
        "INSERT INTO llm_profiles (id, account_id, name, provider, model, base_url, secret, "
        "is_enabled) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET "
        "name = excluded.name, provider = excluded.provider, model = excluded.model, "
        "base_url = excluded.base_url, secret = excluded.secret, "
        "is_enabled = excluded.is_enabled, updated_at = now()",
        endpoint.id,
        account_id,
        endpoint.name,
        endpoint.provider,
        endpoint.model,
        endpoint.base_url,
        endpoint.secret,
        endpoint.is_enabled,
    )


async def delete_endpoint(tx: Tx, account_id: AccountId, endpoint_id: UUID) -> bool:
    """Delete an endpoint and its bindings; False if the account has none of this id."""
    deleted = await tx.fetchval(
        "DELETE FROM llm_profiles WHERE account_id = $1 AND id = $2 RETURNING TRUE",
        account_id,
        endpoint_id,
    )
    return bool(deleted)


async def save_binding(
    tx: Tx,
    account_id: AccountId,
    slot: ModelSlot,
    endpoint_id: UUID,
    *,
    session_id: SessionId | None,
    params: JsonObject,
) -> None:
    """Bind an endpoint to a slot, in place of the one that is bound."""
    await tx.execute(
        "INSERT INTO llm_bindings (account_id, session_id, slot, profile_id, params) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT ON CONSTRAINT ux_llm_bindings "
        "DO UPDATE SET profile_id = excluded.profile_id, params = excluded.params",
        account_id,
        session_id,
        slot,
        endpoint_id,
        params,
    )


async def delete_binding(
    tx: Tx, account_id: AccountId, slot: ModelSlot, *, session_id: SessionId | None
) -> bool:
    """Delete a binding; False if there was none."""
    deleted = await tx.fetchval(
        "DELETE FROM llm_bindings WHERE account_id = $1 AND slot = $2 "
        "AND session_id IS NOT DISTINCT FROM $3 RETURNING TRUE",
        account_id,
        slot,
        session_id,
    )
    return bool(deleted)


async def list_bindings(tx: Tx, account_id: AccountId) -> Sequence[JsonObject]:
    """All bindings of an account, without the endpoints' keys."""
    rows = await tx.fetch(
        "SELECT b.slot, b.session_id::text, b.profile_id::text, p.name, b.params "
        "FROM llm_bindings b JOIN llm_profiles p ON p.id = b.profile_id "
        "WHERE b.account_id = $1 ORDER BY b.session_id NULLS FIRST, b.slot",
        account_id,
    )
    return [dict(row) for row in rows]


async def save_slot(tx: Tx, account_id: AccountId, config: SlotConfig) -> SlotConfig:
    """Insert or replace the configuration of a slot."""
    updated_at = await tx.fetchval(
        "INSERT INTO llm_instances (account_id, slot, is_enabled, params) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (account_id, slot) DO UPDATE SET is_enabled = excluded.is_enabled, "
        "params = excluded.params, updated_at = now() RETURNING updated_at",
        account_id,
        config.slot,
        config.is_enabled,
        config.params,
    )
    return replace(config, updated_at=updated_at)


async def change_slot(
    tx: Tx,
    account_id: AccountId,
    slot: ModelSlot,
    *,
    is_enabled: bool | None,
    params: JsonObject | None,
) -> SlotConfig:
    """Change what is not None, in one statement: changes of two fields do not undo each other.

    A slot without a configuration of its own begins with that of all slots.
    """
    [row] = await tx.fetch(
        "INSERT INTO llm_instances AS old (account_id, slot, is_enabled, params) "
        "SELECT $1, $2, coalesce($3, shared.is_enabled, true), "
        "coalesce($4::json, shared.params, '{}') FROM (VALUES (1)) one LEFT JOIN llm_instances "
        "shared ON shared.account_id = $1 AND shared.slot = '*' "
        "ON CONFLICT (account_id, slot) DO UPDATE SET "
        "is_enabled = coalesce($3, old.is_enabled), params = coalesce($4::json, old.params), "
        "updated_at = now() RETURNING is_enabled, params, updated_at",
        account_id,
        slot,
        is_enabled,
        params,
    )
    return SlotConfig(slot, row["is_enabled"], row["params"], row["updated_at"])


async def delete_slot(tx: Tx, account_id: AccountId, slot: ModelSlot) -> None:
    """Delete the configuration of a slot, so that the default applies."""
    await tx.execute(
        "DELETE FROM llm_instances WHERE account_id = $1 AND slot = $2", account_id, slot
    )


def _build_endpoint(row: Row) -> ModelEndpoint:
    secret = row["secret"]
    return ModelEndpoint(
        id=row["id"],
        name=row["name"],
        provider=ModelProvider(row["provider"]),
        model=row["model"],
        base_url=row["base_url"],
        secret=None if secret is None else bytes(secret),
        is_enabled=row["is_enabled"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
