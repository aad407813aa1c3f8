"""Names of lines, and in prompts of imported chats: each has that of who said it, a narrator none.

Issue 14 §12; reference §6.2 (`names_behavior`); SillyTavern puts no name before a narrator's line.
"""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.chats.test_whole_chats import export_lines
from tests.protocols.tavern.generation.turn_calls import respond, retry
from tests.protocols.tavern.story_calls import (
    create_session,
    create_stored_asset,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind

HEADER = {"user_name": "Ada", "character_name": "Mira", "chat_metadata": {}}
BIRD = reply_line("A bird sings.", name="System", extra={"type": "narrator"})
SOLO = [user_line("Who is there?", name="Bob"), BIRD, reply_line("Me.")]
MIRA = {"name": "Mira", "primaryGreeting": "I am {{char}}."}
GROUP = [*SOLO, reply_line("And me.", name="Tom"), BIRD]


async def dry_run(served: Served, caller: Caller, session: str, names: int) -> JsonObject:
    """The prompt of the next message with this `names_behavior`."""
    content: JsonObject = {
        "names_behavior": names,
        "prompts": [
            {"identifier": "main", "content": "{{user}} and {{char}}"},
            {"identifier": "chatHistory", "marker": True},
        ],
    }
    preset = await create_stored_asset(served, caller, AssetKind.PRESET, content, "Names")
    await caller.send("PATCH", f"/sessions/{session}", json={"preset_id": str(preset.ref.id)})
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": "Go on."})
    assert status == 200, answer
    return dict(answer["data"])


@pytest.mark.parametrize(
    ("names", "lines", "shown"),
    [
        (0, SOLO, ["Who is there?", "A bird sings.\n\nMe.", "Go on."]),
        (
            0,
            GROUP,
            [
                "Who is there?",
                "A bird sings.",
                "Mira: Me.",
                "Tom: And me.",
                "A bird sings.",
                "Go on.",
            ],
        ),
        (2, SOLO, ["Bob: Who is there?", "A bird sings.", "Mira: Me.", "Ada: Go on."]),
        (
            2,
            GROUP,
            [
                "Bob: Who is there?",
                "A bird sings.",
                "Mira: Me.",
                "Tom: And me.",
                "A bird sings.",
                "Ada: Go on.",
            ],
        ),
    ],
)
async def test_lines_have_the_name_of_their_speaker(
    served: Served, caller: Caller, names: int, lines: list[JsonObject], shown: list[str]
) -> None:
    session = await import_lines(caller, [HEADER, *lines])

    prompt = await dry_run(served, caller, session, names)

    assert [message["content"] for message in prompt["messages"][1:]] == shown


async def test_macros_have_the_names_of_the_file(served: Served, caller: Caller) -> None:
    session = await import_lines(caller, [HEADER, *SOLO])

    prompt = await dry_run(served, caller, session, -1)

    assert prompt["messages"][0]["content"] == "Ada and Mira"


async def test_a_persona_and_a_character_come_before_the_names_of_the_file(
    served: Served, caller: Caller
) -> None:
    session = await import_lines(caller, [HEADER, *SOLO])
    snapshots = {"user_snapshot": {"name": "Eve"}, "character_snapshot": {"name": "Zoe"}}
    status, answer = await caller.send("PATCH", f"/sessions/{session}", json=snapshots)
    assert status == 200, answer

    prompt = await dry_run(served, caller, session, 2)

    contents = [message["content"] for message in prompt["messages"]]
    assert (contents[0], contents[-1]) == ("Eve and Zoe", "Eve: Go on.")


async def test_speakers_of_one_floor_are_no_violation(served: Served, caller: Caller) -> None:
    session = await import_lines(caller, [HEADER, *GROUP])

    prompt = await dry_run(served, caller, session, 2)

    assert prompt["runtime_trace"]["history_normalization"]["violations"] == []


async def test_live_lines_keep_the_names_of_their_time(served: Served, caller: Caller) -> None:
    bound = {"user_snapshot": {"name": "Ada"}, "character_snapshot": MIRA}
    session = (await create_session(caller, **bound))["id"]
    await respond(caller, session, "Hello.")
    renamed = {"user_snapshot": {"name": "Eve"}, "character_snapshot": {"name": "Zoe"}}
    assert (await caller.send("PATCH", f"/sessions/{session}", json=renamed))[0] == 200
    last = await respond(caller, session, "Go on.")
    await retry(caller, last["floor_id"])

    shown = await read_floors(caller, session)
    again = await import_lines(caller, await export_lines(caller, session))

    assert list_names(shown) == ["Zoe", "Ada", "Mira", "Eve", "Zoe", "Zoe"]
    assert list_names(await read_floors(caller, again)) == list_names(shown)
    for message in (page["message"] for floor in shown for page in floor["pages"]):
        _, found = await caller.get(f"/messages/{message['id']}")
        assert found["data"] == message
    prompt = await dry_run(served, caller, session, 0)
    assert [each["content"] for each in prompt["messages"]][1:3] == ["I am Zoe.", "Hello."]


async def test_lines_of_a_story_without_names_have_those_of_its_file(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await respond(caller, session, "Hello.")

    shown = await read_floors(caller, session)
    again = await import_lines(caller, await export_lines(caller, session))

    assert list_names(shown) == ["User", "Assistant"]
    assert list_names(await read_floors(caller, again)) == list_names(shown)


def list_names(floors: list[JsonObject]) -> list[str | None]:
    return [page["message"]["name"] for floor in floors for page in floor["pages"]]
