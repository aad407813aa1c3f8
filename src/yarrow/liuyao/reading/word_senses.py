"""Words of a topic where they mean something else: 寿司 names no illness, "tennis court" no trial.

They are taken out of a question before its topic is looked for, and only they: of "raise a child"
the child is left. Each row is about one word.
"""

import re
from functools import cache
from typing import Final

_CHINESE: Final = (
    "寿司|寿险|人寿保险|寿(?:桃|衣|面)",
    "毛病|通病|(?:机|电脑|软件|网站|系统|邮箱).{0,6}病毒|病毒(?:式|营销|软件)",
    "丢(?:掉)?[了的]?(?=工作|饭碗|官|职位|[客顾][户客](?!的)|订单(?!号))"
    "|丢[了的]?(?=脸|人(?!了)|面子|分|魂)"
    "|(?<=工作)(?:弄|搞)?丢(?:掉)?了?|(?<=饭碗)(?:弄|搞)?丢(?:掉)?了?",
    "找不到(?=(?:好|新|合适的)?(?:工作|对象|男|女|另一半|方向|理由|话))",
    "[涨赚赢买拿要讨夺抢救换追赎收争拉搬带取][得不]?回来",
    "新家(?=具|电|长(?!久|期|住))",
)
_RECOVERS: Final = (
    r"bitcoin|crypto\w*|coin|stock|share|market|price|econom(?:y|ies)|sale|business|compan(?:y|ies)"
    r"|investment|portfolio|fund|dollar|currenc(?:y|ies)|account|password|data|file|deposit|debt"
    r"|money|loss|losses|phone|marriage|relationship|reputation|housing|industry"
)
_LOST: Final = (
    r"jobs?|positions?|posts?|work|way|minds?|tempers?|interest|hope|faith|confidence|motivation"
    r"|weight|touch|contact|track|control|trust|respect|friend\w*|clients?|customers?|husband|wife"
    r"|father|mother|dad|mum|mom|son|daughter|brother|sister|grand\w+|games?|match|election|case"
    r"|trial|lawsuit|money|savings|love|feelings"
)
_ENGLISH: Final = (
    r"\blost (?:my |his |her )(?:wife|husband|father|mother|dad|mum|mom|son|daughter|brother|sister"
    r"|grand\w+)\b(?!'s|s')",
    rf"\b(?P<kept>(?:{_RECOVERS})s?\b(?:\W+\w+){{0,3}}?)\W+recover\w*",
    rf"\brecover\w*(?= (?:\w+ ){{0,3}}(?:{_RECOVERS})s?\b)"
    r"|\brecover\w*(?= (?:(?:my|our|his|her|their|the|a|an|any|some|all|what) |financially|lost\b"
    r"|stolen\b))",
    rf"\b(?:lost|missing)(?= (?:(?:my|his|her|our|their|the|a|an|all|our) )*(?:\w+ )?(?:{_LOST})\b"
    r"(?!'s|s'|(?<=work) (?:laptop|phone|badge|card|keys?|computer|bag|pass|notes?|tools?)\b))"
    r"|\b(?:feel\w*|felt|am|i'm|so|get|got|very|bit|totally|completely) lost\b"
    r"|\blost (?=in (?:life|love|thought|work))",
    r"(?<=\bd )\blove\b|\bwould (?:really |just )?love\b|\blove(?= to\b)"
    r"|\blove(?= (?:my|the|this|our|his|her|a) (?:\w+ )?(?:job|work|house|home|city|school|car"
    r"|boss|course)\b)",
    r"\b(?:it|this|that|things?|everything|we|they)(?:'ll| will| (?:\w+ )?)? ?work(?:s|ed|ing)?\b"
    r"|\bwork(?:s|ed|ing)? (?:out|well|together|for me|for us|between)\b",
    r"(?:(?<=\bstudy )|(?<=\bstudying )|(?<=\bpractise )|(?<=\bpractice ))medicine\b"
    r"|\bmedicine(?= (?:at|degree|school|student|course|shop|store|business|company)s?\b)",
    r"\btransplant\w*(?= (?:(?:the|my|our|a|an|this) )?(?:\w+ )?(?:tree|plant|rose|flower)s?\b)",
    r"\bdoctors?\b(?= (?:\w+ )?(?:wants?|says?|said|told)\b.{0,20}\b(?:date|marry|loves?|kiss)\b)",
    r"\b(?:tennis|basketball|badminton|squash|volleyball|pickleball|food|sports?) courts?\b",
    r"\b(?:raid|final|world|dungeon) boss\b|\bboss (?:fight|battle|level)s?\b",
    r"\b(?:free|clinical|drug) trials?\b|\btrial (?:lesson|period|version|shift|offer)s?\b",
    r"\brais(?:e|es|ed|ing)(?= (?:(?:a|an|my|our|his|her|their|the|two|three|more) )*(?:\w+ )?"
    r"(?:child|children|kids?|sons?|daughters?|bab(?:y|ies)|famil(?:y|ies)|twins"
    r"|pupp(?:y|ies)|dogs?|cats?)\b)",
)


@cache
def _compile_rows(rows: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row})" for row in rows), re.IGNORECASE)


def _keep_subject(match: re.Match[str]) -> str:
    """The market that recovers is still what the question is about."""
    return f" {match['kept'] or ''} "


_LATIN: Final = re.compile("[A-Za-z]")


def remove_other_senses(text: str) -> str:
    """`text` without the words that name no topic in it."""
    if not text.isascii():
        text = _compile_rows(_CHINESE).sub(" ", text)
    if _LATIN.search(text):
        text = _compile_rows(_ENGLISH).sub(_keep_subject, text.replace("’", "'"))
    return text
