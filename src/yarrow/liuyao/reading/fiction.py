"""What happens in a game, a story or a dream, where nobody is harmed and nobody dies."""

import re
from typing import Final

_FICTION: Final = re.compile(
    r"游戏|王者|吃鸡|副本|狼人|剧本|角色|敌方|棋|小说|电影|剧[里中]|梦[见到]|托梦"
    r"|\b(?:in|of) (?:the |this |my )?(?:game|chess|story|novel|movie|film|show)\b"
    r"|\b(?:dream(?:ed|t|s|ing)?|nightmare) (?:of|that|about|i)\b",
    re.IGNORECASE,
)


def is_fiction(question: str) -> bool:
    """Whether a question in simplified script is about a game, a story or a dream."""
    return _FICTION.search(question) is not None
