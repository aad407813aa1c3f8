"""A report about charts (seed 001, generate-report-chat)."""

from itertools import groupby

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    REPORT,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
)
from tests.protocols.switchable_model import SwitchableModel, fail_at_once

from yarrow.llm.errors import ModelDenied, ModelFailed
from yarrow.llm.scripted import Call, Fail, Say

CHART: JsonObject = {
    "chart_id": "c-1",
    "chart_type": "Bar Chart",
    "encodings": {"x": "region", "y": "total"},
    "table_ref": "totals",
    "code": "SELECT 1",
    "chart_data": {"name": "totals", "rows": [{"region": "a", "n": 1}, {"region": "b", "n": 2}]},
}
BODY: JsonObject = {
    "input_tables": [{"name": "sales"}],
    "charts": [CHART],
    "user_prompt": "Write about regions.",
}
TEXT = "# 报告\n\nThe north leads.\n\n![By region](chart://c-1)\n\nAnd so on.\n"


def joined(lines: list[JsonObject]) -> str:
    return "".join(line["content"] for line in lines if line["type"] == "text_delta")


def kinds(lines: list[JsonObject]) -> list[str]:
    """The types of the lines, a run of equal ones as one."""
    return [kind for kind, _ in groupby(line_types(drop_progress(lines)))]


async def test_charts_are_looked_at_then_the_report_streams(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(
        [Call("inspect_chart", {"chart_ids": ["c-1", "c-9"]})],
        [Call("inspect_source_data", {"table_names": ["sales"]})],
        [Say("Now I know enough.")],
        [Say(TEXT)],
    )

    lines = await analyst.post_lines(REPORT, BODY)

    assert kinds(lines) == ["text_delta", "embed_chart", "text_delta", "done"]
    assert find_line(lines, "embed_chart") == {
        "type": "embed_chart",
        "chart_id": "c-1",
        "caption": "By region",
    }
    assert joined(lines) == TEXT
    assert lines[-1] == {"type": "done", "full_text": TEXT}
    looked = [m.text for m in model.requests[3].messages if m.tool_call_id]
    assert '"region":"a"' in looked[0]
    assert "c-9: not found" in looked[0]
    assert "Table sales: 3 rows" in looked[1]
    assert model.requests[3].tools == ()


async def test_calls_with_the_same_id_are_told_apart(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    call = Call("inspect_chart", {"chart_ids": ["c-1"]}, id="same")
    model = switchable.script([call, call], [call], [Say(TEXT)])

    await analyst.post_lines(REPORT, BODY)

    answers = [m.tool_call_id for m in model.requests[2].messages if m.tool_call_id]
    assert len(set(answers)) == 3


async def test_a_chart_of_a_table_here_is_looked_at_with_its_rows(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    chart = {"chart_id": "c-2", "chart_type": "Bar Chart", "table_ref": "sales"}
    model = switchable.script([Call("inspect_chart", {"chart_ids": ["c-2"]})], [Say(TEXT)])

    await analyst.post_lines(REPORT, {**BODY, "charts": [chart]})

    assert '"region":"north"' in model.requests[1].messages[-1].text


async def test_reasoning_in_tags_is_not_written(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say("<think>secret "), Say("plan</think>\n\n"), Say(TEXT)])

    lines = await analyst.post_lines(REPORT, BODY)

    assert (joined(lines), lines[-1]["full_text"]) == (TEXT, TEXT)
    assert len(model.requests) == 1


async def test_a_model_that_needs_no_tools_writes_at_once(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say(TEXT)])

    lines = await analyst.post_lines(REPORT, BODY)

    assert joined(lines) == TEXT
    assert len(model.requests) == 1
    assert line_types(lines).count("text_delta") > 5


async def test_an_embedded_chart_line_stays_in_the_text(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say(TEXT)])

    lines = await analyst.post_lines(REPORT, BODY)

    assert "![By region](chart://c-1)" in lines[-1]["full_text"]


async def test_a_chart_is_embedded_once(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("# T\n![a](chart://c-1)\n![b](chart://c-1)")])

    lines = await analyst.post_lines(REPORT, BODY)

    assert find_line(lines, "embed_chart")["caption"] == "a"


@pytest.mark.parametrize(
    "line",
    ["![cap [x]](chart://c-1)", '![t](chart://c-1 "title")', "As ![here](chart://c-1) we see."],
)
async def test_whatever_is_an_image_embeds(
    analyst: AnalystClient, switchable: SwitchableModel, line: str
) -> None:
    switchable.script([Say(f"# T\n\n{line}\n\nMore.\n")])

    lines = await analyst.post_lines(REPORT, BODY)

    assert kinds(lines) == ["text_delta", "embed_chart", "text_delta", "done"]


async def test_code_embeds_nothing_and_uses_up_no_chart(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    fence = "```\n![fenced](chart://c-1)\n```\n"
    switchable.script([Say(f"# T\n\n{fence}\n`![span](chart://c-1)`\n\n![real](chart://c-1)\n")])

    lines = await analyst.post_lines(REPORT, BODY)

    assert find_line(lines, "embed_chart")["caption"] == "real"


async def test_tables_are_named_without_case(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Call("embed_table", {"table_id": "SALES"})], [Say("# T\n![All](table://Sales)\n")]
    )

    lines = await analyst.post_lines(REPORT, BODY)

    shown = [line["table_id"] for line in lines if line["type"] == "embed_table"]
    assert shown == ["sales", "sales"]


async def test_unknown_charts_and_tables_are_warnings(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("# T\n![a](chart://nope)\n![b](table://nope)\n")])

    lines = await analyst.post_lines(REPORT, BODY)

    codes = [line["warning"]["message_code"] for line in lines if line["type"] == "warning"]
    assert codes == ["CHART_NOT_FOUND", "TABLE_NOT_FOUND"]
    assert lines[-1]["type"] == "done"


async def test_a_table_line_embeds_rows(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("# T\n![All](table://sales)")])

    embedded = find_line(await analyst.post_lines(REPORT, BODY), "embed_table")

    assert embedded["columns"] == ["month", "region", "revenue"]
    assert (len(embedded["rows"]), embedded["row_count"]) == (3, 3)
    assert (embedded["table_id"], embedded["caption"]) == ("sales", "All")


async def test_a_long_table_is_embedded_in_part_and_says_so(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    rows = [{"day": day} for day in range(25)]
    chart = {"chart_id": "c1", "table_ref": "d", "chart_data": {"rows": rows}}
    switchable.script([Say("# T\n![All](table://d)")])

    embedded = find_line(
        await analyst.post_lines(REPORT, {**BODY, "charts": [chart]}), "embed_table"
    )

    assert (len(embedded["rows"]), embedded["row_count"]) == (10, 25)


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        (
            {"table_id": "sales", "columns": ["region", "zip"], "sort_by": "revenue"},
            [{"region": "north"}, {"region": "south"}, {"region": "north"}],
        ),
        (
            {"table_id": "sales", "sort_by": "revenue", "max_rows": 1},
            [{"month": "2026-02", "region": "north", "revenue": 30}],
        ),
        ({"table_id": "totals", "sort_by": "n", "columns": ["n"]}, [{"n": 2}, {"n": 1}]),
    ],
)
async def test_a_tool_embeds_the_largest_rows(
    analyst: AnalystClient,
    switchable: SwitchableModel,
    arguments: JsonObject,
    rows: list[JsonObject],
) -> None:
    switchable.script([Call("embed_table", arguments)], [Say("# T")])

    assert find_line(await analyst.post_lines(REPORT, BODY), "embed_table")["rows"] == rows


async def test_a_tool_embeds_a_chart(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    switchable.script(
        [
            Call("embed_chart", {"chart_id": "c-1", "caption": "x"}),
            Call("embed_chart", {"chart_id": "c-7"}),
            Call("embed_table", {"table_id": "c-8"}),
        ],
        [Say("# T")],
    )

    lines = await analyst.post_lines(REPORT, BODY)

    assert kinds(lines) == ["embed_chart", "warning", "text_delta", "done"]


async def test_a_failure_while_looking_is_a_warning(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(
        [Call("inspect_chart", {"chart_ids": ["c-1"]})], [Fail(ModelDenied(401))], [Say(TEXT)]
    )

    lines = await analyst.post_lines(REPORT, BODY)

    assert find_line(lines, "warning")["warning"]["message_code"] == "INSPECT_PHASE_FAILED"
    assert joined(lines) == TEXT
    assert len(model.requests[2].messages) == 3


async def test_a_failure_while_writing_is_an_error_and_not_text(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Say("# T\nhalf a"), Fail(ModelFailed(503))])

    lines = await analyst.post_lines(REPORT, BODY)

    assert joined(lines) == "# T\nhalf a"
    assert line_types(lines)[-1] == "error"
    assert find_line(lines, "error")["error"]["code"] == "LLM_SERVICE_ERROR"


async def test_a_model_that_fails_all_along_ends_in_one_error(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script(*[[fail_at_once(ModelFailed(503))]] * 10)

    lines = await analyst.post_lines(REPORT, BODY)

    assert kinds(lines) == ["warning", "error"]
    assert len(model.requests) == 6


async def test_the_report_is_in_the_clients_language(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    model = switchable.script([Say(TEXT)])
    analyst.caller.headers["Accept-Language"] = "fr-FR"

    await analyst.post_lines(REPORT, BODY)

    assert "in French." in model.requests[0].messages[1].text
    assert "Write about regions." in model.requests[0].messages[1].text
