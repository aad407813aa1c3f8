"""Which account a token is for."""

from uuid import NAMESPACE_URL, UUID, uuid5

from yarrow.accounts.model import Account, Identity
from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId


def derive_account_id(identity: Identity) -> AccountId:
    """The account id of a token: its subject if that is a UUID, else a UUID derived from it."""
    try:
        return AccountId(UUID(identity.subject))
    except ValueError:
        if identity.issuer is None:
            raise Unauthenticated("the token is not valid") from None
        return AccountId(uuid5(NAMESPACE_URL, f"{identity.issuer}\n{identity.subject}"))


def require_same_issuer(identity: Identity, account: Account | None) -> None:
    """Refuse a subject that is an account of another issuer."""
    if account is None or account.issuer != identity.issuer:
        raise Unauthenticated("the token is for an account that does not exist here")
