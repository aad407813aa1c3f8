"""The trajectory of a paused analysis."""

from uuid import uuid4

import pytest

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.json_values import JsonValue
from yarrow.protocols.ndjson.checkpoint import checkpoints

ACCOUNT, OTHER = AccountId(uuid4()), AccountId(uuid4())
SESSION = SessionId(uuid4())
OURS = checkpoints(b"secret")


def test_a_trajectory_leads_back_to_its_session() -> None:
    assert OURS.session_of(ACCOUNT, [*OURS.trajectory(ACCOUNT, SESSION)]) == SESSION


def test_another_servers_messages_are_none_of_ours() -> None:
    assert OURS.session_of(ACCOUNT, [{"role": "user", "content": "hi"}, 7, None]) is None
    assert OURS.session_of(ACCOUNT, []) is None


@pytest.mark.parametrize(
    "trajectory",
    [
        [*OURS.trajectory(OTHER, SESSION)],
        [*checkpoints(b"other secret").trajectory(ACCOUNT, SESSION)],
        [{**OURS.trajectory(ACCOUNT, SESSION)[0], "session_id": str(uuid4())}],
        [{**OURS.trajectory(ACCOUNT, SESSION)[0], "session_id": None}],
        [{**OURS.trajectory(ACCOUNT, SESSION)[0], "signature": None}],
        [{"role": "checkpoint"}],
        [{"role": "user", "content": "hi"}, {"role": "checkpoint", "session_id": str(SESSION)}],
    ],
)
def test_what_was_changed_is_refused(trajectory: list[JsonValue]) -> None:
    with pytest.raises(InvalidInput):
        OURS.session_of(ACCOUNT, trajectory)
