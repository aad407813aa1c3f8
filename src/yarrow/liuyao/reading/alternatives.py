"""Which of two things between which a question asks to choose its verdict is about.

One board answers one matter: 换车还是修车 and "sell or rent" are answered for what is named first.
"""

import re
from typing import Final

from yarrow.language.script_folding import fold_question

_OR: Final = re.compile(
    r"([^，,。；;？?！!\s]{2,16}?)还是(?![会能要没不很有在得那老一])([^，,。；;？?！!]{2,16})"
)
_LEAD: Final = re.compile(
    r"^.*?(?:应该|该|要|问|选择|选|想|打算|准备|到底|究竟|是(?=[^，]{2})|我们|我|咱)+(?=.{2})"
)
_OR_EN: Final = re.compile(
    r"\b(?:should|shall|do|would) (?:i|we|he|she|they|my \w+) (?:be better to |rather |better )?"
    r"((?:[\w'-]+ ){0,6}?[\w'-]+),? or (?!not\b|so\b|else\b)(\w+)",
    re.IGNORECASE,
)
_OR_EN_BARE: Final = re.compile(
    r"^(?:(?:i|we) (?:want|plan|have|am thinking|are thinking) (?:to|of) "
    r"|which is better,? |better to |is it better to )?((?:[\w'-]+ ){0,3}[\w'-]+),? or "
    r"(?!not\b|so\b|else\b)((?:[\w'-]+ ?){1,4})\?*$",
    re.IGNORECASE,
)
# What is or will be, which nobody chooses.
_NO_CHOICE: Final = re.compile(
    r"[男女]|的还是|会[^，]{0,6}还是|\b(?:boy|girl)\b"
    r"|^(?:will|is (?!it better)|are|was|does|did|has)\b",
    re.IGNORECASE,
)


def find_first_alternative(question: str) -> str | None:
    """The first of two things between which a question asks to choose, as it names it."""
    text = fold_question(question)
    if (found := _OR.search(text)) and not _NO_CHOICE.search(found[0]):
        first = _LEAD.sub("", found[1])
        start = found.start(1) + len(found[1]) - len(first)
        return question[start : start + len(first)]
    for pattern in (_OR_EN, _OR_EN_BARE):
        if (match := pattern.search(text)) and not _NO_CHOICE.search(match[0]):
            return match[1]
    return None
