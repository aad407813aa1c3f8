"""HMAC-SHA256 signatures, with a key of their own for each purpose."""

import hashlib
import hmac


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

    def digest(self, text: str) -> bytes:
        """The 32 bytes of the signature."""
        return hmac.digest(self._key, text.encode("utf-8", "replace"), hashlib.sha256)

    def sign(self, text: str) -> str:
        """The signature in hexadecimal digits."""
        return self.digest(text).hex()

    def verify(self, text: str, signature: str) -> bool:
        return equal_texts(self.sign(text), signature)
