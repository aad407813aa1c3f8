"""What a question asks for, as far as the assistant's tools can answer it: text in, intent out.

The rules know English and Chinese in both scripts. They are tried in the order of `_RULES`; the
first one that recognises the text wins.
"""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.amounts import find_amount
from yarrow.llm.rule_based.arithmetic import find_expression
from yarrow.llm.rule_based.calendar_questions import read_calendar
from yarrow.llm.rule_based.clock_questions import ClockIntent, read_clock
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent, read_date
from yarrow.llm.rule_based.greetings import (
    CourtesyIntent,
    read_courtesy,
    read_distress,
    read_self_harm,
)
from yarrow.llm.rule_based.patterns import compile_any, has_unread
from yarrow.llm.rule_based.search_questions import SearchIntent, read_past_talk, read_search
from yarrow.llm.rule_based.table_questions import TableIntent, read_table
from yarrow.llm.rule_based.time_questions import EDGES, TimeIntent, read_time


class ArithmeticIntent(Struct, frozen=True):
    """The value of an expression, which counts `unit` if that is not empty."""

    expression: str
    unit: str = ""


class PointsIntent(Struct, frozen=True):
    """How many points the account has."""


class LedgerIntent(Struct, frozen=True):
    """How the points moved."""


class CastIntent(Struct, frozen=True):
    question: str


class CastFollowUpIntent(Struct, frozen=True):
    """A later question about the hexagram that was cast for `question`."""

    question: str
    follow_up: str
    cast: JsonObject | None = None
    """Its lines and time, as the tool takes them."""


class DocsIntent(Struct, frozen=True):
    """How the server is used or configured."""

    query: str


class HelpIntent(Struct, frozen=True):
    """What the assistant can do."""


Intent = (
    TimeIntent
    | ClockIntent
    | DateIntent
    | WeekdayIntent
    | ArithmeticIntent
    | PointsIntent
    | LedgerIntent
    | SearchIntent
    | CastIntent
    | CastFollowUpIntent
    | TableIntent
    | DocsIntent
    | HelpIntent
    | CourtesyIntent
)


def find_intent(text: str) -> Intent | None:
    """The intent of a question; None if no rule recognises it."""
    line = " ".join(text.split())
    if not line or len(line) > MAX_CHARS:
        return None
    return next((intent for rule in _RULES if (intent := rule(line)) is not None), None)


MAX_CHARS = 500
"""Longer texts are never a plain request for a tool."""


def _read_arithmetic(line: str) -> ArithmeticIntent | None:
    if (expression := find_expression(line)) is not None:
        return ArithmeticIntent(expression)
    amount = find_amount(line)
    return None if amount is None else ArithmeticIntent(amount.expression, amount.unit)


_LEDGER: Final = compile_any(
    r"\bledger\b",
    r"\b(?:points?|credits?)\b.{0,30}\b(?:go|gone|went|history|movements?|transactions?)\b",
    r"\b(?:history|movements?|transactions?|list) of (?:my )?(?:points|credits)\b",
    r"\b(?:spend|spent|use|used|charged).{0,12}\bpoints\b.{0,12}\b(?:on|for)\b",
    r"(?:谁|誰).{0,6}(?:积分|積分)|(?:积分|積分).{0,4}(?:给|給)[了过]?(?:谁|誰)",
    r"\bwho (?:spent|used|took)\b.{0,12}\b(?:points|credits)\b",
    r"[几幾一二三两兩四五\d]笔.{0,4}(?:积分|點數|点数)|[几幾一二三兩四五\d]筆.{0,4}(?:積分|點數)",
    r"(?:积分|積分|点数|點數).{0,6}(?:流水|明细|明細|记录|記錄|变动|變動|去哪|花哪|用哪|花在|用在|账单|帳單)",
    r"(?:流水|账单|帳單|消费记录|消費記錄|扣费记录|扣費記錄)",
)
_POINTS: Final = compile_any(
    r"\b(?:how many|my|any|enough|have)\b.{0,20}\b(?:points|credits)\b",
    r"\b(?:points?|credits?)\b.{0,12}\b(?:balance|left|remain\w*|available)\b",
    r"\b(?:my|current|account) balance\b",
    r"(?:积分|積分|点数|點數)",
    r"(?:我的|账户|帳戶|帐户).{0,3}(?:余额|餘額)|(?:余额|餘額).{0,4}(?:多少|还有|還有)",
)
_PRICE: Final = compile_any(
    r"\bhow (?:much|many points)\b.{0,8}\b(?:does|do|is|are)\b.{0,24}\b(?:cost|price)\b",
    r"\bwhat (?:does|do|will|would)\b.{0,30}\bcost\b",
    r"\b(?:price|cost) of (?:a|one|each) (?:question|run|answer|reading)\b",
    r"\b(?:give|add|transfer|send|buy|need)\b.{0,24}\b(?:points|credits)\b",
    r"(?:每次|一次|一问|一問|提问|提問|问一|問一|起卦|收费|收費|扣).{0,8}(?:(?:多少|[几幾]).{0,2}(?:积分|積分|点数|點數)|多少[点點])",
    r"(?:加|送|给|給|买|買|转|轉|充).{0,8}(?:积分|積分|点数|點數)",
    r"(?:要|花|用|收)(?:多少)?(?:积分|積分|点数|點數)[吗嗎么]\W*$|(?:积分|積分|点数|點數).{0,4}(?:有用|能用|可以用|能花|规则|規則|有效期|能换|能換|能做|能干|用途|怎么|怎麼|如何|为什么|為什麼|哪来|哪裡來|有什么用|有什麼用)",
)
"""Questions for what points cost and where they come from, not how many there are."""
_SPENT_IN: Final = compile_any(
    r"\b(?:spend|spent|use|used|earn|earned|get|got|gain|gained|receive|received)\b.*\b(?:today|yesterday|(?:this|last|past) \w+|in \w+|since|ago)\b",
    r"(?:今天|昨天|今早|(?:这|這|本|上)(?:个|個)?(?:周|週|星期|月|年)|今年|去年|最近).{0,8}(?:花|用|消费|消費|得)",
)
"""Points of a period; the balance knows only those of all time."""
_CONFIGURING: Final = compile_any(
    r"\bYARROW_[A-Z_]+",
    r"\bhow (?:do|can|should|would|to)\b.{0,80}\b(?:yarrow|server|(?:configure|set|use|connect|install|train|deploy|run|update|stop|start|host|call) you|model|ollama|vllm|openai|endpoint|setting|key|"
    r"database|postgres\w*|port|speech|points?|accounts?|auth\w*|token|tools?|upload|attachments?|"
    r"images?|tables?|api|stream|run|runs|webhook|cors|log|logs|client|charts?|hexagram|session|"
    r"history|language|back up|backups?|restore|time ?zone|card|cards|worker|workers|scale|deploy|docs?)\b",
    r"\b(?:configure|configuration|install|set up|setup|environment variables?|deploy)\b",
    r"\b(?:docs|documentation|manual|settings?)\b",
    r"(?:怎么|怎麼|如何|怎样|怎樣).{0,24}(?:配置|设置|設置|设定|設定|安装|安裝|部署|启动|啟動|接入|使用|用(?!\s*[英中法日德汉漢]?[文语語])|"
    r"开启|開啟|打开|打開|换|換|改|连接|連接|上传|上傳|充值|获得|獲得|备份|備份|恢复|恢復|删除|刪除|升级|升級|更新|停止|重启|重啟|"
    r"注册|註冊|登录|登入|导出|匯出|(?:查看|看)(?:日志|日誌))",
    r"(?:配置|设置|設置|设定|設定|文档|文檔|说明书|說明書|环境变量|環境變數)",
)


_OF_POINTS: Final = compile_any(
    r"\b(?:how|many|much|what|what's|is|are|was|were|the|a|an|any|some|do|does|did|have|has|i|i've|got|my|me|mine|in|on|"
    r"for|of|to|and|there|points?|credits?|balance|account|current|currently|left|remaining|remain|available|still|"
    r"now|right|please|pls|tell|show|give|check|see|view|list|can|could|you|u|spend|spent|use|used|charged|go|gone|went|"
    r"where|who|took|all|history|movements?|transactions?|ledger|recent|last|latest|total|so far|today|hi|hello|hey|"
    r"thanks?|would|like|know|want|so|get|been|up|yet|had|need|'s|s)\b",
    r"积分|積分|点数|點數|余额|餘額|账户|帳戶|帐户|流水|明细|明細|记录|記錄|变动|變動|账单|帳單|消费|消費|扣费|扣費|多少|请问|請問|一下|查询|查詢|来着|哥们|兄弟|老板|帮我|幫我|"
    r"现在|現在|目前|当前|當前|可用|剩下|剩余|剩餘|总共|總共|一共|累计|累計|最近|所有|全部|已经|已經|告诉|告訴|知道|都|到底|"
    r"[我的还還有剩几幾个個分点點是在哪儿兒里裡去花用掉了吗嗎呢啊呀吧看查给給请請您你想要能列出显顯示一二三四五六七八九十两兩笔筆次过過共谁誰把拿哈啦]",
)
"""Words of questions for the account's own points; with others they may be anybody's."""


_OTHER_POINTS: Final = compile_any(
    r"\d+ (?:points|credits)\b|\d[个個]?(?:积分|積分|点数|點數)",
    r"\b(?:games?|play(?:ed|ing|s)?|scored?|quiz|exam|test|match|darts|cards|team|won|lost|answered|airline|hotel)\b",
    r"打牌|比赛|比賽|游戏|遊戲|答[对對错錯]|考试|考試|得分|测验|測驗|[赢贏输輸]|航空|信用卡",
)
"""Beside one of these, points are those of a game, of another account or of a sum."""


def names_other_points(part: str) -> bool:
    return bool(_OTHER_POINTS.search(write_digits(part.lower())))


def _read_ledger(line: str) -> LedgerIntent | None:
    is_other = _CONFIGURING.search(line) or _PRICE.search(line)
    is_asked = _LEDGER.search(line) and not is_other
    return LedgerIntent() if is_asked and not has_unread(line, _OF_POINTS, _LEDGER) else None


def _read_points(line: str) -> PointsIntent | None:
    is_other = _CONFIGURING.search(line) or _PRICE.search(line) or _SPENT_IN.search(line)
    is_asked = _POINTS.search(line) and not is_other and not names_other_points(line)
    return PointsIntent() if is_asked and not has_unread(line, _OF_POINTS, _POINTS) else None


_CASTING = (
    r"(?:cast|throw|draw|toss|do|give|get|make|consult)"
    r"(?: (?:an?|the|one|me|us|my|some|another|new|quick|i[ -]ching|liu ?yao|yarrow))* "
    r"(?:hexagrams?|i[ -]ching|divination|stalks|lots for me)\b|(?:cast|throw|toss|draw) (?:the |three |3 )?coins for (?:me|us)\b"
    r"|cast (?:one|a reading|me one)\b|divine for\b|tell (?:me )?my fortune\b"
    r"|(?:ask|use) (?:the )?i[ -]ching (?:about|if|whether|to (?:answer|see|tell|find))\b"
)
_REQUESTING = (
    r"(?:^|[^\w\s'’-]|\b(?:please|pls|(?:can|could|would|will) you|(?:want|need|like|love) (?:you )?to|let's|let us|let me|"
    r"and|then|so|just|kindly|hi|hello|hey|ok|okay))\s*"
)
_LOT = r"(?:卦|[签籤](?![证證名到字合约約收署订訂发發单單售位协協文]))(?!象|辞|辭|师|師|书|書|名|金|[的]?(?:是|准|準|灵|靈|靠谱|要|需|多少|怎))"
_CAST: Final = compile_any(
    rf"{_REQUESTING}{_CASTING}",
    r"^\W*(?:i (?:want|need) |i'd like |i would like )?(?:an? |my |some )?(?:i[ -]ching|divination|hexagram|fortune[- ]tell\w*)(?: reading)?(?: (?:please|pls|plz|for me|today|now))*\W*$",
    r"^\W*(?:i[ -]ching|divination)(?: reading)?(?: (?:please|pls))?\s*[:,]",
    r"^\W*(?:please )?(?:cast|throw|toss) (?:the|three|3) coins\W*$",
    rf"(?<![有会會能])(?:起|占|算|卜|摇|搖|问|問|来|來|抽|求)(?:[一两兩]?[个個次支根]?){_LOT}",
    r"(?:^|[，,。！？!?：:；;\s]|请|請|帮我|幫我|给我|給我|为我|為我|替我|来个|來個|想|要|用|可以|能|做[一个個次]*)"
    r"(?:占卜|六爻|卜卦|算命|占一占)(?=[一下个個次]*(?:\W|$|[看问問测測算起占我]|能不能|会不会|會不會|吧|最近|今|明))",
    r"(?:算|看|测|測|占).{0,6}(?:运势|運勢|运程|運程|财运|財運|姻缘|姻緣|桃花运|桃花運|事业运|事業運)",
    r"(?:算|测|測|占)(?:一下|算|一算|一测)看?看?我.{0,16}(?:能不能|会不会|會不會|能否|是否|有没有|有沒有|什么时候能|什麼時候能|何时能)",
    r"(?:测一测|測一測|占一占).{0,16}(?:运|運|缘|緣|能不能|会不会|會不會|能否)",
    r"(?:帮我|幫我|给我|給我|为我|為我|替我)(?:占卜|算算命)|占卜一下",
)
_CAST_DENIED: Final = compile_any(
    r"\bhow (?:do|can|could|should|would|to|does|did)\b|\b(?:do not|don't|dont|never|stop|without|who|why|when) (?:\w+ ){0,2}(?:cast|throw|draw|toss|do)",
    r"\b(?:in|with|using) (?:python|java\w*|rust|c\+\+|typescript|code|sql|excel|html|css|svg|latex|bash)\b|\b(?:function|script|program|code|points?|credits?|cost|price)\b",
    r"(?:不|别|別|勿|没|沒)[要想用必需会會敢是]?(?:再|去|帮我|幫我|给我|給我)*(?:起|占|算|卜|摇|搖|抽|求|来|來|六爻)",
    r"积分|積分|点数|點數|收费|收費|价格|價格|代码|代碼|程序|软件|軟件|函数|函數|网站|網站|(?:怎么|怎麼|如何|怎样|怎樣)使?(?:起|占|算|卜|摇|搖|抽|求|用)|迷信|电影|電影|小说|小說|视频|視頻|靠谱|靠譜|抽[签籤](?:决定|決定|顺序|順序|结果|結果|规则|規則)",
)
"""What is said about hexagrams by someone who wants none cast: prices, programs, denials."""
_CAST_MATTER: Final = compile_any(
    r"((?:\b(?:hexagram|divination|reading|coins|i[ -]ching)|\bcast one)(?: please| for (?:me|us))*)"
    r"(?: (?:about|on|for(?! (?:me|us)\b)|whether|if|regarding|to see|asking)\b|\s*[:：,，.。!！]).+",
    r"((?:卦|[签籤]|占卜|六爻|算命)(?:一下)?)(?:(?<=一下)|[，,：:。！!\s]+|(?=[看问問测測我他她]))[^\s].*",
)
"""A hexagram and, behind it, what is asked of it: there the words of `_CAST_DENIED` deny nothing."""
_ASKS_MEANING: Final = compile_any(
    r"\bwhat(?:'s| is| are| does)\b.{0,12}\b(?:i[ -]ching|divination|hexagrams?|liu ?yao)\b(?! (?:no\.? ?|number )?\d)",
    r"\b(?:explain|define)\b.{0,20}\b(?:i[ -]ching|divination|hexagrams?|liu ?yao)\b",
    r"(?:什么是|什麼是|何为|何為|介绍一?下?|介紹一?下?|解释一?下?|解釋一?下?).{0,4}(?:六爻|占卜|卦|纳甲|納甲)",
    r"(?:六爻|占卜|起卦|卦)(?:是什么|是什麼|是啥|是怎么|是怎麼|怎么算|怎麼算|怎么起|怎么用|怎麼用|如何算|准吗|準嗎|的原理|的历史|的意思)",
)
_CAST_WORDS: Final = compile_any(
    r"\b(?:please|can you|could you|would you|thanks|thank you|hi|hello)\b",
    r"\bcast (?:one|a reading|me one)\b(?: for me\b)?",
    r"\b(?:ask|use) (?:the )?i[ -]ching(?: to (?:answer|see|tell me|find out))?(?: (?:about|if|whether)\b)?",
    r"(?:\b(?:i want|i need|i'd like|i would like|let me|let's)(?: you)?(?: to)? )?"
    r"\b(?:cast|throw|draw|toss)\b.{0,24}\b(?:hexagrams?|coins|i[ -]ching|yarrow|lots)\b"
    r"(?: for me)?(?: (?:about|on|for|whether|if|to see|asking)\b)?",
    r"(?:我?[想要]|你?能不能|你?可不可以|你?可以|你?能)?(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?(?:用六爻|六爻)?"
    r"(?:起|占|算|卜|摇|搖|问|問|来|來|抽|求)[一个個次支根]*(?:卦|签|籤)[吗嗎吧]?",
    r"(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?(?:占卜|算?算命)(?:一下)?",
    r"^(?:看看|看一下|问问|問問|问一下|問一下|想问|想問|关于|關於|我想问|我想問|[问問](?![卜卦天]))",
)


_CAST_ONLY: Final = re.compile(
    r"(?:\b(?:an?|the|some|my|i[ -]ching|divination|reading|fortune|tell|do|give|get|make|me|for|us|now|pls|plz|please|today|telling|hexagram|"
    r"let's|i|want|need|would|like|to)\b|\W)*",
    re.IGNORECASE,
)
"""The wish for a hexagram alone, without what to ask of it."""


def _read_cast(line: str) -> CastIntent | None:
    wish = _CAST_MATTER.sub(lambda match: match[1] or match[2], line)
    is_other = _ASKS_MEANING.search(line) or _PRICE.search(wish) or _CAST_DENIED.search(wish)
    if not _CAST.search(line) or is_other:
        return None
    rest = line
    for _ in range(2):
        rest = _CAST_WORDS.sub(" ", rest).strip(EDGES)
    question = " ".join(rest.split())
    return CastIntent("" if _CAST_ONLY.fullmatch(question) else question[:300])


def _read_table(line: str) -> TableIntent | None:
    intent = read_table(line)
    is_figure = intent is not None and intent.figure is not None
    return intent if is_figure or not _CONFIGURING.search(line) else None


_PRICED: Final = compile_any(
    r"\b(?:question|run|answer|reading|points?|credits?|hexagram|message)s?\b|积分|積分|点|點|提问|提問|收费"
)


def _read_docs(line: str) -> DocsIntent | None:
    if _PRICE.search(line) and _PRICED.search(line):
        return DocsIntent("points price of a run")
    is_asked = _CONFIGURING.search(line) or _ASKS_MEANING.search(line)
    return DocsIntent(line.strip(EDGES)[:200]) if is_asked else None


_TAIL = r"(?=(?:,? please)?\W*$|[,.!?;，。！？]| and\b)"
_HELP: Final = compile_any(
    r"^\W*help\W*$",
    r"\bwhat (?:can|could|do) (?:you|yarrow|this (?:server|assistant)|the (?:server|assistant)|i) "
    rf"(?:do|help|offer|ask|answer|know)\b(?: (?:me|with|for|here|you|about|exactly|all))*{_TAIL}",
    r"\bwhat (?:are your (?:features|tools|abilities|skills)|tools do you have|is yarrow)\b",
    r"^\W*(?:please )?(?:can|could) you help(?: me)?\W*$|^\W*help me(?: please)?\W*$",
    r"\bwhat languages? (?:do|can) you\b|(?:支持|会说|會說|懂)(?:哪些|什么|什麼|几种|幾種)(?:语言|語言)",
    r"谁(?:开发|做|造|创造|写|训练)了?的?你|誰(?:開發|做|造|創造|寫)了?的?你|你是(?:chatgpt|gpt|claude|deepseek|机器人|機器人|人工智能|ai|真人|人)",
    r"你(?:用|是|基于|基於)的?(?:是)?(?:什么|什麼|哪个|哪個)(?:大)?模型",
    r"\bwho (?:made|created|built) you\b|\b(?:what|which) model (?:are|do|is) (?:you|this)\b|\bwhat model\W*$|\btell me about yourself\b",
    rf"\bare you (?:an? )?(?:real |actual )?(?:chatgpt|gpt|claude|bot|robot|ai|human|person|real|machine|computer){_TAIL}",
    rf"\bhow can you help\b|\b(?:who (?:are|r) (?:you|u)|u (?:an? )?(?:human|bot|robot|ai)|what are you|(?:what's|what is|tell me) your name){_TAIL}|\bintroduce yourself\b",
    r"(?:你|您|这个?(?:助手|服务器|系统)|這個?(?:助手|伺服器|系統)).{0,4}(?:能|会|會|可以)"
    r".{0,6}(?:什么|什麼|啥|哪些)(?:呢|呀|啊|事情?|功能|忙|工具|问题|問題|[用吗嗎的])*(?=\W*$|[，。！？,.?!])",
    r"你是谁|你是誰|介绍一下(?:你|自己)|介紹一下(?:你|自己)|你叫什么|你叫什麼|有什么功能|有什麼功能|^\W*(?:帮助|幫助)\W*$",
)


def _read_help(line: str) -> HelpIntent | None:
    return HelpIntent() if _HELP.search(line) else None


_RULES: Final[tuple[Callable[[str], Intent | None], ...]] = (
    read_self_harm,
    read_courtesy,
    _read_arithmetic,
    _read_help,
    read_past_talk,
    _read_cast,
    read_clock,
    read_calendar,
    read_date,
    read_time,
    read_search,
    _read_ledger,
    _read_points,
    _read_table,
    _read_docs,
    read_distress,
)
