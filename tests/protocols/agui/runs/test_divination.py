"""Divination runs over HTTP, by the rules of seed 000."""

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pydantic import TypeAdapter
from tests.loose_json import JsonObject, decode_json
from tests.protocols.switchable_model import fail_at_once
from tests.serving import RUNS, Caller, Frame, Served, run_body, serving

from yarrow.kit.json import encode_json
from yarrow.liuyao import DivinationPayload
from yarrow.llm.errors import ModelRefused, ModelUnreachable
from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Fail, Say, ScriptedModel

CHAT_FIELDS = {
    "status",
    "sign_level",
    "conclusion",
    "focus_points",
    "advice",
    "keywords",
    "answer",
    "error",
    "divination_derived",
}
LEVELS = {"上上签", "中上签", "中下签", "下下签"}

WRITTEN: JsonObject = {
    "sign_level": "上上签",
    "conclusion": ["水火既济，事有可为。"],
    "focus_points": ["二爻官鬼丑土为用神。"],
    "advice": ["先谈妥再动。"],
    "keywords": ["既济"],
    "answer": "可以慎重考虑。",
}


def payload(**changes: Any) -> JsonObject:
    """The payload the seed prints."""
    return {
        "divinationMethod": "手动起卦",
        "questionType": "事业",
        "question": "我最近换工作是否合适?",
        "divinationTimeIso": "2026-04-03T20:30:00+08:00",
        "yaoLines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
        **changes,
    }


def divination(mode: str = "chat", *, thread: str = "", cast: Any = None) -> JsonObject:
    props = {"runtime_mode": mode, "divinationPayload": cast or payload()}
    return run_body("我最近换工作是否合适?", thread=thread, forwardedProps=props)


async def done(caller: Caller, body: JsonObject, profile: str = "seed") -> list[Frame]:
    await caller.submit(body)
    return await caller.events(body["threadId"], body["runId"], profile=profile)


def one(frames: list[Frame], kind: str) -> JsonObject:
    (found,) = [f.data for f in frames if f.type == kind]
    return found


async def test_the_board_comes_first_then_the_reading(served: Served) -> None:
    caller = await served.account()

    frames = await done(caller, divination())

    types = [f.type for f in frames if f.type != "TEXT_MESSAGE_CONTENT"]
    assert types == [
        "RUN_STARTED",
        "STEP_STARTED",
        "DIVINATION_DERIVED",
        "CUSTOM",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    board = one(frames, "DIVINATION_DERIVED")["divination"]
    TypeAdapter(DivinationPayload).validate_python(board, strict=True)
    end = one(frames, "TEXT_MESSAGE_END")
    assert set(end) == CHAT_FIELDS | {"type", "messageId"}
    assert end["sign_level"] in LEVELS
    assert end["divination_derived"] == board
    result = "".join(f.data["delta"] for f in frames if f.type == "TEXT_MESSAGE_CONTENT")
    assert result == end["answer"]


# seed 0: follow_up MUST NOT include sign_level … divination_derived, nor derive again
async def test_a_follow_up_has_the_minimal_fields_and_no_board(served: Served) -> None:
    caller = await served.account()
    first = divination()
    await done(caller, first)

    frames = await done(caller, divination("follow_up", thread=first["threadId"]))

    assert "DIVINATION_DERIVED" not in [f.type for f in frames]
    end = one(frames, "TEXT_MESSAGE_END")
    assert set(end) == {"type", "messageId", "status", "answer", "error"}


async def test_a_follow_up_of_no_session_is_not_found(served: Served) -> None:
    caller = await served.account()

    status, problem = await caller.post(RUNS, divination("follow_up"))

    assert (status, problem["code"]) == (404, "AGENT_SESSION_NOT_FOUND")


@pytest.mark.parametrize("mode", [None, "", "CHAT", "divine", 1, ["chat"]])
async def test_a_wrong_runtime_mode_is_refused(served: Served, mode: Any) -> None:
    caller = await served.account()
    body = divination()
    body["forwardedProps"]["runtime_mode"] = mode

    status, problem = await caller.post(RUNS, body)

    assert (status, problem["code"]) == (422, "AGENT_RUNTIME_MODE_INVALID")


async def test_a_missing_runtime_mode_is_refused_also_in_a_later_run(served: Served) -> None:
    caller = await served.account()
    first = divination()
    del first["forwardedProps"]["runtime_mode"]
    assert (await caller.post(RUNS, first))[1]["code"] == "AGENT_RUNTIME_MODE_INVALID"
    first = divination()
    await done(caller, first)

    status, problem = await caller.post(RUNS, run_body("?", thread=first["threadId"]))

    assert (status, problem["code"]) == (422, "AGENT_RUNTIME_MODE_INVALID")


@pytest.mark.parametrize(
    "wrong",
    [
        {"divinationMethod": "电子起卦"},
        {"questionType": ""},
        {"questionType": "类" * 33},
        {"question": " "},
        {"question": "问" * 301},
        {"divinationTimeIso": "2026-04-03T20:30:00"},
        {"divinationTimeIso": "2026-04-03 20:30:00+08:00"},
        {"divinationTimeIso": "2026-02-30T20:30:00+08:00"},
        {"divinationTimeIso": "2026-04-03T20:30:00+08:60"},
        {"divinationTimeIso": "1776-04-03T20:30:00+08:00"},
        {"yaoLines": ["少阳"] * 5},
        {"yaoLines": ["少阳"] * 7},
        {"yaoLines": ["少阳"] * 5 + ["太阳"]},
        {"yaoLines": "少阳"},
        {"extra": 1},
        {"question": 7},
    ],
)
async def test_a_wrong_payload_is_refused(served: Served, wrong: JsonObject) -> None:
    caller = await served.account()

    status, problem = await caller.post(RUNS, divination(cast=payload(**wrong)))

    assert (status, problem["code"]) == (422, "AGENT_INPUT_INVALID")
    (field,) = wrong
    assert problem["params"] == {"field": f"forwardedProps.divinationPayload.{field}"}


@pytest.mark.parametrize("field", ["question", "yaoLines", "divinationMethod"])
async def test_every_field_of_the_payload_is_required(served: Served, field: str) -> None:
    caller = await served.account()
    cast = payload()
    del cast[field]

    status, problem = await caller.post(RUNS, divination(cast=cast))

    assert status == 422
    assert problem["params"] == {"field": f"forwardedProps.divinationPayload.{field}"}


# seed 0, AG-UI required base fields
@pytest.mark.parametrize("field", ["state", "tools", "context"])
async def test_base_fields_are_required(served: Served, field: str) -> None:
    caller = await served.account()
    body = divination()
    del body[field]

    status, problem = await caller.post(RUNS, body)

    assert status == 422
    assert field in problem["detail"]


# seed 3: at most 2 user runs in a session; failed runs do not count
async def test_a_session_has_two_runs(served: Served) -> None:
    caller = await served.account(points=200)
    first = divination()
    await done(caller, first)
    await done(caller, divination("follow_up", thread=first["threadId"]))

    status, problem = await caller.post(RUNS, divination("follow_up", thread=first["threadId"]))

    assert (status, problem["code"]) == (409, "AGENT_SESSION_RUN_LIMIT")
    assert (await caller.points())["balance"] == 160


async def test_history_rebuilds_the_page(served: Served) -> None:
    caller = await served.account()
    body = divination()
    frames = await done(caller, body)

    _, history = await caller.get("/api/v1/agent/history", threadId=body["threadId"])
    _, latest = await caller.get("/api/v1/agent/history")

    answer = history["messages"][1]
    assert set(answer["agent_output"]) == CHAT_FIELDS
    board = one(frames, "DIVINATION_DERIVED")["divination"]
    assert answer["agent_output"]["divination_derived"] == board
    assert answer["produced"]["READING_EXPLAINED"]["points"]
    assert latest["messages"][0]["agent_output"] == answer["agent_output"]


async def test_a_reading_by_rules_is_found_by_its_words(served: Served) -> None:
    caller = await served.account()
    body = divination()
    frames = await done(caller, body)
    _, history = await caller.get("/api/v1/agent/history", threadId=body["threadId"])
    reading = history["messages"][1]["content"]

    _, found = await caller.get("/api/v1/sessions/search", query=reading[-8:])

    assert [usage["model"] for usage in frames[-1].data["usage"]] == ["rules"]
    [session] = found["sessions"]
    assert (session["id"], session["role"]) == (body["threadId"], "assistant")


async def test_the_reading_follows_the_accounts_language(served: Served) -> None:
    caller = await served.account()
    await caller.send("PATCH", "/api/v1/profile", json={"settings": {"ai_language": "en-US"}})
    english = one(await done(caller, divination()), "TEXT_MESSAGE_END")
    await caller.send(
        "PATCH", "/api/v1/profile", json={"settings": {"ai_language": "zh-CN", "script": "hant"}}
    )
    traditional = one(await done(caller, divination()), "TEXT_MESSAGE_END")

    assert english["answer"].isascii() is False
    assert "By the hexagram" in english["answer"]
    assert english["sign_level"] in LEVELS
    assert "應期" in traditional["answer"]


async def test_a_stock_client_gets_a_custom_event_and_a_result(served: Served) -> None:
    caller = await served.account()

    frames = await done(caller, divination(), profile="agui")

    names = [f.data["name"] for f in frames if f.type == "CUSTOM"]
    assert names[0] == "DIVINATION_DERIVED"
    assert set(frames[-1].data["result"]) == CHAT_FIELDS


@pytest.mark.parametrize(
    "sent, settings, asker",
    [
        ({}, {"gender": "female"}, ("女", "profile")),
        ({"context": [{"description": "gender", "value": "male"}]}, {}, ("男", "context")),
        (
            {"context": [{"description": "性别", "value": "男"}]},
            {"gender": "female"},
            ("男", "context"),
        ),
        ({}, {}, ("", "")),
    ],
)
async def test_the_asker_is_known_by_context_or_profile(
    served: Served, sent: JsonObject, settings: JsonObject, asker: tuple[str, str]
) -> None:
    caller = await served.account()
    if settings:
        await caller.send("PATCH", "/api/v1/profile", json={"settings": settings})
    body = divination(cast=payload(questionType="感情", question="我们会怎样")) | sent

    frames = await done(caller, body)

    why = one([f for f in frames if f.data.get("name") == "READING_EXPLAINED"], "CUSTOM")["value"]
    assert (why["asker"], why["askerFrom"]) == asker
    text = one(frames, "TEXT_MESSAGE_END")["conclusion"][0]
    assert {"女": "以问者为女", "男": "以问者为男", "": "男女未明"}[asker[0]] in text


async def test_board_picture_and_follow_up_take_the_asker_of_the_reading(served: Served) -> None:
    caller = await served.account()
    body = divination(cast=payload(questionType="感情", question="我们会怎样"))
    body["context"] = [{"description": "gender", "value": "female"}]

    frames = await done(caller, body)

    # 官鬼 is a woman's partner: 丑 at the second line of 水火既济, not 应 at the top.
    why = one([f for f in frames if f.data.get("name") == "READING_EXPLAINED"], "CUSTOM")["value"]
    marks = one(frames, "DIVINATION_DERIVED")["divination"]["yaoMarks"]
    assert (why["focus"], why["focusPosition"]) == ("官鬼", 2)
    assert [at for at, words in enumerate(marks, start=1) if "用神" in words] == [2]
    path = f"/api/v1/agent/sessions/{body['threadId']}/board.svg"
    async with served.http.get(served.url + path, headers=caller.headers) as answer:
        role = re.search(r'官鬼己丑土</text>.*?class="gold small">(.)<', await answer.text())
    assert role is not None
    assert role[1] == "用"
    later = divination("follow_up", thread=body["threadId"], cast=payload(questionType="感情"))
    later["messages"][0]["content"] = "为什么"
    assert "官鬼" in one(await done(caller, later), "TEXT_MESSAGE_END")["answer"]


async def test_a_follow_up_answers_its_own_question(served: Served) -> None:
    answers = set()
    for question in ("那下半年再换呢", "如果不换呢", "为什么是下下签", "谁在阻碍我"):
        caller = await served.account()
        first = divination()
        opening = one(await done(caller, first), "TEXT_MESSAGE_END")["answer"]
        later = divination("follow_up", thread=first["threadId"])
        later["messages"][0]["content"] = question
        answers |= {opening, one(await done(caller, later), "TEXT_MESSAGE_END")["answer"]}

    assert len(answers) == 5


async def test_a_refused_question_does_not_use_up_the_follow_up(served: Served) -> None:
    caller = await served.account()
    first = divination()
    await done(caller, first)
    later = divination("follow_up", thread=first["threadId"])
    later["messages"][0]["content"] = "我什么时候结婚"

    refused = await done(caller, later)
    kept = await done(caller, divination("follow_up", thread=first["threadId"]))
    over = await caller.send("POST", RUNS, json=divination("follow_up", thread=first["threadId"]))

    said = one(refused, "TEXT_MESSAGE_END")
    assert (said["status"], said["answer"][:14]) == ("refused", "“我什么时候结婚”是另一件事")
    assert said["answer"].endswith("请为它另起一卦。这一问不算追问。")
    assert refused[-1].data["code"] == "AGENT_OTHER_MATTER"
    assert one(kept, "TEXT_MESSAGE_END")["status"] == "success"
    assert (over[0], over[1]["code"]) == (409, "AGENT_SESSION_RUN_LIMIT")


async def test_an_answer_is_in_english_when_the_question_asks_for_it(served: Served) -> None:
    caller = await served.account()
    body = divination()
    body["messages"][0]["content"] = "我最近换工作是否合适?请用英文回答"

    assert "By the hexagram" in one(await done(caller, body), "TEXT_MESSAGE_END")["answer"]


async def test_the_text_of_a_stock_chat_has_name_verdict_and_reason(served: Served) -> None:
    caller = await served.account()

    frames = await done(caller, divination(), profile="agui")

    text = "".join(f.data["delta"] for f in frames if f.type == "TEXT_MESSAGE_CONTENT")
    assert "水火既济" in text
    assert frames[-1].data["result"]["sign_level"] in text
    assert "用神取官鬼" in text


class TestWithAModel:
    """A model of the operator's choice writes; the engine keeps it honest."""

    @pytest.fixture
    async def written(self, dsn: str, model: ScriptedModel, tmp_path: Path):
        settings: dict[str, Any] = {"llm_base_url": "http://127.0.0.1:9/v1"}
        async with serving(dsn, model=model, data_dir=tmp_path, **settings) as served:
            yield served

    async def test_model_text_is_used_with_the_level_of_the_rules(self, written: Served) -> None:
        written.model.play([Say(f"```json\n{encode_json(WRITTEN).decode()}\n```")])
        caller = await written.account()

        end = one(await done(caller, divination()), "TEXT_MESSAGE_END")

        assert end["answer"] == WRITTEN["answer"]
        assert end["sign_level"] == "下下签"
        grounds = decode_json(written.model.requests[0].messages[1].text)
        assert grounds["derivation"]["guaName"] == "水火既济"
        assert written.model.requests[0].response_schema is not None

    async def test_level_with_reasons_is_used(self, written: Served) -> None:
        justified = WRITTEN | {"sign_level_reason": "三爻发动化官鬼，用神得化。"}
        written.model.play([Say(encode_json(justified).decode())])
        caller = await written.account()

        assert one(await done(caller, divination()), "TEXT_MESSAGE_END")["sign_level"] == "上上签"

    async def test_unusable_answer_is_asked_for_once_more(self, written: Served) -> None:
        written.model.play([Say("大吉大利")], [Say(encode_json(WRITTEN).decode())])
        caller = await written.account()

        end = one(await done(caller, divination()), "TEXT_MESSAGE_END")

        assert end["answer"] == WRITTEN["answer"]
        assert len(written.model.requests) == 2

    async def test_a_model_that_cannot_hold_the_schema_never_fails_a_run(
        self, written: Served
    ) -> None:
        written.model.play([Say("no")], [Say('{"sign_level": "平"}')])
        caller = await written.account()

        frames = await done(caller, divination())

        end = one(frames, "TEXT_MESSAGE_END")
        assert (end["status"], end["sign_level"]) == ("success", "下下签")
        assert "reading_by_rules" in [f.data.get("stepName") for f in frames]
        assert frames[-1].type == "RUN_FINISHED"

    async def test_an_endpoint_that_refuses_schemas_gets_the_reading_by_rules(
        self, written: Served
    ) -> None:
        written.model.play([Fail(ModelRefused(400))])
        caller = await written.account()

        frames = await done(caller, divination())

        assert one(frames, "TEXT_MESSAGE_END")["sign_level"] == "下下签"
        assert frames[-1].type == "RUN_FINISHED"

    async def test_unreachable_model_fails_the_run_for_free(self, written: Served) -> None:
        written.model.play(*[[fail_at_once(ModelUnreachable())]] * 3)
        caller = await written.account()

        frames = await done(caller, divination())

        assert frames[-1].data["code"] == "AGENT_MODEL_UNAVAILABLE"
        assert (await caller.points())["balance"] == 100

    async def test_the_board_is_the_one_that_was_read(self, written: Served) -> None:
        fails = [[fail_at_once(ModelUnreachable())]] * 3
        written.model.play(*fails, [Say(encode_json(WRITTEN).decode())])
        caller = await written.account()
        failed = divination(cast=payload(yaoLines=["少阳"] * 6))
        await done(caller, failed)
        await done(caller, divination(thread=failed["threadId"]))
        await caller.send("PATCH", "/api/v1/profile", json={"settings": {"day_boundary": "00:00"}})

        path = f"/api/v1/agent/sessions/{failed['threadId']}/board.svg"
        async with written.http.get(written.url + path, headers=caller.headers) as answer:
            assert "水火既济" in await answer.text()

    async def test_follow_up_prompt_has_the_earlier_board_and_reading(
        self, written: Served
    ) -> None:
        written.model.play([Say(encode_json(WRITTEN).decode())], [Say("五月再看。")])
        caller = await written.account()
        first = divination()
        await done(caller, first)
        later = divination(
            "follow_up", thread=first["threadId"], cast=payload(yaoLines=["少阳"] * 6)
        )

        end = one(await done(caller, later), "TEXT_MESSAGE_END")

        result = written.model.requests[1].messages
        assert end["answer"] == "五月再看。"
        assert "水火既济" in result[0].text
        assert [m.role for m in result] == [
            ChatRole.SYSTEM,
            ChatRole.USER,
            ChatRole.ASSISTANT,
            ChatRole.USER,
        ]

    @pytest.mark.parametrize(
        ("later", "answer", "asked", "balance"),
        [("谢谢！", "不客气", 1, 80), ("我什么时候结婚", "此卦问的是工作", 2, 60)],
    )
    async def test_thanks_need_no_model_and_cost_nothing_and_another_matter_goes_to_it(
        self, written: Served, later: str, answer: str, asked: int, balance: int
    ) -> None:
        written.model.play([Say(encode_json(WRITTEN).decode())], [Say("此卦问的是工作。")])
        caller = await written.account()
        first = divination()
        await done(caller, first)
        follow_up = divination("follow_up", thread=first["threadId"])
        follow_up["messages"][0]["content"] = later

        frames = await done(caller, follow_up)

        assert one(frames, "TEXT_MESSAGE_END")["answer"].startswith(answer)
        assert len(written.model.requests) == asked
        points = await caller.points()
        assert (points["balance"], points["frozen_balance"]) == (balance, 0)

    async def test_no_model_is_asked_where_the_rules_withhold_a_verdict(
        self, written: Served
    ) -> None:
        caller = await written.account()

        frames = await done(caller, divination(cast=payload(question="我不想活了，要不要自杀？")))

        assert written.model.requests == []
        assert [usage["model"] for usage in frames[-1].data["usage"]] == ["rules"]


async def test_unknown_agents_are_refused(served: Served) -> None:
    caller = await served.account()

    status, problem = await caller.post(f"/api/v1/agents/{uuid4()}/runs", run_body())

    assert (status, problem["code"]) == (404, "AGENT_NOT_FOUND")


async def test_the_board_is_a_picture_for_its_owner_only(served: Served) -> None:
    caller, other = await served.account(), await served.account()
    body = divination()
    await done(caller, body)
    path = f"/api/v1/agent/sessions/{body['threadId']}/board.svg"

    async with served.http.get(served.url + path, headers=caller.headers) as answer:
        picture = await answer.text()
        assert (answer.status, answer.content_type) == (200, "image/svg+xml")
    assert "水火既济" in picture
    assert (await other.get(path))[0] == 403
    plain = run_body()
    await done(caller, plain)
    status, _ = await caller.get(f"/api/v1/agent/sessions/{plain['threadId']}/board.svg")
    assert status == 404
