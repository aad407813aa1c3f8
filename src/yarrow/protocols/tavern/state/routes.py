"""`/sessions/:id/state`, and what may be observed of it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader, read_body_or_query
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId, TurnId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.state.encode import (
    encode_change,
    encode_live_value,
    encode_mutation,
    encode_namespace,
    encode_value,
)
from yarrow.protocols.tavern.state.wire import NamespaceBody, SlotBody, ValueBody
from yarrow.runs.engine import Engine
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import session_state
from yarrow.stories.errors import StateTurnedOff
from yarrow.stories.session_state_rules import ReplaySafety, StateChange

BODY_LIMIT = 4 * 1024 * 1024
"""More than a value may have, so that a large one gets its own error."""
LIVE = "live"
FLOOR = "floor:"

_Namespace = Annotated[NamespaceBody, Depends(make_json_reader(NamespaceBody, limit=BODY_LIMIT))]
_Value = Annotated[ValueBody, Depends(make_json_reader(ValueBody, limit=BODY_LIMIT))]


def make_state_router(engine: Engine, *, is_on: bool) -> APIRouter:
    router = make_router("state")
    if not is_on:
        router.dependencies.append(Depends(_refuse_state))
    _add_namespaces(router, engine)
    _add_values(router, engine)
    _add_writes(router, engine)
    _add_snapshots(router, engine)
    _add_observation(router, engine)
    _add_floor_observation(router, engine)
    return router


def _refuse_state() -> None:
    raise StateTurnedOff


def _add_namespaces(router: APIRouter, engine: Engine) -> None:
    @router.post(
        "/sessions/{id}/state/namespaces",
        summary="Register a namespace of session state",
        openapi_extra=describe_body(NamespaceBody),
        responses={
            201: {"description": "The namespace is new", "content": {"application/json": {}}}
        },
    )
    async def register(id: str, account_id: CurrentAccount, body: _Namespace) -> Response:  # noqa: A002
        namespace, is_new = await session_state.register_namespace(
            engine.database, account_id, ids.parse_session_id(id), body.to_namespace()
        )
        return build_data(encode_namespace(namespace), status=201 if is_new else 200)

    @router.get("/sessions/{id}/session-state/bindings", summary="The namespaces and their owners")
    @router.get("/sessions/{id}/state/namespaces", summary="The namespaces of session state")
    async def show_namespaces(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        namespaces = await session_state.list_namespaces(
            engine.database, account_id, ids.parse_session_id(id)
        )
        return build_data([encode_namespace(each) for each in namespaces])


def _add_values(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/state/resolve", summary="The values of a branch, or of a floor")
    async def resolve(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        *,
        branch_id: str = MAIN_BRANCH,
        namespace: str | None = None,
        slot: str | None = None,
        source_floor_id: str | None = None,
    ) -> Response:
        source = None if source_floor_id is None else ids.parse_turn_id(source_floor_id)
        values = await session_state.resolve_values(
            engine.database,
            account_id,
            ids.parse_session_id(id),
            branch=branch_id,
            namespace=namespace,
            slot=slot,
            source=source,
        )
        return build_data([encode_value(each) for each in values])


def _add_writes(router: APIRouter, engine: Engine) -> None:
    @router.post(
        "/sessions/{id}/state/values/write",
        summary="Set a value directly",
        openapi_extra=describe_body(ValueBody),
    )
    async def write(id: str, account_id: CurrentAccount, body: _Value) -> Response:  # noqa: A002
        return await _write_value(engine, account_id, id, body)

    @router.delete(
        "/sessions/{id}/state/values",
        summary="Delete a value; its slot stays listed as not present",
        openapi_extra=describe_body(SlotBody),
    )
    async def delete(id: str, request: Request, account_id: CurrentAccount) -> Response:  # noqa: A002
        body = await _read_slot(request)
        return await _write_value(engine, account_id, id, body)


async def _write_value(
    engine: Engine, account_id: AccountId, session_id: str, body: ValueBody | SlotBody
) -> Response:
    value = await session_state.write_value(
        engine.database,
        account_id,
        ids.parse_session_id(session_id),
        body.to_write(),
        branch=body.branch_id,
    )
    return build_data({"branch_id": body.branch_id, **encode_live_value(value)})


async def _read_slot(request: Request) -> SlotBody:
    """The slot to delete: in the body, or in the query where a client cannot send one."""
    return await read_body_or_query(SlotBody, request, limit=BODY_LIMIT)


def _add_snapshots(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/state/floors/{floor_id}/snapshot", summary="The values of a floor")
    async def show_snapshot(id: str, floor_id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        turn, values = await session_state.read_snapshot(
            engine.database, account_id, ids.parse_turn_id(floor_id), ids.parse_session_id(id)
        )
        encoded = [encode_value(each) for each in values]
        return build_data({"floor_id": floor_id, "branch_id": turn.branch, "values": encoded})

    @router.get("/sessions/{id}/state/diff", summary="What changed since a floor")
    async def show_diff(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        floor_id: Annotated[str, Query()],
        against: str = LIVE,
    ) -> Response:
        changes = await session_state.compare_snapshots(
            engine.database,
            account_id,
            ids.parse_session_id(id),
            ids.parse_turn_id(floor_id),
            against=_parse_other_side(against),
        )
        encoded = [encode_change(each) for each in changes]
        return build_data({"floor_id": floor_id, "against": against, "changes": encoded})


def _parse_other_side(text: str) -> TurnId | None:
    if text == LIVE:
        return None
    if not text.startswith(FLOOR):
        raise InvalidInput("against must be live or floor:ID", field="against")
    return ids.parse_turn_id(text.removeprefix(FLOOR))


def _add_observation(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/session-state/live", summary="The present values of a branch")
    async def show_live(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        branch_id: str = MAIN_BRANCH,
    ) -> Response:
        values = await session_state.resolve_values(
            engine.database,
            account_id,
            ids.parse_session_id(id),
            branch=branch_id,
        )
        return build_data([encode_live_value(each) for each in values])

    @router.get("/sessions/{id}/session-state/mutations", summary="What turns of a branch wrote")
    async def show_mutations(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        branch_id: str = MAIN_BRANCH,
    ) -> Response:
        mutations_by_turn = await session_state.list_branch_mutations(
            engine.database, account_id, ids.parse_session_id(id), branch=branch_id
        )
        return build_data([encode_mutation(turn_id, each) for turn_id, each in mutations_by_turn])


def _add_floor_observation(router: APIRouter, engine: Engine) -> None:
    @router.get("/floors/{id}/session-state/snapshots", summary="The values that a floor left")
    async def show_floor_snapshot(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        _, values = await session_state.read_snapshot(
            engine.database, account_id, ids.parse_turn_id(id)
        )
        return build_data([encode_value(each) for each in values])

    @router.get("/floors/{id}/session-state/diff", summary="What a floor changed")
    async def show_floor_diff(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        mutations = await session_state.list_turn_mutations(
            engine.database, account_id, ids.parse_turn_id(id)
        )
        return build_data([encode_change(StateChange(each.old, each.new)) for each in mutations])

    @router.get("/floors/{id}/session-state/replay-safety", summary="What a replacement repeats")
    async def show_replay_safety(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        turn_id = ids.parse_turn_id(id)
        stored = await session_state.list_turn_mutations(engine.database, account_id, turn_id)
        mutations = [encode_mutation(turn_id, each) for each in stored]
        is_safe = all(each.replay_safety is ReplaySafety.SAFE for each in stored)
        return build_data({"floor_id": id, "safe": is_safe, "mutations": mutations})
