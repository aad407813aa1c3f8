"""Whether a question is about ending something, whose verdict is then on what would end."""

import re
from typing import Final

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.feared_events import SEPARATION
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.yong_shen import Matter

_LEAVES: Final = re.compile(
    r"分开|离开[他她]|放手|放下[他她]|断[了绝联]|拉黑"
    r"|\b(?:leave|dump|let go of) (?:him|her|my \w+)\b",
    re.IGNORECASE,
)
# Parted already, or a wish to be together again.
_PARTED: Final = re.compile(
    r"(?:分手|离婚|分开)(?:了|过|之?后|以后)|复合|挽回|和好|再婚|回头|\bafter\b|\bback together\b"
    r"|\b(?:get|win) (?:him|her|my \w+) back\b|\bremarry\b",
    re.IGNORECASE,
)


def is_parting(question: str, matter: Matter) -> bool:
    """Whether the asker thinks of ending a bond: the board then tells of the bond."""
    if matter.topic is not Topic.LOVE or matter.is_feared:
        return False
    text = fold_question(question)
    if _PARTED.search(text):
        return False
    return SEPARATION.find_words(text) is not None or _LEAVES.search(text) is not None
