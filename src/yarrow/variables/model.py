"""The values of variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject, JsonValue

GLOBAL_ID = "global"

KEY_CHARS = 256
VALUE_BYTES = 64 * 1024
SCOPE_MAX = 1_000


class Scope(StrEnum):
    """Where a variable holds; a narrower scope hides a wider one."""

    GLOBAL = "global"
    CHAT = "chat"
    BRANCH = "branch"
    FLOOR = "floor"
    PAGE = "page"


NARROWEST_FIRST = (Scope.PAGE, Scope.FLOOR, Scope.BRANCH, Scope.CHAT, Scope.GLOBAL)


@dataclass(frozen=True, slots=True)
class Place:
    """One scope of one thing: the page, floor, branch or session of this id, or all of them."""

    scope: Scope
    scope_id: str
    session_id: SessionId | None


EVERYWHERE = Place(Scope.GLOBAL, GLOBAL_ID, None)


@dataclass(frozen=True, slots=True)
class Variable:
    """A value under a key, in a place."""

    place: Place
    key: str
    value: JsonValue
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Resolved:
    """The value that counts, and the scope it comes from."""

    key: str
    value: JsonValue
    scope: Scope


@dataclass(frozen=True, slots=True)
class ScopedVariables:
    """What the next turn of a branch sees, scope by scope."""

    by_scope: Mapping[Scope, JsonObject]

    def of(self, scope: Scope) -> JsonObject:
        return self.by_scope.get(scope, {})
