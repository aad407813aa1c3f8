"""Sign: a fresh address for an attachment of the caller's."""

from yarrow.attachments import store
from yarrow.attachments.errors import SignedUrlImpossible
from yarrow.attachments.rules import require_bucket, require_scope
from yarrow.db import Database
from yarrow.ids import AccountId


async def require_signable(
    database: Database, account_id: AccountId, *, bucket: str, path: str
) -> None:
    """The caller may have an address for this path, and there is something behind it."""
    require_bucket(bucket)
    require_scope(path, account_id)
    async with database.connection() as tx:
        if not await store.is_whole(tx, path):
            raise SignedUrlImpossible
