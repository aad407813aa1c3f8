"""Signatures verify for their text, secret and purpose, and for nothing else."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.kit.signing import HmacSigner, derive_key

SECRET = b"s" * 32
SIGNER = HmacSigner(SECRET, purpose="tests")


def test_a_derived_key_is_neither_the_secret_nor_that_of_another_purpose() -> None:
    keys = {derive_key(SECRET, "one"), derive_key(SECRET, "two"), SECRET}

    assert len(keys) == 3
    assert {len(key) for key in keys} == {32}


def test_the_signature_is_hmac_sha256_in_hex() -> None:
    key = hmac.new(SECRET, b"yarrow: tests", hashlib.sha256).digest()

    assert SIGNER.sign("text") == hmac.new(key, b"text", hashlib.sha256).hexdigest()


@given(st.text())
def test_a_signed_text_verifies(text: str) -> None:
    assert SIGNER.verify(text, SIGNER.sign(text))


@pytest.mark.parametrize(
    "signer", [HmacSigner(b"t" * 32, purpose="tests"), HmacSigner(SECRET, purpose="others")]
)
def test_another_secret_or_purpose_does_not_verify(signer: HmacSigner) -> None:
    assert not signer.verify("text", SIGNER.sign("text"))


@given(st.text())
def test_any_other_signature_is_refused(signature: str) -> None:
    assert not SIGNER.verify("text", signature)


def test_a_lone_surrogate_is_signed_and_compared() -> None:
    assert SIGNER.verify("\ud800", SIGNER.sign("\ud800"))
    assert not SIGNER.verify("text", "\ud800")
