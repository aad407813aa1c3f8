"""Signed URLs: each gives access to one attachment to whoever has it, until it expires."""

import base64
from datetime import timedelta

from yarrow.attachments import store
from yarrow.attachments.errors import SignedUrlImpossible, SignedUrlInvalid
from yarrow.attachments.model import BUCKET
from yarrow.attachments.rules import is_path, require_bucket, require_scope
from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.ids import AccountId
from yarrow.kit.signing import HmacSigner, equal_texts

FILES = "/api/v1/files/"
"""The route of signed URLs; the attachment's path follows."""

CHANGED = "this address was not made by this server, or was changed"
EXPIRED = "this address has expired; ask for a new one"


class UrlSigner:
    """Makes and verifies signed URLs, from the path on; scheme and host are the caller's."""

    def __init__(self, secret: bytes, *, ttl: timedelta, clock: Clock) -> None:
        self._signer = HmacSigner(secret, purpose="addresses of attachments")
        self._ttl, self._clock = ttl, clock

    def sign_path(self, path: str) -> str:
        """The path and query of a new URL."""
        return self._target(path, int((self._clock() + self._ttl).timestamp()))

    def verify(self, target: str) -> str:
        """The attachment's path, if the URL was made by this server and has not expired.

        The whole text is compared with the one we would have made, so that no other spelling
        of the same URL passes.
        """
        path, expires = _split(target)
        if not equal_texts(self._target(path, expires), target):
            raise SignedUrlInvalid(CHANGED)
        if expires <= self._clock().timestamp():
            raise SignedUrlInvalid(EXPIRED)
        return path

    def seconds_left(self, target: str) -> int:
        """How long a URL that verified stays valid."""
        return max(0, int(_split(target)[1] - self._clock().timestamp()))

    def _target(self, path: str, expires: int) -> str:
        digest = self._signer.digest(f"{BUCKET}\n{path}\n{expires}")
        signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return f"{FILES}{path}?expires={expires}&signature={signature}"


async def require_signable(
    database: Database, account_id: AccountId, *, bucket: str, path: str
) -> None:
    """Check that the path is a completed upload of the account."""
    require_bucket(bucket)
    require_scope(path, account_id)
    async with database.connection() as tx:
        if not await store.is_complete(tx, path):
            raise SignedUrlImpossible


def _split(target: str) -> tuple[str, int]:
    path, _, query = target.removeprefix(FILES).partition("?expires=")
    expires = query.partition("&")[0]
    readable = expires.isascii() and expires.isdigit() and len(expires) <= 12
    if not target.startswith(FILES) or not is_path(path) or not readable:
        raise SignedUrlInvalid(CHANGED)
    return path, int(expires)
