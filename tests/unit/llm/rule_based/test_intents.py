"""What the rules recognise, in English and Chinese, and what they leave alone."""

import pytest

from yarrow.llm.rule_based.date_questions import DateIntent
from yarrow.llm.rule_based.greetings import Courtesy, CourtesyIntent
from yarrow.llm.rule_based.intents import (
    ArithmeticIntent,
    CastFollowUpIntent,
    CastIntent,
    DocsIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
    find_intent,
)
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.search_questions import SearchIntent
from yarrow.llm.rule_based.spelling import correct_spelling
from yarrow.llm.rule_based.table_questions import TableIntent, TableStatistic
from yarrow.llm.rule_based.time_questions import TimeIntent

SUM_BY_REGION = TableStatistic("sum", "revenue", "region")


def guess(table: str, measure: str, column: str = "", by: str = "") -> TableIntent:
    return TableIntent(table, TableStatistic(measure, column, by), is_guess=True)


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
        ("How many hours ahead is Tokyo of London?", ["Asia/Tokyo", "Europe/London"]),
        ("What time is it in São Paulo?", ["America/Sao_Paulo"]),
        ("What time is it in Zürich?", ["Europe/Zurich"]),
        ("time in St. John's, Newfoundland", ["America/St_Johns"]),
        ("加德满都现在几点了", ["Asia/Kathmandu"]),
        ("Paris, France time", ["Europe/Paris"]),
        ("time in GMT+8", ["Etc/GMT-8"]),
        ("What time is it in Austin, Texas?", ["America/Chicago"]),
        ("What time is it in New York, USA now?", ["America/New_York"]),
        ("time in Sydney, Australia and London, UK", ["Australia/Sydney", "Europe/London"]),
        ("time in Seattle, Washington", ["America/Los_Angeles"]),
        ("time in London, Rome and Tokyo", ["Europe/London", "Europe/Rome", "Asia/Tokyo"]),
        ("what time is it in Samoa", ["Pacific/Apia"]),
        ("What time is it in UTC -5?", ["Etc/GMT+5"]),
        ("你知道现在几点吗", []),
        ("what tiem is it in tokyo", ["Asia/Tokyo"]),
        ("What day is it in Tokyo?", ["Asia/Tokyo"]),
        ("what date is it today, please?", []),
        ("Thanks, what time is it?", []),
        ("谢谢，现在几点", []),
        ("我在伦敦。现在几点？", ["Europe/London"]),
        ("我在巴黎。罗马现在几点？", ["Europe/Rome"]),
        ("刚下飞机，伦敦现在几点？", ["Europe/London"]),
        ("几点了哥们", []),
        ("今天是星期几来着", []),
        ("Could you kindly inform me of the current time in Vienna?", ["Europe/Vienna"]),
        ("請問倫敦與東京相差幾小時？", ["Europe/London", "Asia/Tokyo"]),
        ("could u pls tell me what time it is over in Mumbai", ["Asia/Kolkata"]),
        ("麻烦您告诉我一下巴黎现在几点，谢谢", ["Europe/Paris"]),
    ],
)
def test_time_is_asked_for_here_or_elsewhere(text: str, zones: list[str]) -> None:
    (intent,), _ = find_intents([text])

    assert isinstance(intent, TimeIntent)
    assert ([place.zone for place in intent.places], intent.unknown) == (zones, "")


@pytest.mark.parametrize(
    "text, place",
    [
        ("What time is it in Foobar?", "Foobar"),
        ("What time is it in Ålesundby?", "Ålesundby"),
        ("What day is it in Foobar?", "Foobar"),
        ("What time is it on the moon?", "moon"),
        ("What time is it in GMT+25?", "GMT"),
        ("美国现在几点", "美国"),
        ("现在俄罗斯几点", "俄罗斯"),
        ("What time is it in Brazil?", "Brazil"),
        ("印度尼西亚现在几点", "印度尼西亚"),
        ("请问火星现在几点了", "火星"),
        ("What time is it in Paris, Texas?", "Paris, Texas"),
        ("What time is it in Perth, Scotland?", "Perth, Scotland"),
        ("time in San Jose, Costa Rica", "San Jose, Costa Rica"),
        ("What time is it in Rome, New York?", "Rome, New York"),
        ("What time is it in San Juan?", "San Juan"),
        ("time in Cordoba", "Cordoba"),
        ("time in Petersburg", "Petersburg"),
        ("What time is it in Jersey City?", "Jersey City"),
    ],
)
def test_an_unknown_place_is_not_the_users_own(text: str, place: str) -> None:
    intent = find_intent(text)

    assert isinstance(intent, TimeIntent)
    assert intent.unknown == place


@pytest.mark.parametrize(
    "text, intent",
    [
        ("What day is tomorrow?", DateIntent(days=1)),
        ("明天星期几", DateIntent(days=1)),
        ("大后天是几号", DateIntent(days=3)),
        ("三天后是星期几", DateIntent(days=3)),
        ("what date was 2 weeks ago", DateIntent(days=-14)),
        ("what day of the week was 2000-01-01?", DateIntent("2000-01-01")),
        ("2026年11月17日是星期几", DateIntent("2026-11-17")),
        ("今天农历几号", DateIntent(lunar=True)),
        ("How many days until Christmas?", DateIntent(until="12-25")),
        ("距离春节还有多少天", DateIntent(until="lunar-new-year")),
        ("距离农历新年还有多少天", DateIntent(until="lunar-new-year")),
        ("離農曆新年還有幾天", DateIntent(until="lunar-new-year")),
        ("what is the lunar date today", DateIntent(lunar=True)),
        ("How many days since Christmas?", DateIntent(until="12-25", is_past=True)),
        ("How many days since January 1?", DateIntent(until="01-01", is_past=True)),
        ("How many days since 2024-01-01?", DateIntent(until="2024-01-01")),
        ("国庆节过了多少天", DateIntent(until="10-01", is_past=True)),
        ("从10月1日到今天有多少天", DateIntent(until="10-01", is_past=True)),
        ("What day was Christmas?", DateIntent("12-25", is_past=True)),
        ("How many days before Dec. 5?", DateIntent(until="12-05")),
        ("How many days between March 1 and June 1?", DateIntent("03-01", until="06-01")),
        (
            "How many days between 2024-01-01 and March 5, 2024?",
            DateIntent("2024-01-01", until="2024-03-05"),
        ),
    ],
)
def test_days_are_counted(text: str, intent: DateIntent) -> None:
    assert find_intents([text])[0] == [intent]


@pytest.mark.parametrize(
    "texts, intent",
    [
        (["What time is it in Tokyo?", "and in Rome?"], "Europe/Rome"),
        (["What time is it in Tokyo?", "thanks", "what about Oslo"], "Europe/Oslo"),
        (["东京现在几点？", "那上海呢", "伦敦呢？"], "Europe/London"),
        (["What time is it in Tokyo?", "and in Narnia?"], "Narnia"),
        (["What time is it in Tokyo?", "and in Perth, Scotland?"], "Perth, Scotland"),
        (["What time is it in Tokyo?", "and tomorrow?"], None),
        (["明天星期几", "那后天呢"], DateIntent(days=2)),
        (["2 + 2 * 2", "times 3"], ArithmeticIntent("(2 + 2 * 2) * 3")),
        (["17乘23", "再加九呢"], ArithmeticIntent("(17*23) +9")),
        (["What time is it in Tokyo?", "and why?"], None),
        (["12*12", "and in London?"], None),
        (["那上海呢"], None),
        (["东京现在几点？", "那纳尼亚呢"], "纳尼亚"),
        (["东京现在几点？", "晚饭呢"], None),
        (["What time is it in Tokyo?", "what about dinner"], None),
        (["What time is it in Tokyo?", "ok but dinner"], None),
        (["What time is it in Tokyo?", "and points?"], None),
        (["What time is it in Tokyo?", "tell me a story", "and in Rome?"], None),
        (["12*12", "tell me a story", "-3"], None),
        (["what is the lunar date today", "and tomorrow?"], DateIntent(days=1, lunar=True)),
        (["How many days until Christmas?", "and tomorrow?"], None),
        (["今天星期几", "那明天呢"], DateIntent(days=1)),
        (["起卦", "我能升职吗"], CastIntent("我能升职吗")),
        (["cast a hexagram", "tell me a joke"], CourtesyIntent(Courtesy.JOKE)),
        (
            ["起一卦：换工作好吗", "3*4", "什么时候好"],
            CastFollowUpIntent("换工作好吗", "什么时候好"),
        ),
        (["起一卦：换工作好吗", "3*4", "为什么"], None),
        (
            ["cast a hexagram: should I move?", "what stands in the way?"],
            CastFollowUpIntent("should I move", "what stands in the way?"),
        ),
    ],
)
def test_a_follow_up_completes_the_question_before(
    texts: list[str], intent: Intent | str | None
) -> None:
    found, _ = find_intents(texts)

    values = [i.unknown or i.places[0].zone if isinstance(i, TimeIntent) else i for i in found]
    assert values == ([] if intent is None else [intent])


@pytest.mark.parametrize(
    "text, kinds, asks_more",
    [
        ("What time is it in Rome and what is 17*23?", [TimeIntent, ArithmeticIntent], False),
        ("现在几点？我还有多少积分？", [TimeIntent, PointsIntent], False),
        ("What time is it in Rome and who is its mayor?", [TimeIntent], True),
        ("Hello! What time is it in Rome? Thanks", [TimeIntent], False),
        ("今天是星期几？明天呢", [TimeIntent, DateIntent], False),
        ("现在几点？我在北京。我还有多少积分？", [TimeIntent, PointsIntent], False),
        ("帮我起一卦。最近换工作合适吗？", [CastIntent], False),
        (
            "1. what time is it 2. what is 5*6 3. how many points do i have",
            [TimeIntent, ArithmeticIntent, PointsIntent],
            False,
        ),
        ("算一下 88*12 然后告诉我东京几点", [ArithmeticIntent, TimeIntent], False),
        ("What time is it? Also write me a poem.", [TimeIntent], True),
        ("what time is it in Tokyo and write me a poem", [TimeIntent], True),
        ("现在几点，顺便写首诗", [TimeIntent], True),
        ("I just landed. What time is it in Rome?", [TimeIntent], False),
        ("东京几点，顺便讲个笑话", [TimeIntent, CourtesyIntent], False),
        ("Tell me a joke and what time is it in Rome?", [CourtesyIntent, TimeIntent], False),
        ("我有多少积分？怎么充值", [PointsIntent, DocsIntent], False),
        (
            "How do I set the log level? How many points do I have?",
            [DocsIntent, PointsIntent],
            False,
        ),
        ("How do I configure a model? I use ollama.", [DocsIntent], False),
        ("How do I configure a model? Who is the king of Spain?", [DocsIntent], True),
        ("What can you do? What time is it?", [HelpIntent, TimeIntent], False),
        ("现在几点了？我有点困。", [TimeIntent], False),
    ],
)
def test_every_question_of_a_message_is_answered(
    text: str, kinds: list[type], asks_more: bool
) -> None:
    intents, more = find_intents([text])

    assert [type(intent) for intent in intents] == kinds
    assert more is asks_more


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
        ("1万加2千", "10000+2000"),
        ("一万五减三千五", "15000-3500"),
        ("一亿五千万除以三", "150000000/3"),
        ("一亿零三万加一", "100030000+1"),
        ("三点五万乘以二", "35000*2"),
        ("一点二亿减一", "120000000-1"),
        ("两万亿加一", "2000000000000+1"),
        ("two million three hundred thousand plus 1", "2300000 + 1"),
        ("1万5加2", "15000+2"),
        ("3千5加1", "3500+1"),
        ("1万5000加2", "15000+2"),
        ("三百零5加2十5", "305+25"),
        ("12 divided by twice 3", "12 / (2 * 3)"),
        ("10 divided by half of 4", "10 / (1/2 * 4)"),
        ("100 divided by 50% of 4", "100 / (50% * 4)"),
        ("twice 3 squared", "2 * 3**2"),
        ("12除以100的15%", "12/(100*15%)"),
        ("2100分之7加1", "(7/2100)+1"),
        ("三点五乘以二", "3.5*2"),
        ("负五加三", "-5+3"),
        ("三分之一加六分之一", "(1/3)+(1/6)"),
        ("百分之十五的二百四十", "15% * 240"),
        ("帮我算一下 12*12", "12*12"),
        ("twenty-five percent of one hundred and four", "25% * 104"),
        ("What is 5 divided by zero?", "5 / 0"),
        ("20% off 80", "80*(100-20)/100"),
        ("$19.99 * 3", "19.99 * 3"),
        ("wat is 2+2", "2+2"),
        ("and what is 3+4?", "3+4"),
    ],
)
def test_arithmetic_is_found_in_figures_and_words(text: str, expression: str) -> None:
    assert find_intents([text])[0] == [ArithmeticIntent(expression)]


@pytest.mark.parametrize(
    "text, intent",
    [
        ("How many points do I have?", PointsIntent()),
        ("我还有多少积分？", PointsIntent()),
        ("Where did my points go?", LedgerIntent()),
        ("积分流水", LedgerIntent()),
        ("Search my past sessions for rain", SearchIntent("rain")),
        ("Did we talk about Lisbon before?", SearchIntent("Lisbon")),
        ("find the message about Lisbon", SearchIntent("Lisbon")),
        ("我们之前聊过下雨吗", SearchIntent("下雨")),
        ("搜索历史会话里关于换工作的记录", SearchIntent("换工作")),
        ("Cast a hexagram: should I change my job?", CastIntent("should I change my job")),
        ("帮我起一卦，看看最近换工作合适吗", CastIntent("最近换工作合适吗")),
        ("占卜", CastIntent("")),
        ("What tables do I have?", TableIntent()),
        ("我上传了哪些表格", TableIntent()),
        ("total revenue by region in sales", TableIntent("sales", SUM_BY_REGION, is_guess=True)),
        ("sales 表里 revenue 的总和", TableIntent("sales", TableStatistic("sum", "revenue"))),
        ("各部门平均工资", guess("", "average", "工资", "部门")),
        ("员工表里各部门的平均工资", guess("员工", "average", "工资", "部门")),
        ("cars里price的平均值", guess("cars", "average", "price")),
        ("sum of 工资 in 员工", guess("员工", "sum", "工资")),
        ("how many rows in cars", guess("cars", "count")),
        ("cars有多少行", guess("cars", "count")),
        ("describe table sales", TableIntent("sales")),
        ("what's in the sales table", TableIntent("sales")),
        ("查询我的积分余额", PointsIntent()),
        ("积分规则", DocsIntent("points price of a run")),
        ("what does casting a hexagram cost?", DocsIntent("points price of a run")),
        ("sales表按region的amount总和", guess("sales", "sum", "amount", "region")),
        (
            "城市表里销售额最高的是多少",
            TableIntent("城市", TableStatistic("max", "销售额"), is_guess=True),
        ),
        ("count of cars by maker", guess("cars", "count", "", "maker")),
        ("what columns does cars have", TableIntent("cars", is_guess=True)),
        ("我们之前聊过起卦吗", SearchIntent("起卦")),
        ("search for python in my history", SearchIntent("python")),
        ("找找我之前关于工作的对话", SearchIntent("工作")),
        ("六爻怎么算", DocsIntent("六爻怎么算")),
        ("一次提问要多少积分", DocsIntent("points price of a run")),
        ("我的积分都花哪儿了", LedgerIntent()),
        ("Cast one: should I move?", CastIntent("should I move")),
        ("帮我看看今天运势", CastIntent("帮我看看今天运势")),
        ("你是ChatGPT吗", HelpIntent()),
        ("thx bro", CourtesyIntent(Courtesy.THANKS)),
        ("在吗", CourtesyIntent(Courtesy.GREETING)),
        ("👍", CourtesyIntent(Courtesy.NOD)),
        ("好的", CourtesyIntent(Courtesy.NOD)),
        ("you are stupid", CourtesyIntent(Courtesy.INSULT)),
        ("How many rows does the sales table have?", guess("sales", "count")),
        ("How do I configure a model?", DocsIntent("How do I configure a model")),
        ("怎么配置模型？", DocsIntent("怎么配置模型")),
        ("How do I get points?", DocsIntent("How do I get points")),
        ("怎么备份", DocsIntent("怎么备份")),
        ("How do I back up?", DocsIntent("How do I back up")),
        ("如何删除会话？", DocsIntent("如何删除会话")),
        ("怎么查看日志", DocsIntent("怎么查看日志")),
        ("How do I use ollama?", DocsIntent("How do I use ollama")),
        ("What can you do?", HelpIntent()),
        ("你能做什么？", HelpIntent()),
        ("什么是六爻", DocsIntent("什么是六爻")),
        ("can you help me", HelpIntent()),
        ("are you chatgpt?", HelpIntent()),
        ("which model are you", HelpIntent()),
        ("are you a real person?", HelpIntent()),
        ("my dog died yesterday", CourtesyIntent(Courtesy.DISTRESS)),
        ("我很难过", CourtesyIntent(Courtesy.DISTRESS)),
        ("我爷爷昨天走了", CourtesyIntent(Courtesy.DISTRESS)),
        ("Thanks, cast a hexagram", CastIntent("")),
        ("i ching reading pls", CastIntent("")),
        ("算命", CastIntent("")),
        ('find "tokyo" in my history', SearchIntent("tokyo")),
        ("积分怎么来的", DocsIntent("points price of a run")),
        ("who r u", HelpIntent()),
        ("thank u!!", CourtesyIntent(Courtesy.THANKS)),
        ("你好，在吗", CourtesyIntent(Courtesy.GREETING)),
        ("你好啊，在吗", CourtesyIntent(Courtesy.GREETING)),
        ("nobody loves me", CourtesyIntent(Courtesy.DISTRESS)),
        ("I was cutting myself again", CourtesyIntent(Courtesy.SELF_HARM)),
        ("do a divination for me", CastIntent("")),
        ("who spent my points", LedgerIntent()),
        ("最近三笔积分", LedgerIntent()),
        ("i have chest pain", CourtesyIntent(Courtesy.ILLNESS)),
        ("我胸口痛", CourtesyIntent(Courtesy.ILLNESS)),
        ("thank you so much for your help!", CourtesyIntent(Courtesy.THANKS)),
        ("I want to kill myself", CourtesyIntent(Courtesy.SELF_HARM)),
        ("想卸载人生", CourtesyIntent(Courtesy.SELF_HARM)),
        ("妈对不起，女儿不孝先走了", CourtesyIntent(Courtesy.SELF_HARM)),
        ("My life is over, what is left", CourtesyIntent(Courtesy.SELF_HARM)),
        ("I feel like dying", CourtesyIntent(Courtesy.SELF_HARM)),
        ("Should I end it all?", CourtesyIntent(Courtesy.SELF_HARM)),
        ("没有我大家会更好", CourtesyIntent(Courtesy.SELF_HARM)),
        ("帮我起一卦，我想自杀", CourtesyIntent(Courtesy.SELF_HARM)),
        ("晚安", CourtesyIntent(Courtesy.FAREWELL)),
        ("Say hello in one sentence.", CourtesyIntent(Courtesy.GREETING)),
        ("你好", CourtesyIntent(Courtesy.GREETING)),
        ("My name is Tom.", CourtesyIntent(Courtesy.GREETING)),
        ("我叫小明", CourtesyIntent(Courtesy.GREETING)),
        ("find the chat where we talked about Tokyo", SearchIntent("Tokyo")),
        ("谢谢！", CourtesyIntent(Courtesy.THANKS)),
        ("bye", CourtesyIntent(Courtesy.FAREWELL)),
    ],
)
def test_other_intents_are_recognised(text: str, intent: Intent) -> None:
    assert find_intent(text) == intent


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "What time does the train leave?",
        "What happened on 2026-11-16?",
        "今天天气怎么样",
        "写一首诗",
        "I feel tired today",
        "what time " * 100,
        "时差",
        "3-2-2024",
        "1/2/2024",
        "$5 + €3",
        "1 234,5 + 1",
        "do you use my data",
        "What day is it next Friday?",
        "What is the date of Easter?",
        "下个月今天是星期几",
        "去年今天是星期几",
        "周几放假",
        "去年10月1日是星期几",
        "农历八月十五是几号",
        "How many days until Christmas 2027?",
        "How many days until Christmas Eve?",
        "How many days between tomorrow and Christmas?",
        "How many days before Christmas is Halloween?",
        "How many days between January 1 and March 5, 2024?",
        "How many days are in 2 decades?",
        "How many days until 2 marathons?",
        "1万5.5加2",
        "one thousand million plus 1",
        "two million three million plus 1",
        "1万50000加1",
        "half of half of 4",
        "我先走了",
        "我要走了",
        "我死了一盆花",
        "我饿死了",
        "我不难过",
        "I am not sad",
        "I don't feel sad",
        "怎么用英文说谢谢",
        "toss a coin",
        "what did we talk about yesterday",
        "what did I ask you yesterday?",
        "how many points did I spend this week",
        "How many points did I get today?",
        "本周花了多少积分",
        "What time is it in UTC+5:30?",
        "我叫外卖了几点到",
        "how much does a car cost",
        "中国的总理是谁",
        "i put the book on the table",
        "我想买个表",
        "what does hexagram 23 mean",
        "how do you say thank you in Chinese",
        "100 - 10% + 5",
        "what have I asked so far",
        "total amount for January in sales",
        "what time is it when the sun sets in Paris",
        "现在几点开门",
        "今天几号发工资",
        "what is the current time zone of India",
        "how many points did Lebron score",
        "how many credits do I need to graduate",
        "银行余额多少",
        "账单什么时候出",
        "are there any tables available at 7pm",
        "book a table for two",
        "multiplication table of 7",
        "which region has the highest amount in sales?",
        "delete table sales",
        "下载表格",
        "🤔?",
        "",
    ],
)
def test_other_questions_are_left_alone(text: str) -> None:
    assert find_intent(text) is None


@pytest.mark.parametrize(
    "text", ["How many pints are in a gallon?", "I ate yesterday", "cats", "tanks a lot"]
)
def test_words_that_resemble_keywords_are_not_corrected(text: str) -> None:
    assert correct_spelling(text) == text
    assert find_intents([text]) == ([], False)
