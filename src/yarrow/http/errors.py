"""Errors of requests, before any feature sees them."""

from yarrow.errors import Conflict


class IdempotencyConflict(Conflict):
    """The key was used for another request, or its first request is still running."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Idempotency-Key: {reason}")
