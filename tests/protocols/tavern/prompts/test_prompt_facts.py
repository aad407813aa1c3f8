"""Group chats have names; lore that was not sent says where it matched and why. Issue 14 §12."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.chats.chat_samples import GROUP, SOLO_1_12
from tests.protocols.tavern.story_calls import create_session, create_stored_asset, import_lines
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind

NAMES = ("main", "chatHistory")


def make_preset(*names: str, **fields: object) -> JsonObject:
    entries = [{"identifier": name, "enabled": True} for name in names]
    return {
        "prompts": [{"identifier": "main", "role": "system", "content": "Play."}],
        "prompt_order": [{"character_id": 100000, "order": entries}],
        **fields,
    }


async def dry_run(caller: Caller, session: str, message: str, **body: object) -> JsonObject:
    path = f"/sessions/{session}/respond/dry-run"
    status, answer = await caller.post(path, {"message": message, **body})
    assert status == 200, answer
    return dict(answer["data"])


async def bind_preset(served: Served, caller: Caller, session: str, preset: JsonObject) -> None:
    asset = await create_stored_asset(served, caller, AssetKind.PRESET, preset, "P")
    body = {"preset_id": str(asset.id)}
    assert (await caller.send("PATCH", f"/sessions/{session}", json=body))[0] == 200


@pytest.mark.parametrize(
    ("behaviour", "replies", "applied"),
    [
        (None, ["Mira: The northern one.", "Tor: She is lying."], "always"),
        (0, ["Mira: The northern one.", "Tor: She is lying."], "always"),
        (2, ["Mira: The northern one.", "Tor: She is lying."], "always"),
        (-1, ["The northern one.", "She is lying."], "off"),
    ],
    ids=["default", "0", "2", "-1"],
)
async def test_characters_of_a_group_are_told_apart(
    served: Served, caller: Caller, behaviour: int | None, replies: list[str], applied: str
) -> None:
    session = await import_lines(caller, GROUP)
    fields = {} if behaviour is None else {"names_behavior": behaviour}
    await bind_preset(served, caller, session, make_preset(*NAMES, **fields))

    data = await dry_run(caller, session, "Tor?")

    sent = [each["content"] for each in data["messages"] if each["role"] == "assistant"]
    assert sent[1:] == replies
    assert data["assembly"]["names_behavior_applied"] == applied


async def test_a_chat_with_one_character_has_no_names(served: Served, caller: Caller) -> None:
    session = await import_lines(caller, SOLO_1_12)
    await bind_preset(served, caller, session, make_preset(*NAMES, names_behavior=0))

    data = await dry_run(caller, session, "So?")

    assert [each["content"] for each in data["messages"]][1:] == [
        "You are late.",
        "Is the bridge open?",
        "Yes, since dawn.",
        "So?",
    ]
    assert data["assembly"]["names_behavior_applied"] == "off"


async def test_lore_without_a_place_says_where_it_matched(served: Served, caller: Caller) -> None:
    book = {"entries": {"7": {"uid": 7, "key": ["owl"], "content": "OWL LORE"}}}
    asset = await create_stored_asset(served, caller, AssetKind.WORLDBOOK, book, "B")
    session = (await create_session(caller, worldbook_profile_id=str(asset.id)))["id"]
    await bind_preset(served, caller, session, make_preset(*NAMES))

    data = await dry_run(caller, session, "Is there an owl?")

    (cut,) = data["runtime_trace"]["worldbook"]["cut"]
    assert (cut["uid"], cut["reason"], cut["activation"]["mode"]) == (7, "no_place", "triggered")
    match = cut["activation"]["first_match"]
    assert (match["matched_key"], match["source_kind"]) == ("owl", "message")
    (excluded,) = data["runtime_trace"]["source_selection"]["excluded_sources"]
    assert (excluded["source"], excluded["reason"]) == ("worldbook", "no_place")


async def test_an_entry_with_unknown_triggers_is_named_and_not_sent(
    served: Served, caller: Caller
) -> None:
    session = (await create_session(caller))["id"]
    preset = make_preset("main", "odd", "some", "chatHistory")
    preset["prompts"] += [
        {"identifier": "odd", "content": "ODD", "injection_trigger": ["unheard"]},
        {"identifier": "some", "content": "SOME", "injection_trigger": ["unheard", "normal"]},
    ]
    await bind_preset(served, caller, session, preset)

    data = await dry_run(caller, session, "Hello")

    sent = "\n".join(each["content"] for each in data["messages"])
    assert ("ODD" in sent, "SOME" in sent) == (False, True)
    assert "prompts[].injection_trigger" in data["assembly"]["unsupported_preset_fields"]
    assert "odd" in str(data["assembly"]["preset_warnings"])
