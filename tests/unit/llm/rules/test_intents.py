"""What the rules recognise, in English and Chinese, and what they leave alone."""

import pytest

from yarrow.kit.language import Language
from yarrow.llm.rules.intents import (
    ArithmeticIntent,
    CastIntent,
    DocsIntent,
    FarewellIntent,
    GreetingIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
    SearchIntent,
    TableFigure,
    TableIntent,
    ThanksIntent,
    TimeIntent,
    find_intent,
)
from yarrow.llm.rules.language import detect_language
from yarrow.llm.rules.small_talk import is_small_talk

SUM_BY_REGION = TableFigure("sum", "revenue", "region")


@pytest.mark.parametrize(
    "text, zones",
    [
        ("What time is it?", []),
        ("time?", []),
        ("今天星期几", []),
        ("What's the date?", []),
        ("What time is it in Tokyo?", ["Asia/Tokyo"]),
        ("现在东京几点了？", ["Asia/Tokyo"]),
        ("紐約現在幾點", ["America/New_York"]),
        ("在London现在几点", ["Europe/London"]),
        ("what's the time in New York and Rome?", ["America/New_York", "Europe/Rome"]),
        ("time in Europe/Madrid", ["Europe/Madrid"]),
        ("北京和巴黎的时差是多少", ["Asia/Shanghai", "Europe/Paris"]),
    ],
)
def test_time_is_asked_for_here_or_elsewhere(text: str, zones: list[str]) -> None:
    intent = find_intent(text)

    assert isinstance(intent, TimeIntent)
    assert [place.zone for place in intent.places] == zones


def test_an_unknown_place_is_not_the_users_own() -> None:
    assert find_intent("What time is it in Foobar?") == TimeIntent((), "Foobar")


@pytest.mark.parametrize(
    "text, expression",
    [
        ("17 × 23", "17*23"),
        ("What is 17 times 23?", "17 * 23"),
        ("What's 15% of 80?", "15% * 80"),
        ("1,000 + 2,500.5", "1000 + 2500.5"),
        ("square root of 16", "sqrt(16)"),
        ("17乘以23等于多少？", "17*23"),
        ("十七乘二十三是多少", "17*23"),
        ("两千零五加一百", "2005+100"),
        ("2的10次方是多少", "2**10"),
        ("100的15%是多少", "100*15%"),
        ("(1+2)*3=", "(1+2)*3"),
    ],
)
def test_arithmetic_is_found_in_figures_and_words(text: str, expression: str) -> None:
    assert find_intent(text) == ArithmeticIntent(expression)


@pytest.mark.parametrize(
    "text, intent",
    [
        ("How many points do I have?", PointsIntent()),
        ("我还有多少积分？", PointsIntent()),
        ("Where did my points go?", LedgerIntent()),
        ("积分流水", LedgerIntent()),
        ("Search my past sessions for rain", SearchIntent("rain")),
        ("Did we talk about Lisbon before?", SearchIntent("Lisbon")),
        ("我们之前聊过下雨吗", SearchIntent("下雨")),
        ("搜索历史会话里关于换工作的记录", SearchIntent("换工作")),
        ("Cast a hexagram: should I change my job?", CastIntent("should I change my job")),
        ("帮我起一卦，看看最近换工作合适吗", CastIntent("最近换工作合适吗")),
        ("占卜", CastIntent("占卜")),
        ("What tables do I have?", TableIntent()),
        ("我上传了哪些表格", TableIntent()),
        ("total revenue by region in sales", TableIntent("sales", SUM_BY_REGION)),
        ("sales 表里 revenue 的总和", TableIntent("sales", TableFigure("sum", "revenue"))),
        ("How many rows does the sales table have?", TableIntent("sales", TableFigure("count"))),
        ("How do I configure a model?", DocsIntent("How do I configure a model")),
        ("怎么配置模型？", DocsIntent("怎么配置模型")),
        ("How do I get points?", DocsIntent("How do I get points")),
        ("How do I use ollama?", DocsIntent("How do I use ollama")),
        ("What can you do?", HelpIntent()),
        ("你能做什么？", HelpIntent()),
        ("Say hello in one sentence.", GreetingIntent()),
        ("你好", GreetingIntent()),
        ("谢谢！", ThanksIntent()),
        ("bye", FarewellIntent()),
    ],
)
def test_other_intents_are_recognised(text: str, intent: Intent) -> None:
    assert find_intent(text) == intent


@pytest.mark.parametrize(
    "text",
    [
        "How are you?",
        "What is the capital of France?",
        "What time does the train leave?",
        "What happened on 2026-11-16?",
        "今天天气怎么样",
        "写一首诗",
        "I feel tired today",
        "what time " * 100,
        "",
    ],
)
def test_other_questions_are_left_alone(text: str) -> None:
    assert find_intent(text) is None


@pytest.mark.parametrize(
    "text, language",
    [
        ("How are you?", Language.ENGLISH),
        ("17 × 23", Language.ENGLISH),
        ("现在几点", Language.HANS),
        ("現在幾點", Language.HANT),
        ("Wie geht es dir heute", None),
        ("Bonjour, comment ça va ?", None),
        ("¿Qué hora es?", None),
        ("今日は元気ですか", None),
        ("안녕하세요", None),
        ("Привет", None),
    ],
)
def test_the_language_of_a_question_is_told(text: str, language: Language | None) -> None:
    assert detect_language(text) is language


@pytest.mark.parametrize(
    "text, is_one",
    [
        ("How are you?", True),
        ("I feel tired today", True),
        ("Tell me a joke", False),
        ("Write me a poem", False),
        ("What is the capital of France?", False),
        ("Can you write Python code for me?", False),
        ("Should I invest my money?", False),
        ("I " * 41, False),
    ],
)
def test_only_small_talk_is_left_to_the_small_model(text: str, is_one: bool) -> None:
    assert is_small_talk(text) is is_one
