"""Signed URLs: each gives access to one attachment to whoever has it, until it expires."""

from datetime import timedelta

from yarrow.attachments import store
from yarrow.attachments.errors import SignedUrlImpossible, SignedUrlInvalid
from yarrow.attachments.model import BUCKET
from yarrow.attachments.paths import is_path, require_bucket, require_scope
from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.ids import AccountId
from yarrow.kit.signing import CHANGED, AddressSigner

FILES = "/api/v1/files/"
"""The route of signed URLs; the attachment's path follows."""


class UrlSigner:
    """Makes and verifies signed URLs, from the path on; scheme and host are the caller's."""

    def __init__(self, secret: bytes, *, ttl: timedelta, clock: Clock) -> None:
        self._signer = AddressSigner(
            secret, purpose="addresses of attachments", ttl=ttl, clock=clock
        )
        self._clock = clock

    def sign_path(self, path: str) -> str:
        """The path and query of a new URL."""
        expires, signature = self._signer.sign(f"{BUCKET}\n{path}")
        return f"{FILES}{path}?expires={expires}&signature={signature}"

    def verify(self, target: str) -> str:
        """The attachment's path, if the URL was made by this server and has not expired.

        Every letter of the URL is fixed or signed, so that no other spelling of it passes.
        """
        path, expires, signature = _split_target(target)
        fault = self._signer.find_fault(f"{BUCKET}\n{path}", expires=expires, signature=signature)
        if fault is not None:
            raise SignedUrlInvalid(fault)
        return path

    def seconds_left(self, target: str) -> int:
        """How long a URL that verified stays valid."""
        return max(0, int(int(_split_target(target)[1]) - self._clock().timestamp()))


async def require_signable(
    database: Database, account_id: AccountId, *, bucket: str, path: str
) -> None:
    """Check that the path is a completed upload of the account."""
    require_bucket(bucket)
    require_scope(path, account_id)
    async with database.connection() as tx:
        if not await store.is_complete(tx, path):
            raise SignedUrlImpossible


def _split_target(target: str) -> tuple[str, str, str]:
    """The path, the expiry and the signature, each as it is written."""
    path, _, query = target.removeprefix(FILES).partition("?expires=")
    expires, _, signature = query.partition("&signature=")
    if not target.startswith(FILES) or not is_path(path):
        raise SignedUrlInvalid(CHANGED)
    return path, expires, signature
