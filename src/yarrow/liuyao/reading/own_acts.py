"""Whether "what if not" asks about what the asker may leave undone, or about what may not come.

如果不换呢 after 要不要换工作 is the asker's choice; 如果不下雨呢 and 押金如果不退呢 are not.
"""

import re
from typing import Final

from yarrow.language.chinese_script import fold_script
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.yong_shen import Matter, SpecialMatter

# 能不能, 是不是, 合适不合适; and words in which 不 denies nothing that could be left undone.
_ASKING_NOT: Final = re.compile(r"(.{1,2})[不没]\1|(.)[不没]\2.")
_OTHER_NOT: Final = re.compile("差不多|对不起|不过|不久|不错|不如|不得不|不知道?|不好意思|说不定")
_NO_ACTS: Final = frozenset({Topic.WEATHER, Topic.ABSENT, SpecialMatter.PET})

_BY_ASKER: Final = re.compile(
    r"我们?(?:自己)?(?:也|就|还是)?(?:不|别|放弃|留)|\b(?:if|and) (?:i|we)\b", re.IGNORECASE
)
_BY_OTHERS: Final = re.compile(
    r"(?:他|她|它|对方|人家|公司|老板|领导|房东|客户|银行|法院|学校|单位|医院)们?.{0,4}(?:不|没)"
    r"|\bif (?:it|he|she|they|the|my|his|her|their|nobody|nothing)\b",
    re.IGNORECASE,
)
# What comes about or is granted; nobody who asks does it.
_COMES_ABOUT: Final = re.compile(
    r"没|不(?:给|退|还|赔|付|发|批|准|下|晴|刮|过|通过|成|来|回|到|涨|跌|好|行|同意|录|答应|原谅|中|认|理"
    r"|联系|见效|顺|如愿|出现|爱|喜欢|要我|信|升|够|能|会|肯|愿意|怀)"
)
_DECIDES: Final = re.compile(
    r"要不要|该不该|应不应|应该|是否(?:该|要|应|合适|适合|适宜)|合适|适合|好不好|好吗|行吗|可以吗|值得|可不可以|该.{0,8}吗"
    r"|\b(?:should|shall|worth|good idea|good time|right (?:time|thing)|wise|better to)\b",
    re.IGNORECASE,
)
_FORETELLS: Final = re.compile(
    r"会|能|何时|什么时候|\b(?:will|can|could|does|is|are|going to)\b", re.IGNORECASE
)
_BARE: Final = re.compile(r"不[呢？?。\s]*$|\bif not\b", re.IGNORECASE)


def remove_asking_not(question: str) -> str:
    """The question without 能不能, 是不是 and words that only contain 不."""
    return _OTHER_NOT.sub(" ", _ASKING_NOT.sub(" ", fold_script(question)))


def is_own_act(question: str, matter: Matter, first_question: str) -> bool:
    """Whether what "if not" leaves undone, in a question about `matter`, is up to the asker."""
    text, first = remove_asking_not(question), fold_script(first_question)
    if matter.is_feared or _BY_ASKER.search(text):
        return True
    if matter.wording in _NO_ACTS or _BY_OTHERS.search(text):
        return False
    if _DECIDES.search(first):
        return True
    if _BARE.search(text):
        return _FORETELLS.search(first) is None
    return _COMES_ABOUT.search(text) is None
