"""Errors of accepting, claiming and settling runs."""

from yarrow.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    TooManyRequests,
    Unavailable,
    YarrowError,
)
from yarrow.journal.events import FailureReason


class AgentMismatch(InvalidInput):
    """The session belongs to another agent."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"the session belongs to the agent {agent}; ask another in a new one")
        self.agent = agent


class StoryMismatch(AgentMismatch):
    """The session is a story, and the agent does not answer stories."""

    def __init__(self) -> None:
        super().__init__("storyteller")


class AgentNotFound(NotFound):
    """No agent of this name is installed."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"no agent {agent} is installed here")
        self.agent = agent


class RunNotFound(NotFound):
    """The session has no run of this id."""

    def __init__(self, run: str) -> None:
        super().__init__(f"the session has no run {run}")
        self.run = run


class RunConflict(Conflict):
    """The run id was used before with another body."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} was accepted before with another body; use a new run id")
        self.run = run


class SessionBusy(Conflict):
    """Another run of this session has not ended."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} of this session is still going; wait for it or cancel it")
        self.run = run


class TurnNotLive(Conflict):
    """The turn to retry or replace is not an answered turn of its branch (any more)."""

    def __init__(self, turn: str) -> None:
        super().__init__(f"turn {turn} is no answered turn of its branch; read the branch again")
        self.turn = turn


class CommitConflict(Conflict):
    """What the run would store contradicts what was stored meanwhile."""

    def __init__(self, target: str) -> None:
        super().__init__(f"{target} was changed while the run was generated; try again")
        self.target = target


class BranchQueueTimeout(Unavailable):
    """The branch stayed busy for longer than the request may wait."""

    def __init__(self, run: str, *, timeout_s: float) -> None:
        super().__init__(f"run {run} waited {timeout_s:g} s for its branch; try again later")
        self.run, self.timeout_s = run, timeout_s


class ClientLeft(Conflict):
    """The client disconnected while its request waited for the branch."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run {run} was not started: its client left while it waited")
        self.run = run


class TurnCapReached(Conflict):
    """The session has had all the runs its agent allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a session allows {limit} runs; start a new session")
        self.limit = limit


class TooManyRuns(TooManyRequests):
    """The account has as many unfinished runs as it may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"at most {limit} runs at a time; wait for one to end or cancel one", retry_after_s=1
        )
        self.limit = limit


class AgentRefused(YarrowError):
    """The agent cannot answer, for a reason of its own."""

    def __init__(self, reason: FailureReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NoTextToKeep(YarrowError):
    """The answer was to end early, and there is none yet."""

    def __init__(self) -> None:
        super().__init__("the run was stopped before its answer began")


class RunWasCancelled(YarrowError):
    """The cancel was committed before the answer could be."""

    def __init__(self) -> None:
        super().__init__("the run was cancelled before its answer was kept")
