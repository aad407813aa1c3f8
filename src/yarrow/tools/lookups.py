"""What tools may look up in other features, on behalf of one account."""

from collections.abc import Sequence

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.points import read as points
from yarrow.points.model import Balance
from yarrow.sessions import read as sessions
from yarrow.sessions.model import SearchHit


class Lookups:
    """Implements the ports of `tools/`: tools and features do not know each other."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read_balance(self, account_id: AccountId) -> Balance:
        return await points.read_balance(self._database, account_id)

    async def search_sessions(
        self, account_id: AccountId, words: Sequence[str], *, besides: SessionId, limit: int
    ) -> tuple[SearchHit, ...]:
        return await sessions.search_messages(
            self._database, account_id, words, besides=besides, limit=limit
        )
