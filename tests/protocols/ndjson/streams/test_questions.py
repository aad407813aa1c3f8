"""Questions worth asking next (seed 001, get-recommendation-questions)."""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    QUESTIONS,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
)
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.serving import run_body

from yarrow.llm.errors import ModelFailed, ModelRefused
from yarrow.llm.scripted import Fail, Say

TABLES: JsonObject = {"input_tables": [{"name": "sales"}]}
ONE = '{"text": "谁卖得最多?", "goal": "**region**", "tag": "pivot"}'
TWO = '{"text": "Why?", "goal": "g", "tag": "unheard-of"}'
PICTURE = "data:image/png;base64,iVBORw0KGgo="


async def test_questions_come_as_they_are_written(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say(f"Sure:\n{ONE[:20]}"), Say(f"{ONE[20:]}\n\ndata: {TWO}")])

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert line_types(lines) == ["progress", "progress", "question", "question", "done"]
    assert [line["phase"] for line in lines[:2]] == ["building_context", "generating"]
    assert list(lines[2]) == ["type", "text", "goal", "tag"]
    assert lines[2:] == [
        {"type": "question", "text": "谁卖得最多?", "goal": "**region**", "tag": "pivot"},
        {"type": "question", "text": "Why?", "goal": "g", "tag": "deep-dive"},
        {"type": "done", "count": 2},
    ]


async def test_a_list_over_many_lines_is_read_too(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Say('```json\n{"questions": [\n  {"text": "A?"},\n  {"text": "B?"}\n]}\n```')]
    )

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert [line["text"] for line in lines if line["type"] == "question"] == ["A?", "B?"]


@pytest.mark.parametrize("answer", ["I have none.", "", "[]"])
async def test_without_a_question_of_the_model_the_columns_give_some(
    analyst: AnalystClient, switchable: SwitchableModel, answer: str
) -> None:
    switchable.script([Say(answer)])

    warning, *questions, done = drop_progress(await analyst.post_lines(QUESTIONS, TABLES))

    assert warning["warning"]["message_code"] == "NO_QUESTIONS"
    assert {line["type"] for line in questions} == {"question"}
    assert done == {"type": "done", "count": len(questions)}


@pytest.mark.parametrize(
    "answer",
    [
        '[\n  {"text": "A?", "tag": "pivot"},\n  {"text": "B?", "goal": "g"}\n]',
        '[{"text": "A?",},\n {"text": "B?"},]',
        '[\n  {\n    "text": "A?",\n    "goal": "g",\n  },\n  {\n    "text": "B?",\n  },\n]',
        '```json\n[{"text": "A?"}, {"text": "B?"}]\n```',
        '{"text": "A?",},\n{"text": "B?"},',
        '{"text": "A?"}\n{\n  "text": "B?"\n}',
    ],
)
async def test_questions_come_in_an_array_too(
    analyst: AnalystClient, switchable: SwitchableModel, answer: str
) -> None:
    switchable.script([Say(answer)])

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert [line["text"] for line in lines if line["type"] == "question"] == ["A?", "B?"]


async def test_warnings_come_before_the_model_is_asked(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say(ONE)])

    lines = await analyst.post_lines(QUESTIONS, {"input_tables": [{"name": "gone"}]})

    assert line_types(lines) == ["progress", "warning", "progress", "question", "done"]


async def test_start_question_is_in_the_prompt(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say(ONE)])

    await analyst.post_lines(
        QUESTIONS, {**TABLES, "start_question": "Why so?", "current_chart": PICTURE}
    )

    result = model.requests[0].messages[-1]
    assert "Table sales" in result.text
    assert "Begin from: Why so?" in result.text
    assert [image.url for image in result.images] == [PICTURE]


async def test_model_that_refuses_images_is_asked_without_the_chart(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Fail(ModelRefused(400))], [Say(ONE)])

    lines = await analyst.post_lines(QUESTIONS, {**TABLES, "current_chart": PICTURE})

    assert line_types(drop_progress(lines)) == ["question", "done"]
    assert [len(request.messages[-1].images) for request in model.requests] == [1, 0]


async def test_failure_is_one_error_line_without_an_end_line(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(*[[fail_at_once(ModelFailed(503))]] * 4)

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert line_types(drop_progress(lines)) == ["error"]
    assert find_line(lines, "error")["error"]["code"] == "LLM_SERVICE_ERROR"
    assert len(model.requests) == 3


async def test_questions_before_a_failure_are_kept(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say(f"{ONE}\n"), Fail(ModelFailed(503))])

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert line_types(drop_progress(lines)) == ["question", "error"]
    assert len(model.requests) == 1


async def test_suggestions_are_no_conversation(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("The north.")], [Say(ONE)])
    body = run_body("Who sold most?")
    await analyst.caller.submit(body)
    await analyst.caller.events(body["threadId"], body["runId"])

    await analyst.post_lines(QUESTIONS, TABLES)

    _, listed = await analyst.caller.get("/api/v1/agent/history")
    _, last_used = await analyst.caller.get("/api/v1/agent/history?scope=history_day")
    assert [message["threadId"] for message in listed["messages"]] == [body["threadId"]]
    assert last_used["threadId"] == body["threadId"]
