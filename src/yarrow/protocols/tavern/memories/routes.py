"""`/memories` and `/memory-edges`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader, validate_model
from yarrow.http.openapi import describe_body
from yarrow.memory.errors import MemoryEdgeNotFound, MemoryNotFound, MemoryTurnedOff
from yarrow.memory.model import (
    KEY_CHARS,
    MemoryFilter,
    MemoryLifecycle,
    MemoryPatch,
    MemoryRelation,
    MemoryScopeRef,
    MemoryStatus,
)
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list, encode_batch
from yarrow.protocols.tavern.memories.encode import (
    SCOPE_NAMES,
    encode_counts,
    encode_edge,
    encode_memory_item,
)
from yarrow.protocols.tavern.memories.intake import (
    parse_memory_id,
    parse_memory_ids,
    parse_scope,
)
from yarrow.protocols.tavern.memories.wire import (
    MemoryBatchBody,
    MemoryBody,
    MemoryDeleteBody,
    MemoryEdgeBody,
    MemoryPatchBody,
    MemoryScopeBody,
    MemoryScopeName,
    MemoryStatusBody,
)
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import PAGE_DEFAULT, Limit, Offset, Search
from yarrow.protocols.tavern.wire import parse_items
from yarrow.runs.engine import Engine
from yarrow.stories import memories
from yarrow.stories.variables import ScopeSelector

BODY_LIMIT = 256 * 1024
BATCH_LIMIT = 8 * 1024 * 1024

_Memory = Annotated[MemoryBody, Depends(make_json_reader(MemoryBody, limit=BODY_LIMIT))]
_Batch = Annotated[MemoryBatchBody, Depends(make_json_reader(MemoryBatchBody, limit=BATCH_LIMIT))]
_Patch = Annotated[MemoryPatchBody, Depends(make_json_reader(MemoryPatchBody, limit=BODY_LIMIT))]
_Status = Annotated[MemoryStatusBody, Depends(make_json_reader(MemoryStatusBody, limit=BODY_LIMIT))]
_Delete = Annotated[MemoryDeleteBody, Depends(make_json_reader(MemoryDeleteBody, limit=BODY_LIMIT))]
_Edge = Annotated[MemoryEdgeBody, Depends(make_json_reader(MemoryEdgeBody, limit=BODY_LIMIT))]

_SCOPES = {name: scope for scope, name in SCOPE_NAMES.items()}


def refuse_memory() -> None:
    raise MemoryTurnedOff


class MemoryQuery(Struct, frozen=True, kw_only=True):
    """The filters of a list of memories."""

    scope: MemoryScopeName | None = None
    scope_id: str | None = None
    session_id: str | None = None
    branch_id: str | None = None
    floor_id: str | None = None
    type: MemoryKind | None = None
    summary_tier: SummaryTier | None = None
    status: MemoryStatus | None = None
    lifecycle: MemoryLifecycle | None = None
    fact_key: Annotated[str | None, Query(max_length=KEY_CHARS, pattern=r"^[^\x00]*$")] = None
    search: Search = ""

    def find_selector(self) -> ScopeSelector | None:
        """The scope with an id of it; a floor or a branch names it as well."""
        scope = self.scope
        if scope is None and (self.branch_id or self.floor_id):
            scope = MemoryScopeName.FLOOR if self.floor_id else MemoryScopeName.BRANCH
        if scope is None and self.scope_id is not None:
            raise InvalidInput("scope_id needs a scope beside it", field="scope_id")
        named = (self.scope_id, self.session_id, self.branch_id, self.floor_id)
        if scope is None or not any(named):
            return None
        sent = {
            "scope": scope.value,
            "scope_id": self.scope_id,
            "session_id": self.session_id,
            "branch_id": self.branch_id,
            "floor_id": self.floor_id,
        }
        return parse_scope(validate_model(MemoryScopeBody, sent))

    def build_filter(self) -> MemoryFilter:
        session_id = self.session_id
        return MemoryFilter(
            place=None if self.scope is None else MemoryScopeRef(_SCOPES[self.scope]),
            session_id=None if session_id is None else ids.parse_session_id(session_id),
            kind=self.type,
            tier=self.summary_tier,
            status=self.status,
            lifecycle=self.lifecycle,
            fact_key=self.fact_key,
            text=self.search,
        )


_Query = Annotated[MemoryQuery, Depends()]


def make_memory_router(engine: Engine, *, is_on: bool) -> APIRouter:
    router = make_router("memories")
    if not is_on:
        router.dependencies.append(Depends(refuse_memory))
    _add_lists(router, engine)
    _add_batches(router, engine)
    _add_items(router, engine)
    _add_edges(router, engine)
    return router


def _add_lists(router: APIRouter, engine: Engine) -> None:
    @router.get("/memories", summary="Memories of people and of live turns, newest first")
    async def show(
        account_id: CurrentAccount,
        query: _Query,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        items, total = await memories.list_memories(
            engine.database,
            account_id,
            query.build_filter(),
            selector=query.find_selector(),
            limit=limit,
            offset=offset,
        )
        page = ListPage(limit, offset, "created_at", "desc")
        return build_list(list(map(encode_memory_item, items)), total=total, page=page)

    @router.get("/memories/stats", summary="How many memories there are")
    async def count(
        account_id: CurrentAccount, query: Annotated[MemoryQuery, Depends()]
    ) -> Response:
        counts, total = await memories.count_memories(
            engine.database,
            account_id,
            query.build_filter(),
            selector=query.find_selector(),
        )
        return build_data(encode_counts(counts, total))

    @router.post(
        "/memories",
        summary="Write a memory",
        status_code=201,
        openapi_extra=describe_body(MemoryBody),
    )
    async def create(account_id: CurrentAccount, body: _Memory) -> Response:
        (item,) = await memories.create_memories(
            engine.database, account_id, [(parse_scope(body), body.to_memory())]
        )
        return build_data(encode_memory_item(item), status=201)


def _add_batches(router: APIRouter, engine: Engine) -> None:
    @router.post(
        "/memories/batch",
        summary="Write many memories",
        status_code=201,
        openapi_extra=describe_body(MemoryBatchBody),
    )
    async def create_many(account_id: CurrentAccount, body: _Batch) -> Response:
        items = parse_items(lambda item: (parse_scope(item), item.to_memory()), body.items)
        stored = await memories.create_memories(engine.database, account_id, items)
        return build_data(list(map(encode_memory_item, stored)), status=201)

    described = describe_body(MemoryStatusBody)

    @router.post(
        "/memories/batch/status", summary="Deprecate or revive many", openapi_extra=described
    )
    @router.patch(
        "/memories/batch/status", summary="Deprecate or revive many", openapi_extra=described
    )
    async def change_many(account_id: CurrentAccount, body: _Status) -> Response:
        patch = MemoryPatch(status=MemoryStatus(body.status))
        done = await memories.patch_memories(
            engine.database, account_id, parse_memory_ids(body.ids), patch
        )
        return build_data(encode_batch(body.ids, done, action="updated"))

    @router.post(
        "/memories/batch/delete",
        summary="Delete many memories",
        openapi_extra=describe_body(MemoryDeleteBody),
    )
    async def delete_many(account_id: CurrentAccount, body: _Delete) -> Response:
        done = await memories.delete_memories(
            engine.database, account_id, parse_memory_ids(body.ids)
        )
        return build_data(encode_batch(body.ids, done, action="deleted"))


def _add_items(router: APIRouter, engine: Engine) -> None:
    @router.get("/memories/{id}", summary="One memory")
    async def read(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        item = await memories.read_memory(engine.database, account_id, parse_memory_id(id))
        return build_data(encode_memory_item(item))

    @router.patch(
        "/memories/{id}",
        summary="Change a memory: it is the person's from now on",
        openapi_extra=describe_body(MemoryPatchBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Patch) -> Response:  # noqa: A002
        item = await memories.patch_memory(
            engine.database, account_id, parse_memory_id(id), body.to_patch()
        )
        return build_data(encode_memory_item(item))

    @router.delete("/memories/{id}", summary="Delete a memory and its edges")
    async def delete(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        memory_id = parse_memory_id(id)
        if not await memories.delete_memories(engine.database, account_id, [memory_id]):
            raise MemoryNotFound(id)
        return build_data({"id": id, "deleted": True})


def _add_edges(router: APIRouter, engine: Engine) -> None:
    @router.get("/memory-edges", summary="Edges between memories, newest first")
    async def show_edges(
        account_id: CurrentAccount,
        *,
        memory_id: str | None = None,
        relation: Annotated[MemoryRelation | None, Query()] = None,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        edges, total = await memories.list_edges(
            engine.database,
            account_id,
            memory_id=None if memory_id is None else parse_memory_id(memory_id),
            relation=relation,
            limit=limit,
            offset=offset,
        )
        page = ListPage(limit, offset, "created_at", "desc")
        return build_list(list(map(encode_edge, edges)), total=total, page=page)

    @router.post(
        "/memory-edges",
        summary="Connect two memories",
        status_code=201,
        openapi_extra=describe_body(MemoryEdgeBody),
    )
    async def connect(account_id: CurrentAccount, body: _Edge) -> Response:
        edge = await memories.create_edge(
            engine.database,
            account_id,
            parse_memory_id(body.source_id),
            parse_memory_id(body.target_id),
            MemoryRelation(body.relation),
        )
        return build_data(encode_edge(edge), status=201)

    @router.delete("/memory-edges/{id}", summary="Delete an edge")
    async def disconnect(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        edge_id = ids.parse_uuid(id)
        if edge_id is None:
            raise MemoryEdgeNotFound(id)
        await memories.delete_edge(engine.database, account_id, edge_id)
        return build_data({"id": id, "deleted": True})
