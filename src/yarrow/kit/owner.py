"""The account that the present task works for, so that limiters can be fair between accounts.

Set where a request is authenticated and where a run begins; tasks that they start inherit it. It
decides who waits and nothing else: rights are checked with explicit ids.
"""

from collections.abc import Hashable
from contextvars import ContextVar

_owner: ContextVar[Hashable] = ContextVar("owner", default=None)


def set_owner(owner: Hashable) -> None:
    """Count the rest of this task for the owner."""
    _owner.set(owner)


def current_owner() -> Hashable:
    """The owner of the present task; None for work of the server itself."""
    return _owner.get()
