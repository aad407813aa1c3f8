"""What nobody is to see: instructions, paths, words of a provider."""

import pytest
from tests.protocols.ndjson.analyst_client import (
    BY_REGION_PYTHON,
    CLARIFY,
    QUESTIONS,
    REPORT,
    SUMMARY,
    AnalystClient,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel

from yarrow.agents.analyst.chart import prompt
from yarrow.agents.analyst.questions import agent as questions
from yarrow.agents.analyst.report import agent as report
from yarrow.kit.json import encode_json
from yarrow.llm.scripted import Call, Say

INSTRUCTIONS = (
    "You are a data analyst",
    "Work in steps",
    "Answer with one JSON object",
    "You write a report",
    "Suggest 4 questions",
)


def test_phrases_searched_for_are_in_the_prompts() -> None:
    result = prompt.INSTRUCTIONS + prompt.FORMAT_ONLY + questions.INSTRUCTIONS + report.INSTRUCTIONS

    assert all(words in result for words in INSTRUCTIONS)


async def test_instructions_are_in_no_line_and_no_event_of_another_protocol(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [Call("explore", {"code": "print(1)"})],
        [visualize(code=BY_REGION_PYTHON)],
        [visualize(code="broken")],
        [visualize(code="broken")],
        [CLARIFY],
    )
    lines = await analyst.ask()
    session_id, run_id = lines[0]["session_id"], lines[0]["run_id"]
    frames = await analyst.caller.events(session_id, run_id)
    _, history = await analyst.caller.get(f"/api/v1/agent/history?threadId={session_id}")

    seen = encode_json([lines, [frame.data for frame in frames], history]).decode()

    assert frames[-1].type == "RUN_FINISHED"
    assert '"clarify"' in seen
    assert not [words for words in INSTRUCTIONS if words in seen]
    assert str(analyst.served.product.settings.data_dir) not in seen


@pytest.mark.parametrize("path", [QUESTIONS, REPORT])
async def test_other_streams_do_not_tell_them_either(
    analyst: AnalystClient, switchable: SwitchableModel, path: str
) -> None:
    switchable.script([Say("# T\n")], [SUMMARY])

    lines = await analyst.post_lines(path, {"input_tables": [{"name": "sales"}]})

    assert not [words for words in INSTRUCTIONS if words in str(lines)]


async def test_a_model_cannot_read_files_of_the_server(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script(
        [
            Call("run_sql", {"query": "SELECT * FROM read_text('/etc/passwd')"}),
            Call("explore", {"code": "print(open('/etc/passwd').read())"}),
            Call("explore", {"code": "import os; print(os.environ)"}),
        ],
        [SUMMARY],
    )

    result = str(await analyst.ask())

    assert "root:" not in result
    assert "YARROW" not in result
    assert str(analyst.served.product.settings.data_dir) not in result
