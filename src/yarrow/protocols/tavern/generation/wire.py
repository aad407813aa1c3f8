"""Bodies of the routes that generate a reply."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.preset import PromptIntent
from yarrow.protocols.tavern.policies.wire import Delivery, Structure
from yarrow.protocols.tavern.prompts.wire import Name, Text
from yarrow.protocols.tavern.wire import AS_TEXT, StrictBody
from yarrow.stories.session_state_rules import (
    DELETED,
    NAMESPACE_CHARS,
    NAMESPACE_PATTERN,
    SLOT_CHARS,
    StateWrite,
    make_state_entry,
)
from yarrow.stories.tools.replay_rules import ConfirmedEffects
from yarrow.stories.turn_input import RejectionStrategy, TurnModules

MAX_STOPS = 64
MAX_WRITES = 256
MAX_IDS = 1_000
NUMBER_MAX = 2**31 - 1

Flag = bool | None
Finite = Annotated[float, Field(allow_inf_nan=False)]


class TurnConfigBody(StrictBody):
    """`config`: the modules of a turn. Its fields are camelCase."""

    enableTools: Flag = None  # noqa: N815
    enableDirector: Flag = None  # noqa: N815
    enableVerifier: Flag = None  # noqa: N815
    enableMemoryConsolidation: Flag = None  # noqa: N815
    verifierFailStrategy: Literal["warn", "block", "retry"] | None = None  # noqa: N815
    toolMode: Literal["inline", "standalone", "both"] | None = None  # noqa: N815
    maxRetries: Annotated[int, Field(ge=0, le=5)] | None = None  # noqa: N815

    def collect_modules(self) -> TurnModules:
        strategy = self.verifierFailStrategy or RejectionStrategy.WARN
        return TurnModules(
            has_director=bool(self.enableDirector),
            has_verifier=bool(self.enableVerifier),
            when_rejected=RejectionStrategy(strategy),
            max_retries=1 if self.maxRetries is None else self.maxRetries,
            consolidates=bool(self.enableMemoryConsolidation),
        )


class GenerationParamsBody(StrictBody):
    """`generation_params`: they override the session's and the preset's."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=NUMBER_MAX)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=1, le=NUMBER_MAX)] | None = None
    frequency_penalty: Finite | None = None
    presence_penalty: Finite | None = None
    stop_sequences: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=1_000)]],
            Field(max_length=MAX_STOPS),
        ]
        | None
    ) = None
    stream: bool | None = None
    reasoning_effort: Literal["low", "medium", "high"] | None = None

    def collect(self) -> JsonObject:
        return self.model_dump(exclude_none=True, exclude={"stream"})


NamespaceName = Annotated[str, Field(max_length=NAMESPACE_CHARS, pattern=NAMESPACE_PATTERN)]
SlotName = Annotated[str, Field(min_length=1, max_length=SLOT_CHARS)]


class StateWriteBody(StrictBody):
    """A write of session state: a value, which may be null, or `delete: true`."""

    namespace: NamespaceName
    slot: SlotName
    value: JsonValue = None
    delete: Literal[True] | None = None

    @model_validator(mode="after")
    def _writes_or_deletes(self) -> Self:
        if ("value" in self.model_fields_set) == (self.delete is True):
            raise ValueError("exactly one of value and delete: true is needed")
        return self

    def to_write(self) -> StateWrite:
        entry = DELETED if self.delete else make_state_entry(self.value)
        return StateWrite(self.namespace, self.slot, entry)


class TurnDebug(StrictBody):
    """Optional parts of the response; matches only with the trace."""

    include_prompt_snapshot: bool = False
    include_runtime_trace: bool = False
    include_worldbook_matches: bool = False

    @property
    def shows_prompt(self) -> bool:
        return self.include_prompt_snapshot or self.include_runtime_trace


class GenerateBody(StrictBody):
    """What all generating routes take."""

    config: TurnConfigBody = Field(default_factory=TurnConfigBody)
    generation_params: GenerationParamsBody = Field(default_factory=GenerationParamsBody)
    session_state_writes: Annotated[list[StateWriteBody], Field(max_length=MAX_WRITES)] = Field(
        default_factory=list
    )
    debug_options: TurnDebug = Field(default_factory=TurnDebug)
    structure: Structure | None = None
    delivery: Delivery | None = None

    def collect_policy(self) -> JsonObject:
        """The request's own layer of the prompt policy."""
        fields = self.model_fields_set & {"structure", "delivery"}
        return self.model_dump(include=fields, exclude_unset=True)

    def list_state_writes(self) -> tuple[StateWrite, ...]:
        """The session state that the turn is to write."""
        return tuple(write.to_write() for write in self.session_state_writes)


class RespondBody(GenerateBody):
    """`POST /sessions/:id/respond` and `/respond/stream`."""

    message: Text
    prompt_intent: Annotated[PromptIntent, AS_TEXT] = PromptIntent.NORMAL
    branch_id: Name | None = None
    source_floor_id: Name | None = None


Ids = Annotated[list[Name], Field(max_length=MAX_IDS)]


class ReplaceBody(GenerateBody):
    """`POST /floors/:id/retry`; the ids allow recorded effects to happen again."""

    confirmed_execution_ids: Ids = Field(default_factory=list)
    confirmed_session_state_mutation_ids: Ids = Field(default_factory=list)

    def list_confirmed(self) -> ConfirmedEffects:
        return ConfirmedEffects(
            tuple(self.confirmed_execution_ids), tuple(self.confirmed_session_state_mutation_ids)
        )


class RegenerateBody(ReplaceBody):
    """`POST /sessions/:id/regenerate`."""

    branch_id: Name | None = None


class EditBody(ReplaceBody):
    """`POST /messages/:id/edit-and-regenerate`; `branch_id` names the new branch."""

    content: Text
    branch_id: Name | None = None


class CancelBody(StrictBody):
    """With `keep` the text so far becomes the reply; without it the turn is abandoned."""

    keep: bool = False
