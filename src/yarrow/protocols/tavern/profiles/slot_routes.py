"""`/llm-instances`: the slots of the account."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.profiles.encode import encode_slot
from yarrow.protocols.tavern.profiles.routes import BODY_LIMIT
from yarrow.protocols.tavern.profiles.wire import SlotConfigBody
from yarrow.stories.model_endpoints.endpoints import ModelEndpoints
from yarrow.stories.model_endpoints.model import ModelSlot

_Slot = Annotated[SlotConfigBody, Depends(make_json_reader(SlotConfigBody, limit=BODY_LIMIT))]


def make_slot_router(endpoints: ModelEndpoints) -> APIRouter:
    router = make_router("models")
    described = describe_body(SlotConfigBody)

    @router.get("/llm-instances", summary="The slots and their configuration")
    async def show(account_id: CurrentAccount) -> Response:
        configs = await endpoints.list_slots(account_id)
        return build_data([encode_slot(config) for config in configs])

    @router.get("/llm-instances/{slot}", summary="One slot")
    async def read(slot: ModelSlot, account_id: CurrentAccount) -> Response:
        return build_data(encode_slot(await endpoints.read_slot(account_id, slot)))

    @router.put(
        "/llm-instances/{slot}",
        summary="Replace the configuration of a slot",
        openapi_extra=described,
    )
    async def replace(slot: ModelSlot, account_id: CurrentAccount, body: _Slot) -> Response:
        config = await endpoints.replace_slot(account_id, body.to_config(slot))
        return build_data(encode_slot(config))

    @router.patch(
        "/llm-instances/{slot}",
        summary="Change the configuration of a slot",
        openapi_extra=described,
    )
    async def change(slot: ModelSlot, account_id: CurrentAccount, body: _Slot) -> Response:
        params = None if body.params is None else body.params.collect()
        config = await endpoints.change_slot(
            account_id, slot, is_enabled=body.enabled, params=params
        )
        return build_data(encode_slot(config))

    @router.delete("/llm-instances/{slot}", summary="Take the configuration of a slot away")
    async def reset(slot: ModelSlot, account_id: CurrentAccount) -> Response:
        return build_data(encode_slot(await endpoints.reset_slot(account_id, slot)))

    return router
