"""From tokens to response bodies."""

from yarrow.accounts.model import IssuedToken
from yarrow.protocols.account.auth.wire import TokenOut, UserOut


def encode_token(issued: IssuedToken) -> TokenOut:
    user = UserOut(id=issued.account.id, email=issued.account.email)
    return TokenOut(access_token=issued.access_token, token_type="bearer", user=user)  # noqa: S106
