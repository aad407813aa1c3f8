"""SQL of `idempotency_keys`: reserve a key, store and find its answer."""

from datetime import timedelta
from uuid import UUID

from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import AccountId


class RequestKey(Struct, frozen=True):
    """An account's key, a digest of the request that came with it, and that request's own id.

    The id is a fencing token: a reservation that expired and was taken over has another owner, and
    the statements of the first one match no row.
    """

    account_id: AccountId
    key: str
    digest: bytes
    owner: UUID


class StoredAnswer(Struct, frozen=True):
    status: int
    media_type: str | None
    body: bytes


class KeyState(Struct, frozen=True):
    """A key in use; without an answer its request is still running."""

    digest: bytes
    answer: StoredAnswer | None


_IS_RESERVED = "account_id = $1 AND key = $2 AND owner = $3 AND status IS NULL"


def _list_owner(key: RequestKey) -> tuple[AccountId, str, UUID]:
    """The parameters of `_IS_RESERVED`."""
    return key.account_id, key.key, key.owner


_RESERVE = """
INSERT INTO idempotency_keys AS k (account_id, key, digest, owner) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, key) DO UPDATE SET reserved_at = now(), owner = $4, waited_at = NULL
    WHERE k.status IS NULL AND k.digest = $3 AND k.reserved_at < now() - $5::interval
RETURNING TRUE
"""


async def reserve_key(tx: Tx, key: RequestKey, *, abandoned_after: timedelta) -> bool:
    """Take a key that is new, or whose request was abandoned by a process that died or stalled."""
    reserved = await tx.fetchval(
        _RESERVE, key.account_id, key.key, key.digest, key.owner, abandoned_after
    )
    return bool(reserved)


async def find_key_state(tx: Tx, key: RequestKey) -> KeyState | None:
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


async def mark_waiting(tx: Tx, key: RequestKey) -> None:
    """Tell the owner that this request waits for its answer."""
    await tx.execute(
        "UPDATE idempotency_keys SET waited_at = now() "
        "WHERE account_id = $1 AND key = $2 AND digest = $3 AND status IS NULL",
        key.account_id,
        key.key,
        key.digest,
    )


async def has_waiter(tx: Tx, key: RequestKey, *, within: timedelta) -> bool:
    """Whether another request waits for the answer of this one, in any process."""
    waits = await tx.fetchval(
        "SELECT waited_at > now() - $4::interval FROM idempotency_keys "
        "WHERE account_id = $1 AND key = $2 AND owner = $3",
        *_list_owner(key),
        within,
    )
    return bool(waits)


async def renew_key(tx: Tx, key: RequestKey) -> None:
    """Keep the reservation of a request that takes long."""
    await tx.execute(
        f"UPDATE idempotency_keys SET reserved_at = now() WHERE {_IS_RESERVED}",  # noqa: S608
        *_list_owner(key),
    )


async def save_answer(tx: Tx, key: RequestKey, answer: StoredAnswer) -> None:
    await tx.execute(
        "UPDATE idempotency_keys SET status = $4, media_type = $5, body = $6 "  # noqa: S608
        f"WHERE {_IS_RESERVED}",
        *_list_owner(key),
        answer.status,
        answer.media_type,
        answer.body,
    )


async def release_key(tx: Tx, key: RequestKey) -> None:
    """Free a key whose request failed: it may be sent again."""
    await tx.execute(
        f"DELETE FROM idempotency_keys WHERE {_IS_RESERVED}",  # noqa: S608
        *_list_owner(key),
    )


async def delete_old(tx: Tx, *, older_than: timedelta) -> None:
    await tx.execute(
        "DELETE FROM idempotency_keys WHERE reserved_at < now() - $1::interval", older_than
    )
