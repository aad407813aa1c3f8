"""Signatures of the analyst's programs: only code that this server wrote is run again."""

from yarrow.kit.signing import HmacSigner


def code_signer(secret: bytes) -> HmacSigner:
    """The signer of `code_signature`."""
    return HmacSigner(secret, purpose="code of the analyst")
