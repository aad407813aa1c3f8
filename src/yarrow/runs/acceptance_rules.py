"""Whether a request may become a run, and what it replaces: values in, a value or an error out."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, TurnId
from yarrow.runs.errors import (
    AgentMismatch,
    RunConflict,
    SessionBusy,
    StoryMismatch,
    TooManyRuns,
    TurnCapReached,
    TurnNotLive,
)
from yarrow.runs.model import (
    AcceptedRun,
    AgentSpec,
    ReplaceInput,
    RunInput,
    RunRequest,
    SessionPolicy,
)
from yarrow.sessions.errors import BranchNotFound, SessionArchived, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH, OpenCalls, Ownership
from yarrow.sessions.ownership import require_owner
from yarrow.sessions.run_targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget


class PreviousRun(Struct, frozen=True):
    """The run that was accepted before under the same key."""

    accepted: AcceptedRun
    digest: bytes


MAX_CONTINUATIONS = 16
"""Runs of one turn that bring results of client tools; more results open a new turn, which costs.
A client could else hold a whole conversation as results of one tool."""


class SessionState(Struct, frozen=True):
    """A request's session as it is when the request arrives."""

    owner: AccountId | None
    """None: the session does not exist yet."""
    deleted: bool
    previous: PreviousRun | None
    active_key: str | None
    """The key of the unfinished run on the request's branch."""
    answered_turns: int
    agent: str | None = None
    """The agent of the session's runs, to which the session belongs."""
    has_branch: bool = False
    """Whether the request's branch exists."""
    target_is_live: bool = False
    """Whether the turn to retry or replace is live and answered, and one to replace the last."""
    target_id: TurnId | None = None
    """The turn of the target; for a `ReplaceInput` the one that has this input."""
    open_calls: OpenCalls | None = None
    """Read for requests with results of tools only."""
    is_story: bool = False
    is_archived: bool = False


NEW_SESSION = SessionState(None, deleted=False, previous=None, active_key=None, answered_turns=0)


def find_previous_acceptance(request: RunRequest, state: SessionState) -> AcceptedRun | None:
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


def can_create_session(request: RunRequest, spec: AgentSpec) -> bool:
    """Whether the request can be stored without reading its session first, if there is none yet.

    Images, results of tools and a client's conversation need more than the one statement.
    """
    return (
        request.session_policy is SessionPolicy.CREATE
        and not _needs_more_statements(request)
        and not spec.answers_stories
        and request.target in (NewTurn(), ReplaceInput())
    )


def can_append_without_read(request: RunRequest, spec: AgentSpec) -> bool:
    """Whether the request can be stored as the next turn of a story without reading it first."""
    is_next = spec.answers_stories and isinstance(request.target, NewTurn)
    return is_next and not _needs_more_statements(request)


def _needs_more_statements(request: RunRequest) -> bool:
    return bool(request.input.images or request.input.tool_results or request.history)


def require_run_quota(active: int, *, limit: int) -> None:
    """The new run included, the account has at most `limit` unfinished runs."""
    if active > limit:
        raise TooManyRuns(limit)


def require_startable(state: SessionState, spec: AgentSpec, target: RunTarget) -> None:
    """One agent a session, one run at a time on a branch, a turn to spare, a target that exists."""
    _require_agent(state, spec)
    if state.active_key is not None:
        raise SessionBusy(state.active_key)
    is_gone = not state.target_is_live
    match target:
        case NewTurn(_, turn_id) | RetryTurn(turn_id) | ReplaceTurn(turn_id) if turn_id and is_gone:
            raise TurnNotLive(str(turn_id))
        case NewTurn(branch):
            if branch != MAIN_BRANCH and not state.has_branch:
                raise BranchNotFound(branch)
            if spec.turn_cap is not None and state.answered_turns >= spec.turn_cap:
                raise TurnCapReached(spec.turn_cap)
        case ContinueTurn() | RetryTurn() | ReplaceTurn():
            pass
        case _:
            assert_never(target)


def choose_target(request: RunRequest, state: SessionState) -> RunTarget:
    """The turn that the run is for."""
    calls = state.open_calls
    if calls is not None and _is_answer_only(request.input, calls):
        return ContinueTurn(calls.turn_id)
    if not isinstance(request.target, ReplaceInput):
        return request.target
    if state.target_id is None or not state.target_is_live or request.target.question:
        return NewTurn()
    return ReplaceTurn(state.target_id, and_later=True)


def find_failed_input(state: SessionState, target: RunTarget) -> TurnId | None:
    """The failed turn whose input is sent again: a new turn takes its place."""
    takes_place = isinstance(target, NewTurn) and target.after is None and not state.target_is_live
    return state.target_id if takes_place else None


def _is_answer_only(run_input: RunInput, calls: OpenCalls) -> bool:
    """Whether the input only answers open calls; the question may be repeated with it."""
    results = {result.call_id for result in run_input.tool_results} - calls.answered_ids
    says_nothing_new = run_input.text in ("", calls.question)
    has_runs_left = calls.continuations < MAX_CONTINUATIONS
    return bool(results) and results <= calls.call_ids and says_nothing_new and has_runs_left


def complete_request(
    request: RunRequest, state: SessionState, spec: AgentSpec, target: RunTarget
) -> RunRequest:
    """The request with what its run has to know of the target; with the client's conversation
    only if the session is new and the agent uses it."""
    run_input, history = request.input, request.history if state.owner is None else ()
    if history and not spec.takes_client_messages:
        run_input, history = replace(run_input, history_left_out=True), ()
    if question := _find_failed_question(request, state, target):
        run_input = replace(run_input, text=question, tool_results=(), last_answer=None)
    elif state.open_calls is not None:
        run_input = _drop_server_results(run_input, state.open_calls)
    match target:
        case ContinueTurn():
            run_input = replace(run_input, text="", is_continuation=True)
        case ReplaceTurn(and_later=True):
            run_input = replace(run_input, replaces_later=True)
        case NewTurn() | RetryTurn() | ReplaceTurn():
            pass
        case _:
            assert_never(target)
    return replace(request, input=run_input, history=history)


def _find_failed_question(request: RunRequest, state: SessionState, target: RunTarget) -> str:
    """The question of a failed turn, if the request brings nothing but what its run had done."""
    if find_failed_input(state, target) is None or not isinstance(request.target, ReplaceInput):
        return ""
    return request.target.question


def _drop_server_results(run_input: RunInput, calls: OpenCalls) -> RunInput:
    """Leave out what a client repeats of our own tools' results: they are stored.

    Raises `InvalidInput` if that is all it sent.
    """
    results = tuple(r for r in run_input.tool_results if r.call_id not in calls.answered_ids)
    if not (results or run_input.text or run_input.images or run_input.images_left_out):
        raise InvalidInput(
            "the results of the server's own tools are stored already; send a user message, or the"
            " result of a call of one of the client's tools"
        )
    return replace(run_input, tool_results=results)


def require_unarchived(request: RunRequest, state: SessionState) -> None:
    """Raise for an archived story: it gets no new turns."""
    if state.is_archived:
        raise SessionArchived(str(request.session_id))


def _require_agent(state: SessionState, spec: AgentSpec) -> None:
    """Stories belong to the storyteller, other sessions to the agent of their first run."""
    if state.is_story:
        if not spec.answers_stories:
            raise StoryMismatch
    elif spec.answers_stories or state.agent not in (None, spec.name):
        raise AgentMismatch(state.agent or "assistant")
