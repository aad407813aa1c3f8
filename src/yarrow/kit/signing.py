"""HMAC-SHA256 signatures, with a key of their own for each purpose."""

import hashlib
import hmac
from datetime import timedelta

from yarrow.clock import Clock

CHANGED = "this address was not made by this server, or was changed"
EXPIRED = "this address has expired; ask for a new one"


def derive_key(secret: bytes, purpose: str) -> bytes:
    """A 32-byte key for one purpose, so that no signature passes for one of another purpose."""
    return hmac.digest(secret, f"yarrow: {purpose}".encode(), hashlib.sha256)


def equal_texts(expected: str, text: str) -> bool:
    """Compare in constant time; `text` comes from outside and may hold lone surrogates."""
    return hmac.compare_digest(expected.encode(), text.encode("utf-8", "replace"))


class HmacSigner:
    """Signs and verifies texts with the key of one purpose."""

    __slots__ = ("_key",)

    def __init__(self, secret: bytes, *, purpose: str) -> None:
        self._key = derive_key(secret, purpose)

    def sign(self, text: str) -> str:
        """The signature in hexadecimal digits."""
        return hmac.digest(self._key, text.encode("utf-8", "replace"), hashlib.sha256).hex()

    def verify(self, text: str, signature: str) -> bool:
        return equal_texts(self.sign(text), signature)


class AddressSigner:
    """Signs addresses for a limited time. What is signed of an address must have no line break
    that a caller chose."""

    def __init__(self, secret: bytes, *, purpose: str, ttl: timedelta, clock: Clock) -> None:
        self._signer = HmacSigner(secret, purpose=purpose)
        self._ttl, self._clock = ttl, clock

    def sign(self, text: str) -> tuple[int, str]:
        """When an address expires, as a Unix time, and its signature."""
        expires = int((self._clock() + self._ttl).timestamp())
        return expires, self._signer.sign(f"{text}\n{expires}")

    def find_fault(self, text: str, *, expires: str, signature: str) -> str | None:
        """`CHANGED` or `EXPIRED`; None for an address that is valid."""
        if not self._signer.verify(f"{text}\n{expires}", signature):
            return CHANGED
        return EXPIRED if int(expires) <= self._clock().timestamp() else None
