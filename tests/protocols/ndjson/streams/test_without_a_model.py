"""Without a model: questions, a first chart and a report come from the tables' own shape."""

from collections.abc import AsyncIterator

import pytest
from tests.protocols.ndjson.analyst_client import QUESTIONS, REPORT, Lab, only, types_of, without_progress
from tests.serving import Served, serving

from yarrow.charting.validate import validate_spec
from yarrow.kit.json import JsonObject
from yarrow.llm.scripted import ScriptedModel

TABLES: JsonObject = {"input_tables": [{"name": "sales"}]}


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A product whose settings name no endpoint."""
    folder = tmp_path_factory.mktemp("offline")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture
async def lab(served: Served) -> Lab:
    lab = Lab(served, await served.account())
    await lab.put("sales")
    return lab


async def test_a_first_chart_is_drawn(lab: Lab) -> None:
    action, result, done = without_progress(await lab.ask())

    made = result["content"]["result"]
    assert (action["type"], action["input_tables"]) == ("action", ["sales"])
    assert made["content"]["virtual"]["table_name"] in await lab.tables()
    assert validate_spec(made["vega_lite"]) == []
    assert done["content"]["total_steps"] == 1
    assert "No model is configured" in done["content"]["summary"]


async def test_the_first_chart_speaks_the_language_of_the_one_who_asks(lab: Lab) -> None:
    lab.caller.headers["Accept-Language"] = "zh-CN"

    action, result, _ = without_progress(await lab.ask())

    assert action["thought"]
    assert not any(letter.isascii() and letter.isalpha() for letter in action["thought"])
    assert "locale" in result["content"]["result"]["vega_lite"]["config"]


async def test_the_first_chart_is_told_with_the_question_that_was_asked(lab: Lab) -> None:
    result = only(await lab.ask(user_question="Which region grows?"), "result")

    assert result["content"]["question"] == "Which region grows?"


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "How does revenue develop over month?"), ("zh-CN", "revenue随month如何变化?")],
)
async def test_without_a_question_the_first_chart_names_the_one_it_answers(
    lab: Lab, language: str, question: str
) -> None:
    lab.caller.headers["Accept-Language"] = language

    result = only(await lab.ask(user_question=""), "result")

    assert result["content"]["question"] == question


async def test_the_first_chart_can_be_run_again(lab: Lab) -> None:
    made = only(await lab.ask(), "result")["content"]["result"]

    assert made["code_language"] == "sql"
    assert made["code"].startswith("SELECT ")
    assert len(made["code_signature"]) == 64


async def test_without_tables_it_says_what_is_missing(served: Served) -> None:
    lab = Lab(served, await served.account())

    [done] = without_progress(await lab.lines("/api/agent/data-agent-streaming", ASKED))

    assert "Upload one first" in done["content"]["summary"]


ASKED: JsonObject = {"user_question": "?"}


async def test_a_table_without_rows_makes_no_chart(lab: Lab) -> None:
    await lab.put("empty", "a,b\n")

    [done] = without_progress(await lab.ask(input_tables=[{"name": "empty"}]))

    assert (done["type"], done["content"]["total_steps"]) == ("completion", 0)


async def test_four_questions_of_four_kinds(lab: Lab) -> None:
    lines = await lab.lines(QUESTIONS, TABLES)

    assert types_of(lines) == ["progress", "progress", *["question"] * 4, "done"]
    assert len({line["tag"] for line in lines if line["type"] == "question"}) == 4
    assert lines[-1]["count"] == 4


@pytest.mark.parametrize("content", ["a,b\n", "a,b\n,\n,\n"])
async def test_a_table_without_values_gets_no_question_but_advice(lab: Lab, content: str) -> None:
    await lab.put("empty", content)

    lines = await lab.lines(QUESTIONS, {"input_tables": [{"name": "empty"}]})

    warning, done = without_progress(lines)
    assert warning["warning"]["message_code"] == "NO_QUESTIONS"
    assert "upload a table" in warning["warning"]["message"]
    assert done == {"type": "done", "count": 0}


async def test_questions_speak_chinese(lab: Lab) -> None:
    lab.caller.headers["Accept-Language"] = "zh-CN"

    lines = await lab.lines(QUESTIONS, TABLES)

    assert "哪个" in next(line["text"] for line in lines if line["type"] == "question")


async def test_a_plain_report_shows_tables_and_charts(lab: Lab) -> None:
    chart = {"chart_id": "c1", "chart_type": "Bar Chart", "encodings": {"x": "region"}}

    lines = await lab.lines(REPORT, {**TABLES, "charts": [chart]})

    assert only(lines, "embed_table")["table_id"] == "sales"
    assert only(lines, "embed_chart") == {
        "type": "embed_chart",
        "chart_id": "c1",
        "caption": "Bar Chart of region",
    }
    text = only(lines, "done")["full_text"]
    assert text.startswith("# Report\n")
    assert "**sales** has 3 rows and 3 columns" in text
