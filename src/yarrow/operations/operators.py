"""Who is an operator."""

from collections.abc import Collection
from uuid import UUID

from yarrow.errors import Forbidden
from yarrow.ids import AccountId
from yarrow.settings import AuthMode


def require_operator(account_id: AccountId, *, auth: AuthMode, operators: Collection[UUID]) -> None:
    """Without accounts the local user is the operator; else the accounts that are named.

    They are named by id: e-mail addresses are not verified, so anybody could sign up with one that
    is named before it is in use.
    """
    if auth is not AuthMode.OFF and account_id not in operators:
        raise Forbidden(f"the account {account_id} is not named in YARROW_OPERATORS")
