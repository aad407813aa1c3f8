"""Bodies of dry runs and previews."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonObject
from yarrow.prompting.preset import PromptIntent
from yarrow.protocols.tavern.policies.wire import PolicyBody
from yarrow.protocols.tavern.wire import AS_TEXT, StrictBody

MAX_TEXT = 1024 * 1024
MAX_NAME = 256

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]

_NOT_POLICY = frozenset(
    {"message", "text", "prompt_intent", "debug_options", "branch_id", "source_floor_id"}
)


class DryRunDebug(StrictBody):
    """Optional parts of the response."""

    include_worldbook_matches: bool = False


class PromptBody(PolicyBody):
    branch_id: Name | None = None
    source_floor_id: Name | None = None

    def collect_policy(self) -> JsonObject:
        """The request's own layer of the prompt policy."""
        fields = self.model_fields_set - _NOT_POLICY
        return self.model_dump(include=fields, exclude_unset=True)


class DryRunBody(PromptBody):
    """`POST /sessions/:id/respond/dry-run`."""

    message: Text
    prompt_intent: Annotated[PromptIntent, AS_TEXT] = PromptIntent.NORMAL
    debug_options: DryRunDebug = Field(default_factory=DryRunDebug)


class ComparedFloor(StrictBody):
    floor_id: Name


class CompareBody(StrictBody):
    """`POST /sessions/:id/prompt-runtime/compare`."""

    left: ComparedFloor
    right: ComparedFloor


class PreviewBody(PromptBody):
    """`POST /sessions/:id/prompt-runtime/preview`."""

    text: Annotated[str, Field(max_length=MAX_TEXT)]
