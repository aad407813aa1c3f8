"""Values of memory: items in four scopes, edges between them, and jobs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from msgspec import Struct, field

from yarrow.ids import AccountId, BranchId, MemoryId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.prompting.choose_memories import MemoryEntry, MemoryKind, SummaryTier

CONTENT_CHARS = 16_000
KEY_CHARS = 256
ACCOUNT_MAX = 100_000
"""Items of one account."""

DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 1.0


class MemoryScope(StrEnum):
    """Where a memory counts."""

    GLOBAL = "global"
    CHAT = "chat"
    BRANCH = "branch"
    TURN = "turn"


class MemoryRelation(StrEnum):
    """What the source of an edge does to its target."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UPDATES = "updates"
    DERIVED_FROM = "derived_from"
    COMPACTS = "compacts"
    RESOLVES = "resolves"
    DEPRECATES = "deprecates"
    """Without a source: a turn found that the target no longer holds."""


HIDING = (
    MemoryRelation.UPDATES,
    MemoryRelation.COMPACTS,
    MemoryRelation.RESOLVES,
    MemoryRelation.DEPRECATES,
)
"""Relations whose target is not used any more."""


class MemoryStatus(StrEnum):
    """Whether a memory still holds."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"


class MemoryLifecycle(StrEnum):
    """Whether a memory is used, and if not, why."""

    ACTIVE = "active"
    COMPACTED = "compacted"
    DEPRECATED = "deprecated"


class MemoryScopeRef(Struct, frozen=True):
    """A scope that was looked up: only the ids that belong to it are set."""

    scope: MemoryScope
    session_id: SessionId | None = None
    branch_id: BranchId | None = None
    turn_id: TurnId | None = None


class NewMemory(Struct, frozen=True):
    """A memory to be stored; `replies` are those that it was made from, none for a person's."""

    id: MemoryId
    place: MemoryScopeRef
    kind: MemoryKind
    content: str
    tier: SummaryTier | None = None
    fact_key: str | None = None
    importance: float = DEFAULT_IMPORTANCE
    confidence: float = DEFAULT_CONFIDENCE
    is_active: bool = True
    replies: tuple[UUID, ...] = ()
    source_turn: TurnId | None = None
    source_reply: MessageId | None = None


class MemoryItem(Struct, frozen=True):
    """A stored memory. `relations` are those of live edges that hide it."""

    memory: NewMemory
    account_id: AccountId
    branch: str | None
    relations: tuple[MemoryRelation, ...]
    covered_turns: tuple[TurnId, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def lifecycle(self) -> MemoryLifecycle:
        hiding = set(self.relations)
        if not self.memory.is_active or hiding - {MemoryRelation.COMPACTS}:
            return MemoryLifecycle.DEPRECATED
        return MemoryLifecycle.COMPACTED if hiding else MemoryLifecycle.ACTIVE

    @property
    def status(self) -> MemoryStatus:
        is_deprecated = self.lifecycle is MemoryLifecycle.DEPRECATED
        return MemoryStatus.DEPRECATED if is_deprecated else MemoryStatus.ACTIVE


class MemoryPatch(Struct, frozen=True):
    """Changes to a memory; what is not named stays."""

    content: str | UnchangedField = UNCHANGED
    fact_key: str | UnchangedField | None = UNCHANGED
    importance: float | UnchangedField = UNCHANGED
    confidence: float | UnchangedField = UNCHANGED
    status: MemoryStatus | UnchangedField = UNCHANGED


class MemoryEdge(Struct, frozen=True):
    """A stored edge."""

    id: UUID
    source_id: MemoryId | None
    target_id: MemoryId
    relation: MemoryRelation
    replies: tuple[UUID, ...] = ()
    created_at: datetime | None = None


class MemoryFilter(Struct, frozen=True):
    """Which memories to list; None matches all."""

    place: MemoryScopeRef | None = None
    session_id: SessionId | None = None
    kind: MemoryKind | None = None
    tier: SummaryTier | None = None
    status: MemoryStatus | None = None
    lifecycle: MemoryLifecycle | None = None
    fact_key: str | None = None
    text: str = ""
    live_replies: Sequence[MessageId] | None = None
    """The replies on one branch, which decide what counts there; None: those of all branches."""


class StoredMemory(Struct, frozen=True, array_like=True):
    """A memory as the statement that reads a story's state returns it."""

    memory_id: str
    scope: MemoryScope
    kind: MemoryKind
    tier: SummaryTier | None
    content: str
    fact_key: str | None
    importance: float
    created_s: float
    replies: tuple[str, ...]
    turn_id: str | None
    source_turn: str | None
    hidden_by: tuple[tuple[str, ...], ...] | None
    """The replies of each edge that hides it; an edge of a person has none."""

    def is_visible(self, live: Collection[str]) -> bool:
        """Whether it counts where these messages and turns are the story."""
        if not all(reply in live for reply in self.replies):
            return False
        if self.turn_id is not None and self.turn_id not in live:
            return False
        hiding = self.hidden_by or ()
        return not any(all(reply in live for reply in replies) for replies in hiding)

    def to_entry(self) -> MemoryEntry:
        sources = self.replies or (() if self.source_turn is None else (self.source_turn,))
        return MemoryEntry(
            memory_id=self.memory_id,
            kind=self.kind,
            content=self.content,
            tier=self.tier,
            fact_key=self.fact_key,
            importance=self.importance,
            created_s=self.created_s,
            sources=sources,
        )


class MemoryJobKind(StrEnum):
    """What a memory job does."""

    TURN = "turn"
    """Store what a turn says, and consolidate if the turn asked for it."""
    COMPACT = "compact"
    REBUILD = "rebuild"


class MemoryJobStatus(StrEnum):
    """The states of a memory job."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MemoryJob(Struct, frozen=True):
    """A stored job; `attempt` counts how often it was claimed since it was queued."""

    id: UUID
    account_id: AccountId
    session_id: SessionId
    branch_id: BranchId
    branch: str
    kind: MemoryJobKind
    payload: JsonObject
    status: MemoryJobStatus = MemoryJobStatus.QUEUED
    attempt: int = 0
    failure: str | None = None
    outcome: JsonObject | None = field(default=None)
    claimed_at: datetime | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
