"""Looking at the data before acting (seed 001, thinking_text; the tool loop)."""

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.ndjson.analyst_client import (
    BARS,
    BY_REGION_SQL,
    SUMMARY,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
    make_action,
    think,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Served

from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Call, Say, Think

NOTHING = {"purpose": None, "code": None, "table_names": None, "query": None}


async def used(
    analyst: AnalystClient, switchable: SwitchableModel, *calls: Call
) -> list[JsonObject]:
    """What is told of these calls."""
    switchable.script(list(calls), [SUMMARY])
    *result, last = drop_progress(await analyst.ask())
    assert last["type"] == "completion"
    return result


async def test_think_tool_is_a_line(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    assert await used(analyst, switchable, think(" Let me see. ")) == [
        {"type": "thinking_text", "content": "Let me see."}
    ]


async def test_text_beside_tools_is_reasoning(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Say("First the schema. "), Call("run_sql", {"query": "SELECT 1"})], [SUMMARY]
    )

    result = drop_progress(await analyst.ask())

    assert line_types(result) == ["thinking_text", "tool_start", "tool_result", "completion"]
    assert result[0]["content"] == "First the schema."


async def test_tables_are_inspected(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    start, result = await used(
        analyst, switchable, Call("inspect_source_data", {"table_names": ["Sales", "gone"]})
    )

    assert start == {
        "type": "tool_start",
        "tool": "inspect_source_data",
        **NOTHING,
        "table_names": ["Sales", "gone"],
    }
    assert (result["tool"], result["status"]) == ("inspect_source_data", "ok")
    assert "Table sales: 3 rows" in result["stdout"]
    assert "revenue (integer, 3 distinct)" in result["stdout"]
    assert "Table gone: not found" in result["stdout"]
    assert "Table Sales: not found" not in result["stdout"]


async def test_sql_shows_rows(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    arguments: JsonObject = {"purpose": "totals", "query": BY_REGION_SQL}

    start, result = await used(analyst, switchable, Call("run_sql", arguments))

    assert start == {"type": "tool_start", "tool": "run_sql", **NOTHING, **arguments}
    assert result["stdout"].splitlines()[0] == '{"region":"north","total":40}'


async def test_sql_error_is_returned_to_the_model(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    _, result = await used(
        analyst, switchable, Call("run_sql", {"query": "SELECT nope FROM sales"})
    )

    assert result["status"] == "error"
    assert "nope" in result["error"]


async def test_names_of_python_stay_between_pieces(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    result = await used(
        analyst,
        switchable,
        Call("explore", {"purpose": "a", "code": "n = 41"}),
        Call("explore", {"purpose": "b", "code": "n += 1\nprint(n)"}),
    )

    assert [line["stdout"] for line in result if line["type"] == "tool_result"] == ["", "42\n"]


async def test_long_output_is_cut(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    _, result = await used(analyst, switchable, Call("explore", {"code": "print('x' * 9000)"}))

    assert result["stdout"] == "x" * 8000 + "… (truncated)"


async def test_python_error_is_returned_without_paths(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    _, result = await used(analyst, switchable, Call("explore", {"code": "open('/etc/shadow')"}))

    assert result["status"] == "error"
    assert "/etc" not in result["error"]


async def test_a_crash_of_python_does_not_end_the_analysis(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    result = await used(
        analyst,
        switchable,
        Call("explore", {"code": "import os; os._exit(3)"}),
        Call("explore", {"code": "print('again')"}),
    )

    assert [line["status"] for line in result if "status" in line] == ["error", "ok"]


async def test_unknown_tool_is_an_error_result_and_the_run_continues(  # DF085
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    start, result = await used(analyst, switchable, Call("teleport", {"where": "Mars"}))

    assert start == {"type": "tool_start", "tool": "teleport", **NOTHING}
    assert (result["tool"], result["status"]) == ("teleport", "error")
    assert "teleport" in result["error"]
    assert "think" in result["error"]


async def test_calls_of_one_answer_go_in_order_with_ids_of_their_own(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    sql = Call("run_sql", {"query": "SELECT 1 AS n"}, id="same")
    model = switchable.script([sql, sql], [sql], [SUMMARY])

    result = drop_progress(await analyst.ask())

    assert line_types(result) == ["tool_start", "tool_result"] * 3 + ["completion"]
    messages = model.requests[2].messages
    calls = [call.id for message in messages for call in message.tool_calls]
    answers = [message.tool_call_id for message in messages if message.role is ChatRole.TOOL]
    assert calls == answers
    assert len(set(calls)) == 3


async def test_reasoning_is_sent_back_to_the_model(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(
        [Think("secret steps"), Call("run_sql", {"query": "SELECT 1"})], [SUMMARY]
    )

    lines = await analyst.ask()

    assert model.requests[1].messages[-2].reasoning == "secret steps"
    assert "secret" not in str(lines)


@pytest.mark.parametrize(
    ("call", "missing"),
    [
        (Call("explore", {"code": None}), "code"),
        (Call("explore", {}), "code"),
        (Call("run_sql", {"sql": "SELECT 1"}), "query"),
        (Call("run_sql", {"query": ["SELECT 1"]}), "query"),
        (Call("inspect_source_data", {"table_names": {"a": 1}}), "table_names"),
    ],
)
async def test_call_without_its_argument_is_an_error_result(
    analyst: AnalystClient, switchable: SwitchableModel, call: Call, missing: str
) -> None:
    _, result = await used(analyst, switchable, call)

    assert result["status"] == "error"
    assert f"without its argument {missing}" in result["error"]


async def test_a_chart_that_is_only_named_is_of_that_type(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize(chart="Bar Chart")], [SUMMARY])

    result = find_line(await analyst.ask(), "result")

    assert result["content"]["result"]["refined_goal"]["chart"]["chart_type"] == "Bar Chart"


async def test_reasoning_in_tags_is_no_answer(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say('<think>{"action": "dance"}</think>\n'), SUMMARY])

    assert line_types(drop_progress(await analyst.ask())) == ["completion"]


@pytest.mark.parametrize("chart", [BARS, '{"chart_type": "bar", "encodings": {"x": "region"}}'])
async def test_action_called_as_a_tool_is_accepted(
    analyst: AnalystClient, switchable: SwitchableModel, chart: JsonValue
) -> None:
    switchable.script([Call("visualize", {"sql": BY_REGION_SQL, "chart": chart})], [SUMMARY])

    result = drop_progress(await analyst.ask())

    assert line_types(result) == ["action", "result", "completion"]


async def test_an_action_called_as_a_tool_says_what_it_lacks(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    start, result = await used(analyst, switchable, Call("visualize", {"thought": "hm"}))

    assert start["tool"] == "visualize"
    assert result["error"] == "Missing fields: code, chart"


async def test_one_action_at_a_time(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    chart = Call("visualize", {"sql": BY_REGION_SQL, "chart": BARS})
    model = switchable.script([chart, chart, Call("run_sql", {"query": "SELECT 1"})], [SUMMARY])

    result = drop_progress(await analyst.ask())

    assert line_types(result) == ["action", "result", "completion"]
    answers = [m.text for m in model.requests[1].messages if m.role is ChatRole.TOOL]
    assert answers == ["ok", *["Not done: one action at a time."] * 2]


async def test_an_unknown_action_is_a_warning_and_no_end(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([make_action("dance")], [SUMMARY])

    lines = await analyst.ask()

    assert find_line(lines, "warning")["warning"]["message_code"] == "UNKNOWN_ACTION"
    assert lines[-1]["type"] == "completion"
    assert "There is no action dance" in model.requests[1].messages[-1].text


async def test_a_model_without_form_is_reminded_once(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("Hello there.")], [SUMMARY])

    lines = await analyst.ask()

    assert lines[-1]["type"] == "completion"
    assert "one JSON object" in model.requests[1].messages[-1].text


async def test_an_action_after_quoted_data_is_found(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say('The first row is {"region": "north"}.\n'), SUMMARY])

    assert (await analyst.ask())[-1]["type"] == "completion"


async def test_a_sloppy_action_is_read(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    switchable.script([Say('{"action": "summary", // done\n "summary": "Line\nbreak", }')])

    assert (await analyst.ask())[-1]["content"]["summary"] == "Line\nbreak"


async def test_pictures_come_along_only_as_data(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([SUMMARY])
    picture = "data:image/png;base64,iVBORw0KGgo="

    await analyst.ask(attached_images=["https://example.com/x.png", picture, "data:text/html,x"])

    assert [image.url for image in model.requests[0].messages[-1].images] == [picture]


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "in Simplified Chinese."),
        ("de", "in German."),
        ("tlh", "in tlh."),
    ],
)
async def test_the_answer_is_in_the_language_of_the_client_if_the_question_gives_no_clue(
    analyst: AnalystClient, switchable: SwitchableModel, header: str, line: str
) -> None:
    model = switchable.script([SUMMARY])
    analyst.caller.headers["Accept-Language"] = header

    await analyst.ask("revenue?")

    assert line in model.requests[0].messages[0].text


@pytest.mark.parametrize("header", ["en-US", "", "*", "<b>"])
async def test_prompt_names_no_language_without_one(
    analyst: AnalystClient, switchable: SwitchableModel, header: str
) -> None:
    model = switchable.script([SUMMARY])
    analyst.caller.headers["Accept-Language"] = header

    await analyst.ask()

    assert "Write everything" not in model.requests[0].messages[0].text


async def test_the_prompt_knows_focus_threads_and_rules(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    await analyst.create_table("costs", "c\n1\n")
    model = switchable.script([SUMMARY])
    thread = [{"user_question": "Before?", "chart_type": "Auto", "chart_thumbnail": "data:x"}]

    await analyst.ask(
        input_tables=[{"name": "sales"}, {"name": "costs"}],
        primary_tables=["costs"],
        focused_thread=thread,
        other_threads=[{"source_table": "sales", "steps": ["looked around"]}],
        agent_exploration_rules="Be brief.",
    )

    result = model.requests[0].messages[0].text
    assert result.index("Table costs") < result.index("Table sales")
    assert "Before?" in result
    assert "looked around" in result
    assert "Be brief." in result
    assert "data:x" not in result
    assert "Auto" not in result


async def test_without_python_queries_are_left(
    without_python: Served, switchable: SwitchableModel
) -> None:
    analyst = AnalystClient(without_python, await without_python.account())
    await analyst.create_table("sales")
    model = switchable.script([Call("explore", {"code": "1"})], [visualize()], [SUMMARY])

    result = drop_progress(await analyst.ask())

    assert line_types(result) == ["tool_start", "tool_result", "action", "result", "completion"]
    assert result[1]["status"] == "error"
    assert "explore" not in [tool.name for tool in model.requests[0].tools]
    assert "pandas" not in model.requests[0].messages[0].text
