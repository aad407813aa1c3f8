"""What the verbs of the engine share, built once in `product.py`."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from msgspec import Struct
from prometheus_client import Counter

from yarrow.attachments.storage import Storage
from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.db.notify import Notifications
from yarrow.ids import SessionId, WorkerId
from yarrow.journal import Journal
from yarrow.journal.snapshot import TokenPrice
from yarrow.kit.cache import LruCache
from yarrow.kit.limiter import Limiter
from yarrow.llm.client_models import ClientModels
from yarrow.llm.model import ChatModel
from yarrow.llm.rule_based.model import RuleModel
from yarrow.runs.agent import Agent, Agents
from yarrow.runs.errors import AgentNotFound
from yarrow.runs.model import ClaimedRun, Discard, RunInput
from yarrow.tools.model import Toolbox


class Engine(Struct, frozen=True):
    """What accepting, executing and settling a run need."""

    database: Database
    notifications: Notifications
    journal: Journal
    agents: Agents
    model: ChatModel
    client_models: ClientModels
    tools: Toolbox
    storage: Storage
    clock: Clock
    new_id: Callable[[], UUID]
    worker_id: WorkerId
    token_price: TokenPrice
    free: bool
    """Runs cost no points: authentication is off."""
    lease: timedelta
    """How long a worker without heartbeats keeps its runs."""
    admission: Limiter
    """Bounds the connections that transactions of one account hold: they wait for its points."""
    max_runs: int
    """Unfinished runs that one account may have."""
    ended_runs: Counter
    """Counts settled runs by agent and status."""
    known_sessions: LruCache[SessionId, bool]
    """Sessions that a request here has tried to create: the next one reads them first."""

    def agent(self, name: str) -> Agent:
        """The agent of this name."""
        if (agent := self.agents.get(name)) is None:
            raise AgentNotFound(name)
        return agent

    def find_discard(self, run: ClaimedRun) -> Discard | None:
        """The `AgentSpec.discard` of the run's agent; also None if the agent is not installed."""
        agent = self.agents.get(run.agent)
        return None if agent is None else agent.spec.discard

    def model_for(self, run_input: RunInput) -> ChatModel:
        """The model that the client sent with the run, else the server's."""
        return self.client_models.open_model(run_input.model) if run_input.model else self.model

    def price(self, agent: Agent, run_input: RunInput) -> int:
        """The points that a run of this agent costs on this server."""
        is_free = agent.spec.is_free
        if self.free or self.is_offline(run_input) or (is_free and is_free(run_input)):
            return 0
        return agent.spec.price

    def is_offline(self, run_input: RunInput) -> bool:
        """Whether rules or the small built-in model answer: such a run is never charged."""
        return not run_input.model and isinstance(self.model, RuleModel)

    def now_ms(self) -> int:
        return int(self.clock().timestamp() * 1000)
