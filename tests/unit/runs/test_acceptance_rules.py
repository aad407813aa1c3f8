"""Whether a run may begin."""

from contextlib import nullcontext
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from msgspec.structs import replace

from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, RunId, SessionId, TurnId
from yarrow.runs.acceptance_rules import (
    MAX_CONTINUATIONS,
    NEW_SESSION,
    PreviousRun,
    SessionState,
    choose_target,
    complete_request,
    find_failed_input,
    find_previous_acceptance,
    require_run_quota,
    require_startable,
    require_unarchived,
)
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
    InputImage,
    ReplaceInput,
    RunInput,
    RunRef,
    RunRequest,
    SessionPolicy,
    ToolResult,
)
from yarrow.sessions.errors import BranchNotFound, SessionArchived, SessionNotFound
from yarrow.sessions.model import NewMessageVersions, OpenCalls, Role
from yarrow.sessions.run_targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget

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
    assert find_previous_acceptance(request(), state(None)) is None
    with pytest.raises(SessionNotFound):
        find_previous_acceptance(request(SessionPolicy.MUST_EXIST), state(None))


def test_another_accounts_session_is_forbidden_even_when_deleted() -> None:
    with pytest.raises(Forbidden):
        find_previous_acceptance(request(), state(OTHER, deleted=True))


def test_a_deleted_session_is_not_found() -> None:
    with pytest.raises(SessionNotFound):
        find_previous_acceptance(request(), state(deleted=True))


def test_the_same_run_again_gets_the_first_answer_even_while_it_runs() -> None:
    assert find_previous_acceptance(request(), state(prior=PRIOR, active="r1")) is PRIOR.accepted


def test_the_same_run_id_with_another_body_is_a_conflict() -> None:
    with pytest.raises(RunConflict):
        find_previous_acceptance(request(digest=b"2"), state(prior=PRIOR))


def test_a_session_does_one_run_at_a_time() -> None:
    with pytest.raises(SessionBusy) as busy:
        require_startable(state(active="r0"), ASSISTANT, NewTurn())

    assert busy.value.run == "r0"


# seed 3: one session allows at most 2 user runs total
def test_a_capped_agent_answers_twice_in_a_session() -> None:
    require_startable(state(answered=1), DIVINER, NewTurn())
    with pytest.raises(TurnCapReached):
        require_startable(state(answered=2), DIVINER, NewTurn())


def test_the_assistant_has_no_cap() -> None:
    require_startable(state(answered=200), ASSISTANT, NewTurn())


TURN = TurnId(uuid4())
CALLS = OpenCalls(
    TURN, frozenset({"c1", "c2"}), frozenset({"ours"}), question="Which?", continuations=0
)
STORYTELLER = AgentSpec("storyteller", price=0, deadline_s=60, answers_stories=True)


@pytest.mark.parametrize(
    ("agent", "first_agent", "is_story"),
    [(ASSISTANT, None, True), (ASSISTANT, "divination", False), (STORYTELLER, None, False)],
    ids=["assistant in a story", "assistant in a reading", "storyteller in a chat"],
)
def test_a_session_belongs_to_the_agent_of_its_first_run(
    agent: AgentSpec, first_agent: str | None, is_story: bool
) -> None:
    session = replace(state(), agent=first_agent, is_story=is_story)

    with pytest.raises((AgentMismatch, StoryMismatch)):
        require_startable(session, agent, NewTurn())


def test_a_new_turn_needs_its_branch_unless_it_is_the_main_one() -> None:
    require_startable(state(), ASSISTANT, NewTurn())
    require_startable(replace(state(), has_branch=True), ASSISTANT, NewTurn("side"))
    with pytest.raises(BranchNotFound):
        require_startable(state(), ASSISTANT, NewTurn("side"))


@pytest.mark.parametrize("target", [RetryTurn(TURN), ReplaceTurn(TURN)], ids=["retry", "replace"])
def test_only_a_live_turn_is_retried_or_replaced(target: RunTarget) -> None:
    require_startable(replace(state(), target_is_live=True), ASSISTANT, target)
    with pytest.raises(TurnNotLive):
        require_startable(state(), ASSISTANT, target)


def results(*calls: str, text: str = "") -> RunRequest:
    given = tuple(ToolResult(call, "ok") for call in calls)
    return replace(request(), input=RunInput(text, tool_results=given))


@pytest.mark.parametrize("text", ["", "Which?"], ids=["no text", "the question again"])
def test_results_of_open_calls_continue_their_turn(text: str) -> None:
    session = replace(state(), open_calls=CALLS)

    assert choose_target(results("c1", "c2", text=text), session) == ContinueTurn(TURN)


def test_results_of_our_own_tools_that_a_client_repeats_are_left_out() -> None:
    session, sent = replace(state(), open_calls=CALLS), results("ours", "c1")

    target = choose_target(sent, session)

    assert target == ContinueTurn(TURN)
    kept = complete_request(sent, session, ASSISTANT, target).input.tool_results
    assert [result.call_id for result in kept] == ["c1"]


@pytest.mark.parametrize(
    ("sent", "is_refused"),
    [
        (RunInput(""), True),
        (RunInput("And now?"), False),
        (RunInput("", images=(InputImage("a/b.png", "image/png"),)), False),
        (RunInput("", images_left_out=1), False),
    ],
    ids=["nothing", "text", "image", "image elsewhere"],
)
def test_results_of_our_own_tools_alone_are_refused(sent: RunInput, *, is_refused: bool) -> None:
    session = replace(state(), open_calls=CALLS)
    sent = replace(sent, tool_results=(ToolResult("ours", "ok"),))
    refusal = pytest.raises(InvalidInput, match="send a user message") if is_refused else None

    with refusal or nullcontext():
        complete_request(replace(request(), input=sent), session, ASSISTANT, NewTurn())


@pytest.mark.parametrize(
    ("run_request", "calls"),
    [
        (results("c1", text="Something new"), CALLS),
        (results("c3"), CALLS),
        (results("c1"), replace(CALLS, continuations=MAX_CONTINUATIONS)),
    ],
    ids=["new text", "unknown call", "too many continuations"],
)
def test_other_results_open_a_new_turn(run_request: RunRequest, calls: OpenCalls) -> None:
    assert choose_target(run_request, replace(state(), open_calls=calls)) == NewTurn()


def test_an_input_that_is_sent_again_replaces_its_live_turn_or_takes_its_place() -> None:
    again = replace(request(), target=ReplaceInput())
    answered = replace(state(), target_id=TURN, target_is_live=True)
    failed = replace(state(), target_id=TURN)

    assert choose_target(again, answered) == ReplaceTurn(TURN, and_later=True)
    assert choose_target(again, failed) == NewTurn()
    assert find_failed_input(failed, NewTurn()) == TURN
    assert find_failed_input(answered, ReplaceTurn(TURN)) is None


def test_a_clients_conversation_is_left_out_by_agents_that_do_not_use_it() -> None:
    slot = NewMessageVersions(Role.USER, ("hello",))
    sent = replace(request(), history=((slot,),))

    completed = complete_request(sent, NEW_SESSION, DIVINER, NewTurn())

    assert completed.history == ()
    assert completed.input.history_left_out


def test_a_run_knows_whether_it_continues_or_replaces_later_turns() -> None:
    def complete(target: RunTarget) -> RunInput:
        return complete_request(request(), state(), ASSISTANT, target).input

    assert complete(ContinueTurn(TURN)).is_continuation
    assert complete(ReplaceTurn(TURN, and_later=True)).replaces_later
    assert not complete(ReplaceTurn(TURN)).replaces_later
    assert complete(NewTurn()) == request().input


def test_an_archived_story_and_too_many_runs_are_refused() -> None:
    require_run_quota(3, limit=3)
    with pytest.raises(TooManyRuns):
        require_run_quota(4, limit=3)
    with pytest.raises(SessionArchived):
        require_unarchived(request(), replace(state(), is_archived=True))
