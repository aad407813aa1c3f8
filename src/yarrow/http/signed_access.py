"""Addresses that open one resource without a bearer token, until they expire.

`EventSource` and `<img>` cannot send a header. A signed address names the account that asked for
it; who may read the resource is decided as for that account's own token.
"""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request

from yarrow.clock import Clock
from yarrow.errors import Unauthenticated
from yarrow.http.auth import current_account
from yarrow.ids import AccountId
from yarrow.kit.limiter import set_owner
from yarrow.kit.signing import AddressSigner

TTL = timedelta(minutes=10)
"""Longer than a run of the assistant, so that an `EventSource` can reconnect to its end."""


class AccessSigner:
    """Makes signed addresses and identifies their account. `runId` is part of the signature."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._signer = AddressSigner(
            secret, purpose="addresses of runs and boards", ttl=TTL, clock=clock
        )

    def sign(
        self, path: str, account_id: AccountId, *, run_key: str = "", **query: str
    ) -> tuple[str, datetime]:
        """The path with its query, and when it expires."""
        expires, signature = self._signer.sign(_write_signed_text(path, run_key, str(account_id)))
        run = {"runId": run_key} if run_key else {}
        access = {"account": str(account_id), "expires": str(expires), "signature": signature}
        address = f"{path}?{urlencode(run | query | access)}"
        return address, datetime.fromtimestamp(expires, UTC)

    async def identify(self, request: Request) -> AccountId:
        """The account of a signed address, else of the bearer token."""
        query = request.query_params
        if "signature" not in query:
            return await current_account(request)
        account, expires = query.get("account", ""), query.get("expires", "")
        text = _write_signed_text(request.scope["path"], query.get("runId", ""), account)
        fault = self._signer.find_fault(text, expires=expires, signature=query["signature"])
        if fault is not None:
            raise Unauthenticated(fault)
        account_id = AccountId(UUID(account))
        set_owner(account_id)
        return account_id


def _write_signed_text(path: str, run_key: str, account: str) -> str:
    """The signed text; its parts cannot run into each other."""
    return urlencode([("path", path), ("run", run_key), ("by", account)])
