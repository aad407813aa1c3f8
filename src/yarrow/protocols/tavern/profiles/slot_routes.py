"""`/llm-instances`: the slots of the account."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.profiles.encode import encode_slot
from yarrow.protocols.tavern.profiles.routes import BODY_LIMIT
from yarrow.protocols.tavern.profiles.wire import SlotConfigBody
from yarrow.stories.profiles.model import ModelSlot, SlotConfig
from yarrow.stories.profiles.profiles import ModelProfiles

_Slot = Annotated[SlotConfigBody, Depends(make_body_reader(SlotConfigBody, limit=BODY_LIMIT))]


def make_slot_router(profiles: ModelProfiles) -> APIRouter:
    router = make_router("models")
    described = describe_body(SlotConfigBody)

    @router.get("/llm-instances", summary="The slots and their configuration")
    async def show(account_id: CurrentAccount) -> Response:
        choices = await profiles.read_choices(account_id, None)
        by_slot = {config.slot: config for config in choices.slots or ()}
        configs = [by_slot.get(slot) or SlotConfig(slot) for slot in ModelSlot]
        return build_data([encode_slot(config) for config in configs])

    @router.get("/llm-instances/{slot}", summary="One slot")
    async def read(slot: ModelSlot, account_id: CurrentAccount) -> Response:
        choices = await profiles.read_choices(account_id, None)
        found = next((each for each in choices.slots or () if each.slot is slot), None)
        return build_data(encode_slot(found or SlotConfig(slot)))

    @router.put("/llm-instances/{slot}", summary="Configure a slot", openapi_extra=described)
    @router.patch("/llm-instances/{slot}", summary="Configure a slot", openapi_extra=described)
    async def change(slot: ModelSlot, account_id: CurrentAccount, body: _Slot) -> Response:
        choices = await profiles.read_choices(account_id, None)
        found = next((each for each in choices.slots or () if each.slot is slot), None)
        old = found or SlotConfig(slot)
        config = SlotConfig(
            slot,
            old.is_enabled if body.enabled is None else body.enabled,
            old.params if body.params is None else body.params.collect(),
        )
        return build_data(encode_slot(await profiles.save_slot(account_id, config)))

    @router.delete("/llm-instances/{slot}", summary="Take the configuration of a slot away")
    async def reset(slot: ModelSlot, account_id: CurrentAccount) -> Response:
        await profiles.reset_slot(account_id, slot)
        return build_data(encode_slot(SlotConfig(slot)))

    return router
