"""Decisions of the engine: values in, a value or an error out."""

from dataclasses import dataclass
from typing import assert_never

from yarrow.ids import AccountId
from yarrow.runs.errors import AgentMismatch, RunConflict, RunLimitReached, SessionBusy, TurnNotLive
from yarrow.runs.model import (
    AcceptedRun,
    AgentSpec,
    NewTurn,
    ReplaceTurn,
    RetryTurn,
    RunRequest,
    RunTarget,
    SessionPolicy,
)
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH, Ownership
from yarrow.sessions.rules import require_owner


@dataclass(frozen=True, slots=True)
class PreviousRun:
    """The run that was accepted before under the same key."""

    accepted: AcceptedRun
    digest: bytes


@dataclass(frozen=True, slots=True)
class SessionState:
    """A request's session as it is when the request arrives."""

    owner: AccountId | None
    """None: the session does not exist yet."""
    deleted: bool
    previous: PreviousRun | None
    active_key: str | None
    """The key of the unfinished run on the request's branch."""
    answered_turns: int
    agent: str | None = None
    """The agent of the session's first run, to which the session belongs."""
    has_branch: bool = False
    """Whether the request's branch exists."""
    target_is_live: bool = False
    """Whether the turn to retry or replace is live and answered."""


NEW_SESSION = SessionState(None, deleted=False, previous=None, active_key=None, answered_turns=0)


def previous_acceptance(request: RunRequest, state: SessionState) -> AcceptedRun | None:
    """The first answer to a repeated request, or None when the run is new and allowed."""
    require_session(request, state)
    if state.previous is None:
        return None
    if state.previous.digest != request.digest:
        raise RunConflict(request.key)
    return state.previous.accepted


def require_session(request: RunRequest, state: SessionState) -> None:
    """The session belongs to the caller and is not deleted; a missing one may be created."""
    if state.owner is None:
        if request.session_policy is SessionPolicy.MUST_EXIST:
            raise SessionNotFound(str(request.session_id))
        return
    ownership = Ownership(state.owner, state.deleted)
    require_owner(request.session_id, ownership, caller=request.account_id)


def require_startable(state: SessionState, spec: AgentSpec, target: RunTarget) -> None:
    """One agent a session, one run at a time on a branch, no more turns than the agent allows,
    and a target that exists."""
    if state.agent is not None and state.agent != spec.name:
        raise AgentMismatch(state.agent)
    if state.active_key is not None:
        raise SessionBusy(state.active_key)
    match target:
        case NewTurn(branch):
            if branch != MAIN_BRANCH and not state.has_branch:
                raise BranchNotFound(branch)
            if spec.turn_cap is not None and state.answered_turns >= spec.turn_cap:
                raise RunLimitReached(spec.turn_cap)
        case RetryTurn(turn_id) | ReplaceTurn(turn_id):
            if not state.target_is_live:
                raise TurnNotLive(str(turn_id))
        case _:
            assert_never(target)
