"""SQL of `idempotency_keys`: reserve a key, store and find its answer."""

from datetime import timedelta

from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import AccountId


class RequestKey(Struct, frozen=True):
    """An account's key, and a digest of the request that came with it."""

    account_id: AccountId
    key: str
    digest: bytes


class StoredAnswer(Struct, frozen=True):
    status: int
    media_type: str | None
    body: bytes


class KeyState(Struct, frozen=True):
    """A key in use; without an answer its request is still running."""

    digest: bytes
    answer: StoredAnswer | None


_RESERVE = """
INSERT INTO idempotency_keys AS k (account_id, key, digest) VALUES ($1, $2, $3)
ON CONFLICT (account_id, key) DO UPDATE SET reserved_at = now()
    WHERE k.status IS NULL AND k.digest = $3 AND k.reserved_at < now() - $4::interval
RETURNING TRUE
"""


async def reserve(tx: Tx, key: RequestKey, *, abandoned_after: timedelta) -> bool:
    """Take a key that is new, or whose request was abandoned by a process that died."""
    reserved = await tx.fetchval(_RESERVE, key.account_id, key.key, key.digest, abandoned_after)
    return bool(reserved)


async def find(tx: Tx, key: RequestKey) -> KeyState | None:
    row = await tx.fetchrow(
        "SELECT digest, status, media_type, body FROM idempotency_keys "
        "WHERE account_id = $1 AND key = $2",
        key.account_id,
        key.key,
    )
    if row is None:
        return None
    status = row["status"]
    answer = None if status is None else StoredAnswer(status, row["media_type"], row["body"])
    return KeyState(bytes(row["digest"]), answer)


async def renew(tx: Tx, key: RequestKey) -> None:
    """Keep the reservation of a request that takes long."""
    await tx.execute(
        "UPDATE idempotency_keys SET reserved_at = now() "
        "WHERE account_id = $1 AND key = $2 AND status IS NULL",
        key.account_id,
        key.key,
    )


async def save(tx: Tx, key: RequestKey, answer: StoredAnswer) -> None:
    await tx.execute(
        "UPDATE idempotency_keys SET status = $3, media_type = $4, body = $5 "
        "WHERE account_id = $1 AND key = $2",
        key.account_id,
        key.key,
        answer.status,
        answer.media_type,
        answer.body,
    )


async def release(tx: Tx, key: RequestKey) -> None:
    """Free a key whose request failed: it may be sent again."""
    await tx.execute(
        "DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND status IS NULL",
        key.account_id,
        key.key,
    )


async def delete_old(tx: Tx, *, older_than: timedelta) -> None:
    await tx.execute(
        "DELETE FROM idempotency_keys WHERE reserved_at < now() - $1::interval", older_than
    )
