"""The prompt policy of a session: the layer between its preset and a request."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern.wire import AS_TEXT, StrictBody

Positive = Annotated[int, Field(ge=1)]


class Structure(StrictBody):
    mode: Literal["default", "strict_alternating", "no_assistant", "flattened"] | None = None
    merge_adjacent_same_role: bool | None = None
    assistant_rewrite_strategy: Literal["to_system", "to_user_transcript"] | None = None
    preserve_system_messages: bool | None = None


class Delivery(StrictBody):
    allow_assistant_prefill: bool | None = None
    require_last_user: bool | None = None
    no_assistant: bool | None = None


class Budget(StrictBody):
    max_input_tokens: Positive | None = None
    reserved_completion_tokens: Positive | None = None
    lore_percent: Annotated[int, Field(ge=1, le=100)] | None = None


class HistorySource(StrictBody):
    mode: Literal["full", "windowed"] | None = None
    max_messages: Positive | None = None

    @model_validator(mode="after")
    def _window_has_a_size(self) -> Self:
        if self.mode == "windowed" and self.max_messages is None:
            raise ValueError("a windowed history needs max_messages")
        return self


class Source(StrictBody):
    enabled: bool | None = None


class MemorySource(Source):
    max_tokens: Annotated[int, Field(ge=1, le=8_000)] | None = None
    max_items: Annotated[int, Field(ge=1, le=200)] | None = None
    min_importance: Annotated[float, Field(ge=0, le=1)] | None = None
    layout: Literal["balanced", "dual_summary"] | None = None
    half_life_days: Annotated[float, Field(gt=0, le=36_500)] | None = None


class SourceSelection(StrictBody):
    history: HistorySource | None = None
    memory: MemorySource | None = None
    worldbook: Source | None = None
    examples: Source | None = None


class FloorRange(StrictBody):
    start_floor_no: Annotated[int, Field(ge=0)]
    end_floor_no: Annotated[int, Field(ge=0)]

    @model_validator(mode="after")
    def _starts_before_it_ends(self) -> Self:
        if self.start_floor_no > self.end_floor_no:
            raise ValueError("start_floor_no is after end_floor_no")
        return self


class VisibilityRules(StrictBody):
    mode: Literal["allow_all_except_hidden", "deny_all_except_visible"] | None = None
    hidden_floor_ranges: list[FloorRange] | None = None
    visible_floor_ranges: list[FloorRange] | None = None
    hidden_floor_ids: list[str] | None = None


class PolicyBody(StrictBody):
    """What is sent is laid over the policy, object by object; null takes a field away."""

    structure: Structure | None = None
    delivery: Delivery | None = None
    budget: Budget | None = None
    source_selection: SourceSelection | None = None
    visibility: VisibilityRules | None = None


class ModeBody(StrictBody):
    """`mode` and `prompt_mode` mean the same; null leaves it to the default."""

    mode: Annotated[PromptMode, AS_TEXT] | None = None
    prompt_mode: Annotated[PromptMode, AS_TEXT] | None = None
