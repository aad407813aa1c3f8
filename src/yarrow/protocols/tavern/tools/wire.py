"""Bodies of the routes of tools."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.wire import StrictBody

MAX_SLOTS = 16
MAX_NAMES = 200
CALLS_MAX = 100
STEPS_MAX = 20

SlotKey = Annotated[str, Field(pattern=r"^(narrator|director|verifier|memory|\*)$")]
ToolNames = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=128)]], Field(max_length=MAX_NAMES)
]
SlotLists = Annotated[dict[SlotKey, ToolNames], Field(max_length=MAX_SLOTS)]


class PermissionsBody(StrictBody):
    """What is left out has its default (PUT), or stays (PATCH)."""

    enabled: bool = True
    max_calls_per_turn: Annotated[int, Field(ge=0, le=CALLS_MAX)] = 10
    max_steps_per_generation: Annotated[int, Field(ge=1, le=STEPS_MAX)] = 5
    allow_irreversible: bool = False
    slot_allow_list: SlotLists = Field(default_factory=dict)
    slot_deny_list: SlotLists = Field(default_factory=dict)

    def list_fields(self) -> JsonObject:
        """The fields that were sent."""
        return self.model_dump(exclude_unset=True)
