"""The intents of the last question of a conversation: several questions in one message, questions
that only make sense after the one before, and misspelt ones."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from yarrow.kit.language import remove_language_request
from yarrow.liuyao import asks_about_board
from yarrow.llm.rules.arithmetic import continue_expression
from yarrow.llm.rules.courtesies import FarewellIntent, GreetingIntent, ThanksIntent
from yarrow.llm.rules.intents import (
    MAX_CHARS,
    ArithmeticIntent,
    CastFollowUpIntent,
    CastIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
    find_intent,
)
from yarrow.llm.rules.spelling import correct_spelling
from yarrow.llm.rules.time_questions import DateIntent, TimeIntent, continue_date, continue_time

MAX_PARTS = 4
REMEMBERED = 12
"""So many questions back a follow-up can refer to."""

_COURTESIES: Final = GreetingIntent | ThanksIntent | FarewellIntent
_PLAIN: Final = TimeIntent | DateIntent | ArithmeticIntent | PointsIntent | LedgerIntent
"""Intents that take no free text: what follows them in a message is another question."""
_BORDER: Final = re.compile(
    r"(?<=[?？。!！;；])\s*|[,，]?\s*(?:\band (?:also )?(?=(?:what|how|who|why|when|where|which|cast|tell)\b)"
    r"|(?:(?:还有|還有)(?!多少|[几幾])|另外|顺便|順便)[,，]?)"
)
_QUESTION: Final = re.compile(
    r"^\W*(?:what|who|how|why|when|where|which|can|could|will|is|are|do|does|tell|write|translate|"
    r"explain|find|give|show)\b|[?？]\s*$|呢\W*$|什么|什麼|谁|誰|怎么|怎麼|为何|為何|哪|吗|嗎|帮我|幫我",
    re.IGNORECASE,
)


def find_intents(questions: Sequence[str]) -> tuple[list[Intent], bool]:
    """What the last of the user's texts asks for, in its order, and whether it asks for more.

    A follow-up continues the text right before it, or one that only courtesies came after.
    """
    last: Intent | None = None
    for text in questions[-REMEMBERED:-1]:
        found, _ = _read_text(text, last)
        asked = [intent for intent in found if not isinstance(intent, _COURTESIES)]
        last = asked[-1] if asked else last if found else None
    return _read_text(questions[-1], last) if questions else ([], False)


def _read_text(text: str, last: Intent | None) -> tuple[list[Intent], bool]:
    line = " ".join(remove_language_request(text).split())
    whole = find_intent(line)
    if whole is None or isinstance(whole, HelpIntent):  # "what can I do?" after a reading
        whole = _continue(line, last) or whole or find_intent(correct_spelling(line))
    parts = [part for part in _BORDER.split(line) if part.strip()]
    can_split = whole is None or isinstance(whole, _PLAIN)
    if not can_split or not 1 < len(parts) <= MAX_PARTS or len(line) > MAX_CHARS:
        return ([whole] if whole else []), False
    read = [(part, find_intent(part)) for part in parts]
    intents = [i for _, i in read if i is not None and not isinstance(i, _COURTESIES)]
    unread = [bool(_QUESTION.search(part)) for part, intent in read if intent is None]
    if not intents or not all(isinstance(intent, _PLAIN) for intent in intents):
        return ([whole] if whole else []), False
    if intents == [TimeIntent()] and isinstance(whole, TimeIntent) and not all(unread):
        intents = [whole]  # Another sentence names the place: 我在伦敦。现在几点？
    return intents, any(unread)


def _continue(line: str, last: Intent | None) -> Intent | None:
    """The intent of a text that leaves out what the question before it said."""
    match last:
        case TimeIntent():
            return continue_time(line)
        case DateIntent(until="", lunar=is_lunar):
            day = continue_date(line)
            return None if day is None else replace(day, lunar=is_lunar)
        case ArithmeticIntent(expression):
            continued = continue_expression(line, expression)
            return None if continued is None else ArithmeticIntent(continued)
        case CastIntent(question) | CastFollowUpIntent(question):
            is_about = asks_about_board(line, question)
            return CastFollowUpIntent(question, line[:300]) if is_about else None
        case _:
            return None
