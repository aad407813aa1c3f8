"""Signed addresses: they open one attachment for a while, to whoever has them."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import timedelta

from yarrow.attachments.errors import SignedUrlInvalid
from yarrow.attachments.model import BUCKET
from yarrow.attachments.rules import is_path
from yarrow.clock import Clock

FILES = "/api/v1/files/"
"""Where the addresses lead; the path of the attachment follows."""

CHANGED = "this address was not made by this server, or was changed"
EXPIRED = "this address has expired; ask for a new one"

_PURPOSE = b"yarrow: addresses of attachments"


@dataclass(frozen=True, slots=True)
class Signer:
    """Makes and checks addresses, from the path on: scheme and host are the caller's matter."""

    key: bytes
    ttl: timedelta
    clock: Clock

    def target(self, path: str) -> str:
        """The path and query of a fresh address."""
        return self._target(path, int((self.clock() + self.ttl).timestamp()))

    def verify(self, target: str) -> str:
        """The attachment's path, if this is an address we made and that is still valid.

        The whole text is compared with the one we would have made, so that no other way to
        write the same thing passes.
        """
        path, expires = _parts(target)
        expected = self._target(path, expires)
        if not hmac.compare_digest(expected.encode(), target.encode("utf-8", "replace")):
            raise SignedUrlInvalid(CHANGED)
        if expires <= self.clock().timestamp():
            raise SignedUrlInvalid(EXPIRED)
        return path

    def seconds_left(self, target: str) -> int:
        """How long an address that verified stays valid."""
        return max(0, int(_parts(target)[1] - self.clock().timestamp()))

    def _target(self, path: str, expires: int) -> str:
        said = "\n".join((BUCKET, path, str(expires))).encode()
        digest = hmac.digest(self.key, said, "sha256")
        signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return f"{FILES}{path}?expires={expires}&signature={signature}"


def signing_key(secret: bytes) -> bytes:
    """A key for addresses alone, so that neither they nor tokens help to forge the other."""
    return hmac.digest(secret, _PURPOSE, hashlib.sha256)


def _parts(target: str) -> tuple[str, int]:
    path, _, query = target.removeprefix(FILES).partition("?expires=")
    expires = query.partition("&")[0]
    readable = expires.isascii() and expires.isdigit() and len(expires) <= 12
    if not target.startswith(FILES) or not is_path(path) or not readable:
        raise SignedUrlInvalid(CHANGED)
    return path, int(expires)
