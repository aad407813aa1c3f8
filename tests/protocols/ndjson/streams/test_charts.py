"""From a question to charts and a summary, line by line (seed 001, data-agent-streaming)."""

import hashlib
import hmac
from io import BytesIO

import pytest
from tests.protocols.ndjson.analyst_client import (
    BARS,
    BY_REGION_PYTHON,
    BY_REGION_SQL,
    DATA_AGENT,
    SUMMARY,
    TOTALS,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
    make_action,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel
from tests.vega_schema import validate_spec

from yarrow.kit.json import encode_json
from yarrow.llm.model import ChatRole
from yarrow.llm.scripted import Call, Say

BROKEN = "totals = nonsense"


@pytest.mark.parametrize(
    ("step", "code", "language"),
    [
        (visualize(), BY_REGION_SQL, "sql"),
        (visualize(code=BY_REGION_PYTHON), BY_REGION_PYTHON.strip(), "python"),
    ],
)
async def test_a_chart_and_a_summary(
    analyst: AnalystClient, switchable: SwitchableModel, step: Say, code: str, language: str
) -> None:
    switchable.script([step], [SUMMARY])

    lines = await analyst.ask()

    assert line_types(lines) == [
        *("progress", "progress", "action", "progress", "result"),
        *("progress", "completion"),
    ]
    action, result, done = drop_progress(lines)
    assert action == {
        "type": "action",
        "iteration": 1,
        "action": "visualize",
        "thought": "compare",
        "display_instruction": "**Revenue** by region",
        "input_tables": ["sales"],
    }
    made = result["content"]["result"]
    spec, signature = made.pop("vega_lite"), made.pop("code_signature")
    assert result == {
        "type": "result",
        "iteration": 1,
        "status": "success",
        "content": {"question": "**Revenue** by region", "result": made},
    }
    assert made == {
        "status": "ok",
        "code": code,
        "code_language": language,
        "content": {
            "rows": TOTALS,
            "virtual": {"table_name": "d_totals", "row_count": 2},
        },
        "refined_goal": {
            "display_instruction": "**Revenue** by region",
            "output_variable": "totals",
            "output_fields": ["region", "total"],
            "chart": {**BARS, "config": {}},
            "field_metadata": {},
            "field_display_names": {},
        },
        "agent": "DataAgent",
    }
    assert spec["data"]["values"] == TOTALS
    assert validate_spec(spec) == []
    assert len(bytes.fromhex(signature)) == hashlib.sha256().digest_size
    assert done == {
        "type": "completion",
        "iteration": 2,
        "status": "success",
        "content": {"summary": "The north sold more.", "total_steps": 1},
    }
    assert await analyst.list_tables() == ["sales", "d_totals"]


async def test_notes_of_a_chart_reach_model_and_client(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    chart = {"chart_type": "hologram", "encodings": {"x": "region", "y": "total"}}
    model = switchable.script([visualize(chart=chart)], [SUMMARY])

    result = find_line(await analyst.ask(), "result")["content"]["result"]

    assert result["notes"] == ["no chart is called 'hologram'; drawn as a scatter plot"]
    assert "Note: no chart is called 'hologram'" in model.requests[1].messages[-1].text


async def test_programs_are_signed_with_a_key_of_the_server(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], [visualize()])

    first, second = [
        line["content"]["result"]["code_signature"]
        for line in await analyst.ask(max_iterations=2)
        if line["type"] == "result"
    ]

    assert first == second
    assert first != hmac.new(b"", BY_REGION_SQL.encode(), hashlib.sha256).hexdigest()


async def test_later_steps_see_the_tables_of_earlier_ones(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(
        [visualize()], [visualize(sql="SELECT * FROM d_totals WHERE total > 30")], [SUMMARY]
    )

    results = [line for line in await analyst.ask() if line["type"] == "result"]

    assert results[1]["content"]["result"]["content"]["rows"] == TOTALS[:1]
    observed = model.requests[1].messages[-1]
    assert observed.role is ChatRole.USER
    assert "d_totals" in observed.text
    assert '"region":"north"' in observed.text


async def test_a_variable_that_was_not_bound_is_the_last_one_that_was(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize(code=BY_REGION_PYTHON, output_variable="answer")], [SUMMARY])

    result = find_line(await analyst.ask(), "result")["content"]["result"]

    assert result["content"]["rows"] == TOTALS
    assert result["code"].endswith("answer = totals\n")


async def test_braces_in_a_program_do_not_end_the_action(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [visualize(code=BY_REGION_PYTHON + "\nprint('}')\nx = {'a': '{'}")], [SUMMARY]
    )

    assert "result" in line_types(await analyst.ask())


async def test_text_around_an_action_is_streamed_as_text(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("I will sum up.\n```json\n"), SUMMARY, Say("\n```")])

    result, _ = drop_progress(await analyst.ask())

    assert result == {"type": "text_delta", "content": "I will sum up."}


async def test_of_two_actions_the_second_is_not_shown(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("One. "), SUMMARY, Say(" Two. "), visualize()])

    result, done = drop_progress(await analyst.ask())

    assert result == {"type": "text_delta", "content": "One.\nTwo."}
    assert done["type"] == "completion"


async def test_the_capitals_of_an_action_do_not_matter(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Say(visualize().text.replace('"visualize"', '"Visualize"'))],
        [Call("SUMMARY", {"summary": "ok"})],
    )

    assert line_types(drop_progress(await analyst.ask())) == ["action", "result", "completion"]


async def test_prompt_lists_the_chart_types(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([SUMMARY])

    await analyst.ask()

    result = model.requests[0].messages[0].text
    assert "- Candlestick Chart: x*, open*, high*, low*, close*, facets" in result


async def test_a_broken_program_is_mended_once(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(
        [visualize(code=BROKEN)], [visualize(code=BY_REGION_PYTHON)], [SUMMARY]
    )

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["action", "result", "completion"]
    assert "[CODE ERROR]" in model.requests[1].messages[-1].text
    assert "NameError" in model.requests[1].messages[-1].text


async def test_program_that_stays_broken_is_a_warning_and_the_analysis_continues(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([visualize(code=BROKEN)], [visualize(code=BROKEN)], [SUMMARY])

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["action", "warning", "completion"]
    warning = find_line(lines, "warning")["warning"]
    assert set(warning) == {"message", "message_code"}
    assert warning["message_code"] == "CHART_STEP_FAILED"
    assert "FAILED" in model.requests[2].messages[-1].text
    assert find_line(lines, "completion")["content"]["total_steps"] == 0
    assert await analyst.list_tables() == ["sales"]


async def test_only_another_chart_mends_a_chart(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [visualize(code=BROKEN)], [SUMMARY], [make_action("summary", summary="Later.")]
    )

    lines = await analyst.ask()

    assert line_types(drop_progress(lines)) == ["action", "warning", "completion"]
    assert find_line(lines, "completion")["content"]["summary"] == "Later."


@pytest.mark.parametrize("attempts", [0, 3])
async def test_the_client_says_how_often_to_mend(
    analyst: AnalystClient, switchable: SwitchableModel, attempts: int
) -> None:
    model = switchable.script(*[[visualize(code=BROKEN)]] * (attempts + 1), [SUMMARY])

    lines = await analyst.ask(max_repair_attempts=attempts)

    assert lines[-1]["type"] == "completion"
    assert len(model.requests) == attempts + 2


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"chart": {"chart_type": "Bar Chart", "encodings": {"x": "nope", "y": "total"}}}, "nope"),
        ({"sql": BY_REGION_SQL.replace("GROUP", "WHERE false GROUP")}, "no rows"),
        ({"sql": "DROP TABLE sales"}, ""),
        ({"code": "totals = 7"}, "totals"),
    ],
)
async def test_empty_result_makes_no_chart(
    analyst: AnalystClient, switchable: SwitchableModel, changed: dict[str, object], complaint: str
) -> None:
    switchable.script([visualize(**changed)], [visualize(**changed)], [SUMMARY])

    lines = await analyst.ask()

    assert "result" not in line_types(lines)
    assert complaint in find_line(lines, "warning")["warning"]["message"]
    assert await analyst.list_tables() == ["sales"]


@pytest.mark.parametrize("begin", [{"max_iterations": 0}, {"completed_step_count": 5}])
async def test_exhausted_budget_calls_no_model(
    analyst: AnalystClient, switchable: SwitchableModel, begin: dict[str, int]
) -> None:
    model = switchable.script([SUMMARY])

    [done] = drop_progress(await analyst.post_lines(DATA_AGENT, {"user_question": "?", **begin}))

    assert (done["type"], done["status"]) == ("completion", "max_iterations")
    assert done["content"]["summary_code"] == "agent.maxIterationsSummary"
    assert model.requests == []


async def test_the_budget_ends_the_analysis(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([visualize()], [visualize()], [SUMMARY])

    lines = await analyst.ask(max_iterations=2)

    assert lines[-1]["status"] == "max_iterations"
    assert lines[-1]["content"]["total_steps"] == 2
    assert len(model.requests) == 2


async def test_rows_that_come_along_become_a_table(
    empty_analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], [SUMMARY])
    rows = [{"region": "north", "revenue": 40}, {"region": "south", "revenue": 20}]
    body = {"user_question": "?", "input_tables": [{"name": "sales", "rows": rows}]}

    lines = await empty_analyst.post_lines(DATA_AGENT, body)

    assert find_line(lines, "result")["content"]["result"]["content"]["rows"] == TOTALS


async def test_rows_that_come_along_do_not_delay_the_first_line(
    empty_analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([SUMMARY])
    rows = [{"region": f"r{number}", "revenue": number} for number in range(100_000)]
    body = {"user_question": "?", "input_tables": [{"name": "sales", "rows": rows}]}

    async with empty_analyst.post(DATA_AGENT, BytesIO(encode_json(body))) as answer:
        assert await answer.content.readline()
        tables_then = await empty_analyst.list_tables()
        await answer.read()

    assert tables_then == []
    assert await empty_analyst.list_tables() == ["sales"]
    folder = empty_analyst.served.product.tables.sandbox.spool_path("").parent
    assert list(folder.glob(f"*.{empty_analyst.caller.id}.rows")) == []


async def test_rows_that_come_along_do_not_replace_a_table(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([visualize()], [SUMMARY])

    lines = await analyst.ask(input_tables=[{"name": "sales", "rows": [{"region": "x"}]}])

    assert find_line(lines, "result")["content"]["result"]["content"]["rows"] == TOTALS
