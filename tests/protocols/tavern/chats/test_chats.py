"""Chat files over HTTP."""

import asyncio
import io
from uuid import UUID

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.tavern.asset_files import fetch
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    create_stored_asset,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import encode_json
from yarrow.stories.story_state import read_state

HEADER = {"user_name": "Ada", "character_name": "Mira", "chat_metadata": {"variables": {"g": 1}}}
CHAT = [
    reply_line("Welcome.", swipes=["Hm.", "Welcome."], swipe_id=1),
    user_line("one?", send_date="2023-6-19 @16h 13m 20s 123ms"),
    reply_line("one."),
    reply_line("A bird sings.", extra={"type": "narrator"}),
    user_line("whisper", is_system=True),
    user_line("two?"),
    reply_line("two.", extra={"model": "m"}),
]


def jsonl(*lines: JsonObject) -> str:
    return "\n".join(encode_json(line).decode() for line in lines)


async def post_large(caller: Caller, body: JsonObject) -> tuple[int, JsonObject]:
    """A stream, as aiohttp wants it of a large body."""
    headers = caller.headers | {"Content-Type": "application/json"}
    data = io.BytesIO(encode_json(body))
    return await caller.send("POST", "/import/chat", data=data, headers=headers)


async def export(caller: Caller, session: str, branch: str = "main") -> str:
    url, query = f"{caller.url}/export/chat/{session}", {"branch_id": branch}
    async with caller.http.get(url, params=query, headers=caller.headers) as answer:
        assert answer.status == 200
        return await answer.text()


def essence(shown: list[JsonObject]) -> list[JsonObject]:
    """A timeline without its ids."""
    kept = ("role", "content", "is_hidden", "name", "created_at")
    return [
        {
            "floor_no": floor["floor_no"],
            "pages": [
                (page["page_no"], page["is_active"], *(page["message"][key] for key in kept))
                for page in floor["pages"]
            ],
        }
        for floor in shown
    ]


async def test_the_whole_chat_is_history(caller: Caller) -> None:
    status, result = await caller.post("/import/chat", {"data": jsonl(HEADER, *CHAT)})
    assert status == 201

    shown = await read_floors(caller, result["data"]["session_id"])

    assert [[(m["role"], m["content"]) for m in floor["messages"]] for floor in shown] == [
        [("assistant", "Welcome.")],
        [("user", "one?"), ("assistant", "one."), ("narrator", "A bird sings.")],
        [("user", "whisper")],
        [("user", "two?"), ("assistant", "two.")],
    ]
    assert shown[2]["messages"][0]["is_hidden"] is True
    assert shown[1]["messages"][0]["created_at"] == 1_687_191_200_123
    assert [page["message"]["content"] for page in shown[0]["pages"]] == ["Hm.", "Welcome."]


async def test_variables_of_a_chat_are_those_of_its_branch(caller: Caller) -> None:
    _, result = await caller.post("/import/chat", {"data": jsonl(HEADER, *CHAT)})

    _, found = await caller.get("/variables/resolve", session_id=result["data"]["session_id"])

    assert found["data"]["resolved"] == [{"key": "g", "value": 1, "scope": "branch"}]


async def test_exported_chat_can_be_imported_as_the_same_timeline(
    served: Served, caller: Caller
) -> None:
    mira = await create_character(served, caller)
    greeted = (await create_session(caller, character_id=str(mira.id)))["id"]
    imported = await import_lines(caller, [HEADER, *CHAT])

    for session in (greeted, imported):
        _, result = await caller.post("/import/chat", {"data": await export(caller, session)})
        again = await read_floors(caller, result["data"]["session_id"])
        assert essence(again) == essence(await read_floors(caller, session))

    assert await export(caller, result["data"]["session_id"]) == await export(caller, imported)


async def test_an_export_is_what_sillytavern_reads(caller: Caller) -> None:
    session = await import_lines(caller, [HEADER, *CHAT])

    lines = [line for line in (await export(caller, session)).splitlines() if line]

    assert len(lines) == 1 + len(CHAT)
    assert '"chat_metadata"' in lines[0]
    assert all('"mes"' in line and '"is_user"' in line for line in lines[1:])


async def test_an_imported_chat_takes_the_character_and_title_it_is_given(
    served: Served, caller: Caller
) -> None:
    mira = await create_character(served, caller)

    session = await import_lines(caller, CHAT, character_id=str(mira.id), title="Old days")

    _, result = await caller.get(f"/sessions/{session}")
    assert (result["data"]["title"], result["data"]["character_id"]) == ("Old days", str(mira.id))
    assert result["data"]["character_version"] == 1
    assert len(await read_floors(caller, session)) == 4


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ('{"user_name": "a"}\n{"mes": "x", "is_user": true}\n{"mes": ', 3),
        ('{"mes": "x"}\n\n[1]', 3),
        ('{"mes": "x"}\n{"mes": 4}', 2),
        ('{"mes": "x", "swipes": [1]}', 1),
    ],
)
async def test_a_broken_line_is_named(caller: Caller, data: str, line: int) -> None:
    status, result = await caller.post("/import/chat", {"data": data})

    assert (status, result["error"]["code"]) == (400, "import_parse_error")
    assert f"line {line}:" in result["error"]["message"]
    assert result["error"]["note"]["facts"]["line"] == str(line)
    assert (await caller.get("/sessions"))[1]["data"] == []


async def test_a_file_over_twenty_mebibytes_is_not_read(caller: Caller) -> None:
    status, result = await post_large(caller, {"data": "x" * (20 * 1024 * 1024 + 1)})

    assert (status, result["error"]["code"]) == (413, "payload_too_large")


async def test_fifty_thousand_lines_are_imported_while_others_are_served(
    caller: Caller, database: Database
) -> None:
    lines = [
        user_line(f"question {n}") if n % 2 else reply_line(f"answer {n}") for n in range(50_000)
    ]
    importing = asyncio.create_task(post_large(caller, {"data": lines}))
    answers = 0
    while not importing.done():
        assert (await caller.get("/sessions"))[0] == 200
        answers += not importing.done()

    status, result = await importing

    assert status == 201
    assert answers > 0
    session_id = SessionId(UUID(result["data"]["session_id"]))
    async with database.connection() as tx:
        owner = await tx.fetchval("SELECT user_id FROM sessions WHERE id = $1", session_id)
        received = (await read_state(tx, AccountId(owner), session_id)).history
    assert [line.content for line in received] == [line["mes"] for line in lines]
    assert received[-1].turn_number == 25_000


async def test_metadata_of_a_chat_file_is_kept(caller: Caller) -> None:
    note = {"note_prompt": "Keep it short.", "note_depth": 2}
    header = {"user_name": "Ada", "character_name": "Mira", "chat_metadata": note}
    session = await import_lines(caller, [header, user_line("hi"), reply_line("hello")])

    path = f"/sessions/{session}/prompt-runtime/preview"
    _, previewed = await caller.post(path, {"text": "{{authorsNote}}"})
    _, file, _ = await fetch(caller, f"/export/chat/{session}")

    assert previewed["data"]["text"] == "Keep it short."
    assert decode_json(file.splitlines()[0]) == header


@pytest.mark.parametrize("data", ["", "{}", '{"prompts": []}', [], [{"entries": {}}]])
async def test_file_that_is_no_chat_is_refused(caller: Caller, data: object) -> None:
    status, answer = await caller.post("/import/chat", {"data": data})

    assert status == 400
    assert answer["error"]["code"] in {"validation_error", "import_parse_error"}


async def test_texts_that_a_chat_has_instead_of_its_card_are_in_the_prompt(
    served: Served, caller: Caller
) -> None:
    texts = {"scenario": "Woods.", "mes_example": "<START>\nOf the card.", "system_prompt": "Be."}
    names = ("main", "scenario", "dialogueExamples", "chatHistory")
    preset = {"prompts": [{"identifier": name, "content": "Base."} for name in names]}
    card = await create_stored_asset(
        served,
        caller,
        AssetKind.CHARACTER,
        {"spec": "chara_card_v2", "data": {"name": "Mira"} | texts},
    )
    stored = await create_stored_asset(served, caller, AssetKind.PRESET, preset)
    own = {"scenario": "At {{char}}'s inn.", "mes_example": "Of the chat.", "system_prompt": " "}
    session = await import_lines(
        caller, [HEADER | {"chat_metadata": own}, *CHAT], character_id=str(card.ref.id)
    )
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(stored.ref.id)})

    _, answer = await caller.post(f"/sessions/{session}/respond/dry-run", {"message": "Go on."})

    assert answer["data"]["messages"][0]["content"] == "Be.\n\nAt Mira's inn.\n\nOf the chat."
