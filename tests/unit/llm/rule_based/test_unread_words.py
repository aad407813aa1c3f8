"""A question is answered only if every word of it is read or says nothing; others are refused."""

import pytest

from yarrow.llm.rule_based.date_questions import DateIntent
from yarrow.llm.rule_based.intents import CastIntent, DocsIntent, Intent
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.time_questions import TimeIntent

BORN_1950 = DateIntent(until="1950-02-01", is_age=True)


@pytest.mark.parametrize(
    "text",
    [
        "My meeting is at 10am PST. What time is it in London?",
        "My flight leaves Tokyo at 18:30, what time is it in Berlin then?",
        "In summer, what is the time difference between Tokyo and London?",
        "It is summer, what's the time difference between Tokyo and London?",
        "In July, when it is noon in London, what time is it in Sydney?",
        "if it's 10am Monday in Sydney, what time is it in London?",
        "When it's 9am EST, what time is it in London?",
        "What time is it in Tokyo then?",
        "On Monday I fly to Rome. What time is it there?",
        "会议是伦敦时间下午3点，请问北京时间几点",
        "夏天北京和伦敦的时差是多少",
        "七月北京和伦敦的时差是多少",
        "那时伦敦几点",
        "到圣诞节那天，悉尼和伦敦时差多少",
        "What time is it there?",
        "我晚上八点的飞机，请问伦敦几点",
    ],
)
def test_another_time_is_not_answered_with_the_time_now(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text, more",
    [
        ("My meeting is at 10am sharp. What time is it now?", False),
        ("我晚上八点的飞机，请问现在几点", False),
        ("I fly on Monday. What is the date today?", False),
        ("If I call at 9am, will they answer? What time is it in Rome right now?", True),
    ],
)
def test_now_is_answered_beside_another_time(text: str, more: bool) -> None:
    (intent,), asks_more = find_intents([text])

    assert isinstance(intent, TimeIntent)
    assert asks_more is more


@pytest.mark.parametrize(
    "text",
    [
        "What's the weather the day after tomorrow?",
        "How many working days until Christmas?",
        "How many days until Christmas excluding weekends?",
        "How many days until Christmas in hours?",
        "How many days of school do I have until Christmas?",
        "how many days off until Christmas",
        "How many rainy days between March 1 and June 1?",
        "What is open on Christmas Day?",
        "What's a good day trip for tomorrow?",
        "What day is tomorrow in Tokyo?",
        "My dog was born on May 20, 2019. How old is he in dog years?",
        "明天去机场坐几号线",
        "国庆放假到几号",
        "圣诞节到元旦有几天假",
        "距离元旦还有几天工作日",
    ],
)
def test_a_date_is_not_the_answer_to_more_than_a_date(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text, intent",
    [
        ("What day of the week will it be in 3 days?", DateIntent(days=3)),
        ("Could you please tell me what day tomorrow is?", DateIntent(days=1)),
        ("请问明天是几月几号来着", DateIntent(days=1)),
        ("从2026年1月1日到2026年3月1日一共有多少天", DateIntent("2026-01-01", until="2026-03-01")),
    ],
)
def test_words_of_asking_for_a_date_are_read(text: str, intent: Intent) -> None:
    assert find_intents([text]) == ([intent], False)


@pytest.mark.parametrize(
    "text",
    [
        "我想问签证需要什么材料",
        "我明天来签合同",
        "来签到",
        "求签名照",
        "帮我测一测网速",
        "一次起卦多少积分",
        "剩余积分够不够起卦",
        "占卜是迷信吗",
        "六爻的书推荐几本",
        "别起卦",
        "求签灵不灵",
        "怎么使用六爻",
        "draw a picture of a hexagram",
        "give me a list of hexagrams",
        "Should I throw away my old coins?",
        "How do I draw a hexagram in Python?",
        "Is divination real?",
        "Don't cast a hexagram",
        "Don't cast a hexagram about my job",
        "How do I cast a hexagram for my project?",
        "Draw a hexagram for me in Python",
        "算命软件，哪个好",
        "占卜的网站看哪个",
        "不要起卦，看看天气",
    ],
)
def test_no_hexagram_is_cast_unasked(text: str) -> None:
    intents, _ = find_intents([text])

    assert not any(isinstance(intent, CastIntent) for intent in intents)


@pytest.mark.parametrize(
    "text, question",
    [
        ("问一卦", ""),
        ("我想算一卦，今年能结婚吗", "今年能结婚吗"),
        ("能帮我算一卦吗", ""),
        ("抽个签吧", ""),
        ("求个签问问工作", "工作"),
        ("I'd like to draw a hexagram about my exam", "my exam"),
        ("Can you do an I Ching reading for me?", ""),
        ("Please throw the coins for me. Should I move?", "Should I move"),
        ("ask the I Ching about my move", "my move"),
        ("use the I Ching to answer: should I move?", "should I move"),
        ("toss the coins", ""),
        ("给我算算命", ""),
        ("帮我占卜一下感情", "感情"),
    ],
)
def test_a_wish_for_a_hexagram_is_none_of_its_question(text: str, question: str) -> None:
    assert find_intents([text]) == ([CastIntent(question)], False)


@pytest.mark.parametrize(
    "text, question",
    [
        ("cast a hexagram about the price of my house", "the price of my house"),
        ("Cast a hexagram: how can I find love?", "how can I find love"),
        ("Cast one: why do I never get a raise?", "why do I never get a raise"),
        ("cast a hexagram about my code review", "my code review"),
        ("cast a hexagram on what the repair will cost", "what the repair will cost"),
        ("帮我算一卦，看看房子价格会不会涨", "房子价格会不会涨"),
        ("帮我算一卦看软件公司能不能录用我", "看软件公司能不能录用我"),
        ("占卜一下我的网站能不能火", "我的网站能不能火"),
    ],
)
def test_words_of_the_matter_deny_no_hexagram(text: str, question: str) -> None:
    assert find_intents([text]) == ([CastIntent(question)], False)


@pytest.mark.parametrize(
    "text, intent",
    [
        ("What day of the week was I born on, 1990-05-03?", DateIntent("1990-05-03")),
        ("2026年10月1日农历是多少", DateIntent("2026-10-01", lunar=True)),
        ("今天阴历多少", DateIntent(lunar=True)),
        ("How many more days until Christmas?", DateIntent(until="12-25")),
        ("how many days do I have until Christmas", DateIntent(until="12-25")),
        ("How many days until my birthday on May 3?", DateIntent(until="05-03")),
        ("How many days since my wedding on June 5 2020?", DateIntent(until="2020-06-05")),
        ("My mother was born on 1950-02-01, how old is she?", BORN_1950),
        ("How old is Tom, born on 1950-02-01?", BORN_1950),
        ("Tom was born on 1950-02-01. How old is he?", BORN_1950),
        ("小明1950年2月1日出生，今年几岁？", BORN_1950),
        ("我妈妈是1950年2月1日出生的，今年多大", BORN_1950),
    ],
)
def test_whose_day_it_is_changes_no_date(text: str, intent: Intent) -> None:
    assert find_intents([text]) == ([intent], False)


@pytest.mark.parametrize(
    "text",
    [
        "What to do with my time in London",
        "my time in Tokyo was great",
        "I need time in Paris",
        "How many points is that?",
        "look at the history of Rome",
        "find me a talk on climate change",
        "did you ask John about dinner?",
        "what can I do in Paris?",
        "What do you know about Rome?",
        "what model of car should I buy",
        "你能做什么菜",
        "你会什么时候回来",
    ],
)
def test_words_of_a_tool_in_another_question_do_not_call_it(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize("text", ["积分能用在哪", "积分有用吗", "要积分吗"])
def test_the_use_of_points_is_none_of_the_balance(text: str) -> None:
    assert find_intents([text]) == ([DocsIntent("points price of a run")], False)


@pytest.mark.parametrize(
    "text",
    [
        "I answered 8 of 10 questions right, how many points do I have?",
        "We play darts, how many points do I have?",
        "我答对了8题，我有多少积分",
        "In binary, what is 10+10?",
        "Assuming strings, what is 1+1?",
    ],
)
def test_what_comes_before_a_question_may_change_it(text: str) -> None:
    assert find_intents([text]) == ([], False)


@pytest.mark.parametrize(
    "text", ["1+2 和 " + "1+" * 250 + "1", "1" + "0" * 30 + "+1", "1万亿亿" + "亿" * 30]
)
def test_texts_that_patterns_would_search_for_seconds_are_not_read(text: str) -> None:
    assert find_intents([text]) == ([], False)
