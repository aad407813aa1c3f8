"""Bodies of the variable routes."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern.router import BATCH_MAX
from yarrow.protocols.tavern.sessions.wire import Body, Loose
from yarrow.variables.model import Scope


class PlaceBody(Body):
    """Where a variable lies. A branch is named by its session and name, the others by their id."""

    scope: Annotated[Scope, Loose]
    session_id: str | None = None
    branch_id: str | None = None
    scope_id: str | None = None


class KeyBody(PlaceBody):
    key: str


class VariableBody(KeyBody):
    value: JsonValue


class BatchBody(Body):
    items: Annotated[list[VariableBody], Field(min_length=1, max_length=BATCH_MAX)]
