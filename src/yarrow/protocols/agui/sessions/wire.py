"""The response of the history route."""

from typing import Literal

from pydantic import BaseModel

from yarrow.kit.json import JsonObject


class HistoryResponse(BaseModel):
    """All messages of a session, the last answer of each session, or one day of a session.

    An answer has the `model` that wrote it, `rules` if rules did, and the `warnings` of its run,
    each `{code, message}`, if there were any; those of a day have neither.
    """

    scope: Literal["history_session_full", "history_sessions_latest_assistant", "history_day"]
    threadId: str | None  # noqa: N815
    day: str | None
    hasMore: bool  # noqa: N815
    messages: list[JsonObject]
