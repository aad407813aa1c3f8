"""What tests of the library send: one file of each kind, as SillyTavern has it."""

from msgspec import Struct
from tests.loose_json import JsonObject, JsonValue, decode_json
from tests.serving import Caller

PRESET: JsonObject = {
    "temperature": 0.9,
    "prompts": [
        {"identifier": "main", "name": "Main", "role": "system", "content": "Write."},
        {"identifier": "chatHistory", "name": "Chat", "marker": True},
    ],
    "prompt_order": [
        {
            "character_id": 100001,
            "order": [
                {"identifier": "main", "enabled": True},
                {"identifier": "chatHistory", "enabled": True},
            ],
        }
    ],
}
WORLDBOOK: JsonObject = {
    "entries": {"0": {"uid": 0, "key": ["kingdom"], "content": "It is recovering."}},
    "scanDepth": 2,
}
SCRIPTS: JsonValue = [{"scriptName": "trim", "findRegex": "/\\s+$/g", "replaceString": ""}]
CARD: JsonObject = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Luna", "first_mes": "The moon is bright.", "extensions": {"odd": [1]}},
}
PERSONA: JsonObject = {"name": "Player", "description": "Brave."}


class AssetFile(Struct, frozen=True):
    """One kind of asset: where it lives, a body that makes one, and another content for it."""

    path: str
    body: JsonObject
    other: JsonValue

    @property
    def data(self) -> JsonValue:
        return self.body["data"]


KINDS = {
    "preset": AssetFile("/presets", {"name": "Story", "data": PRESET}, {"temperature": 1}),
    "worldbook": AssetFile("/worldbooks", {"name": "Lore", "data": WORLDBOOK}, {"entries": []}),
    "regex": AssetFile("/regex-profiles", {"name": "Filters", "data": SCRIPTS}, []),
    "character": AssetFile("/characters", {"data": CARD}, {"data": {"name": "Sol"}}),
    "user": AssetFile("/users", {"data": PERSONA}, {"name": "Hero"}),
}


async def create_asset(caller: Caller, kind: AssetFile) -> JsonObject:
    """A new asset, as the answer has it."""
    status, answer = await caller.post(kind.path, kind.body)
    assert status == 201, answer
    made: JsonObject = answer["data"]
    return made


async def patch_asset(caller: Caller, path: str, body: object) -> tuple[int, JsonObject]:
    return await caller.send("PATCH", path, json=body)


async def fetch(caller: Caller, path: str) -> tuple[int, bytes, dict[str, str]]:
    """A file, with the headers that came with it."""
    async with caller.http.get(caller.url + path, headers=caller.headers) as answer:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status, await answer.read(), headers


async def read_export(caller: Caller, path: str) -> JsonValue:
    status, body, _ = await fetch(caller, path)
    assert status == 200, body
    return decode_json(body)
