"""The profile over HTTP."""

from typing import Any

import aiohttp
import pytest

PROFILE = "/api/v1/profile"


async def test_profile_has_its_fields(user: aiohttp.ClientSession) -> None:
    async with user.get(PROFILE) as answer:
        result = await answer.json()

    assert set(result) == {
        "id",
        "username",
        "avatar_url",
        "bio",
        "settings",
        "created_at",
        "updated_at",
    }
    assert result["settings"]["timezone"] == "Asia/Shanghai"


async def test_patch_changes_only_the_fields_it_has(user: aiohttp.ClientSession) -> None:
    body = {"username": "小明", "bio": "hi", "settings": {"script": "hant"}}

    async with user.patch(PROFILE, json=body) as answer:
        changed = await answer.json()
    async with user.patch(PROFILE, json={"bio": None}) as answer:
        cleared = await answer.json()

    assert (changed["username"], changed["bio"]) == ("小明", "hi")
    assert changed["settings"]["script"] == "hant"
    assert changed["settings"]["day_boundary"] == "23:00"
    assert (cleared["username"], cleared["bio"]) == ("小明", None)


@pytest.mark.parametrize(
    "body",
    [
        {"username": None},
        {"username": " "},
        {"settings": None},
        {"settings": []},
        {"settings": {"colour": "red"}},
        {"settings": {"ai_language": "chinese!"}},
        {"settings": {"timezone": "Mars/Olympus"}},
        {"settings": {"day_boundary": "22:00"}},
        {"settings": {"script": "latin"}},
        {"settings": {"script": None}},
        {"settings": {"api_key": "x"}},
        {"avatar_url": "javascript:x"},
        {"bio": "x\u0000y"},
        {"id": "00000000-0000-0000-0000-000000000001"},
        {"deleted_at": None},
        [],
    ],
)
async def test_wrong_patch_is_refused(user: aiohttp.ClientSession, body: Any) -> None:
    async with user.patch(PROFILE, json=body) as answer:
        result = await answer.json(content_type="application/problem+json")

    assert (answer.status, result["code"]) == (422, "REQUEST_INVALID")
