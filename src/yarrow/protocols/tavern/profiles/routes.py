"""`/llm-profiles`: the model endpoints of the account."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from yarrow.errors import NotFound
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import ModelError
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.profiles.encode import encode_profile, encode_runtime, encode_trial
from yarrow.protocols.tavern.profiles.wire import (
    ActivateBody,
    EndpointBody,
    ModelProfileBody,
    ModelProfilePatchBody,
)
from yarrow.stories.model_endpoints.endpoints import ModelEndpoints
from yarrow.stories.model_endpoints.model import ModelSlot

BODY_LIMIT = 64 * 1024

_Profile = Annotated[
    ModelProfileBody, Depends(make_json_reader(ModelProfileBody, limit=BODY_LIMIT))
]
_Patch = Annotated[
    ModelProfilePatchBody, Depends(make_json_reader(ModelProfilePatchBody, limit=BODY_LIMIT))
]
_Endpoint = Annotated[EndpointBody, Depends(make_json_reader(EndpointBody, limit=BODY_LIMIT))]
_Activate = Annotated[ActivateBody, Depends(make_json_reader(ActivateBody, limit=BODY_LIMIT))]


def make_profile_router(endpoints: ModelEndpoints) -> APIRouter:
    router = make_router("models")
    _add_lists(router, endpoints)
    _add_bindings(router, endpoints)
    _add_endpoints(router, endpoints)
    _add_items(router, endpoints)
    return router


def _add_lists(router: APIRouter, endpoints: ModelEndpoints) -> None:
    @router.get("/llm-profiles", summary="The account's model profiles")
    async def show(account_id: CurrentAccount) -> Response:
        stored = await endpoints.list_endpoints(account_id)
        return build_data([encode_profile(each) for each in stored])

    @router.post(
        "/llm-profiles",
        summary="Create a model profile; its key never comes back",
        status_code=201,
        openapi_extra=describe_body(ModelProfileBody),
    )
    async def create(account_id: CurrentAccount, body: _Profile) -> Response:
        endpoint = await endpoints.create(account_id, body.to_patch())
        return build_data(encode_profile(endpoint), status=201)

    @router.get("/llm-profiles/runtime", summary="Which model each slot would use, and why")
    async def show_runtime(account_id: CurrentAccount, session_id: str | None = None) -> Response:
        session = None if session_id is None else ids.parse_session_id(session_id)
        resolved = await endpoints.resolve(account_id, session)
        return build_data([encode_runtime(config, opened) for config, opened in resolved])


def _add_bindings(router: APIRouter, endpoints: ModelEndpoints) -> None:
    @router.get("/llm-profiles/bindings", summary="The profiles that are bound to slots")
    async def show_bindings(account_id: CurrentAccount) -> Response:
        return build_data(await endpoints.list_bindings(account_id))

    @router.post(
        "/llm-profiles/{id}/activate",
        summary="Use a profile for a slot, of one session or of all",
        openapi_extra=describe_body(ActivateBody),
    )
    async def activate(id: str, account_id: CurrentAccount, body: _Activate) -> Response:  # noqa: A002
        session_id = None if body.session_id is None else ids.parse_session_id(body.session_id)
        endpoint = await endpoints.activate(
            account_id,
            ids.parse_uuid(id),
            body.slot,
            session_id=session_id,
            params=body.params.collect(),
        )
        bound: JsonObject = {"slot": body.slot, "session_id": body.session_id}
        return build_data(bound | {"profile": encode_profile(endpoint)})

    @router.delete("/llm-profiles/bindings/{slot}", summary="Stop using a profile for a slot")
    async def unbind(
        slot: ModelSlot, account_id: CurrentAccount, session_id: str | None = None
    ) -> Response:
        session = None if session_id is None else ids.parse_session_id(session_id)
        is_deleted = await endpoints.unbind(account_id, slot, session_id=session)
        return build_data({"slot": slot, "session_id": session_id, "deleted": is_deleted})


def _add_endpoints(router: APIRouter, endpoints: ModelEndpoints) -> None:
    @router.post(
        "/llm-profiles/models/discover",
        summary="List the models of an endpoint",
        openapi_extra=describe_body(EndpointBody),
    )
    async def discover(account_id: CurrentAccount, body: _Endpoint) -> Response:
        try:
            models = await endpoints.discover_models(
                account_id, _parse_profile(body.profile_id), body.to_patch()
            )
        except ModelError as error:
            return build_data({"ok": False, "models": [], "error": error.reason})
        return build_data({"ok": True, "models": models, "error": None})

    @router.post(
        "/llm-profiles/models/test",
        summary="Ask a model for one word",
        openapi_extra=describe_body(EndpointBody),
    )
    async def test(account_id: CurrentAccount, body: _Endpoint) -> Response:
        trial = await endpoints.try_model(
            account_id, _parse_profile(body.profile_id), body.to_patch()
        )
        return build_data(encode_trial(trial))


def _add_items(router: APIRouter, endpoints: ModelEndpoints) -> None:
    @router.get("/llm-profiles/{id}", summary="One model profile")
    async def read(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return build_data(
            encode_profile(await endpoints.read_endpoint(account_id, _require_profile_id(id)))
        )

    @router.patch(
        "/llm-profiles/{id}",
        summary="Change a model profile",
        openapi_extra=describe_body(ModelProfilePatchBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Patch) -> Response:  # noqa: A002
        endpoint = await endpoints.change(account_id, _require_profile_id(id), body.to_patch())
        return build_data(encode_profile(endpoint))

    @router.delete("/llm-profiles/{id}", summary="Delete a model profile and its bindings")
    async def delete(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        await endpoints.delete(account_id, _require_profile_id(id))
        return build_data({"id": id, "deleted": True})


def _parse_profile(text: str | None) -> UUID | None:
    return None if text is None else _require_profile_id(text)


def _require_profile_id(text: str) -> UUID:
    if (uuid := ids.parse_uuid(text)) is None:
        raise NotFound(f"no model profile {text}")
    return uuid
