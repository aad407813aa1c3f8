"""Bodies of the variable routes."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern.wire import AS_TEXT, BATCH_MAX, StrictBody
from yarrow.variables.model import Scope


class ScopeBody(StrictBody):
    """The scope of a variable: a branch by session and name, any other scope by its id."""

    scope: Annotated[Scope, AS_TEXT]
    session_id: str | None = None
    branch_id: str | None = None
    scope_id: str | None = None


class KeyBody(ScopeBody):
    key: str


class VariableBody(KeyBody):
    value: JsonValue


class VariableBatchBody(StrictBody):
    items: Annotated[list[VariableBody], Field(min_length=1, max_length=BATCH_MAX)]
