"""Stories for tests, and assets for them that are put into the library without HTTP."""

from uuid import UUID

from tests.loose_json import JsonObject, JsonValue
from tests.serving import Caller, Served

from yarrow.assets.model import Asset, AssetKind
from yarrow.assets.write import create_asset, edit_asset
from yarrow.ids import AccountId

CARD: JsonObject = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mira",
        "description": "A ranger.",
        "first_mes": "{{char}} nods at {{user}}.",
        "alternate_greetings": ["Hello, {{user}}.", "It rains. {{roll:1d6}}"],
    },
}


def parse_account_id(caller: Caller) -> AccountId:
    return AccountId(UUID(caller.id))


async def create_stored_asset(
    served: Served, caller: Caller, kind: AssetKind, content: JsonObject, name: str | None = None
) -> Asset:
    return await create_asset(
        served.product.database, parse_account_id(caller), kind, content=content, name=name
    )


async def create_character(served: Served, caller: Caller) -> Asset:
    return await create_stored_asset(served, caller, AssetKind.CHARACTER, CARD)


async def create_preset(served: Served, caller: Caller, name: str = "Calm") -> Asset:
    return await create_stored_asset(served, caller, AssetKind.PRESET, {"prompts": []}, name)


async def edit_content(served: Served, asset: Asset, **fields: JsonValue) -> Asset:
    """Change top-level fields of what an asset holds."""
    return await edit_asset(served.product.database, asset.ref, lambda old: old | fields)


async def create_session(caller: Caller, **body: object) -> JsonObject:
    status, answer = await caller.post("/sessions", body)
    assert status == 201, answer
    return dict(answer["data"])


async def import_lines(caller: Caller, lines: list[JsonObject], **body: object) -> str:
    status, answer = await caller.post("/import/chat", {"data": lines, **body})
    assert status == 201, answer
    return str(answer["data"]["session_id"])


async def read_floors(caller: Caller, session: str, branch: str = "main") -> list[JsonObject]:
    status, answer = await caller.get(f"/sessions/{session}/timeline", branch_id=branch)
    assert status == 200, answer
    return list(answer["data"]["floors"])


def user_line(text: str, **more: object) -> JsonObject:
    return {"name": "Ada", "is_user": True, "mes": text, **more}


def reply_line(text: str, **more: object) -> JsonObject:
    return {"name": "Mira", "is_user": False, "mes": text, **more}
