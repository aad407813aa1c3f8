"""The agent seam: a strategy that reads a context and yields events.

An agent never writes to the database, never sees a request and never charges. What it costs,
how many turns it allows and how long it may take is data in its `AgentSpec`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias
from uuid import UUID

from msgspec import Struct, field

from yarrow.clock import Clock
from yarrow.journal.events import RunEvent, Warned
from yarrow.journal.steps import NO_STEPS, CompletedSteps
from yarrow.llm.model import ChatModel
from yarrow.runs.finish_signal import FinishSignal
from yarrow.runs.model import AgentSpec, ClaimedRun
from yarrow.sessions.model import Message
from yarrow.tools.model import Toolbox

LoadImage: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Loads the image at a path of our storage as a `data:` URL; None when it is not available."""


async def _persist_nothing() -> None:
    """For a context without a journal."""


class RunContext(Struct, frozen=True):
    """Everything an agent may read."""

    run: ClaimedRun
    history: tuple[Message, ...]
    """The session's answered turns, oldest first."""
    model: ChatModel
    tools: Toolbox
    clock: Clock
    new_id: Callable[[], UUID]
    load_image: LoadImage
    finish: FinishSignal = field(default_factory=FinishSignal)
    """The user wants the answer to end here."""
    warnings: list[Warned] = field(default_factory=list)
    """For code below the agent, which yields no events: sent before the run's next event."""
    steps: CompletedSteps = NO_STEPS
    """What earlier attempts of the run completed."""
    persist: Callable[[], Awaitable[None]] = _persist_nothing
    """Stores all events so far. An agent calls it before an effect outside the database: an attempt
    that takes the run over then repeats the same call, not another one."""


class Agent(Protocol):
    """A strategy: context in, events out."""

    @property
    def spec(self) -> AgentSpec: ...

    def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        """Answer the turn. Raising fails the run; closing the iterator stops it."""
        ...


Agents = Mapping[str, Agent]
