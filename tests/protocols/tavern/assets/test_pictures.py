"""A character's picture can be replaced and deleted; exports use it. Issue 14 §12."""

import aiohttp
import pytest
from tests.protocols.tavern.asset_files import fetch
from tests.protocols.tavern.story_calls import CARD, create_character
from tests.serving import Caller, Served
from tests.unit.prompting.formats.png_files import chunk, png, text

from yarrow.prompting.formats.png import read_png_card

PORTRAIT = png(chunk(b"gAMA", (45455).to_bytes(4, "big")))


async def put_picture(caller: Caller, path: str, data: bytes) -> int:
    headers = caller.headers | {"Content-Type": "image/png"}
    async with caller.http.put(caller.url + path, data=data, headers=headers) as answer:
        return answer.status


async def test_a_picture_is_replaced_and_exported(served: Served, caller: Caller) -> None:
    character = (await create_character(served, caller)).id
    path = f"/characters/{character}/picture"
    other_card = png(chunk(b"gAMA", (45455).to_bytes(4, "big")), text(b"chara", {"name": "X"}))

    assert await put_picture(caller, path, png()) == 200
    assert await put_picture(caller, path, other_card) == 200

    assert (await fetch(caller, path))[1] == PORTRAIT
    _, exported, _ = await fetch(caller, f"/export/character/{character}?format=png")
    card = read_png_card(exported)
    assert card.picture == PORTRAIT
    assert card.content["data"] == CARD["data"]


async def test_a_picture_is_taken_as_the_file_of_a_form(served: Served, caller: Caller) -> None:
    path = f"/characters/{(await create_character(served, caller)).id}/picture"
    form = aiohttp.FormData()
    form.add_field("file", png(), filename="mira.png", content_type="image/png")

    async with caller.http.put(caller.url + path, data=form, headers=caller.headers) as answer:
        assert answer.status == 200

    assert (await fetch(caller, path))[1] == png()


async def test_a_deleted_picture_is_gone_from_exports(served: Served, caller: Caller) -> None:
    character = (await create_character(served, caller)).id
    path = f"/characters/{character}/picture"
    await put_picture(caller, path, PORTRAIT)

    statuses = [(await caller.send("DELETE", path))[0] for _ in range(2)]

    assert statuses == [200, 404]
    assert (await fetch(caller, path))[0] == 404
    _, exported, _ = await fetch(caller, f"/export/character/{character}?format=png")
    assert read_png_card(exported).picture != PORTRAIT


@pytest.mark.parametrize("data", [b"", b"GIF89a", PORTRAIT[:-4]], ids=["empty", "gif", "cut"])
async def test_what_is_no_picture_is_refused(served: Served, caller: Caller, data: bytes) -> None:
    path = f"/characters/{(await create_character(served, caller)).id}/picture"
    await put_picture(caller, path, PORTRAIT)

    assert await put_picture(caller, path, data) == 400
    assert (await fetch(caller, path))[1] == PORTRAIT


async def test_a_picture_of_another_account_is_not_found(served: Served, caller: Caller) -> None:
    path = f"/characters/{(await create_character(served, caller)).id}/picture"
    stranger = await served.account()

    assert await put_picture(stranger, path, PORTRAIT) == 404
    assert (await stranger.send("DELETE", path))[0] == 404
