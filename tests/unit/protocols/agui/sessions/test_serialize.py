"""A history as JSON: pieces around batches of messages that were encoded before."""

from datetime import date
from uuid import UUID

import pytest
from tests.loose_json import JsonObject

from yarrow.ids import SessionId
from yarrow.kit.json import encode_json
from yarrow.protocols.agui.sessions.encode import encode_day
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.sessions.history_store import DayHistory

SESSION = SessionId(UUID(int=7))
MESSAGE: JsonObject = {
    "id": "m",
    "content": '六爻 "quoted" \\ \n',
    "metadata": {"n": 1.5, "x": None},
}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_joined_pieces_are_the_response(count: int) -> None:
    batches = [encode_json(MESSAGE)] * count

    body = b"".join(encode_day(DayHistory(SESSION, date(2026, 1, 2), batches, has_more=True)))

    assert HistoryResponse.model_validate_json(body) == HistoryResponse(
        scope="history_day",
        threadId=str(SESSION),
        day="2026-01-02",
        hasMore=True,
        messages=[MESSAGE] * count,
    )


def test_day_without_a_session_is_empty() -> None:
    history = HistoryResponse.model_validate_json(b"".join(encode_day(None)))

    assert (history.threadId, history.day, history.hasMore, history.messages) == (
        None,
        None,
        False,
        [],
    )
