"""Each tool: its result for the model, its card, what it refuses."""

from collections.abc import Callable

import jsonschema_rs
import pytest
from msgspec.structs import replace
from tests.integration.points.movements import hold
from tests.integration.tools.calling import add_session, make_caller, make_tools
from tests.loose_json import JsonObject, JsonValue, decode_json
from tests.new_account import new_account
from tests.ui_schema_page import broken_rules

from yarrow.agents.assistant.summarise_table import SummariseTable
from yarrow.db import Database
from yarrow.ids import AccountId
from yarrow.language.languages import Language
from yarrow.liuyao import DayBoundary, derive, parse_cast, write_follow_up
from yarrow.llm.rule_based.model import RULES_MODEL
from yarrow.sandbox.model import FileToRead
from yarrow.tables.create import create_table
from yarrow.tables.model import Tables, Workspace
from yarrow.tables.temp_files import spool_file, stream_once
from yarrow.tools.model import Toolbox, ToolCaller, ToolError
from yarrow.uischema import compile_stored_card

CASTING: JsonObject = {
    "question": "换工作合适吗？",
    "lines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
}

CALLS: dict[str, JsonObject] = {
    "current_time": {},
    "calendar_date": {"until": "12-25"},
    "calculate": {"expression": "17 × 23"},
    "points_balance": {},
    "points_ledger": {},
    "search_sessions": {"query": "rain"},
    "cast_hexagram": {"question": "Will it rain?"},
    "search_docs": {"query": "model endpoint"},
    "summarise_table": {},
    "show_card": {"title": "Rain", "status": "warning", "items": ["Take a coat"]},
}

CallerIn = Callable[..., ToolCaller]


@pytest.fixture
def caller_in(account_id: AccountId) -> CallerIn:
    """Builds callers of the test's account."""

    def build(*args, **kwargs) -> ToolCaller:
        return make_caller(account_id, *args, **kwargs)

    return build


@pytest.fixture
def tools(database: Database, tables: Tables) -> Toolbox:
    return make_tools(database, more=(SummariseTable(tables),))


def test_every_tool_is_called_here(tools: Toolbox) -> None:
    assert set(CALLS) == set(tools)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", CALLS)
async def test_every_tool_makes_a_valid_card(
    database: Database, caller_in: CallerIn, tools: Toolbox, name: str, language: Language
) -> None:
    caller = caller_in(language)
    await add_session(database, caller.account_id, title="Rain?", text="will it rain")

    answer = await tools[name].call(CALLS[name], caller)

    card = compile_stored_card(answer.card or answer.answer_card)
    assert card is not None
    assert broken_rules(card) == []
    assert answer.text


@pytest.mark.parametrize("name", CALLS)
def test_schema_is_one_and_takes_what_the_tool_takes(tools: Toolbox, name: str) -> None:
    schema = tools[name].description.parameters

    jsonschema_rs.meta.validate(schema)
    judge = jsonschema_rs.Draft202012Validator(schema)
    assert judge.is_valid(CALLS[name])
    assert not judge.is_valid(CALLS[name] | {"unknown": 1})


@pytest.mark.parametrize("name", CALLS)
async def test_unknown_arguments_are_told_to_the_model(
    caller_in: CallerIn, tools: Toolbox, name: str
) -> None:
    with pytest.raises(ToolError, match="unknown field `colour`"):
        await tools[name].call(CALLS[name] | {"colour": "red"}, caller_in())


@pytest.mark.parametrize("name", CALLS)
async def test_null_is_as_good_as_left_out(
    database: Database, caller_in: CallerIn, tools: Toolbox, name: str
) -> None:
    schema: JsonObject = dict(tools[name].description.parameters)
    optional = dict.fromkeys(schema["properties"].keys() - CALLS[name].keys())

    left_out = await tools[name].call(CALLS[name], caller_in())
    if name == "cast_hexagram":
        tools = make_tools(database)  # whose coins fall as those of the first call
    null = await tools[name].call(CALLS[name] | optional, caller_in())

    assert null == left_out


@pytest.mark.parametrize(
    "name, arguments, complaint",
    [
        ("current_time", {"timezone": "Mars/Olympus"}, "IANA name"),
        ("current_time", {"timezone": "../../etc/passwd"}, "IANA name"),
        ("current_time", {"timezone": "Asia"}, "IANA name"),
        ("current_time", {"timezone": "a\0"}, "IANA name"),
        ("current_time", {"timezone": 8}, "timezone"),
        ("current_time", {"at": "25:00"}, "time of the day"),
        ("current_time", {"at": "09:00", "at_timezone": "Mars/Olympus"}, "IANA name"),
        ("calculate", {}, "expression"),
        ("calculate", {"expression": "two"}, "no arithmetic expression"),
        ("calculate", {"expression": "1/0"}, "division by zero"),
        ("calculate", {"expression": "9**9**9"}, "more than 200 digits"),
        ("calculate", {"expression": "().__class__"}, "no arithmetic expression"),
        ("points_ledger", {"limit": 21}, "limit"),
        ("search_docs", {"query": "how do I"}, "must name what"),
        ("search_sessions", {}, "query"),
        ("search_sessions", {"query": " "}, "at least one word"),
        ("search_sessions", {"query": "a\0"}, "without NUL"),
        ("search_sessions", {"query": "x" * 201}, "200"),
        ("search_sessions", {"query": "x", "limit": 11}, "limit"),
        ("search_sessions", {"query": "x", "before": "2026-01-01"}, "with an offset"),
        ("cast_hexagram", {}, "question"),
        ("cast_hexagram", {"question": " "}, "must not be empty"),
        ("cast_hexagram", {"question": "x" * 301}, "300"),
        ("cast_hexagram", {"question": "x", "lines": ["少阳"]}, "lines"),
        ("cast_hexagram", {"question": "x", "lines": ["yang"] * 6}, "lines"),
        ("cast_hexagram", {"question": "x", "follow_up": "why?"}, "follow_up needs the lines"),
        ("cast_hexagram", CASTING | {"cast_at": "yesterday"}, "RFC 3339"),
        ("show_card", {}, "must show something"),
        ("show_card", {"title": "a\0"}, "control characters"),
        ("show_card", {"actions": [{"type": "link", "label": "x", "href": "file:///x"}]}, "https"),
    ],
)
async def test_wrong_arguments_are_told_in_words(
    caller_in: CallerIn, tools: Toolbox, name: str, arguments: JsonObject, complaint: str
) -> None:
    with pytest.raises(ToolError, match=complaint) as refused:
        await tools[name].call(arguments, caller_in())

    assert str(refused.value).isprintable()


async def test_time_is_the_callers_unless_another_place_is_named(
    caller_in: CallerIn, tools: Toolbox
) -> None:
    tool = tools["current_time"]

    here = decode_json((await tool.call({}, caller_in())).text)
    there = decode_json((await tool.call({"timezone": "UTC"}, caller_in())).text)

    assert here == {
        "iso": "2026-04-03T20:30:00+08:00",
        "weekday": "Friday",
        "timezone": "Asia/Shanghai",
    }
    assert there["iso"] == "2026-04-03T12:30:00+00:00"


@pytest.mark.parametrize(
    "arguments, iso",
    [
        # It is 20:30 in Shanghai; summer time began in New York on 8 March, in Paris on 29 March.
        ({"at": "09:00", "at_timezone": "America/New_York"}, "2026-04-03T21:00:00+08:00"),
        (
            {"at": "9:05", "at_timezone": "Asia/Tokyo", "timezone": "Europe/Paris"},
            "2026-04-03T02:05:00+02:00",
        ),
        ({"minutes": 250}, "2026-04-04T00:40:00+08:00"),
    ],
)
async def test_a_time_of_another_place_is_told(
    caller_in: CallerIn, tools: Toolbox, arguments: JsonObject, iso: str
) -> None:
    answer = await tools["current_time"].call(arguments, caller_in())

    assert decode_json(answer.text)["iso"] == iso


async def test_time_is_shown_in_the_callers_language(caller_in: CallerIn, tools: Toolbox) -> None:
    answer = await tools["current_time"].call({}, caller_in(Language.HANT))

    assert answer.card == {
        "title": "20:30",
        "facts": {"日期": "2026-04-03 星期五", "時區": "Asia/Shanghai"},
    }


async def test_given_lines_are_cast_as_given(database: Database, caller_in: CallerIn) -> None:
    answer = await make_tools(database, throws=())["cast_hexagram"].call(
        CASTING, caller_in(Language.HANS)
    )

    told = decode_json(answer.text)
    assert (told["hexagram"], told["becomes"]) == ("水火既济", "风雷益")
    assert told["lines"] == CASTING["lines"]
    assert told["time"] == "2026-04-03 20:30 +08:00"
    assert told["reading"]["sign_level"].endswith("签")
    assert answer.card is not None
    assert answer.card["badges"] == [told["reading"]["sign_level"]]


async def test_coins_are_thrown_where_no_lines_are_given(
    database: Database, caller_in: CallerIn
) -> None:
    tool = make_tools(database, throws=(0, 1, 2, 3, 0, 1))["cast_hexagram"]

    told = decode_json((await tool.call({"question": "下雨吗"}, caller_in())).text)

    assert told["lines"] == ["老阴", "少阳", "少阴", "老阳", "老阴", "少阳"]  # seed 0, huaCount


async def test_reading_is_in_the_callers_language(database: Database, caller_in: CallerIn) -> None:
    said = {}
    for language in Language:
        answer = await make_tools(database)["cast_hexagram"].call(CASTING, caller_in(language))
        said[language] = decode_json(answer.text)["reading"]["answer"]

    assert "就卦而论" in said[Language.HANS]
    assert "就卦而論" in said[Language.HANT]
    assert "By the hexagram" in said[Language.ENGLISH]


async def test_a_later_question_is_answered_from_the_same_hexagram(
    database: Database, caller_in: CallerIn
) -> None:
    tool = make_tools(database, throws=(0, 1, 2, 3, 0, 1))["cast_hexagram"]
    first = decode_json(
        (await tool.call({"question": "换工作好吗"}, caller_in(Language.HANS))).text
    )

    again = {"question": "换工作好吗", "lines": first["lines"], "cast_at": first["cast_at"]}
    answer = await tool.call(again | {"follow_up": "为什么？"}, caller_in(Language.HANS))

    cast = parse_cast(
        yao_lines=first["lines"],
        time_iso=first["cast_at"],
        question="换工作好吗",
        question_type="其他",
        method="自动起卦",
    )
    expected = write_follow_up(derive(cast), "为什么？").answer
    assert decode_json(answer.text)["reading"] == {"answer": expected}
    assert first["reading"]["sign_level"] in expected


async def test_day_begins_when_the_profile_says(caller_in: CallerIn, tools: Toolbox) -> None:
    late = {"zone": "Etc/GMT-11"}  # 23:30 there
    tellings = [
        decode_json((await tools["cast_hexagram"].call(CASTING, caller)).text)["pillars"]
        for caller in (
            caller_in(Language.HANS, **late, day_boundary=DayBoundary.LATE_ZI),
            caller_in(Language.HANS, **late, day_boundary=DayBoundary.MIDNIGHT),
        )
    ]

    assert tellings[0] != tellings[1]


async def test_where_no_verdict_is_drawn_no_sign_is_shown(
    caller_in: CallerIn, tools: Toolbox
) -> None:
    asked = CASTING | {"question": "我想自杀，会成功吗"}

    answer = await tools["cast_hexagram"].call(asked, caller_in(Language.HANS))

    assert "sign_level" not in decode_json(answer.text)["reading"]
    assert answer.card is not None
    assert answer.card["badges"] == []


async def test_a_models_card_goes_with_the_answer(caller_in: CallerIn, tools: Toolbox) -> None:
    answer = await tools["show_card"].call({"title": "a", "image": None}, caller_in())

    assert (answer.card, answer.answer_card) == (None, {"title": "a"})


async def test_points_are_the_callers_own(
    database: Database, caller_in: CallerIn, tools: Toolbox
) -> None:
    caller = caller_in()
    async with database.transaction() as tx:
        await hold(tx, caller.account_id, 20)
        await hold(tx, await new_account(database), 50)

    answer = await tools["points_balance"].call({}, caller)

    assert decode_json(answer.text) == {"balance": 100, "held": 20, "available": 80, "spent": 0}


async def test_search_finds_the_callers_other_sessions(
    database: Database, caller_in: CallerIn, tools: Toolbox
) -> None:
    account_id = caller_in().account_id
    await add_session(database, account_id, title="Rain?", text="will it rain or snow")
    await add_session(database, await new_account(database), title="x", text="rain and snow")
    here = await add_session(database, account_id, title="now", text="rain, snow")

    answer = await tools["search_sessions"].call(
        {"query": " rain  snow "}, caller_in(session_id=here)
    )

    (session,) = decode_json(answer.text)["sessions"]
    assert session == {
        "title": "Rain?",
        "date": "2026-04-02 04:00",
        "said_by": "user",
        "snippet": "will it rain or snow",
    }


async def test_search_gives_as_many_sessions_as_asked_for(
    database: Database, caller_in: CallerIn, tools: Toolbox
) -> None:
    caller = caller_in()
    for number in range(7):
        await add_session(database, caller.account_id, title=f"{number}", text="rain")

    five = await tools["search_sessions"].call({"query": "rain"}, caller)
    two = await tools["search_sessions"].call({"query": "rain", "limit": 2}, caller)

    found = [decode_json(answer.text) for answer in (five, two)]
    assert [len(each["sessions"]) for each in found] == [5, 2]
    assert [each["found"] for each in found] == [7, 7]  # not how many are shown


async def test_search_leaves_out_what_the_rules_say_without_a_tool(
    database: Database, caller_in: CallerIn, tools: Toolbox
) -> None:
    caller = caller_in()
    refused = await add_session(
        database, caller.account_id, title="", text="That needs a model.", role="assistant"
    )
    await add_session(database, caller.account_id, title="", text="A model", role="assistant")
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE messages SET model_code = $1 WHERE session_id = $2", RULES_MODEL, refused
        )

    answer = await tools["search_sessions"].call({"query": "model"}, caller)

    (session,) = decode_json(answer.text)["sessions"]
    assert session["snippet"] == "A model"


async def test_search_shows_odd_sessions_as_well(
    database: Database, caller_in: CallerIn, tools: Toolbox
) -> None:
    caller = caller_in()
    odd = "a\x1b[31m\n" * 200
    await add_session(database, caller.account_id, title="\x07 ", text=odd, role="assistant")

    answer = await tools["search_sessions"].call({"query": "a"}, caller)

    card: JsonValue = compile_stored_card(answer.card)
    assert card["root"]["children"][1]["items"][0]["title"] == "Untitled session"


async def test_a_cast_takes_the_asker_of_the_profile(caller_in: CallerIn, tools: Toolbox) -> None:
    caller = replace(caller_in(Language.HANS), gender="female")
    cast: JsonObject = {
        "question": "我们会怎样",
        "question_type": "感情",
        "lines": ["少阳", "少阴", "老阳", "少阴", "少阳", "老阴"],
    }

    answer = await tools["cast_hexagram"].call(cast, caller)

    assert "以问者为女" in decode_json(answer.text)["reading"]["answer"]


async def test_ledger_shows_the_newest_movements_of_the_caller(
    caller_in: CallerIn, tools: Toolbox
) -> None:
    answer = await tools["points_ledger"].call({}, caller_in())

    (movement,) = decode_json(answer.text)["movements"]
    assert (movement["points"], movement["why"], movement["balance_after"]) == (
        100,
        "register",
        100,
    )
    card: JsonValue = answer.card
    assert card["table"]["rows"][0][1:] == ["Registration", "+100", 100]


@pytest.mark.parametrize(
    "query, address, text",
    [
        ("configure a model", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("怎么配置模型", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("How do I connect a real model?", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("how to back up the database", "/docs/howto/back-up-and-restore", "yarrow backup"),
        ("what is YARROW_LLM_MODEL", "/docs/howto/settings", "Model name sent"),
        ("log level", "/docs/howto/settings", "YARROW_LOG_LEVEL"),
        ("how to turn on accounts", "/docs/howto/accounts", "YARROW_AUTH=jwt"),
        ("how do I use ollama", "/docs/howto/models", "11434"),
        ("怎么接入DeepSeek", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("how do I upload a table", "/docs/protocols/tables", "create-table"),
        ("how do I upload a csv", "/docs/protocols/tables", "create-table"),
        ("how do I turn on speech recognition", "/docs/howto/speech", "recording"),
        ("how do I log in", "/docs/howto/accounts", "login"),
        ("怎么接入通义千问", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("points price of a run", "/docs/howto/accounts", "100 points"),
        ("how do I connect ollama", "/docs/howto/models", "11434"),
        ("How do I see logs", "/docs/howto/settings", "YARROW_LOG_LEVEL"),
        ("怎么查看日志", "/docs/howto/settings", "YARROW_LOG_LEVEL"),
        ("怎么连接数据库", "/docs/howto/connect-your-database", "In three commands"),
        ("怎么备份", "/docs/howto/back-up-and-restore", "yarrow backup"),
        ("怎么安装模型", "/docs/howto/models", "YARROW_LLM_BASE_URL"),
        ("怎么修改端口", "/docs/howto/settings", "--port"),
        ("how do I change the port", "/docs/howto/settings", "--port"),
    ],
)
async def test_docs_are_found_by_words_and_by_the_name_of_a_setting(
    caller_in: CallerIn, tools: Toolbox, query: str, address: str, text: str
) -> None:
    answer = await tools["search_docs"].call({"query": query}, caller_in())

    best = decode_json(answer.text)["sections"][0]
    assert best["address"] == address
    assert text in best["text"]


async def test_what_the_docs_have_no_word_for_is_not_found(
    caller_in: CallerIn, tools: Toolbox
) -> None:
    for query in ("how to install photoshop", "how do I reset my router settings"):
        answer = await tools["search_docs"].call({"query": query}, caller_in())
        assert decode_json(answer.text)["sections"] == []


@pytest.mark.parametrize(
    "query, missing",
    [
        ("how do I write a report on sessions of kings", ["report", "king"]),
        ("怎么训练模型", ["训练"]),
        ("how do I use ollama", []),
        ("怎么把数据库备份一下", []),
        ("how do I deploy on two servers", []),
        ("How do I get the key out of the lock", ["key", "out", "lock"]),  # none is in a title
        ("How do I delete my account", ["delete"]),
    ],
)
async def test_docs_that_lack_half_of_the_words_are_only_the_nearest(
    caller_in: CallerIn, tools: Toolbox, query: str, missing: list[str]
) -> None:
    answer = await tools["search_docs"].call({"query": query}, caller_in())

    assert decode_json(answer.text)["missing"] == missing


async def test_words_that_no_page_has_are_named(caller_in: CallerIn, tools: Toolbox) -> None:
    for query, unknown in (
        ("How do I open an account at a bank", ["bank"]),
        ("如何安装空调", ["空调"]),
        ("怎么备份数据库", []),
        ("怎么连接数据库", []),
        ("怎么启动服务器", []),
    ):
        answer = await tools["search_docs"].call({"query": query}, caller_in())
        assert decode_json(answer.text)["unknown"] == unknown


SALES = b"month,region,revenue\n2026-01,north,10\n2026-01,south,20\n2026-02,north,30\n"


async def upload_sales(tables: Tables, account_id: AccountId) -> None:
    async with spool_file(tables, stream_once(SALES)) as path:
        file = FileToRead(path, "sales.csv", "", None)
        await create_table(tables, Workspace(account_id), file)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({"measure": "sum", "column": "Revenue"}, {"value": 60}),
        ({"table": "sales.csv", "measure": "average", "column": "revenue"}, {"value": 20}),
        ({"table": "sales", "measure": "count"}, {"value": 3}),
        (
            {"measure": "max", "column": "revenue", "by": "region"},
            {"groups": [{"group": "north", "value": 30}, {"group": "south", "value": 20}]},
        ),
        (
            {"measure": "count", "by": "region"},
            {"groups": [{"group": "north", "value": 2}, {"group": "south", "value": 1}]},
        ),
    ],
)
async def test_figures_of_an_uploaded_table_are_computed(
    caller_in: CallerIn,
    tables: Tables,
    tools: Toolbox,
    arguments: JsonObject,
    expected: JsonObject,
) -> None:
    caller = caller_in()
    await upload_sales(tables, caller.account_id)

    answer = await tools["summarise_table"].call(arguments, caller)

    result = decode_json(answer.text)
    assert {key: result[key] for key in expected} == expected
    assert compile_stored_card(answer.card) is not None


@pytest.mark.parametrize("measure", ["sum", "average"])
@pytest.mark.parametrize("by", ["", "month"])
async def test_texts_have_no_sum_and_no_average(
    caller_in: CallerIn, tables: Tables, tools: Toolbox, measure: str, by: str
) -> None:
    caller = caller_in()
    await upload_sales(tables, caller.account_id)

    with pytest.raises(ToolError, match=f"texts have no {measure}: region"):
        arguments: JsonObject = {"measure": measure, "column": "region", "by": by}
        await tools["summarise_table"].call(arguments, caller)


async def test_groups_that_are_left_out_are_told(
    caller_in: CallerIn, tables: Tables, tools: Toolbox
) -> None:
    caller = caller_in()
    lines = "".join(f"day {number:02},{number}\n" for number in range(33))
    async with spool_file(tables, stream_once(f"day,cost\n{lines}".encode())) as path:
        file = FileToRead(path, "costs.csv", "", None)
        await create_table(tables, Workspace(caller.account_id), file)

    arguments: JsonObject = {"measure": "sum", "column": "cost", "by": "day"}
    answer = await tools["summarise_table"].call(arguments, caller)

    result = decode_json(answer.text)
    assert (len(result["groups"]), result["groups_in_all"]) == (20, 33)


async def test_an_uploaded_table_is_described_with_its_first_rows(
    caller_in: CallerIn, tables: Tables, tools: Toolbox
) -> None:
    caller = caller_in()
    await upload_sales(tables, caller.account_id)

    answer = await tools["summarise_table"].call({"table": "SALES"}, caller)

    assert decode_json(answer.text)["rows"] == 3
    card: JsonValue = answer.card
    assert card["table"]["columns"] == ["month", "region", "revenue"]
    with pytest.raises(ToolError, match="known: month, region, revenue"):
        await tools["summarise_table"].call({"measure": "sum", "column": "cost"}, caller)


async def test_a_figure_is_of_the_newest_table_that_has_its_columns(
    caller_in: CallerIn, tables: Tables, tools: Toolbox
) -> None:
    caller = caller_in()
    await upload_sales(tables, caller.account_id)
    async with spool_file(tables, stream_once(b"name,age\nAnn,30\n")) as path:
        file = FileToRead(path, "people.csv", "", None)
        await create_table(tables, Workspace(caller.account_id), file)

    arguments: JsonObject = {"measure": "sum", "column": "revenue"}
    answer = await tools["summarise_table"].call(arguments, caller)

    assert decode_json(answer.text)["table"] == "sales"


@pytest.mark.parametrize("by, column", [("地", "区销售额"), ("地区销", "售额"), ("地区", "销售额")])
async def test_names_without_a_border_are_parted_at_the_columns_of_a_table(
    caller_in: CallerIn, tables: Tables, tools: Toolbox, by: str, column: str
) -> None:
    caller = caller_in()
    content = "地区,销售额\n华北,100\n华南,200\n华北,50\n".encode()
    async with spool_file(tables, stream_once(content)) as path:
        file = FileToRead(path, "账.csv", "", None)
        await create_table(tables, Workspace(caller.account_id), file)

    arguments: JsonObject = {"measure": "sum", "column": column, "by": by}
    answer = await tools["summarise_table"].call(arguments, caller)

    result = decode_json(answer.text)
    assert (result["by"], result["column"]) == ("地区", "销售额")
    assert {row["group"]: row["value"] for row in result["groups"]} == {"华北": 150, "华南": 200}
