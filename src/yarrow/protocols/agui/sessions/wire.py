"""The response of the history route."""

from typing import Literal

from pydantic import BaseModel

from yarrow.kit.json import JsonObject


class HistoryResponse(BaseModel):
    """Messages of one session, of all sessions' last answers, or of one day."""

    scope: Literal["history_session_full", "history_sessions_latest_assistant", "history_day"]
    threadId: str | None  # noqa: N815
    day: str | None
    hasMore: bool  # noqa: N815
    messages: list[JsonObject]
