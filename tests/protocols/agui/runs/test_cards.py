"""Cards: made by tools and by the model, live and in history, in the user's language."""

from typing import Any
from uuid import UUID

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.protocols.agui.stock_client import StockClient
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Frame, Served, run_body
from tests.ui_schema_page import broken_rules

from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Call, Say, ScriptedModel, Turn

HISTORY = "/api/v1/agent/history"
SEED_HINTS: JsonObject = {
    "status": "success",
    "title": "日程已创建",
    "body": "您的会议日程创建成功",
}
LINES = ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"]

CALLS: dict[str, JsonObject] = {
    "current_time": {},
    "points_balance": {},
    "search_sessions": {"query": "日程"},
    "cast_hexagram": {"question": "换工作合适吗？", "lines": LINES},
}


async def ask(caller: Caller, text: str = "hello", **more: Any) -> tuple[str, list[Frame]]:
    """A run to its end: its thread and its frames."""
    body = run_body(text, **more)
    await caller.submit(body)
    return body["threadId"], await caller.events(body["threadId"], body["runId"])


async def day_of(caller: Caller, thread: str) -> list[JsonObject]:
    _, history = await caller.get(HISTORY, threadId=thread, scope="history_day")
    messages: list[JsonObject] = history["messages"]
    return messages


async def set_profile(caller: Caller, **settings: str) -> None:
    status, answer = await caller.send("PATCH", "/api/v1/profile", json={"settings": settings})
    assert status == 200, answer


def live_cards(frames: list[Frame]) -> list[JsonObject]:
    return [f.data["value"] for f in frames if f.data.get("name") == "UI_CARD"]


@pytest.mark.parametrize("name", CALLS)
async def test_tool_has_its_card_live_and_in_history(
    caller: Caller, switchable: SwitchableModel, name: str
) -> None:
    switchable.script([Call(name, CALLS[name])], [Say("There.")])

    thread, frames = await ask(caller)

    _, tool, answer = await day_of(caller, thread)
    assert (tool["role"], answer["role"], answer["uiSchema"]) == ("tool", "assistant", None)
    assert broken_rules(tool["uiSchema"]) == []
    assert tool["uiSchema"]["meta"]["toolId"] == name
    assert live_cards(frames) == [{"messageId": tool["id"], "uiSchema": tool["uiSchema"]}]


async def test_models_card_goes_with_its_answer(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("show_card", SEED_HINTS)], [Say("好的，我来帮您创建日程。")])

    thread, frames = await ask(caller, "帮我创建一个日程")  # seed 2, history example

    _, tool, answer = await day_of(caller, thread)
    card = answer["uiSchema"]
    assert (tool["uiSchema"], answer["content"]) == (None, "好的，我来帮您创建日程。")
    assert card.pop("meta")["requestId"]
    assert card == {
        "version": "2.0",
        "locale": "zh-CN",
        "status": "success",
        "theme": "default",
        "root": {
            "type": "stack",
            "appearance": "card",
            "children": [
                {"type": "text", "content": "日程已创建", "role": "title"},
                {"type": "badge", "label": "SUCCESS", "status": "success"},
                {"type": "text", "content": "您的会议日程创建成功", "role": "body"},
            ],
        },
    }
    assert [live["messageId"] for live in live_cards(frames)] == [answer["id"]]
    end = next(f.data for f in frames if f.type == "TEXT_MESSAGE_END")
    assert end["ui_hints"]["title"] == "日程已创建"


async def test_plain_answer_has_no_card(caller: Caller) -> None:
    thread, frames = await ask(caller)

    assert [message.get("uiSchema", "none") for message in await day_of(caller, thread)] == [
        "none",
        None,
    ]
    assert live_cards(frames) == []


async def test_card_without_text_is_stored_under_its_streamed_id(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Say("Look."), Call("show_card", SEED_HINTS)], [])

    thread, frames = await ask(caller)

    answer = (await day_of(caller, thread))[-1]
    assert (answer["role"], answer["content"]) == ("assistant", "")
    assert [live["messageId"] for live in live_cards(frames)] == [answer["id"]]


async def test_invalid_card_is_reported_to_the_model(
    caller: Caller, switchable: SwitchableModel
) -> None:
    wrong: JsonObject = {"title": "a\0b", "colour": "red"}
    turns: list[Turn] = [[Call("show_card", wrong)], [Call("show_card", SEED_HINTS)], [Say("So.")]]
    playing = switchable.script(*turns)

    thread, frames = await ask(caller)

    result = [m.text for m in playing.requests[1].messages if m.role is ChatRole.TOOL]
    assert result[0].startswith("no card was made: ")
    assert len(live_cards(frames)) == 1
    assert (await day_of(caller, thread))[-1]["uiSchema"]["status"] == "success"


async def test_history_with_bad_hints_stays_readable(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("show_card", SEED_HINTS)], [Say("So.")])
    thread, _ = await ask(caller)
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "UPDATE messages SET metadata = jsonb_set(metadata, '{agent_output}', $2::jsonb)"
            " WHERE session_id = $1 AND role = 'assistant'",
            UUID(thread),
            {"ui_hints": {"title": 5, "root": []}},
        )

    assert (await day_of(caller, thread))[-1]["uiSchema"] is None


async def test_resuming_client_gets_the_same_cards(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("current_time")], [Call("show_card", SEED_HINTS)], [Say("So.")])
    body = run_body()
    await caller.submit(body)
    whole = await caller.events(body["threadId"], body["runId"], profile="agui")

    joined = await caller.events(body["threadId"], body["runId"], profile="agui", after=3)

    assert live_cards(joined) == live_cards(whole)
    assert len(live_cards(whole)) == 2
    assert StockClient().feed(joined).last == StockClient().feed(whole).last


async def test_card_is_sent_again_after_a_cut(caller: Caller, switchable: SwitchableModel) -> None:
    switchable.script([Call("current_time")], [Say("Noon.")])
    body = run_body()
    await caller.submit(body)
    whole = await caller.events(body["threadId"], body["runId"])
    result = next(frame for frame in whole if frame.type == "TOOL_CALL_RESULT")

    again = await caller.events(body["threadId"], body["runId"], after=result.id)

    assert live_cards(again) == live_cards(whole)


async def test_time_is_in_the_timezone_of_the_device(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("current_time")], [Say("Noon.")])
    client_time = {"device_timezone": "America/New_York"}  # seed 0, client_time

    thread, _ = await ask(caller, forwardedProps={"client_time": client_time})

    tool = (await day_of(caller, thread))[1]
    assert decode_json(tool["content"])["timezone"] == "America/New_York"


@pytest.mark.parametrize(
    "props",
    [
        {},
        {"client_time": None},
        {"client_time": {"device_timezone": "Mars/Olympus"}},
        {"client_time": {"device_timezone": 8}},
    ],
)
async def test_profile_timezone_replaces_an_invalid_one(
    caller: Caller, switchable: SwitchableModel, props: JsonObject
) -> None:
    playing = switchable.script([Call("current_time")], [Say("Noon.")])
    await set_profile(caller, timezone="Europe/Paris")

    thread, _ = await ask(caller, forwardedProps=props)

    tool = (await day_of(caller, thread))[1]
    assert decode_json(tool["content"])["timezone"] == "Europe/Paris"
    assert "Europe/Paris" in system_prompt(playing)


def system_prompt(playing: ScriptedModel) -> str:
    return playing.requests[0].messages[0].text


@pytest.mark.parametrize(
    "settings, result",
    [
        ({}, "Answer in zh-CN (zh-Hans) unless"),
        ({"script": "hant"}, "Answer in zh-CN (zh-Hant) unless"),
        ({"ai_language": "zh-TW"}, "Answer in zh-TW (zh-Hant) unless"),
        ({"ai_language": "en"}, "Answer in en unless"),
        ({"ai_language": "pt-BR"}, "Answer in pt-BR unless"),
    ],
)
async def test_prompt_names_the_language_of_the_profile(
    caller: Caller, switchable: SwitchableModel, settings: dict[str, str], result: str
) -> None:
    playing = switchable.script([Say("So.")])
    await set_profile(caller, **settings)

    await ask(caller)

    assert result in system_prompt(playing)


async def test_card_is_in_the_language_of_the_profile(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("points_balance")], [Say("So.")])
    await set_profile(caller, ai_language="en-GB")

    thread, _ = await ask(caller)

    card = (await day_of(caller, thread))[1]["uiSchema"]
    assert card["locale"] == "en-GB"
    assert [entry["key"] for entry in card["root"]["children"][1]["entries"]] == [
        "Available",
        "Held for runs",
        "Spent so far",
    ]


async def test_balance_is_that_of_the_caller(served: Served, switchable: SwitchableModel) -> None:
    switchable.script([Call("points_balance")], [Say("So.")])
    rich = await served.account(points=5_000)

    thread, _ = await ask(rich)

    result = decode_json((await day_of(rich, thread))[1]["content"])
    assert result == {"balance": 5_000, "held": 20, "available": 4_980, "spent": 0}


async def test_search_finds_only_messages_of_the_caller(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    await ask(caller, "我最近想换工作")
    await ask(await served.account(), "他们也想换工作")
    switchable.script([Call("search_sessions", {"query": "换工作"})], [Say("So.")])

    thread, _ = await ask(caller, "我以前问过换工作的事吗？")

    result = decode_json((await day_of(caller, thread))[1]["content"])
    assert [hit["title"] for hit in result["sessions"]] == ["我最近想换工作"]


async def test_deleted_session_is_not_found(caller: Caller, switchable: SwitchableModel) -> None:
    gone, _ = await ask(caller, "我最近想换工作")
    await caller.send("DELETE", f"/api/v1/agent/sessions/{gone}")
    switchable.script([Call("search_sessions", {"query": "换工作"})], [Say("So.")])

    thread, _ = await ask(caller)

    assert decode_json((await day_of(caller, thread))[1]["content"])["found"] == 0


async def test_failed_tool_has_no_card_and_the_run_continues(
    caller: Caller, switchable: SwitchableModel
) -> None:
    switchable.script([Call("search_sessions", {"query": ""})], [Say("Never mind.")])

    thread, frames = await ask(caller)

    _, tool, answer = await day_of(caller, thread)
    assert (tool["content"], tool["uiSchema"]) == ("query must have at least one word", None)
    assert (answer["content"], frames[-1].type) == ("Never mind.", "RUN_FINISHED")
