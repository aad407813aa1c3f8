"""Stored secrets can be read with their key and purpose alone."""

import pytest

from yarrow.kit.secrets_box import SecretsBox

SECRET = b"k" * 32


def test_secret_comes_back_and_is_not_readable_in_between() -> None:
    box = SecretsBox(SECRET, purpose="keys")

    encrypted = box.encrypt(b"sk-secret")

    assert box.decrypt(encrypted) == b"sk-secret"
    assert b"sk-secret" not in encrypted
    assert box.encrypt(b"sk-secret") != encrypted


@pytest.mark.parametrize("encrypted", [b"", b"x", b"x" * 12, b"x" * 64])
def test_what_was_not_encrypted_here_is_none(encrypted: bytes) -> None:
    assert SecretsBox(SECRET, purpose="keys").decrypt(encrypted) is None


def test_another_key_or_purpose_cannot_decrypt() -> None:
    encrypted = SecretsBox(SECRET, purpose="keys").encrypt(b"sk-secret")

    assert SecretsBox(SECRET, purpose="sources").decrypt(encrypted) is None
    assert SecretsBox(b"o" * 32, purpose="keys").decrypt(encrypted) is None
