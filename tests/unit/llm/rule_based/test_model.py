"""Replies of the rules: real tool calls, a sentence about their results, and honest refusals."""

import pytest

from yarrow.kit.json import JsonObject, decode_json, encode_json
from yarrow.language.languages import Language
from yarrow.llm.model import (
    ChatMessage,
    ChatRequest,
    ChatRole,
    Chunk,
    ImagePart,
    TextChunk,
    ToolCall,
    ToolCallChunk,
    ToolSpec,
    UsageChunk,
)
from yarrow.llm.rule_based.courtesy_texts import COURTESY_TEXTS
from yarrow.llm.rule_based.greetings import Courtesy
from yarrow.llm.rule_based.language import detect_language
from yarrow.llm.rule_based.model import RuleModel
from yarrow.llm.rule_based.texts import OTHER_LANGUAGE_NO_MODEL, RULE_TEXTS
from yarrow.llm.scripted import Say, ScriptedModel

NAMES = (
    *(
        "current_time",
        "calendar_date",
        "calculate",
        "points_balance",
        "points_ledger",
        "search_sessions",
    ),
    *("cast_hexagram", "summarise_table", "search_docs", "show_card"),
)
TOOLS = tuple(ToolSpec(name, "", {}) for name in NAMES)
ENGLISH = RULE_TEXTS[Language.ENGLISH]


async def ask(
    text: str,
    *more: ChatMessage,
    model: RuleModel | None = None,
    tools: tuple[ToolSpec, ...] = TOOLS,
) -> list[Chunk]:
    request = ChatRequest((ChatMessage(ChatRole.USER, text), *more), tools)
    return [chunk async for chunk in (model or RuleModel()).stream(request)]


def text_of(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextChunk))


def after(name: str, result: JsonObject | str, arguments: JsonObject) -> tuple[ChatMessage, ...]:
    """The messages of one tool call and its result."""
    call = ToolCall("c", name, encode_json(arguments).decode())
    text = result if isinstance(result, str) else encode_json(result).decode()
    return (
        ChatMessage(ChatRole.ASSISTANT, "", tool_calls=(call,)),
        ChatMessage(ChatRole.TOOL, text, tool_call_id="c"),
    )


async def test_a_question_for_a_tool_calls_it() -> None:
    call, *_ = await ask("What time is it in Tokyo?")

    assert call == ToolCallChunk(0, "rule_0", "current_time", '{"timezone":"Asia/Tokyo"}')


async def test_two_places_are_two_calls() -> None:
    calls = list(await ask("Time difference between Paris and Tokyo?"))

    assert [c.index for c in calls if isinstance(c, ToolCallChunk)] == [0, 1]


@pytest.mark.parametrize(
    "question, name, arguments, result, answer",
    [
        (
            "What time is it in Tokyo?",
            "current_time",
            {"timezone": "Asia/Tokyo"},
            {"iso": "2026-11-16T16:30:00+09:00", "weekday": "Monday", "timezone": "Asia/Tokyo"},
            "In Tokyo it is 16:30 on Monday, 2026-11-16.",
        ),
        (
            "现在几点",
            "current_time",
            {},
            {"iso": "2026-11-16T16:30:00+08:00", "weekday": "Monday", "timezone": "Asia/Shanghai"},
            "现在是 2026-11-16 星期一 16:30（Asia/Shanghai）。",
        ),
        (
            "17乘23等于多少",
            "calculate",
            {"expression": "17*23"},
            {"expression": "17*23", "value": "391", "exact": True},
            "17×23 = 391",
        ),
        (
            "How many points do I have?",
            "points_balance",
            {},
            {"balance": 100, "held": 0, "available": 100, "spent": 20},
            "You have 100 points to spend; 20 were spent so far.",
        ),
        (
            "Where did my points go?",
            "points_ledger",
            {},
            {"movements": [], "has_more": False},
            ENGLISH.ledger_empty,
        ),
        (
            "Search my past sessions for rain",
            "search_sessions",
            {"query": "rain"},
            {"found": 0, "sessions": []},
            "I found nothing about “rain” in your past sessions.",
        ),
        (
            "Search my past sessions for rain",
            "search_sessions",
            {"query": "rain"},
            {
                "found": 7,
                "found_at_least": True,
                "sessions": [{"title": "Trip", "date": "2026-11-16", "snippet": "rain?"}],
            },
            "I found at least 7 sessions in your past sessions; "
            "the newest is “Trip” of 2026-11-16: rain?",
        ),
        (
            "total revenue by region in sales",
            "summarise_table",
            {},
            {
                "table": "sales",
                "measure": "sum",
                "column": "revenue",
                "by": "region",
                "groups": [{"group": "north", "value": 40}, {"group": "south", "value": 20}],
            },
            "The sum of revenue in sales by region: north 40, south 20.",
        ),
        (
            "Sum of revenue by region in sales",
            "summarise_table",
            {},
            {
                "table": "sales",
                "measure": "sum",
                "column": "revenue",
                "by": "region",
                "groups": [{"group": "east", "value": None}, {"group": None, "value": 20}],
            },
            "The sum of revenue in sales by region: east –, – 20.",
        ),
        (
            "How many rows in sales?",
            "summarise_table",
            {},
            {"table": "sales", "measure": "count", "column": "", "value": 5},
            "The table sales has 5 rows.",
        ),
        (
            "sales表有几行",
            "summarise_table",
            {},
            {"table": "sales", "measure": "count", "column": "", "value": 5},
            "表 sales 有 5 行。",
        ),
        (
            "How many days until Christmas?",
            "calendar_date",
            {"until": "12-25"},
            {"date": "2026-04-03", "until": "2026-12-25", "weekday": "Friday", "days": 266},
            "It is 266 days until 2026-12-25 (Friday).",
        ),
        (
            "明天星期几",
            "calendar_date",
            {"days": 1},
            {"date": "2026-04-04", "weekday": "Saturday", "lunar": "丙午年二月十七"},
            "2026-04-04 是星期六，农历丙午年二月十七。",
        ),
        (
            "请用英文回答：明天星期几",
            "calendar_date",
            {"days": 1},
            {"date": "2026-04-04", "weekday": "Saturday", "lunar": "丙午年二月十七"},
            "2026-04-04 is a Saturday.",
        ),
        (
            "what is the lunar date today",
            "calendar_date",
            {},
            {"date": "2026-04-03", "weekday": "Friday", "lunar": "丙午年二月十六"},
            "2026-04-03 is a Friday; by the lunar calendar it is 丙午年二月十六.",
        ),
        (
            "How many days since Christmas?",
            "calendar_date",
            {"until": "12-25", "past": True},
            {"date": "2026-04-03", "until": "2025-12-25", "weekday": "Thursday", "days": -99},
            "2025-12-25 (Thursday) was 99 days ago.",
        ),
        (
            "积分流水",
            "points_ledger",
            {},
            {
                "movements": [
                    {"points": 100, "date": "2026-04-03", "why": "register", "balance_after": 100}
                ]
            },
            "最近一笔积分变动：2026-04-03，+100（注册赠送），余额 100。",
        ),
        (
            "起一卦",
            "cast_hexagram",
            {"question": "起一卦"},
            {"hexagram": "乾为天", "reading": {"answer": "得乾为天，可以。"}},
            "得乾为天，可以。",
        ),
        (
            "What time is it in Rome and who is its mayor?",
            "current_time",
            {"timezone": "Europe/Rome"},
            {"iso": "2026-11-16T16:30:00+01:00", "weekday": "Monday", "timezone": "Europe/Rome"},
            f"In Rome it is 16:30 on Monday, 2026-11-16. {ENGLISH.rest_needs_model}",
        ),
        (
            "十除以零",
            "calculate",
            {"expression": "10/0"},
            "division by zero has no value",
            "没有成功：除数不能为零。",
        ),
        (
            "What is 1/0?",
            "calculate",
            {"expression": "1/0"},
            "division by zero has no value",
            "That did not work: division by zero has no value.",
        ),
    ],
)
async def test_a_result_becomes_a_sentence(
    question: str, name: str, arguments: JsonObject, result: JsonObject | str, answer: str
) -> None:
    assert text_of(await ask(question, *after(name, result, arguments))) == answer


async def test_the_last_such_day_is_asked_of_the_tool() -> None:
    call, *_ = await ask("How many days since Christmas?")

    assert call == ToolCallChunk(0, "rule_0", "calendar_date", '{"until":"12-25","past":true}')


@pytest.mark.parametrize(
    "question, places, rest",
    [
        (
            "What time is it in Foobar and what time is it in Bazland?",
            ["Foobar", "Bazland"],
            "",
        ),
        (
            "What time is it in Foobar and who is its mayor?",
            ["Foobar"],
            f" {ENGLISH.rest_needs_model}",
        ),
    ],
)
async def test_every_unknown_place_and_the_rest_is_told(
    question: str, places: list[str], rest: str
) -> None:
    sentences = " ".join(ENGLISH.unknown_place.format(place=place) for place in places)

    assert text_of(await ask(question)) == f"{sentences}{rest}"


async def test_two_questions_are_two_calls_and_two_sentences() -> None:
    question = ChatMessage(ChatRole.USER, "What is 2*3? How many points do I have?")
    calls = (
        ToolCall("a", "calculate", '{"expression":"2*3"}'),
        ToolCall("b", "points_balance", "{}"),
    )
    results = (
        ChatMessage(
            ChatRole.TOOL, '{"expression":"2*3","value":"6","exact":true}', tool_call_id="a"
        ),
        ChatMessage(ChatRole.TOOL, '{"available":100,"spent":0}', tool_call_id="b"),
    )
    messages = (question, ChatMessage(ChatRole.ASSISTANT, "", tool_calls=calls), *results)

    chunks = [c async for c in RuleModel().stream(ChatRequest(messages, TOOLS))]

    assert text_of(chunks) == "2×3 = 6 You have 100 points to spend; 0 were spent so far."


async def test_a_client_tools_result_is_repeated() -> None:
    chunks = await ask("Open the door", *after("open_door", "opened", {}))

    assert text_of(chunks) == "The tool answered: opened"


@pytest.mark.parametrize(
    "question, answer",
    [
        ("What is the capital of France?", ENGLISH.no_model),
        ("今天天气怎么样", RULE_TEXTS[Language.HANS].no_model),
        ("今天天氣怎麼樣", RULE_TEXTS[Language.HANT].no_model),
        ("Wie geht es dir heute", OTHER_LANGUAGE_NO_MODEL),
    ],
)
async def test_what_needs_a_model_says_how_to_configure_one(question: str, answer: str) -> None:
    asked = ScriptedModel()

    assert text_of(await ask(question, model=RuleModel(asked))) == answer
    assert asked.requests == []
    assert "YARROW_LLM_BASE_URL" in answer


@pytest.mark.parametrize(
    "text",
    [
        "How are you?",
        "nice to meet you",
        "Tell me a joke",
        "I got a new puppy",
        "I had a fight with my wife",
        "I failed my test",
        "my boss is mean",
    ],
)
async def test_the_small_model_is_never_asked_by_the_assistant(text: str) -> None:
    """It took "I failed my test" for good news, and a puppy's owner for a puppy."""
    small = ScriptedModel([Say("I'm glad you're enjoying your day.")])

    answer = text_of(await ask(text, model=RuleModel(small)))

    assert small.requests == []
    assert answer in COURTESY_TEXTS[Language.ENGLISH].values()


def test_each_courtesy_has_an_answer_in_each_language() -> None:
    assert set(COURTESY_TEXTS) == set(Language)
    assert all(set(answers) == set(Courtesy) for answers in COURTESY_TEXTS.values())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("how are u", Courtesy.WELL_BEING),
        ("hows it going", Courtesy.WELL_BEING),
        ("你好吗", Courtesy.WELL_BEING),
        ("你最近怎麼樣？", Courtesy.WELL_BEING),
        ("吃了吗", Courtesy.WELL_BEING),
        ("hellooo", Courtesy.GREETING),
        ("tell me another joke please", Courtesy.JOKE),
        ("讲个笑话吧", Courtesy.JOKE),
        ("講個笑話", Courtesy.JOKE),
        ("i love you", Courtesy.AFFECTION),
        ("我爱你", Courtesy.AFFECTION),
        ("很高兴认识你", Courtesy.MEETING),
        ("再见了", Courtesy.FAREWELL),
        ("I am so happy today!", Courtesy.REMARK),
        ("我今天很开心", Courtesy.REMARK),
        ("我買了新房子", Courtesy.REMARK),
    ],
)
async def test_small_talk_is_answered_by_a_sentence(text: str, kind: Courtesy) -> None:
    language = detect_language(text) or Language.ENGLISH

    assert text_of(await ask(text)) == COURTESY_TEXTS[language][kind]


@pytest.mark.parametrize(
    "text",
    [
        "I need a recipe for soup",
        "I want you to write a poem",
        "tell me a joke about my boss and explain it",
        "call me at 555-1234",
        "我想知道怎么做饭",
        "我的电脑坏了怎么办",
        "我们公司的产品该怎么定价",
    ],
)
async def test_a_request_is_no_small_talk(text: str) -> None:
    language = detect_language(text) or Language.ENGLISH

    assert text_of(await ask(text)) == RULE_TEXTS[language].no_model


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    other = (ToolSpec("open_door", "", {}),)

    assert text_of(await ask("What is 17 times 23?", tools=other)) == ENGLISH.no_model


async def test_a_request_without_tools_goes_to_the_small_model_and_says_so() -> None:
    model = RuleModel(ScriptedModel([Say("The stars are out.")], name="small"))

    chunks = await ask("Hello", model=model, tools=())

    assert text_of(chunks) == "The stars are out."
    assert [c.model for c in chunks if isinstance(c, UsageChunk)] == ["small"]


async def test_pictures_need_a_model() -> None:
    asked = ChatMessage(ChatRole.USER, "What is this?", images=(ImagePart("data:,"),))
    chunks = [c async for c in RuleModel().stream(ChatRequest((asked,), TOOLS))]

    assert text_of(chunks) == ENGLISH.no_pictures


CAST: JsonObject = {
    "lines": ["少阳"] * 6,
    "cast_at": "2026-04-03T20:30:00+08:00",
    "reading": {"answer": "得乾为天，此事可行。"},
}


@pytest.mark.parametrize(
    "later", ["为什么？", "什么时候能成？", "那下半年再换呢", "如果不换呢", "怎么办"]
)
async def test_a_later_question_goes_to_the_hexagram_that_was_cast(later: str) -> None:
    question = "最近换工作好不好"
    cast = after("cast_hexagram", CAST, {"question": question})
    answer = ChatMessage(ChatRole.ASSISTANT, "得乾为天，此事可行。")

    call, *_ = await ask(
        f"帮我起一卦，{question}", *cast, answer, ChatMessage(ChatRole.USER, later)
    )

    assert isinstance(call, ToolCallChunk)
    expected = {"question": question, "lines": CAST["lines"], "cast_at": CAST["cast_at"]}
    assert decode_json(call.arguments.encode()) == expected | {"follow_up": later}


@pytest.mark.parametrize(
    "later", ["为什么天是蓝的？", "Why is the sky blue?", "Explain quantum physics", "讲个笑话"]
)
async def test_another_matter_after_a_reading_is_not_read_from_its_board(later: str) -> None:
    cast = after("cast_hexagram", CAST, {"question": "换工作好吗"})

    chunks = await ask("起一卦，换工作好吗", *cast, ChatMessage(ChatRole.USER, later))

    assert not [chunk for chunk in chunks if isinstance(chunk, ToolCallChunk)]


@pytest.mark.parametrize(
    ("text", "language"),
    [("你好吗", Language.HANS), ("這是哪裡", Language.HANT), ("Hi captain", Language.ENGLISH)],
)
async def test_a_character_says_that_it_needs_a_model(text: str, language: Language) -> None:
    """Requests without tools play a role: what the assistant can do is not offered there."""
    assert text_of(await ask(text, tools=())) == RULE_TEXTS[language].no_model_for_role


@pytest.mark.parametrize(
    "text",
    ["What is 17*23?", "what time is it in Tokyo?", "What day is tomorrow?", "20% off 80"],
)
async def test_a_character_is_not_asked_what_has_one_right_answer(text: str) -> None:
    small_model = ScriptedModel([Say("17*23 = 4296.")])
    request = ChatRequest((ChatMessage(ChatRole.USER, text),))

    chunks = [chunk async for chunk in RuleModel(small_model).stream(request)]

    assert text_of(chunks) == RULE_TEXTS[Language.ENGLISH].no_model_for_role
    assert small_model.requests == []


async def test_each_of_three_places_is_answered() -> None:
    question = "What time is it in Paris, London and Tokyo?"
    calls = [each for each in await ask(question) if isinstance(each, ToolCallChunk)]
    zones = [read_zone(call) for call in calls]

    results = [
        ChatMessage(
            ChatRole.TOOL,
            encode_json({"iso": f"2026-11-16T1{n}:30:00+01:00", "timezone": zone}).decode(),
            tool_call_id=f"rule_{n}",
        )
        for n, zone in enumerate(zones)
    ]
    called = tuple(ToolCall(f"rule_{n}", "current_time", "{}") for n in range(len(zones)))
    answer = text_of(
        await ask(question, ChatMessage(ChatRole.ASSISTANT, "", tool_calls=called), *results)
    )

    assert zones == ["Europe/Paris", "Europe/London", "Asia/Tokyo"]
    assert all(said in answer for said in ("Paris it is 10:30", "London it is 11:30", "Tokyo"))


def read_zone(call: ToolCallChunk) -> str:
    arguments = decode_json(call.arguments.encode())
    assert isinstance(arguments, dict)
    return str(arguments["timezone"])


@pytest.mark.parametrize(
    "question, answer",
    [
        (
            "what time was it 45 minutes ago",
            "It was 14:45 on Thursday, 2026-11-19 (Asia/Shanghai).",
        ),
        ("45分钟前是几点", "那时是 2026-11-19 星期四 14:45（Asia/Shanghai）。"),
    ],
)
async def test_a_time_before_now_is_told_as_past(question: str, answer: str) -> None:
    result: JsonObject = {
        "iso": "2026-11-19T14:45:00+08:00",
        "weekday": "Thursday",
        "timezone": "Asia/Shanghai",
    }

    assert text_of(await ask(question, *after("current_time", result, {"minutes": -45}))) == answer
