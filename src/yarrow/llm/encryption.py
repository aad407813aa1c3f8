"""Authenticated encryption (AES-GCM)."""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


class Cipher:
    """Encrypts and decrypts with one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._aead = AESGCM(key)

    def encrypt(self, plaintext: bytes) -> bytes:
        """The nonce, followed by the ciphertext."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, plaintext, None)

    def decrypt(self, encrypted: bytes) -> bytes | None:
        """The plaintext; None if it was encrypted with another key or changed."""
        try:
            return self._aead.decrypt(encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:], None)
        except InvalidTag:
            return None
