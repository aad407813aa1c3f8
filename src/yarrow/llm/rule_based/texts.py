"""The sentences that the rules answer with, in the languages of our own texts."""

from typing import Final

from msgspec import Struct

from yarrow.language.languages import Language


class RuleTexts(Struct, frozen=True):
    """The sentences in one language; `{…}` are filled in."""

    time: str
    time_there: str
    time_then: str
    time_past: str
    clock_there: str
    date: str
    lunar_date: str
    days_until: str
    days_since: str
    days_between: str
    next_weekdays: str
    last_weekdays: str
    age: str
    rest_needs_model: str
    reasons: dict[str, str]
    difference: str
    no_difference: str
    unknown_place: str
    weekdays: tuple[str, ...]
    equals: str
    about: str
    points: str
    ledger: str
    ledger_empty: str
    found: str
    at_least: str
    found_nothing: str
    what_to_search: str
    tables: str
    no_tables: str
    table: str
    row_count: str
    row_counts: str
    figure: str
    figures: str
    measures: dict[str, str]
    docs: str
    docs_nearest: str
    docs_nothing: str
    help: str
    help_title: str
    help_items: tuple[str, ...]
    help_examples: tuple[str, ...]
    what_to_cast: str
    no_model: str
    no_model_for_role: str
    no_pictures: str
    tool_failed: str
    missing_column: str
    missing_table: str
    no_such_table: str
    errors: dict[str, str]
    tool_answered: str


_ENGLISH: Final = RuleTexts(
    time="It is {time} on {weekday}, {date} ({zone}).",
    time_there="In {place} it is {time} on {weekday}, {date}.",
    time_then="It will be {time} on {weekday}, {date} ({zone}).",
    time_past="It was {time} on {weekday}, {date} ({zone}).",
    clock_there="When it is {at} in {source} today, it is {time} on {weekday}, {date} in {place}.",
    date="{date} is a {weekday}.",
    lunar_date="{date} is a {weekday}; by the lunar calendar it is {lunar}.",
    days_until="It is {count} until {until} ({weekday}).",
    days_since="{until} ({weekday}) was {count} ago.",
    days_between="From {date} to {until} it is {count}.",
    next_weekdays="The coming {weekday} is {first}; the {weekday} of next week is {second}.",
    last_weekdays="The last {weekday} was {first}; the {weekday} of last week was {second}.",
    age="Born on {until}, one is {years} years old today; that is {count}.",
    rest_needs_model="The rest of your message needs a language model (see /docs/howto/models).",
    reasons={
        "register": "registration",
        "consume": "a run",
        "grant": "a grant",
        "adjust": "an adjustment",
    },
    difference="{later} is {hours} ahead of {earlier}.",
    no_difference="There is no time difference.",
    unknown_place="I know no single time zone for {place}; ask for a larger city in or near it, or with "
    "a name such as Asia/Tokyo.",
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    equals="{expression} = {value}",
    about="{expression} ≈ {value}",
    points="You have {available} points to spend; {spent} were spent so far.",
    ledger="Your last movement of points: {points} on {date} ({why}); the balance is {balance}.",
    ledger_empty="No points have moved on your account yet.",
    found="I found {count} in your past sessions; the newest is “{title}” of {date}: {snippet}",
    at_least="at least ",
    found_nothing="I found nothing about “{query}” in your past sessions.",
    what_to_search="Tell me the words to look for, for example: search my past sessions for Lisbon.",
    tables="You have {count}: {names}.",
    no_tables="You have uploaded no table yet; POST a CSV or Excel file to /api/tables/create-table.",
    table="The table {table} has {rows} rows and {columns} columns: {names}.",
    row_count="The table {table} has {value} rows.",
    row_counts="Rows of {table} by {by}: {values}.",
    figure="The {measure} of {column} in {table} is {value}.",
    figures="The {measure} of {column} in {table} by {by}: {values}.",
    measures={
        "sum": "sum",
        "average": "average",
        "max": "maximum",
        "min": "minimum",
    },
    docs="{text} (from {title}, {address})",
    docs_nearest="The docs have no section about “{words}”; the nearest one says: ",
    docs_nothing="The docs that come with this server say nothing about that; they begin at /docs.",
    help="I am Yarrow's assistant. No model is configured, so I answer by rules what my tools can do; "
    "the card shows what you can ask.",
    help_title="What you can ask",
    help_items=(
        "The time and the date anywhere",
        "Arithmetic, exactly",
        "Your points and how they moved",
        "Words in your past sessions",
        "A hexagram for a question",
        "Your uploaded tables",
        "How this server is configured",
    ),
    help_examples=(
        "What time is it in Tokyo?",
        "What is 17 × 23?",
        "Cast a hexagram: should I change my job?",
        "How many points do I have?",
        "How do I configure a model?",
    ),
    what_to_cast="What is your question? For example: cast a hexagram: should I change my job?",
    no_model="I cannot answer this without a language model: set YARROW_LLM_BASE_URL, "
    "YARROW_LLM_MODEL and YARROW_LLM_API_KEY and restart the server (see /docs/howto/models); until "
    "then ask me what I can do.",
    no_model_for_role="This character can only speak with a language model: set YARROW_LLM_BASE_URL, "
    "YARROW_LLM_MODEL and YARROW_LLM_API_KEY and restart the server (see /docs/howto/models).",
    no_pictures="I cannot look at pictures without a language model: set YARROW_LLM_BASE_URL to one "
    "that can (see /docs/howto/models).",
    tool_failed="That did not work: {error}.",
    missing_column="the table {table} has no column {column}; it has {columns}",
    missing_table="there is no table {name}; there are {tables}",
    no_such_table="I took this as a question about your tables, but {error}. For anything else I need a "
    "language model (see /docs/howto/models).",
    errors={},
    tool_answered="The tool answered: {text}",
)

_HANS: Final = RuleTexts(
    time="现在是 {date} {weekday} {time}（{zone}）。",
    time_there="{place}现在是 {date} {weekday} {time}。",
    time_then="那时将是 {date} {weekday} {time}（{zone}）。",
    time_past="那时是 {date} {weekday} {time}（{zone}）。",
    clock_there="{source}今天 {at} 时，{place}是 {date} {weekday} {time}。",
    date="{date} 是{weekday}。",
    lunar_date="{date} 是{weekday}，农历{lunar}。",
    days_until="距离 {until}（{weekday}）还有 {count}。",
    days_since="{until}（{weekday}）已经过去 {count}。",
    days_between="从 {date} 到 {until} 相隔 {count}。",
    next_weekdays="最近的{weekday}是 {first}，下周的{weekday}是 {second}。",
    last_weekdays="最近过去的{weekday}是 {first}，上周的{weekday}是 {second}。",
    age="{until} 出生，今天满 {years} 周岁（{count}）。",
    rest_needs_model="其余的问题需要语言模型才能回答（见 /docs/howto/models）。",
    reasons={"register": "注册赠送", "consume": "运行消费", "grant": "发放", "adjust": "调整"},
    difference="{later}比{earlier}早 {hours}。",
    no_difference="两地没有时差。",
    unknown_place="我不知道{place}该用哪个时区；请换成那里的大城市，或用 Asia/Tokyo 这样的名称。",
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    equals="{expression} = {value}",
    about="{expression} ≈ {value}",
    points="您有 {available} 积分可用，累计已消费 {spent}。",
    ledger="最近一笔积分变动：{date}，{points}（{why}），余额 {balance}。",
    ledger_empty="您的账户还没有积分变动。",
    found="在您过去的会话里找到 {count}，最近一个是{date}的“{title}”：{snippet}",
    at_least="至少 ",
    found_nothing="在您过去的会话里没有找到“{query}”。",
    what_to_search="请告诉我要找的词，例如：搜索历史会话里的里斯本。",
    tables="您有 {count}：{names}。",
    no_tables="您还没有上传表格；把 CSV 或 Excel 文件 POST 到 /api/tables/create-table 即可。",
    table="表 {table} 有 {rows} 行、{columns} 列：{names}。",
    row_count="表 {table} 有 {value} 行。",
    row_counts="表 {table} 的行数（按 {by}）：{values}。",
    figure="{table} 中 {column} 的{measure}是 {value}。",
    figures="{table} 中 {column} 的{measure}（按 {by}）：{values}。",
    measures={
        "sum": "总和",
        "average": "平均值",
        "max": "最大值",
        "min": "最小值",
    },
    docs="随附文档（英文）{title}（{address}）写道：{text}",
    docs_nearest="文档里没有专讲“{words}”的一节，以下是最接近的。",
    docs_nothing="随附的文档没有提到这一点；文档首页是 /docs。",
    help="我是 Yarrow 的助手。目前没有配置模型，我按规则回答工具能做的事；卡片列出了可以问的内容。",
    help_title="可以这样问",
    help_items=(
        "各地的时间和日期",
        "精确的算术",
        "您的积分和流水",
        "搜索过去的会话",
        "为一个问题起卦",
        "您上传的表格",
        "如何配置这个服务器",
    ),
    help_examples=(
        "现在东京几点？",
        "17 × 23 等于多少？",
        "帮我起一卦：最近换工作合适吗？",
        "我还有多少积分？",
        "怎么配置模型？",
    ),
    what_to_cast="想问什么事？例如：帮我起一卦：最近换工作合适吗？",
    no_model="这个问题需要语言模型才能回答：请设置 YARROW_LLM_BASE_URL、YARROW_LLM_MODEL 和 "
    "YARROW_LLM_API_KEY 并重启服务器（见 /docs/howto/models）；在此之前可以问我能做什么。",
    no_model_for_role="这个角色要有语言模型才能开口：请设置 YARROW_LLM_BASE_URL、YARROW_LLM_MODEL 和 "
    "YARROW_LLM_API_KEY 并重启服务器（见 /docs/howto/models）。",
    no_pictures="没有语言模型我看不了图片：请把 YARROW_LLM_BASE_URL 设为能看图的模型（见 /docs/howto/models）。",
    tool_failed="没有成功：{error}。",
    missing_column="表 {table} 没有 {column} 这一列，它有 {columns}",
    missing_table="没有表 {name}，现有 {tables}",
    no_such_table="我把它当作关于您表格的问题，但{error}。若另有所指，需要语言模型才能回答（见 /docs/howto/models）。",
    errors={
        "division by zero has no value": "除数不能为零",
        "this is no arithmetic expression": "这个算式我读不懂",
        "only whole exponents and 0.5 are supported": "只支持整数次方和 0.5 次方",
        "the square root of a negative number is not real": "负数没有实数平方根",
        "the value has more than 200 digits": "结果超过 200 位",
        "there is no such date; write YYYY-MM-DD or MM-DD": "没有这一天",
        "the almanac has no such lunar date then; it covers 1898 to 2101": "农历年表只有 1898 至 2101 年",
        "the Gregorian calendar begins on 1582-10-15": "公历从 1582-10-15 开始",
        "texts have no ": "文字列没有总和，也没有平均值",
    },
    tool_answered="工具的回答：{text}",
)

_HANT: Final = RuleTexts(
    time="現在是 {date} {weekday} {time}（{zone}）。",
    time_there="{place}現在是 {date} {weekday} {time}。",
    time_then="那時將是 {date} {weekday} {time}（{zone}）。",
    time_past="那時是 {date} {weekday} {time}（{zone}）。",
    clock_there="{source}今天 {at} 時，{place}是 {date} {weekday} {time}。",
    date="{date} 是{weekday}。",
    lunar_date="{date} 是{weekday}，農曆{lunar}。",
    days_until="距離 {until}（{weekday}）還有 {count}。",
    days_since="{until}（{weekday}）已經過去 {count}。",
    days_between="從 {date} 到 {until} 相隔 {count}。",
    next_weekdays="最近的{weekday}是 {first}，下週的{weekday}是 {second}。",
    last_weekdays="最近過去的{weekday}是 {first}，上週的{weekday}是 {second}。",
    age="{until} 出生，今天滿 {years} 歲（{count}）。",
    rest_needs_model="其餘的問題需要語言模型才能回答（見 /docs/howto/models）。",
    reasons={"register": "註冊贈送", "consume": "運行消費", "grant": "發放", "adjust": "調整"},
    difference="{later}比{earlier}早 {hours}。",
    no_difference="兩地沒有時差。",
    unknown_place="我不知道{place}該用哪個時區；請換成那裡的大城市，或用 Asia/Tokyo 這樣的名稱。",
    weekdays=_HANS.weekdays,
    equals="{expression} = {value}",
    about="{expression} ≈ {value}",
    points="您有 {available} 積分可用，累計已消費 {spent}。",
    ledger="最近一筆積分變動：{date}，{points}（{why}），餘額 {balance}。",
    ledger_empty="您的帳戶還沒有積分變動。",
    found="在您過去的會話裡找到 {count}，最近一個是{date}的「{title}」：{snippet}",
    at_least="至少 ",
    found_nothing="在您過去的會話裡沒有找到「{query}」。",
    what_to_search="請告訴我要找的詞，例如：搜尋歷史會話裡的里斯本。",
    tables="您有 {count}：{names}。",
    no_tables="您還沒有上傳表格；把 CSV 或 Excel 檔案 POST 到 /api/tables/create-table 即可。",
    table="表 {table} 有 {rows} 行、{columns} 列：{names}。",
    row_count="表 {table} 有 {value} 行。",
    row_counts="表 {table} 的行數（按 {by}）：{values}。",
    figure="{table} 中 {column} 的{measure}是 {value}。",
    figures="{table} 中 {column} 的{measure}（按 {by}）：{values}。",
    measures={
        "sum": "總和",
        "average": "平均值",
        "max": "最大值",
        "min": "最小值",
    },
    docs="隨附文檔（英文）{title}（{address}）寫道：{text}",
    docs_nearest="文檔裡沒有專講“{words}”的一節，以下是最接近的。",
    docs_nothing="隨附的文檔沒有提到這一點；文檔首頁是 /docs。",
    help="我是 Yarrow 的助手。目前沒有配置模型，我按規則回答工具能做的事；卡片列出了可以問的內容。",
    help_title="可以這樣問",
    help_items=(
        "各地的時間和日期",
        "精確的算術",
        "您的積分和流水",
        "搜尋過去的會話",
        "為一個問題起卦",
        "您上傳的表格",
        "如何配置這個伺服器",
    ),
    help_examples=(
        "現在東京幾點？",
        "17 × 23 等於多少？",
        "幫我起一卦：最近換工作合適嗎？",
        "我還有多少積分？",
        "怎麼配置模型？",
    ),
    what_to_cast="想問什麼事？例如：幫我起一卦：最近換工作合適嗎？",
    no_model="這個問題需要語言模型才能回答：請設置 YARROW_LLM_BASE_URL、YARROW_LLM_MODEL 和 "
    "YARROW_LLM_API_KEY 並重啟伺服器（見 /docs/howto/models）；在此之前可以問我能做什麼。",
    no_model_for_role="這個角色要有語言模型才能開口：請設置 YARROW_LLM_BASE_URL、YARROW_LLM_MODEL 和 "
    "YARROW_LLM_API_KEY 並重啟伺服器（見 /docs/howto/models）。",
    no_pictures="沒有語言模型我看不了圖片：請把 YARROW_LLM_BASE_URL 設為能看圖的模型（見 /docs/howto/models）。",
    tool_failed="沒有成功：{error}。",
    missing_column="表 {table} 沒有 {column} 這一列，它有 {columns}",
    missing_table="沒有表 {name}，現有 {tables}",
    no_such_table="我把它當作關於您表格的問題，但{error}。若另有所指，需要語言模型才能回答（見 /docs/howto/models）。",
    errors={
        "division by zero has no value": "除數不能為零",
        "this is no arithmetic expression": "這個算式我讀不懂",
        "only whole exponents and 0.5 are supported": "只支援整數次方和 0.5 次方",
        "the square root of a negative number is not real": "負數沒有實數平方根",
        "the value has more than 200 digits": "結果超過 200 位",
        "there is no such date; write YYYY-MM-DD or MM-DD": "沒有這一天",
        "the almanac has no such lunar date then; it covers 1898 to 2101": "農曆年表只有 1898 至 2101 年",
        "the Gregorian calendar begins on 1582-10-15": "公曆從 1582-10-15 開始",
        "texts have no ": "文字列沒有總和，也沒有平均值",
    },
    tool_answered="工具的回答：{text}",
)

RULE_TEXTS: Final[dict[Language, RuleTexts]] = {
    Language.ENGLISH: _ENGLISH,
    Language.HANS: _HANS,
    Language.HANT: _HANT,
}

OTHER_LANGUAGE_NO_MODEL: Final = (
    "I only understand English and Chinese without a language model: set YARROW_LLM_BASE_URL, "
    "YARROW_LLM_MODEL and YARROW_LLM_API_KEY and restart the server (see /docs/howto/models)."
)


def write_count(count: int, noun: str, language: Language) -> str:
    """A number of things, with the plural or the measure word of the language."""
    if language is Language.ENGLISH:
        return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
    names = {
        "session": ("个会话", "個會話"),
        "table": ("张表", "張表"),
        "hour": ("小时", "小時"),
        "minute": ("分钟", "分鐘"),
        "day": ("天", "天"),
        "week": ("周", "週"),
    }
    hans, hant = names[noun]
    return f"{count} {hans if language is Language.HANS else hant}"
