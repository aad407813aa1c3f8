"""The bodies of dry runs and previews."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonObject
from yarrow.prompting.preset import PromptIntent
from yarrow.protocols.tavern.policies.wire import PolicyBody
from yarrow.protocols.tavern.sessions.wire import Body, Loose

MAX_TEXT = 1024 * 1024
MAX_NAME = 256

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]

_NOT_POLICY = frozenset(
    {"message", "text", "prompt_intent", "debug_options", "branch_id", "source_floor_id"}
)


class DryRunDebug(Body):
    """What else to show."""

    include_worldbook_matches: bool = False


class _Asking(PolicyBody):
    branch_id: Name | None = None
    source_floor_id: Name | None = None

    def policy(self) -> JsonObject:
        """The request's own layer of the prompt policy."""
        said = self.model_fields_set - _NOT_POLICY
        return self.model_dump(include=said, exclude_unset=True)


class DryRunBody(_Asking):
    """`POST /sessions/:id/respond/dry-run`."""

    message: Text
    prompt_intent: Annotated[PromptIntent, Loose] = PromptIntent.NORMAL
    debug_options: DryRunDebug = Field(default_factory=DryRunDebug)


class PreviewBody(_Asking):
    """`POST /sessions/:id/prompt-runtime/preview`."""

    text: Annotated[str, Field(max_length=MAX_TEXT)]
