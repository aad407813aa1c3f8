"""Without a model: questions, a first chart and a report come from the tables' own shape."""

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
    read_lines,
)
from tests.serving import Served, serving
from tests.vega_schema import validate_spec

from yarrow.llm.scripted import ScriptedModel

TABLES: JsonObject = {"input_tables": [{"name": "sales"}]}


MESSAGES: JsonObject = {"messages": [{"role": "user", "content": "What sold best?"}]}


@pytest.fixture(scope="module")
async def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A product whose settings name no endpoint."""
    folder = tmp_path_factory.mktemp("offline")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder) as served:
        yield served


@pytest.fixture
async def analyst(served: Served) -> AnalystClient:
    analyst = AnalystClient(served, await served.account())
    await analyst.create_table("sales")
    return analyst


async def test_a_first_chart_is_drawn(analyst: AnalystClient) -> None:
    action, result, done = drop_progress(await analyst.ask())

    made = result["content"]["result"]
    assert (action["type"], action["input_tables"]) == ("action", ["sales"])
    assert made["content"]["virtual"] == {"table_name": "sales", "row_count": 3}
    assert await analyst.list_tables() == ["sales"]
    assert validate_spec(made["vega_lite"]) == []
    assert done["content"]["total_steps"] == 1
    assert "No model is configured" in done["content"]["summary"]


async def test_an_empty_address_names_no_model(
    dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("empty")
    async with serving(dsn, model=ScriptedModel(), data_dir=folder, llm_base_url=" ") as served:
        analyst = AnalystClient(served, await served.account())
        await analyst.create_table("sales")

        done = drop_progress(await analyst.ask())[-1]

    assert "No model is configured" in done["content"]["summary"]


@pytest.mark.parametrize(
    ("language", "question", "is_chinese"),
    [
        ("zh-CN", "revenue?", True),
        ("en", "各地区的收入柱状图", True),
        ("zh-CN", "Who sells most?", False),
    ],
    ids=["no clue", "chinese question", "english question"],
)
async def test_offline_chart_follows_the_language_of_the_question(
    analyst: AnalystClient, language: str, question: str, *, is_chinese: bool
) -> None:
    analyst.caller.headers["Accept-Language"] = language

    action, result, done = drop_progress(await analyst.ask(question))

    for text in (action["thought"], done["content"]["summary"]):
        assert any("\u4e00" <= letter <= "\u9fff" for letter in text) is is_chinese
    assert ("locale" in result["content"]["result"]["vega_lite"]["config"]) is is_chinese


@pytest.mark.parametrize(
    ("accepted", "question", "says"),
    [
        ("en", "各地區的收入柱狀圖", "沒有配置模型，只讀取了問題中提到的欄"),
        ("zh-TW", "收入", "沒有配置模型"),
        ("zh-TW", "各地区的收入柱状图", "没有配置模型，只读取了问题中提到的列"),
        ("zh-Hant", "", "沒有配置模型，這張圖只根據數據本身的結構畫出"),
    ],
)
async def test_offline_chart_follows_the_script_of_the_question_or_the_client(
    analyst: AnalystClient, accepted: str, question: str, says: str
) -> None:
    analyst.caller.headers["Accept-Language"] = accepted

    lines = await analyst.ask(question)

    assert says in find_line(lines, "completion")["content"]["summary"]


@pytest.mark.parametrize(("accepted", "word"), [("zh-HK", "隨"), ("zh-CN", "随")])
async def test_offline_questions_and_reports_are_in_the_script_of_the_client(
    analyst: AnalystClient, accepted: str, word: str
) -> None:
    analyst.caller.headers["Accept-Language"] = accepted

    questions = await analyst.post_lines(QUESTIONS, TABLES)
    report = await analyst.post_lines(REPORT, TABLES)

    assert word in next(line["text"] for line in questions if line["type"] == "question")
    title = "# 報告" if accepted == "zh-HK" else "# 报告"
    assert find_line(report, "done")["full_text"].startswith(title)


async def test_offline_chart_is_of_the_named_columns(analyst: AnalystClient) -> None:
    await analyst.create_table("cars", "region,amount,mpg\nn,5,20\nn,6,30\ns,7,40\n")

    lines = await analyst.ask("bar chart of mpg by region", input_tables=[{"name": "cars"}])

    made = find_line(lines, "result")["content"]["result"]
    assert made["refined_goal"]["chart"]["chart_type"] == "Bar Chart"
    assert made["refined_goal"]["chart"]["encodings"] == {"x": "region", "y": "mpg"}
    values = {row["region"]: row["mpg"] for row in made["content"]["rows"]}
    assert values in ({"n": 25, "s": 40}, {"n": 30, "s": 40})
    assert made["vega_lite"]["encoding"]["y"]["title"] == "mean of mpg"


async def test_offline_chart_tells_of_a_missing_column(analyst: AnalystClient) -> None:
    lines = await analyst.ask("total profit by region")

    missing = "here is no column profit; sales has month, region, revenue"
    assert missing in find_line(lines, "completion")["content"]["summary"]
    notes = find_line(lines, "result")["content"]["result"]["notes"]
    assert any(missing in note for note in notes)


@pytest.mark.parametrize(
    ("question", "follows"),
    [
        ("and by month?", "earlier questions are not read without a model"),
        ("换成饼图", "没有模型时不读取之前的问题"),
        ("total revenue by month", ""),
    ],
)
async def test_a_question_that_follows_another_is_told_to_stand_alone(
    question: str, follows: str, analyst: AnalystClient
) -> None:
    step = {"user_question": "total revenue by region", "table_name": "sales"}

    lines = await analyst.ask(question, focused_thread=[step])

    notes = find_line(lines, "result")["content"]["result"].get("notes", [])
    summary = find_line(lines, "completion")["content"]["summary"].lower()
    told = [note for note in notes if note.startswith(("earlier questions", "没有模型时"))]
    assert [note[: len(follows)] for note in told] == ([follows] if follows else [])
    assert all(note in summary for note in told)


async def test_offline_chart_repeats_the_question(
    analyst: AnalystClient,
) -> None:
    result = find_line(await analyst.ask(user_question="Which region grows?"), "result")

    assert result["content"]["question"] == "Which region grows?"


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "How does revenue develop over month?"), ("zh-CN", "revenue随month如何变化？")],
)
async def test_offline_chart_names_its_question_if_none_was_asked(
    analyst: AnalystClient, language: str, question: str
) -> None:
    analyst.caller.headers["Accept-Language"] = language

    result = find_line(await analyst.ask(user_question=""), "result")

    assert result["content"]["question"] == question


async def test_the_first_chart_can_be_run_again(analyst: AnalystClient) -> None:
    made = find_line(await analyst.ask(), "result")["content"]["result"]

    assert made["code_language"] == "sql"
    assert made["code"].startswith("SELECT ")
    assert len(made["code_signature"]) == 64


async def test_offline_answer_without_tables_says_what_is_missing(served: Served) -> None:
    analyst = AnalystClient(served, await served.account())

    [done] = drop_progress(await analyst.post_lines("/api/agent/data-agent-streaming", ASKED))

    assert "Upload one first" in done["content"]["summary"]


ASKED: JsonObject = {"user_question": "?"}


async def test_a_table_without_rows_makes_no_chart(analyst: AnalystClient) -> None:
    await analyst.create_table("empty", "a,b\n")

    [done] = drop_progress(await analyst.ask(input_tables=[{"name": "empty"}]))

    assert (done["type"], done["content"]["total_steps"]) == ("completion", 0)


async def test_the_reason_of_a_failed_chart_is_told(served: Served, analyst: AnalystClient) -> None:
    for file in served.product.settings.data_dir.rglob("*.parquet"):
        file.write_bytes(b"PAR1 and nothing else")

    [done] = drop_progress(await analyst.ask())

    assert done["content"]["summary"].startswith("No chart could be made: ")
    assert done["content"]["total_steps"] == 0


@pytest.mark.parametrize("path", [DATA_AGENT, QUESTIONS, REPORT, LOADING])
async def test_a_run_without_a_model_names_the_rules_and_costs_nothing(
    analyst: AnalystClient, path: str
) -> None:
    async with analyst.post(path, TABLES | ASKED | MESSAGES) as answer:
        lines = [line async for line in read_lines(answer)]

    usage = lines[-1]["usage"]
    assert (usage["model"], usage["output_tokens"], usage["points"]) == ("rules", 0, 0)


@pytest.mark.parametrize(
    ("accepted", "says"), [("en", "No model is configured"), ("zh-TW", "沒有配置模型")]
)
@pytest.mark.parametrize("path", [REPORT, LOADING])
async def test_reports_and_loading_tell_that_no_model_answers(
    analyst: AnalystClient, path: str, accepted: str, says: str
) -> None:
    analyst.caller.headers["Accept-Language"] = accepted

    lines = await analyst.post_lines(path, TABLES | MESSAGES)

    assert says in find_line(lines, "done")["full_text"]


async def test_four_questions_of_four_kinds(analyst: AnalystClient) -> None:
    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert line_types(lines) == ["progress", "progress", *["question"] * 4, "done"]
    assert len({line["tag"] for line in lines if line["type"] == "question"}) == 4
    assert lines[-1]["count"] == 4


@pytest.mark.parametrize("content", ["a,b\n", "a,b\n,\n,\n"])
async def test_a_table_without_values_gets_no_question_but_advice(
    analyst: AnalystClient, content: str
) -> None:
    await analyst.create_table("empty", content)

    lines = await analyst.post_lines(QUESTIONS, {"input_tables": [{"name": "empty"}]})

    warning, done = drop_progress(lines)
    assert warning["warning"]["message_code"] == "NO_QUESTIONS"
    assert "upload a table" in warning["warning"]["message"]
    assert done == {"type": "done", "count": 0}


async def test_offline_questions_are_available_in_chinese(analyst: AnalystClient) -> None:
    analyst.caller.headers["Accept-Language"] = "zh-CN"

    lines = await analyst.post_lines(QUESTIONS, TABLES)

    assert "如何" in next(line["text"] for line in lines if line["type"] == "question")


async def test_a_plain_report_shows_tables_and_charts(analyst: AnalystClient) -> None:
    chart = {"chart_id": "c1", "chart_type": "Bar Chart", "encodings": {"x": "region"}}

    lines = await analyst.post_lines(REPORT, {**TABLES, "charts": [chart]})

    assert find_line(lines, "embed_table")["table_id"] == "sales"
    assert find_line(lines, "embed_chart") == {
        "type": "embed_chart",
        "chart_id": "c1",
        "caption": "Bar Chart of region",
    }
    text = find_line(lines, "done")["full_text"]
    assert text.startswith("# Report\n")
    assert "**sales** has 3 rows and 3 columns" in text


@pytest.mark.parametrize(
    ("language", "kind", "caption"),
    [
        ("zh-CN", "Line Chart", "折线图：month、revenue"),
        ("zh-TW", "Line Chart", "折線圖：month、revenue"),
        ("zh-CN", "Map of Mars", "Map of Mars：month、revenue"),
    ],
)
async def test_a_plain_report_names_the_kinds_of_its_charts_in_its_language(
    analyst: AnalystClient, language: str, kind: str, caption: str
) -> None:
    analyst.caller.headers["Accept-Language"] = language
    encodings = {"x": "month", "y": "revenue"}
    chart = {"chart_id": "c1", "chart_type": kind, "encodings": encodings}

    lines = await analyst.post_lines(REPORT, {**TABLES, "charts": [chart]})

    assert find_line(lines, "embed_chart")["caption"] == caption


async def test_offline_chart_has_what_the_question_says_beside_its_kind(
    analyst: AnalystClient,
) -> None:
    days = "".join(f"2024-0{n % 2 + 1}-{n % 28 + 1:02d},{n}\n" for n in range(56))
    await analyst.create_table("days", f"day,sales\n{days}")

    lines = await analyst.ask("monthly sales", input_tables=[{"name": "days"}])
    turned = await analyst.ask("horizontal bar chart of revenue by region")

    made = find_line(lines, "result")["content"]["result"]
    rows = made["vega_lite"]["data"]["values"]
    assert {row["day"][:7]: row["sales"] for row in rows} == {"2024-01": 756, "2024-02": 784}
    bars = find_line(turned, "result")["content"]["result"]["vega_lite"]["encoding"]
    assert bars["x"]["field"] == "revenue"
