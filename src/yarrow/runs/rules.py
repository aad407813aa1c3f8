"""Decisions of the engine: values in, a value or an error out."""

from dataclasses import dataclass

from yarrow.errors import (
    AgentMismatch,
    RunConflict,
    RunLimitReached,
    SessionBusy,
    SessionNotFound,
)
from yarrow.ids import AccountId
from yarrow.runs.model import AcceptedRun, AgentSpec, RunRequest, SessionPolicy
from yarrow.sessions.model import Ownership
from yarrow.sessions.rules import require_owner


@dataclass(frozen=True, slots=True)
class PriorRun:
    """A run that was accepted before under the same key."""

    accepted: AcceptedRun
    digest: bytes


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What is known of a request's session when it arrives."""

    owner: AccountId | None
    """None: the session does not exist yet."""
    deleted: bool
    prior: PriorRun | None
    active_key: str | None
    """The key of the run that is going now."""
    answered_turns: int
    agent: str | None = None
    """Whose session it is: the agent of its first run."""


NOTHING_KNOWN = SessionFacts(None, deleted=False, prior=None, active_key=None, answered_turns=0)


def prior_answer(request: RunRequest, facts: SessionFacts) -> AcceptedRun | None:
    """The first answer to a repeated request, or None when the run is new and allowed."""
    require_session(request, facts)
    if facts.prior is None:
        return None
    if facts.prior.digest != request.digest:
        raise RunConflict(request.key)
    return facts.prior.accepted


def require_session(request: RunRequest, facts: SessionFacts) -> None:
    """The session is the caller's own and not deleted; a missing one may be made."""
    if facts.owner is None:
        if request.session_policy is SessionPolicy.MUST_EXIST:
            raise SessionNotFound(str(request.session_id))
        return
    ownership = Ownership(facts.owner, facts.deleted)
    require_owner(request.session_id, ownership, caller=request.account_id)


def require_startable(facts: SessionFacts, spec: AgentSpec) -> None:
    """One agent a session, one run at a time, and no more turns than the agent allows."""
    if facts.agent is not None and facts.agent != spec.name:
        raise AgentMismatch(facts.agent)
    if facts.active_key is not None:
        raise SessionBusy(facts.active_key)
    if spec.turn_cap is not None and facts.answered_turns >= spec.turn_cap:
        raise RunLimitReached(spec.turn_cap)
