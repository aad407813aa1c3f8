"""Whether a run may begin."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from yarrow.errors import Forbidden
from yarrow.ids import AccountId, RunId, SessionId
from yarrow.runs.errors import RunConflict, RunLimitReached, SessionBusy
from yarrow.runs.model import AcceptedRun, AgentSpec, RunInput, RunRef, RunRequest, SessionPolicy
from yarrow.runs.rules import PreviousRun, SessionState, previous_acceptance, require_startable
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.targets import NewTurn

ME, OTHER = AccountId(uuid4()), AccountId(uuid4())
SESSION = SessionId(uuid4())
DIVINER = AgentSpec("divination", price=20, deadline_s=60, turn_cap=2)
ASSISTANT = AgentSpec("assistant", price=20, deadline_s=60)


def request(policy: SessionPolicy = SessionPolicy.CREATE, digest: bytes = b"1") -> RunRequest:
    return RunRequest(ME, SESSION, "r1", "assistant", RunInput("hi"), digest, policy)


def state(
    owner: AccountId | None = ME,
    *,
    deleted: bool = False,
    prior: PreviousRun | None = None,
    active: str | None = None,
    answered: int = 0,
) -> SessionState:
    return SessionState(owner, deleted, prior, active, answered)


PRIOR = PreviousRun(
    AcceptedRun(RunRef(RunId(uuid4()), SESSION, "r1"), datetime(2026, 1, 1, tzinfo=UTC)), b"1"
)


def test_a_missing_session_is_made_unless_it_must_exist() -> None:
    assert previous_acceptance(request(), state(None)) is None
    with pytest.raises(SessionNotFound):
        previous_acceptance(request(SessionPolicy.MUST_EXIST), state(None))


def test_another_accounts_session_is_forbidden_even_when_deleted() -> None:
    with pytest.raises(Forbidden):
        previous_acceptance(request(), state(OTHER, deleted=True))


def test_a_deleted_session_is_not_found() -> None:
    with pytest.raises(SessionNotFound):
        previous_acceptance(request(), state(deleted=True))


def test_the_same_run_again_gets_the_first_answer_even_while_it_runs() -> None:
    assert previous_acceptance(request(), state(prior=PRIOR, active="r1")) is PRIOR.accepted


def test_the_same_run_id_with_another_body_is_a_conflict() -> None:
    with pytest.raises(RunConflict):
        previous_acceptance(request(digest=b"2"), state(prior=PRIOR))


def test_a_session_does_one_run_at_a_time() -> None:
    with pytest.raises(SessionBusy) as busy:
        require_startable(state(active="r0"), ASSISTANT, NewTurn())

    assert busy.value.run == "r0"


# seed 3: one session allows at most 2 user runs total
def test_a_capped_agent_answers_twice_in_a_session() -> None:
    require_startable(state(answered=1), DIVINER, NewTurn())
    with pytest.raises(RunLimitReached):
        require_startable(state(answered=2), DIVINER, NewTurn())


def test_the_assistant_has_no_cap() -> None:
    require_startable(state(answered=200), ASSISTANT, NewTurn())
