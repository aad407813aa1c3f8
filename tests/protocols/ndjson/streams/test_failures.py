"""What goes wrong: an error line at the end, a warning before the next line (seed 001, 2)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    LOADING,
    REPORT,
    STREAMS,
    SUMMARY,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
    make_action,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel, fail_at_once
from tests.serving import serving

from yarrow.llm.errors import (
    AnswerFiltered,
    ModelBroken,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    PromptTooLong,
)
from yarrow.llm.model import FinishReason
from yarrow.llm.scripted import Fail, Say, ScriptedModel, Stop
from yarrow.tables.read import list_tables


class Expected(Struct, frozen=True):
    code: str
    retry: bool
    tries: int


FAILURES: list[tuple[Callable[[], ModelError], Expected]] = [
    (lambda: ModelDenied(401), Expected("LLM_AUTH_FAILED", retry=False, tries=1)),
    (lambda: ModelRateLimited(0.0), Expected("LLM_RATE_LIMIT", retry=True, tries=3)),
    (lambda: PromptTooLong(400), Expected("LLM_CONTEXT_TOO_LONG", retry=False, tries=1)),
    (lambda: ModelUnknown(404), Expected("LLM_MODEL_NOT_FOUND", retry=False, tries=1)),
    (lambda: ModelTimeout(60_000), Expected("LLM_TIMEOUT", retry=True, tries=3)),
    (ModelUnreachable, Expected("LLM_TIMEOUT", retry=True, tries=3)),
    (lambda: ModelFailed(502), Expected("LLM_SERVICE_ERROR", retry=True, tries=3)),
    (lambda: AnswerFiltered(400), Expected("LLM_CONTENT_FILTERED", retry=False, tries=1)),
    (lambda: ModelForbidden(403), Expected("ACCESS_DENIED", retry=False, tries=1)),
    (lambda: ModelRefused(400), Expected("LLM_UNKNOWN_ERROR", retry=False, tries=1)),
    (ModelBroken, Expected("LLM_UNKNOWN_ERROR", retry=False, tries=1)),
]


@pytest.mark.parametrize(("failure", "expected"), FAILURES)
async def test_every_failure_of_a_model_has_its_code(
    analyst: AnalystClient,
    switchable: SwitchableModel,
    failure: Callable[[], ModelError],
    expected: Expected,
) -> None:
    model = switchable.script(*[[fail_at_once(failure())]] * 5)

    lines = await analyst.ask()

    assert line_types(lines)[-1] == "error"
    error = find_line(lines, "error")
    assert set(error) == {"type", "error"}
    assert set(error["error"]) == {"code", "message", "retry"}
    result = Expected(error["error"]["code"], error["error"]["retry"], len(model.requests))
    assert result == expected


STUMBLES = [(failure, expected) for failure, expected in FAILURES if expected.tries > 1]
ASKED: JsonObject = {
    "user_question": "?",
    "messages": [{"role": "user", "content": "load it"}],
}
"""A body that every stream takes."""


@pytest.mark.parametrize("path", STREAMS)
@pytest.mark.parametrize(("failure", "expected"), STUMBLES)
async def test_all_streams_have_the_same_patience(
    analyst: AnalystClient,
    switchable: SwitchableModel,
    path: str,
    failure: Callable[[], ModelError],
    expected: Expected,
) -> None:
    beforehand = [[Fail(PromptTooLong(400))]] if path == REPORT else []  # its look at the charts
    model = switchable.script(*beforehand, *[[fail_at_once(failure())]] * 5)

    lines = await analyst.post_lines(path, ASKED)

    error = lines[-1]["error"]
    tries = len(model.requests) - len(beforehand)
    assert Expected(error["code"], error["retry"], tries) == expected


@pytest.mark.parametrize("path", STREAMS)
async def test_no_stream_takes_a_filtered_answer_for_one(
    analyst: AnalystClient, switchable: SwitchableModel, path: str
) -> None:
    switchable.script(*[[Stop(FinishReason.CONTENT_FILTER)]] * 2)

    lines = await analyst.post_lines(path, ASKED)

    assert lines[-1]["error"]["code"] == "LLM_CONTENT_FILTERED"
    assert "done" not in line_types(lines)


async def test_filtered_answer_is_an_error_line(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("I can"), Stop(FinishReason.CONTENT_FILTER)])

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["error"]
    assert lines[-1]["error"]["code"] == "LLM_CONTENT_FILTERED"


async def test_a_model_that_asks_to_slow_down_is_tried_three_times(  # DF049
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(*[[Fail(ModelRateLimited())]] * 5)
    tries: list[int] = []
    # The second request is sent at least a second after the first, on a slow machine too.
    asyncio.get_running_loop().call_later(0.9, lambda: tries.append(len(model.requests)))

    lines = await analyst.ask()

    assert [line["phase"] for line in lines if line["type"] == "progress"][2:] == [
        *("retrying_model", "retrying_model")
    ]
    assert lines[-1]["error"]["code"] == "LLM_RATE_LIMIT"
    assert lines[-1]["error"]["retry"] is True
    assert len(model.requests) == 3
    assert tries[0] <= 1


async def test_recovered_model_error_is_invisible(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("half"), fail_at_once(ModelUnreachable())], [SUMMARY])

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["completion"]


@pytest.mark.parametrize(
    "answers",
    [
        [Say("no"), Say("form"), Say("at"), Say("all")],
        [make_action("clarify", questions=[]), make_action("clarify", questions=["bad"])],
        [make_action("visualize", chart={}), make_action("delegate", target="moon", options=["x"])],
    ],
)
async def test_answers_that_hold_nothing_end_in_an_error(
    analyst: AnalystClient, switchable: SwitchableModel, answers: list[Say]
) -> None:
    model = switchable.script(*[[answer] for answer in answers], [SUMMARY])

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["error"]
    last = lines[-1]
    assert last["error"]["code"] == "AGENT_ERROR"
    assert (last["message_code"], last["iteration"]) == ("agent.parseActionFailed", 1)
    assert last["message"] == last["error"]["message"]
    assert len(model.requests) == len(answers)


async def test_model_that_stays_silent_has_its_own_error(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(*[[Say("")]] * 4, [SUMMARY])

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["error"]
    assert lines[-1]["error"]["code"] == "AGENT_ERROR"
    assert lines[-1]["message_code"] == "agent.llmEmptyResponse"
    assert len(model.requests) == 4


async def test_the_step_that_failed_is_named(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], *[[Say("no")]] * 4)

    assert (await analyst.ask())[-1]["iteration"] == 2


@pytest.mark.parametrize("path", [REPORT, LOADING])
async def test_empty_answer_is_no_success(
    analyst: AnalystClient, switchable: SwitchableModel, path: str
) -> None:
    switchable.script(*[[Say(" \n")]] * 3)

    lines = await analyst.post_lines(path, ASKED)

    assert "done" not in line_types(lines)
    assert lines[-1]["error"]["code"] == "AGENT_ERROR"
    assert lines[-1]["message_code"] == "agent.llmEmptyResponse"
    assert lines[-1]["message"] == lines[-1]["error"]["message"]


async def test_one_unusable_answer_costs_no_iteration(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([make_action("clarify")], [SUMMARY])

    lines = await analyst.ask(max_iterations=1)

    assert lines[-1]["status"] == "success"


async def test_a_missing_table_is_warned_of_once_before_the_next_line(  # DF025
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([SUMMARY])

    lines = await analyst.ask(input_tables=[{"name": "gone"}, {"name": "sales"}])

    assert line_types(lines) == ["progress", "warning", "progress", "completion"]
    assert lines[1] == {
        "type": "warning",
        "warning": {
            "message": "Table 'gone' is unavailable. It may have been removed.",
            "message_code": "TABLE_READ_FAILED",
        },
    }
    assert "Table sales" in model.requests[0].messages[0].text


async def test_a_table_whose_file_is_lost_is_warned_of(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    [table] = await list_tables(analyst.served.product.tables, analyst.workspace_ref)
    table.path.unlink()
    switchable.script([SUMMARY])

    lines = await analyst.ask()

    assert find_line(lines, "warning")["warning"]["message_code"] == "TABLE_READ_FAILED"
    assert lines[-1]["type"] == "completion"


async def test_table_is_found_by_its_original_name(
    empty_analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    await empty_analyst.create_table("Sales 2026")
    model = switchable.script([SUMMARY])

    lines = await empty_analyst.ask(input_tables=[{"name": "Sales 2026"}])

    assert "warning" not in line_types(lines)
    assert "Table sales_2026" in model.requests[0].messages[0].text


async def test_internal_error_is_one_line_that_reveals_nothing(  # DF021
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Fail(ValueError("db cursor broken"))])  # type: ignore[arg-type]

    lines = await analyst.ask()

    assert lines[-1] == {
        "type": "error",
        "error": {
            "code": "INTERNAL_ERROR",
            "message": "Something went wrong on our side.",
            "retry": False,
        },
    }
    assert "cursor" not in str(lines)


async def test_an_endless_program_is_cut_and_the_silence_broken(dsn: str, tmp_path: Path) -> None:
    model = ScriptedModel([visualize(code="while True: pass")], [SUMMARY])
    settings: JsonObject = {
        "llm_base_url": "http://127.0.0.1:9",
        "sandbox_timeout_s": 1,
        "heartbeat_s": 0.3,
    }
    async with serving(dsn, model=model, data_dir=tmp_path, **settings) as served:
        analyst = AnalystClient(served, await served.account())
        await analyst.create_table("sales")

        lines = await analyst.ask(max_repair_attempts=0)

    assert "TimeoutError" in find_line(lines, "warning")["warning"]["message"]
    assert lines[-1]["type"] == "completion"
    assert "waiting" in [line.get("phase") for line in lines]
