"""From a scope in a body, query or path to a `ScopeSelector`."""

from uuid import UUID

import msgspec

from yarrow.errors import InvalidInput
from yarrow.ids import MemoryId
from yarrow.memory.errors import MemoryJobNotFound, MemoryNotFound
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.memories.wire import MemoryScopeBody, MemoryScopeName
from yarrow.stories.variables import ScopeSelector
from yarrow.variables.model import Scope

GLOBAL_ID = "global"
_BRANCH_RULE = 'scope_id must be ["SESSION","BRANCH"] as JSON text here'


def parse_scope(body: MemoryScopeBody) -> ScopeSelector:
    """Parse the scope that a client names; raises if an id is no UUID."""
    scope_id = body.scope_id
    session_id = None if body.session_id is None else ids.parse_session_id(body.session_id)
    match body.scope:
        case MemoryScopeName.GLOBAL:
            if scope_id not in {None, GLOBAL_ID}:
                raise InvalidInput(f"scope_id must be {GLOBAL_ID} here", field="scope_id")
            return ScopeSelector(Scope.GLOBAL)
        case MemoryScopeName.CHAT:
            chat_id = session_id if scope_id is None else ids.parse_session_id(scope_id)
            if session_id not in {None, chat_id}:
                raise InvalidInput("scope_id and session_id differ", field="scope_id")
            return ScopeSelector(Scope.CHAT, chat_id)
        case MemoryScopeName.BRANCH if scope_id is not None:
            return _parse_branch(scope_id)
        case MemoryScopeName.BRANCH:
            return ScopeSelector(Scope.BRANCH, session_id, body.branch_id)
        case MemoryScopeName.FLOOR:
            text = scope_id or body.floor_id
            turn_id = None if text is None else ids.parse_turn_id(text)
            return ScopeSelector(Scope.TURN, target_id=turn_id)


def _parse_branch(scope_id: str) -> ScopeSelector:
    """A branch scope is named by the JSON text that `encode_scope_id` writes."""
    try:
        session, branch = msgspec.json.decode(scope_id.encode(), type=tuple[str, str])
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise InvalidInput(_BRANCH_RULE, field="scope_id") from None
    return ScopeSelector(Scope.BRANCH, ids.parse_session_id(session), branch)


def parse_memory_id(text: str) -> MemoryId:
    if (uuid := ids.parse_uuid(text)) is None:
        raise MemoryNotFound(text)
    return MemoryId(uuid)


def parse_memory_ids(texts: list[str]) -> list[MemoryId]:
    """The ids that are UUIDs; the others name no memory."""
    uuids = (ids.parse_uuid(text) for text in texts)
    return [MemoryId(each) for each in uuids if each is not None]


def parse_job_id(text: str) -> UUID:
    if (uuid := ids.parse_uuid(text)) is None:
        raise MemoryJobNotFound(text)
    return uuid
