"""What the storyteller makes: the prompt it sent with the writes of its macros, and its reply."""

from typing import TypeAlias

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.product import AgentProduct, StoredProduct

PROMPT_SENT = "PROMPT_SENT"
STORY_REPLY = "STORY_REPLY"
"""Keys in `MessageDetails.products`."""


class StagedWrite(msgspec.Struct, frozen=True, omit_defaults=True):
    """A variable that the turn sets or deletes when it is committed."""

    scope: str
    name: str
    value: JsonValue = None
    is_deleted: bool = False


class PromptSent(StoredProduct, frozen=True, tag="prompt_sent"):
    """The prompt is complete and goes to the model.

    `record` is the compressed prompt and trace; the message keeps the digest alone.
    """

    digest: str
    record: bytes
    user_text: str
    """The input after the scripts for storage."""
    writes: tuple[StagedWrite, ...] = ()
    timers: tuple[JsonObject, ...] = ()
    timers_before: tuple[JsonObject, ...] = ()

    def to_stored(self) -> tuple[str, JsonObject]:
        return PROMPT_SENT, {"digest": self.digest}


class ReplyDraft(AgentProduct, frozen=True, tag="reply_draft"):
    """The next piece of a reply that scripts will rewrite when it is complete."""

    text: str


class StoryReply(StoredProduct, frozen=True, tag="story_reply"):
    """The reply is complete; `text` has no summaries in it."""

    text: str
    summaries: tuple[str, ...] = ()

    def to_stored(self) -> tuple[str, JsonObject]:
        return STORY_REPLY, {"summaries": list(self.summaries)}


StoredStoryProduct: TypeAlias = PromptSent | StoryReply
StoryProduct: TypeAlias = StoredStoryProduct | ReplyDraft
