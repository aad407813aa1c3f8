"""Whatever JSON comes, it is kept exactly or refused; it never breaks the server."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import scale_examples
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.tavern.asset_files import KINDS, create_asset, read_export
from tests.serving import Caller

from yarrow.kit.json import encode_json

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, ANY, max_size=4)
BODIES = ANY | st.dictionaries(
    st.sampled_from(("name", "data", "expected_version", "payload", "description", "snapshot")),
    ANY | OBJECTS,
    max_size=4,
)
ODD_PRESETS = st.fixed_dictionaries(
    {
        "prompts": st.lists(
            st.dictionaries(st.sampled_from(("identifier", "enabled", "role")), ANY), max_size=3
        ),
        "prompt_order": st.lists(
            st.dictionaries(
                st.sampled_from(("character_id", "order", "identifier")),
                ANY | st.lists(st.fixed_dictionaries({"identifier": ANY}), max_size=2),
            ),
            max_size=3,
        ),
    }
)
WITH_CALLER = settings(
    max_examples=scale_examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@WITH_CALLER
@given(body=BODIES)
async def test_no_body_breaks_a_route(caller: Caller, body: JsonValue) -> None:
    imports = ("preset", "worldbook", "regex", "character")
    for path in (*(kind.path for kind in KINDS.values()), *(f"/import/{word}" for word in imports)):
        status, answer = await caller.post(path, body)

        assert status in {201, 400}, (path, body, answer)


@WITH_CALLER
@given(content=ODD_PRESETS, body=BODIES)
async def test_no_preset_breaks_its_entries(
    caller: Caller, content: JsonObject, body: JsonValue
) -> None:
    made = (await caller.post("/presets", {"data": content}))[1]["data"]
    path = f"/presets/{made['id']}/entries"
    listed = (await caller.get(path))[1]["data"]

    statuses = [
        (await caller.post(path, {"identifier": "fresh"}))[0],
        (await caller.post(path, body))[0],
        (await caller.send("PATCH", f"{path}/fresh", json={"enabled": False}))[0],
        (await caller.post(f"{path}/reorder", {"identifiers": ["fresh"]}))[0],
        (await caller.send("DELETE", f"{path}/fresh"))[0],
    ]

    assert set(statuses) <= {200, 201, 400, 409}
    assert statuses[0] == 201 or any(entry["identifier"] == "fresh" for entry in listed)


@WITH_CALLER
@given(unknown=OBJECTS, deep=OBJECTS)
async def test_unknown_fields_survive_import_and_export(
    caller: Caller, unknown: JsonObject, deep: JsonObject
) -> None:
    files: dict[str, JsonValue] = {
        "preset": unknown | {"prompts": [deep]},
        "worldbook": unknown | {"entries": {"0": deep}},
        "regex": [unknown, deep],
    }
    for word, data in files.items():
        body = {"name": "x", "data": data}
        made = (await caller.post(f"/import/{word}", body))[1]["data"]

        out = await read_export(caller, f"/export/{word}/{made['id']}")
        assert encode_json(out) == encode_json(data)


@WITH_CALLER
@given(unknown=OBJECTS, deep=OBJECTS)
async def test_unknown_fields_of_a_card_survive(
    caller: Caller, unknown: JsonObject, deep: JsonObject
) -> None:
    card = unknown | {"data": {"name": "Luna", "extensions": {"x": deep}, "assets": [unknown]}}

    made = (await caller.post("/import/character", {"payload": card}))[1]["data"]

    out = await read_export(caller, f"/export/character/{made['character_id']}")
    assert encode_json(out) == encode_json(card)


async def test_numbers_come_back_as_they_were_written(caller: Caller) -> None:
    written = {"a": 1.0, "b": 1, "c": 12345678901234567890, "d": 1e-7, "e": -0.0}
    made = await create_asset(caller, KINDS["preset"])

    await caller.send("PATCH", f"/presets/{made['id']}", json={"data": written})

    out = await read_export(caller, f"/export/preset/{made['id']}")
    assert encode_json(out) == encode_json(written)
