"""SillyTavern's files come in, and go out as they came."""

from io import BytesIO

import aiohttp
import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.tavern.asset_files import (
    CARD,
    KINDS,
    PRESET,
    SCRIPTS,
    WORLDBOOK,
    fetch,
    read_export,
)
from tests.serving import Caller
from tests.unit.prompting.formats.png_files import chunk, png, text, texts_of

from yarrow.kit.json import encode_json

PNG = {"Content-Type": "image/png"}


async def import_png(caller: Caller, data: bytes) -> tuple[int, JsonObject]:
    return await caller.send(
        "POST", "/import/character", data=BytesIO(data), headers=caller.headers | PNG
    )


@pytest.mark.parametrize(
    "word, data",
    [("preset", PRESET), ("worldbook", WORLDBOOK), ("regex", SCRIPTS)],
    ids=["preset", "worldbook", "regex"],
)
async def test_imported_file_is_an_asset_and_exports_as_it_was(
    caller: Caller, word: str, data: JsonValue
) -> None:
    status, answer = await caller.post(f"/import/{word}", {"name": "Mine", "data": data})
    made = answer["data"]

    assert (status, made["name"], made["version"]) == (201, "Mine", 1)
    assert (await caller.get(f"{KINDS[word].path}/{made['id']}"))[1]["data"]["data"] == data
    assert encode_json(await read_export(caller, f"/export/{word}/{made['id']}")) == encode_json(
        data
    )


async def test_names_may_be_left_out_where_the_file_has_one(caller: Caller) -> None:
    named = (await caller.post("/import/worldbook", {"data": WORLDBOOK | {"name": "Own"}}))[1]
    plain = (await caller.post("/import/preset", {"data": PRESET}))[1]
    status, _ = await caller.post("/import/regex", {"data": SCRIPTS})

    assert (named["data"]["name"], plain["data"]["name"]) == ("Own", "Unnamed preset")
    assert status == 400


async def test_card_as_json(caller: Caller) -> None:
    status, answer = await caller.post("/import/character", {"payload": CARD})
    made = answer["data"]

    assert (status, made["name"], made["version"], made["create_session"]) == (
        201,
        "Luna",
        1,
        False,
    )
    assert "session" not in made
    path = f"/export/character/{made['character_id']}"
    assert encode_json(await read_export(caller, path)) == encode_json(CARD)
    picture = f"/characters/{made['character_id']}/picture"
    assert (await caller.get(picture))[0] == 404
    assert (await fetch(caller, f"{picture}?optional=true"))[0] == 204


async def test_card_as_a_picture_keeps_both(caller: Caller) -> None:
    gamma = chunk(b"gAMA", b"\0\0\xb1\x8f")

    status, answer = await import_png(caller, png(gamma, text(b"chara", CARD)))
    character = answer["data"]["character_id"]
    picture = await fetch(caller, f"/characters/{character}/picture")
    card = await fetch(caller, f"/export/character/{character}?format=png")

    assert (status, answer["data"]["name"]) == (201, "Luna")
    assert (picture[0], picture[1], picture[2]["content-type"]) == (200, png(gamma), "image/png")
    assert picture[2]["x-content-type-options"] == "nosniff"
    assert texts_of(card[1])[b"chara"] == CARD
    assert await read_export(caller, f"/export/character/{character}") == CARD


async def test_card_imported_as_json_can_be_exported_as_png(caller: Caller) -> None:
    made = (await caller.post("/import/character", {"payload": CARD}))[1]["data"]

    path = f"/export/character/{made['character_id']}?format=png"
    status, file, headers = await fetch(caller, path)
    again = await import_png(caller, file)

    assert (status, headers["content-type"]) == (200, "image/png")
    assert again[0] == 201
    assert texts_of(file)[b"chara"] == CARD


@pytest.mark.parametrize(
    "file", [png(text(b"chara", CARD)), encode_json(CARD)], ids=["png", "json"]
)
async def test_card_in_a_form(caller: Caller, file: bytes) -> None:
    form = aiohttp.FormData()
    form.add_field("file", file, filename="luna", content_type="application/octet-stream")
    form.add_field("create_session", "false")

    status, answer = await caller.send("POST", "/import/character", data=form)

    assert (status, answer["data"]["name"]) == (201, "Luna")


@pytest.mark.parametrize(
    "fields, path",
    [
        ({}, "file"),
        ({"file": b"{}", "colour": "red"}, "colour"),
        ({"file": encode_json(CARD), "create_session": "yes"}, "create_session"),
        ({"file": encode_json(CARD), "title": "t" * 201}, "title"),
        ({"file": b"[]"}, "file"),
        ({"file": png()}, "file"),
    ],
)
async def test_form_that_breaks_a_rule_is_refused_by_its_field(
    caller: Caller, fields: dict[str, bytes | str], path: str
) -> None:
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value in fields.items():
        form.add_field(name, value, filename=name if name == "file" else None)

    status, answer = await caller.send("POST", "/import/character", data=form)

    assert status == 400
    assert not fields or answer["error"]["details"][0]["path"] == path


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"data": {}},
        {"name": ""},
        {"entries": {}},
        {"data": {"name": "L", "tags": {}, "first_mes": 1}},
    ],
)
async def test_file_that_is_no_card_is_refused(caller: Caller, payload: JsonObject) -> None:
    status, answer = await caller.post("/import/character", {"payload": payload})

    assert (status, answer["error"]["code"]) == (400, "validation_error")


@pytest.mark.parametrize(
    "data",
    [b"", b"not a picture", png(), png(text(b"chara", CARD))[:-30], png(text(b"chara", {"a": 1}))],
)
async def test_broken_picture_is_refused(caller: Caller, data: bytes) -> None:
    status, answer = await import_png(caller, data)

    assert (status, answer["error"]["code"]) == (400, "validation_error")


async def test_picture_beyond_twenty_mebibytes_is_413(caller: Caller) -> None:
    status, answer = await import_png(caller, png() + bytes(20 * 1024 * 1024))

    assert (status, answer["error"]["code"]) == (413, "payload_too_large")


async def test_export_is_named_after_the_asset_in_every_script(caller: Caller) -> None:
    body = {"name": '月 "moon"/../x', "data": PRESET}
    made = (await caller.post("/import/preset", body))[1]["data"]

    _, _, headers = await fetch(caller, f"/export/preset/{made['id']}")

    assert headers["content-disposition"] == (
        "attachment; filename=\"_ _moon_.._x.json\"; filename*=UTF-8''%E6%9C%88%20_moon_.._x.json"
    )


async def test_older_version_can_be_exported(caller: Caller) -> None:
    made = (await caller.post("/import/preset", {"data": PRESET}))[1]["data"]
    await caller.send("PATCH", f"/presets/{made['id']}", json={"data": {}})

    assert await read_export(caller, f"/export/preset/{made['id']}?version=1") == PRESET
    assert await read_export(caller, f"/export/preset/{made['id']}") == {}


async def test_unknown_asset_is_not_exported(caller: Caller) -> None:
    made = (await caller.post("/import/preset", {"data": PRESET}))[1]["data"]

    for path in (
        "/export/preset/nope",
        f"/export/worldbook/{made['id']}",
        f"/export/preset/{made['id']}?version=2",
    ):
        assert (await fetch(caller, path))[0] == 404
    assert (await fetch(caller, "/export/character/x?format=jpeg"))[0] == 400
