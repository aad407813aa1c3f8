"""A question taken apart once: its words in one script, and the roles that they have.

Dialect and common typos are read as the words they stand for, a condition ("如果下雨，…") is left
out where something is asked beside it, and words that mean something else do not count.
"""

import re
from functools import lru_cache
from typing import Final

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.persons import PERSONS
from yarrow.liuyao.reading.question_words import ROLE_WORDS
from yarrow.liuyao.reading.word_senses import remove_other_senses

_SPELLINGS: Final = {
    "唔": "不", "冇": "没", "佢": "他", "嘅": "的", "咗": "了", "嚟": "来", "返工": "上班",
    "边度": "哪里", "喺": "在", "咩": "什么", "钟意": "喜欢", "锺意": "喜欢", "中意": "喜欢",
    "睇": "看", "搵": "找", "攞": "拿", "侬": "你", "咋": "怎么", "啥": "什么", "戒子": "戒指",
    "因该": "应该", "工做": "工作", "份工": "份工作", "牠": "它", "甚么": "什么", "妳": "你",
    "夥": "伙",
}  # fmt: skip
_SPELLED: Final = re.compile("|".join(sorted(_SPELLINGS, key=len, reverse=True)))
_CONDITION: Final = re.compile(
    r"^(?:如果|要是|假如|假设|倘若|万一)[^，,。]+[，,]\s*(?=\S{3})|^if [^,]+,\s*(?=\S)",
    re.IGNORECASE,
)
# Roles that are any of several persons.
_GROUPS: Final = {
    "partner": ("wife", "husband"),
    "kin": ("in_law", "elder", "servant", "child", "wife", "husband", "peer"),
    "sibling": ("in_law", "peer"),
}


class Question:
    """A question as rules see it: which roles it has."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[str, bool] = {}

    def has(self, role: str) -> bool:
        """Whether words of the question have this role."""
        if role not in self._found:
            self._found[role] = self._search_role(role)
        return self._found[role]

    def fits(self, roles: tuple[str, ...]) -> bool:
        """Whether it has all of these roles, and none of those after `-`."""
        return all(not self.has(role[1:]) if role[0] == "-" else self.has(role) for role in roles)

    def _search_role(self, role: str) -> bool:
        if role in _GROUPS:
            return any(self.has(one) for one in _GROUPS[role])
        words = ROLE_WORDS[role] if role in ROLE_WORDS else PERSONS[role].words
        return bool(words.search(self.text))


@lru_cache(maxsize=256)
def parse_question(text: str) -> Question:
    """The roles of a question, or of a label."""
    folded = _CONDITION.sub("", fold_question(text.strip()))
    if not folded.isascii():
        folded = _SPELLED.sub(lambda match: _SPELLINGS[match[0]], folded)
    return Question(remove_other_senses(folded))
