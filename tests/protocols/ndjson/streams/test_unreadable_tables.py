"""Where no table can be read, each answer says what to install or what the machine lacks."""

from collections.abc import AsyncIterator

import pytest
from tests.loose_json import JsonObject
from tests.protocols.ndjson.analyst_client import (
    DATA_AGENT,
    LOADING,
    QUESTIONS,
    REPORT,
    AnalystClient,
    drop_progress,
    find_line,
    line_types,
)
from tests.protocols.ndjson.conftest import cannot_isolate
from tests.serving import Served, serving

from yarrow.llm.scripted import ScriptedModel
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

COMMAND = "pip install 'yarrow[analyst]'"
BODIES: dict[str, JsonObject] = {
    DATA_AGENT: {"user_question": "revenue by region"},
    QUESTIONS: {},
    REPORT: {"messages": [{"role": "user", "content": "Write it."}]},
    LOADING: {"messages": [{"role": "user", "content": "Load sales.csv"}]},
}
ROWS = [{"region": "north", "revenue": 3}]
INPUT_TABLES: list[list[JsonObject]] = [[], [{"name": "sales"}], [{"name": "new", "rows": ROWS}]]


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A product without the packages of the extra `analyst`."""
    folder = tmp_path_factory.mktemp("bare")
    sandbox = Sandbox(Settings(data_dir=folder), has_packages=lambda: False)
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, sandbox=sandbox) as served:
        yield served


@pytest.mark.parametrize("tables", INPUT_TABLES, ids=["none", "named", "rows"])
@pytest.mark.parametrize("path", BODIES)
async def test_every_stream_names_the_missing_extra(  # issue 15, 1
    served: Served, path: str, tables: list[JsonObject]
) -> None:
    analyst = AnalystClient(served, await served.account())

    lines = await analyst.post_lines(path, {"input_tables": tables, **BODIES[path]})

    (warning,) = (line["warning"] for line in lines if line["type"] == "warning")
    assert warning["message_code"] == "TABLES_UNREADABLE"
    assert COMMAND in warning["message"]
    assert "error" not in line_types(lines)


@pytest.mark.parametrize(
    ("question", "words"), [("revenue by region", "reads no tables"), ("各地区的收入", "不能读取")]
)
async def test_an_answer_about_tables_names_the_missing_extra(
    served: Served, question: str, words: str
) -> None:
    analyst = AnalystClient(served, await served.account())

    lines = await analyst.ask(question)

    summary = find_line(lines, "completion")["content"]["summary"]
    assert words in summary
    assert COMMAND in summary


@pytest.mark.parametrize("path", [REPORT, LOADING])
async def test_a_text_about_tables_names_the_missing_extra(served: Served, path: str) -> None:
    analyst = AnalystClient(served, await served.account())

    lines = await analyst.post_lines(path, BODIES[path])

    text = "".join(line["content"] for line in lines if line["type"] == "text_delta")
    assert COMMAND in text
    assert "Attach" not in text


async def test_an_answer_says_that_the_machine_cannot_confine_a_reader(
    dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("unconfined")
    sandbox = Sandbox(Settings(data_dir=folder), probe=cannot_isolate, has_landlock=lambda: False)
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, sandbox=sandbox) as served:
        lines = await AnalystClient(served, await served.account()).ask("revenue")

    assert "Landlock" in find_line(lines, "completion")["content"]["summary"]
    assert "Upload" not in str(drop_progress(lines))
