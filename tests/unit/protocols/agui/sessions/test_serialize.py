"""A history as JSON: its messages are serialized one by one, the object is the same."""

import pytest
from tests.loose_json import JsonObject, decode_json

from yarrow.protocols.agui.sessions.encode import serialize
from yarrow.protocols.agui.sessions.wire import HistoryResponse

MESSAGE: JsonObject = {
    "id": "m",
    "content": '六爻 "quoted" \\ \n',
    "metadata": {"n": 1.5, "x": None},
}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_serialized_history_is_the_model_as_json(count: int) -> None:
    history = HistoryResponse(
        scope="history_day",
        threadId=None,
        day="2026-01-02",
        hasMore=True,
        messages=[MESSAGE] * count,
    )

    assert decode_json(serialize(history)) == history.model_dump()
