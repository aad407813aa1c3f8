"""The trajectory of a paused analysis."""

from uuid import uuid4

import pytest
from tests.loose_json import JsonValue

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.protocols.ndjson.streams.trajectory import ResumePoint, TrajectorySigner

ACCOUNT, OTHER = AccountId(uuid4()), AccountId(uuid4())
PAUSE = ResumePoint(SessionId(uuid4()), "r1")
OURS = TrajectorySigner(b"secret")


def test_a_trajectory_leads_back_to_its_pause() -> None:
    assert OURS.find_resume_point(ACCOUNT, [*OURS.make_trajectory(ACCOUNT, PAUSE)]) == PAUSE


def test_foreign_trajectory_has_no_resume_point() -> None:
    assert OURS.find_resume_point(ACCOUNT, [{"role": "user", "content": "hi"}, 7, None]) is None
    assert OURS.find_resume_point(ACCOUNT, []) is None


@pytest.mark.parametrize(
    "trajectory",
    [
        [*OURS.make_trajectory(OTHER, PAUSE)],
        [*TrajectorySigner(b"other secret").make_trajectory(ACCOUNT, PAUSE)],
        [{**OURS.make_trajectory(ACCOUNT, PAUSE)[0], "session_id": str(uuid4())}],
        [{**OURS.make_trajectory(ACCOUNT, PAUSE)[0], "session_id": None}],
        [{**OURS.make_trajectory(ACCOUNT, PAUSE)[0], "run_id": "r2"}],
        [{**OURS.make_trajectory(ACCOUNT, PAUSE)[0], "run_id": None}],
        [{**OURS.make_trajectory(ACCOUNT, PAUSE)[0], "signature": None}],
        [{"role": "checkpoint"}],
        [
            {"role": "user", "content": "hi"},
            {"role": "checkpoint", "session_id": str(PAUSE.session_id)},
        ],
    ],
)
def test_changed_trajectory_is_refused(trajectory: list[JsonValue]) -> None:
    with pytest.raises(InvalidInput):
        OURS.find_resume_point(ACCOUNT, trajectory)
