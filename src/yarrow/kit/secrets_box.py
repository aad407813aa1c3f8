"""Encrypt stored secrets (AES-GCM): keys of model endpoints, credentials of data sources."""

import secrets
from typing import TYPE_CHECKING

from yarrow.kit.signing import derive_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12
_TAG_BYTES = 16


def is_secret_length(encrypted: bytes) -> bool:
    """Whether bytes are long enough to be an encrypted secret; only its key tells if they are."""
    return len(encrypted) >= _NONCE_BYTES + _TAG_BYTES


class SecretsBox:
    """Encrypts and decrypts with a key of its own for each purpose."""

    def __init__(self, secret: bytes, *, purpose: str) -> None:
        self._key = derive_key(secret, purpose)
        self._aead: AESGCM | None = None

    def encrypt(self, plaintext: bytes) -> bytes:
        """The nonce, followed by the ciphertext."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._open_cipher().encrypt(nonce, plaintext, None)

    def decrypt(self, encrypted: bytes) -> bytes | None:
        """The plaintext; None if it was encrypted with another key, was changed or is no box."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        if not is_secret_length(encrypted):
            return None
        try:
            return self._open_cipher().decrypt(
                encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:], None
            )
        except InvalidTag:
            return None

    def _open_cipher(self) -> "AESGCM":
        """Imported for the first secret: the library takes 7 MB."""
        if self._aead is None:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

            self._aead = AESGCM(self._key)
        return self._aead
