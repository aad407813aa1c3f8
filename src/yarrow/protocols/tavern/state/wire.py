"""Bodies of the routes of session state."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern.generation.wire import NamespaceName, SlotName
from yarrow.protocols.tavern.prompts.wire import Name
from yarrow.protocols.tavern.wire import AS_TEXT, StrictBody
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.session_state_rules import (
    DELETED,
    ReplaySafety,
    StateNamespace,
    StateWrite,
    make_state_entry,
)

Owner = Annotated[str, Field(max_length=256)]


class NamespaceBody(StrictBody):
    """A namespace to register, and what it belongs to on the client's side."""

    namespace: NamespaceName
    logical_owner_type: Owner | None = None
    logical_owner_id: Owner | None = None
    replay_safety: Annotated[ReplaySafety, AS_TEXT] = ReplaySafety.SAFE

    def to_namespace(self) -> StateNamespace:
        return StateNamespace(
            self.namespace, self.logical_owner_type, self.logical_owner_id, self.replay_safety
        )


class SlotBody(StrictBody):
    """A slot of a branch."""

    branch_id: Name = MAIN_BRANCH
    namespace: NamespaceName
    slot: SlotName

    def to_write(self) -> StateWrite:
        return StateWrite(self.namespace, self.slot, DELETED)


class ValueBody(SlotBody):
    """A value to write; null is a value."""

    value: JsonValue

    def to_write(self) -> StateWrite:
        return StateWrite(self.namespace, self.slot, make_state_entry(self.value))
