"""What the storyteller makes: the prompt it sent with the writes of its macros, and its reply."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.product_events.product import AgentProduct, StepProduct, StoredProduct
from yarrow.product_events.story_tools import StagedWrite, StoryToolFinished, StoryToolStarted

PROMPT_SENT = "PROMPT_SENT"
STORY_REPLY = "STORY_REPLY"
MEMORY_NOTED = "MEMORY_NOTED"
"""Keys in `MessageDetails.products`."""
USER = "user"
CHARACTER = "character"
"""Keys of the names in the product `PROMPT_SENT`."""


class PromptSent(StoredProduct, StepProduct, frozen=True, tag="prompt_sent"):
    """The prompt is complete and goes to the model.

    `record` is the compressed prompt and trace; the message keeps the digest alone. An attempt that
    takes the run over sends the same prompt, whatever its macros would draw now. The settlement
    moves the record to `turn_prompts`: it is empty in the journal of a succeeded run.
    """

    digest: str
    record: bytes
    user_text: str
    """The input after the scripts for storage."""
    writes: tuple[StagedWrite, ...] = ()
    timers: tuple[JsonObject, ...] = ()
    timers_before: tuple[JsonObject, ...] = ()
    user: str = ""
    character: str = ""
    """The names of the speakers at that time; empty if there is no character."""

    def to_stored(self) -> tuple[str, JsonObject]:
        names = {USER: self.user, CHARACTER: self.character}
        return PROMPT_SENT, {
            "digest": self.digest,
            **{key: names[key] for key in names if names[key]},
        }

    def to_settled(self) -> "PromptSent":
        return replace(self, record=b"")


class ReplyDraft(AgentProduct, frozen=True, tag="reply_draft"):
    """The next piece of a reply that scripts will rewrite when it is complete."""

    text: str


class ReplyRejected(AgentProduct, frozen=True, tag="reply_rejected"):
    """The verifier rejected the drafts so far; another attempt follows."""


class VerifierStatus(StrEnum):
    """What came of checking a reply."""

    PASSED = "passed"
    WARNED = "warned"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


class VerifierIssue(Struct, frozen=True):
    """Something that the verifier objects to; the severity is `warning` or `error`."""

    description: str
    severity: str


class VerifierReport(AgentProduct, frozen=True, tag="verifier_report"):
    """The verdict on a reply."""

    status: VerifierStatus
    suggestion: str = ""
    issues: tuple[VerifierIssue, ...] = ()


class StoryReply(StoredProduct, frozen=True, tag="story_reply"):
    """The reply is complete; `text` has no summaries in it."""

    text: str
    summaries: tuple[str, ...] = ()
    attempt: int = 1
    """Above 1 if the verifier rejected earlier replies."""

    def to_stored(self) -> tuple[str, JsonObject]:
        return STORY_REPLY, {"summaries": list(self.summaries)}


class MemoryNote(Struct, frozen=True, omit_defaults=True):
    """A memory that the turn makes when it is committed.

    `updates`, `resolves` and `compacts` are ids of memories that it replaces; `replies` are those
    that it covers beside the turn's own.
    """

    kind: str
    content: str
    tier: str | None = None
    fact_key: str | None = None
    importance: float = 0.5
    updates: tuple[str, ...] = ()
    resolves: tuple[str, ...] = ()
    compacts: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()


class MemoryNoted(StoredProduct, frozen=True, tag="memory_noted"):
    """What the turn remembers: `sync` stores it with the reply, `async` queues a job for it.

    `consolidates` tells the job to ask the memory model.
    """

    mode: str
    notes: tuple[MemoryNote, ...] = ()
    deprecates: tuple[str, ...] = ()
    consolidates: bool = False

    def to_stored(self) -> tuple[str, JsonObject]:
        return MEMORY_NOTED, {"mode": self.mode}


StoredStoryProduct: TypeAlias = PromptSent | StoryReply | MemoryNoted | StoryToolFinished
ReplyProgress: TypeAlias = ReplyDraft | ReplyRejected | VerifierReport | StoryToolStarted
"""Events of a reply before it is stored."""
StoryProduct: TypeAlias = StoredStoryProduct | ReplyProgress
