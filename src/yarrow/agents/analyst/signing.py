"""Signatures of the analyst's programs: only code that came from here is run again."""

import hashlib
import hmac
from dataclasses import dataclass

_PURPOSE = b"yarrow: code of the analyst"


@dataclass(frozen=True, slots=True)
class CodeSigner:
    """Signs a program, and knows its own signature again."""

    key: bytes

    def __call__(self, code: str) -> str:
        return hmac.new(self.key, code.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def verifies(self, code: str, signature: str) -> bool:
        return hmac.compare_digest(self(code).encode(), signature.encode("utf-8", "replace"))


def code_signer(secret: bytes) -> CodeSigner:
    """A key for programs alone, so that no other signature of ours passes for one."""
    return CodeSigner(hmac.digest(secret, _PURPOSE, hashlib.sha256))
