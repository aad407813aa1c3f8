"""Who is an operator, and what an operator sees of a run's events."""

from collections.abc import Collection, Iterable
from uuid import UUID

from yarrow.errors import Forbidden
from yarrow.ids import AccountId
from yarrow.journal.events import RunEvent, TextDelta
from yarrow.operations.model import EventGroup
from yarrow.settings import AuthMode


def require_operator(account_id: AccountId, *, auth: AuthMode, operators: Collection[UUID]) -> None:
    """Without accounts the local user is the operator; else the accounts that are named.

    They are named by id: e-mail addresses are not verified, so anybody could sign up with one that
    is named before it is in use.
    """
    if auth is not AuthMode.OFF and account_id not in operators:
        raise Forbidden(f"the account {account_id} is not named in YARROW_OPERATORS")


def group_events(events: Iterable[tuple[int, RunEvent]]) -> tuple[EventGroup, ...]:
    """Join neighbouring events of one kind; of texts only their length is kept."""
    groups: list[EventGroup] = []
    for seq, event in events:
        kind = type(event).__name__
        length = len(event.text) if isinstance(event, TextDelta) else 0
        last = groups[-1] if groups else None
        if last is not None and last.kind == kind and last.last_seq + 1 == seq:
            groups[-1] = EventGroup(
                kind, last.first_seq, seq, last.count + 1, last.text_chars + length
            )
        else:
            groups.append(EventGroup(kind, seq, seq, 1, length))
    return tuple(groups)
