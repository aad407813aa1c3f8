"""Values of variables and their scopes."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject, JsonValue

GLOBAL_ID = "global"

KEY_CHARS = 256
VALUE_BYTES = 64 * 1024
SCOPE_MAX = 1_000


class Scope(StrEnum):
    """Where a variable is visible; a narrower scope hides a wider one.

    The values are stored, and are those of the tavern protocol.
    """

    GLOBAL = "global"
    CHAT = "chat"
    BRANCH = "branch"
    TURN = "floor"
    MESSAGE = "page"


NARROWEST_FIRST = (Scope.MESSAGE, Scope.TURN, Scope.BRANCH, Scope.CHAT, Scope.GLOBAL)


class ScopeRef(Struct, frozen=True):
    """One scope: of the message, turn, branch or session of this id, or the global one."""

    scope: Scope
    scope_id: str
    session_id: SessionId | None


GLOBAL_SCOPE = ScopeRef(Scope.GLOBAL, GLOBAL_ID, None)


class Variable(Struct, frozen=True):
    """A value under a key in a scope."""

    scope_ref: ScopeRef
    key: str
    value: JsonValue
    updated_at: datetime


class ResolvedVariable(Struct, frozen=True):
    """The value of a key in the narrowest scope that has it."""

    key: str
    value: JsonValue
    scope: Scope


class ScopedVariables(Struct, frozen=True):
    """The variables that the next turn of a branch sees, by scope."""

    by_scope: Mapping[Scope, JsonObject]

    def get(self, scope: Scope) -> JsonObject:
        return self.by_scope.get(scope, {})
