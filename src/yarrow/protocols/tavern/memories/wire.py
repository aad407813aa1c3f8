"""Bodies of the memory routes."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from yarrow.ids import MemoryId, new_uuid
from yarrow.kit.patch import UNCHANGED
from yarrow.memory.model import (
    CONTENT_CHARS,
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    KEY_CHARS,
    MemoryPatch,
    MemoryScope,
    MemoryScopeRef,
    MemoryStatus,
    NewMemory,
)
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier
from yarrow.protocols.tavern.ids import parse_message_id, parse_turn_id
from yarrow.protocols.tavern.prompts.wire import Name
from yarrow.protocols.tavern.wire import AS_TEXT, BATCH_MAX, BatchIds, StrictBody

SCOPE_ID_CHARS = 1_000

Content = Annotated[str, Field(min_length=1, max_length=CONTENT_CHARS, pattern=r"^[^\x00]*$")]
FactKey = Annotated[str, Field(min_length=1, max_length=KEY_CHARS, pattern=r"^[^\x00]*$")]
Share = Annotated[float, Field(ge=0, le=1)]
ScopeId = Annotated[str, Field(min_length=1, max_length=SCOPE_ID_CHARS)]


class MemoryScopeName(StrEnum):
    """The scopes of memory on the wire."""

    GLOBAL = "global"
    CHAT = "chat"
    BRANCH = "branch"
    FLOOR = "floor"


class MemoryScopeBody(StrictBody):
    """A scope: by `scope_id`, or by the ids beside it."""

    scope: Annotated[MemoryScopeName, AS_TEXT]
    scope_id: ScopeId | None = None
    session_id: Name | None = None
    branch_id: Name | None = None
    floor_id: Name | None = None


class MemoryBody(MemoryScopeBody):
    """A memory that a person writes."""

    type: Annotated[MemoryKind, AS_TEXT]
    summary_tier: Annotated[SummaryTier, AS_TEXT] | None = None
    content: Content
    fact_key: FactKey | None = None
    importance: Share = DEFAULT_IMPORTANCE
    confidence: Share = DEFAULT_CONFIDENCE
    status: Literal["active", "deprecated"] = "active"
    source_floor_id: Name | None = None
    source_message_id: Name | None = None

    @model_validator(mode="after")
    def _only_summaries_have_tiers(self) -> Self:
        if self.summary_tier is not None and self.type is not MemoryKind.SUMMARY:
            raise ValueError("only a summary has a summary_tier")
        return self

    def to_memory(self) -> NewMemory:
        """The memory without its place."""
        tier = self.summary_tier
        if self.type is MemoryKind.SUMMARY and tier is None:
            tier = SummaryTier.MICRO
        source, message = self.source_floor_id, self.source_message_id
        return NewMemory(
            id=MemoryId(new_uuid()),
            place=MemoryScopeRef(MemoryScope.GLOBAL),
            kind=self.type,
            content=self.content,
            tier=tier,
            fact_key=self.fact_key,
            importance=self.importance,
            confidence=self.confidence,
            is_active=MemoryStatus(self.status) is MemoryStatus.ACTIVE,
            source_turn=None if source is None else parse_turn_id(source),
            source_reply=None if message is None else parse_message_id(message),
        )


class MemoryBatchBody(StrictBody):
    items: Annotated[list[MemoryBody], Field(min_length=1, max_length=BATCH_MAX)]


class MemoryPatchBody(StrictBody):
    """What is sent is changed; a null key takes the key away."""

    content: Content = ""
    fact_key: FactKey | None = None
    importance: Share = 0
    confidence: Share = 0
    status: Literal["active", "deprecated"] = "active"

    def to_patch(self) -> MemoryPatch:
        sent = self.model_fields_set
        return MemoryPatch(
            content=self.content if "content" in sent else UNCHANGED,
            fact_key=self.fact_key if "fact_key" in sent else UNCHANGED,
            importance=self.importance if "importance" in sent else UNCHANGED,
            confidence=self.confidence if "confidence" in sent else UNCHANGED,
            status=MemoryStatus(self.status) if "status" in sent else UNCHANGED,
        )


class MemoryStatusBody(StrictBody):
    ids: BatchIds
    status: Literal["active", "deprecated"]


class MemoryDeleteBody(StrictBody):
    ids: BatchIds


class MemoryEdgeBody(StrictBody):
    source_id: Name
    target_id: Name
    relation: Literal["supports", "contradicts", "updates", "derived_from", "compacts", "resolves"]


class CompactBody(StrictBody):
    """`force` compacts also when there are few summaries."""

    force: bool = False
