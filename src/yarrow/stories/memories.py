"""Read and write memories, in scopes that clients name by their own ids."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from yarrow.db import Database, Tx
from yarrow.db.list_total import ListTotal
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, MemoryId, TurnId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import Unchanged
from yarrow.memory import edge_store, list_store, store
from yarrow.memory.errors import MemoryEdgeNotFound, MemoryFull, MemoryNotFound
from yarrow.memory.model import (
    ACCOUNT_MAX,
    MemoryEdge,
    MemoryFilter,
    MemoryItem,
    MemoryPatch,
    MemoryRelation,
    MemoryScope,
    MemoryScopeRef,
    MemoryStatus,
    NewMemory,
    StoredMemory,
)
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound, TurnNotFound
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.model import StoryState
from yarrow.stories.story_access import require_open
from yarrow.stories.story_state import require_own_story
from yarrow.stories.variables import ScopeSelector
from yarrow.variables.model import Scope

_SCOPES = {
    Scope.GLOBAL: MemoryScope.GLOBAL,
    Scope.CHAT: MemoryScope.CHAT,
    Scope.BRANCH: MemoryScope.BRANCH,
    Scope.TURN: MemoryScope.TURN,
}


async def find_place(
    tx: Tx, account_id: AccountId, selector: ScopeSelector, *, is_written: bool = False
) -> MemoryScopeRef:
    """Look up a scope; raises if it does not exist, or if it is written and archived."""
    scope = _SCOPES[selector.scope]
    if scope is MemoryScope.GLOBAL:
        return MemoryScopeRef(scope)
    if scope is MemoryScope.TURN:
        place = await _find_turn_place(tx, account_id, selector)
    elif selector.session_id is None:
        raise InvalidInput("this scope needs a session", field="session_id")
    else:
        place = MemoryScopeRef(scope, selector.session_id)
    assert place.session_id is not None
    story = await require_own_story(tx, account_id, place.session_id)
    if is_written:
        require_open(story)
    if scope is not MemoryScope.BRANCH:
        return place
    name = selector.branch or MAIN_BRANCH
    branch = await branch_store.find_branch(tx, place.session_id, name)
    if branch is None:
        raise BranchNotFound(name)
    return replace(place, branch_id=branch.id)


async def _find_turn_place(
    tx: Tx, account_id: AccountId, selector: ScopeSelector
) -> MemoryScopeRef:
    if selector.target_id is None:
        raise InvalidInput("this scope needs the id of a floor", field="scope_id")
    turn = await turn_store.find_turn(tx, TurnId(selector.target_id))
    if turn is None or turn.account_id != account_id:
        raise TurnNotFound(str(selector.target_id))
    return MemoryScopeRef(MemoryScope.TURN, turn.session_id, turn.branch_id, turn.id)


async def list_memories(
    database: Database,
    account_id: AccountId,
    where: MemoryFilter,
    *,
    selector: ScopeSelector | None,
    limit: int,
    offset: int,
) -> tuple[tuple[MemoryItem, ...], ListTotal]:
    """List memories of live turns and of people, newest first, and count those that match."""
    async with database.connection() as tx:
        where = await _resolve_filter(tx, account_id, where, selector)
        return await list_store.list_items(tx, account_id, where, limit=limit, offset=offset)


async def count_memories(
    database: Database,
    account_id: AccountId,
    where: MemoryFilter,
    *,
    selector: ScopeSelector | None,
) -> tuple[tuple[tuple[str, str, str | None, str, int], ...], ListTotal]:
    """Count the newest memories by scope, kind, tier and lifecycle, and all of them."""
    async with database.connection() as tx:
        where = await _resolve_filter(tx, account_id, where, selector)
        return await list_store.count_items(tx, account_id, where)


async def _resolve_filter(
    tx: Tx, account_id: AccountId, where: MemoryFilter, selector: ScopeSelector | None
) -> MemoryFilter:
    if where.session_id is not None:
        await require_own_story(tx, account_id, where.session_id)
    if selector is None:
        return where
    where = replace(where, place=await find_place(tx, account_id, selector))
    if selector.scope is not Scope.BRANCH:
        return where
    assert selector.session_id is not None
    branch = selector.branch or MAIN_BRANCH
    return replace(
        where, live_replies=await store.read_live_replies(tx, selector.session_id, branch)
    )


async def create_memories(
    database: Database,
    account_id: AccountId,
    items: Sequence[tuple[ScopeSelector, NewMemory]],
) -> tuple[MemoryItem, ...]:
    """Store memories that a person wrote: all of them, or none."""
    async with database.transaction() as tx:
        placed = [
            replace(memory, place=await find_place(tx, account_id, selector, is_written=True))
            for selector, memory in items
        ]
        for memory in placed:
            await _require_source(tx, account_id, memory)
        await store.insert_items(tx, account_id, placed)
        if not await store.has_room(tx, account_id):
            raise MemoryFull(limit=ACCOUNT_MAX)
        ids = [memory.id for memory in placed]
        stored = {item.memory.id: item for item in await store.find_items(tx, account_id, ids)}
        for memory in placed:
            if memory.id not in stored:  # Its floor is on a branch that was deleted.
                raise TurnNotFound(str(memory.place.turn_id))
    return tuple(stored[memory_id] for memory_id in ids)


async def _require_source(tx: Tx, account_id: AccountId, memory: NewMemory) -> None:
    if memory.source_turn is None:
        return
    turn = await turn_store.find_turn(tx, memory.source_turn)
    if turn is None or turn.account_id != account_id:
        raise TurnNotFound(str(memory.source_turn))


async def read_memory(database: Database, account_id: AccountId, memory_id: MemoryId) -> MemoryItem:
    async with database.connection() as tx:
        return await _find_item(tx, account_id, memory_id)


async def patch_memory(
    database: Database, account_id: AccountId, memory_id: MemoryId, patch: MemoryPatch
) -> MemoryItem:
    """Change a memory. It is the person's from now on, and survives the turn that made it."""
    async with database.transaction() as tx:
        await _patch_item(tx, account_id, await _find_item(tx, account_id, memory_id), patch)
        return await _find_item(tx, account_id, memory_id)


async def _patch_item(tx: Tx, account_id: AccountId, item: MemoryItem, patch: MemoryPatch) -> None:
    if item.memory.place.session_id is not None:
        require_open(await require_own_story(tx, account_id, item.memory.place.session_id))
    await store.update_item(tx, _apply_patch(item.memory, patch))
    if patch.status is MemoryStatus.ACTIVE:
        await edge_store.delete_hiding_edges(tx, item.memory.id)


def _apply_patch(memory: NewMemory, patch: MemoryPatch) -> NewMemory:
    changes = {
        name: value
        for name in ("content", "fact_key", "importance", "confidence")
        if not isinstance(value := getattr(patch, name), Unchanged)
    }
    if not isinstance(patch.status, Unchanged):
        changes["is_active"] = patch.status is MemoryStatus.ACTIVE
    return replace(memory, **changes)


async def patch_memories(
    database: Database, account_id: AccountId, memory_ids: Sequence[MemoryId], patch: MemoryPatch
) -> frozenset[MemoryId]:
    """Change several memories, all or none; returns those that the account has."""
    async with database.transaction() as tx:
        items = await store.find_items(tx, account_id, memory_ids)
        for item in sorted(items, key=lambda each: each.memory.id):
            await _patch_item(tx, account_id, item, patch)
    return frozenset(item.memory.id for item in items)


async def delete_memories(
    database: Database, account_id: AccountId, memory_ids: Sequence[MemoryId]
) -> frozenset[MemoryId]:
    """Delete memories with their edges; returns those that the account had."""
    async with database.transaction() as tx:
        items = await store.find_items(tx, account_id, memory_ids)
        for session_id in {item.memory.place.session_id for item in items} - {None}:
            assert session_id is not None
            require_open(await require_own_story(tx, account_id, session_id))
        return await store.delete_items(tx, account_id, [item.memory.id for item in items])


async def list_edges(
    database: Database,
    account_id: AccountId,
    *,
    memory_id: MemoryId | None,
    relation: MemoryRelation | None,
    limit: int,
    offset: int,
) -> tuple[tuple[MemoryEdge, ...], int]:
    """List edges between memories, newest first, and count all that match."""
    async with database.connection() as tx:
        return await edge_store.list_edges(
            tx, account_id, memory_id=memory_id, relation=relation, limit=limit, offset=offset
        )


async def create_edge(
    database: Database,
    account_id: AccountId,
    source: MemoryId,
    target: MemoryId,
    relation: MemoryRelation,
) -> MemoryEdge:
    """Connect two memories. An edge that is stored is the person's from now on."""
    if source == target:
        raise InvalidInput("an edge needs two different memories", field="target_id")
    async with database.transaction() as tx:
        await _find_item(tx, account_id, source)
        await _find_item(tx, account_id, target)
        edge = await edge_store.save_edge(
            tx, account_id, MemoryEdge(new_uuid(), source, target, relation)
        )
    if edge is None:
        raise MemoryNotFound(str(source))
    return edge


async def delete_edge(database: Database, account_id: AccountId, edge_id: UUID) -> None:
    async with database.transaction() as tx:
        if not await edge_store.delete_edge(tx, account_id, edge_id):
            raise MemoryEdgeNotFound(str(edge_id))


async def search_state(state: StoryState, text: str, limit: int) -> Sequence[JsonObject]:
    """The memories of a story's state, those with most words of the text first."""
    memories = rank_memories(state.list_memories(), text, limit=limit)
    return [
        {"type": each.kind, "content": each.to_entry().text, "importance": each.importance}
        for each in memories
    ]


def rank_memories(
    memories: Sequence[StoredMemory], text: str, *, limit: int
) -> tuple[StoredMemory, ...]:
    """Those that contain a word of the text, or all of them if it has none."""
    words = text.lower().split()

    def count_words(memory: StoredMemory) -> int:
        content = memory.to_entry().text.lower()
        return sum(word in content for word in words)

    matches = [memory for memory in memories if not words or count_words(memory)]
    matches.sort(
        key=lambda each: (-count_words(each), -each.importance, -each.created_s, each.memory_id)
    )
    return tuple(matches[:limit])


async def _find_item(tx: Tx, account_id: AccountId, memory_id: MemoryId) -> MemoryItem:
    items = await store.find_items(tx, account_id, [memory_id])
    if not items:
        raise MemoryNotFound(str(memory_id))
    return items[0]
