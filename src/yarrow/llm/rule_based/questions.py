"""The intents of the last question of a conversation: several questions in one message, questions
that only make sense after the one before, and misspelt ones."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from yarrow.language.languages import remove_language_request
from yarrow.liuyao import asks_about_board
from yarrow.llm.rule_based.amounts import continue_discount
from yarrow.llm.rule_based.arithmetic import continue_expression, find_expression
from yarrow.llm.rule_based.calendar_questions import continue_weekday
from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.date_questions import (
    DateIntent,
    WeekdayIntent,
    continue_date,
    names_moment,
)
from yarrow.llm.rule_based.greetings import SERIOUS, Courtesy, CourtesyIntent
from yarrow.llm.rule_based.intents import (
    MAX_CHARS,
    ArithmeticIntent,
    CastFollowUpIntent,
    CastIntent,
    DocsIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
    find_intent,
    names_other_points,
)
from yarrow.llm.rule_based.patterns import asks_something, compile_any
from yarrow.llm.rule_based.repeated_sums import repeat_in_unit, repeat_sum
from yarrow.llm.rule_based.spelling import correct_spelling
from yarrow.llm.rule_based.time_questions import TimeIntent, continue_time

MAX_PARTS = 8
REMEMBERED = 12
"""So many questions back a follow-up can refer to."""

_PLAIN: Final = (
    TimeIntent
    | ClockIntent
    | DateIntent
    | WeekdayIntent
    | ArithmeticIntent
    | PointsIntent
    | LedgerIntent
)
"""Intents that take no free text: what follows them in a message is another question."""
_OF_SERVER: Final = DocsIntent | HelpIntent
_JOKE: Final = CourtesyIntent(Courtesy.JOKE)
"""A courtesy that is asked for, also beside a question."""
_OTHER_SUM: Final = compile_any(
    r"^\W*(?:in|using|with|assuming|suppose|given|if|as|mod(?:ulo)?)\b(?!.*\?)",
    r"^\W*(?:如果|若|假设|假設|用)",
)
"""A number system or a condition, under which a sum may have another value."""
_NOW: Final = compile_any(
    r"\bnow\b|\bcurrent(?:ly)?\b|\btoday\b", r"现在|現在|目前|当前|當前|此刻|今天"
)
_BORDER: Final = re.compile(
    r"(?<=[?？。！;；])\s*|(?<=!)(?!\s*[-+*/×÷^)!=])\s*|(?<=[a-z]{3}\.)\s+(?=[A-Z])|(?:[,，]\s*|\s+)(?=(?:我?想[问問]|[请請][问問]|[问問]一下)"
    r"|(?:i want to know|i'd like to know|could you tell|can you tell)\b)"
    r"|[,，]?\s*(?:\b(?:and|then|plus)(?: also| then)* (?=(?:what|how|who|why|when|where|which|cast|tell|"
    r"is|are|does|do|will|can|should|write|give|make|show|draw|translate|explain|list|search|find|"
    r"calculate|compute|convert|sing|remind|set|send)\b)|(?:然后|然後|接着|接著|再)(?=请|請|帮|幫|告诉|告訴|给我|給我|写|寫|查|讲|講)|(?:(?:还有|還有)(?!多少|[几幾])|另外|顺便|順便)[,，]?)"
    r"|[,，]\s*(?=(?:what|what's|how|who|why|when|where|which)\b)",
    re.IGNORECASE,
)
_NEXT_NUMBER: Final = re.compile(r"\s+(?=\d{1,2}[.)、]\s*[^\W\d])")
_IS_NUMBERED: Final = re.compile(r"\s*1[.)、]\s*[^\W\d]")
_NUMBERED: Final = re.compile(r"^\s*(?:\(?\d{1,2}[.)、]|[-*•])\s+")
_SUMS: Final = re.compile(r"\s*(?:[,，;；、]|\band\b|和|以及|还有|還有)\s*")
_STEPS: Final = re.compile(r"\s*[,，]?\s*(?:\b(?:and )?then\b|然后|然後|再)\s*")
_MATTER: Final = re.compile(
    r"[?？]\s*$|[吗嗎能会會]|如何|怎样|怎樣|何时|何時|什么时候|什麼時候|运$|運$|\b(?:should|will|can|whether|when)\b",
    re.IGNORECASE,
)
"""A matter that a hexagram may be cast for, after it was asked what to cast for."""


def find_intents(questions: Sequence[str]) -> tuple[list[Intent], bool]:
    """What the last of the user's texts asks for, in its order, and whether it asks for more.

    A follow-up continues the text right before it, or one that only courtesies came after; one
    about a hexagram also if other questions for tools came between.
    """
    last: Intent | None = None
    cast: Intent | None = None
    sum_asked = ""
    for text in questions[-REMEMBERED:-1]:
        found, _, sum_asked = _find_or_repeat(text, last, sum_asked)
        asked = [intent for intent in found if not _is_light(intent)]
        last = _find_continued(asked) if asked else last if found else None
        if isinstance(last, CastIntent | CastFollowUpIntent) or last is None:
            cast = last
    if not questions:
        return [], False
    found, asks_more, _ = _find_or_repeat(questions[-1], last, sum_asked)
    if not found and cast is not None and not _WHY.search(questions[-1]):
        return _find_intents(questions[-1], cast)
    return found, asks_more


def _find_or_repeat(
    text: str, last: Intent | None, sum_asked: str
) -> tuple[list[Intent], bool, str]:
    """The intents of a text, whether it asks for more, and the sum that the next may repeat."""
    if sum_asked and (other := repeat_in_unit(text, sum_asked)):
        text = other
    found, asks_more = _find_intents(text, last)
    if not found and sum_asked and (again := repeat_sum(text, sum_asked)):
        text = again
        found, asks_more = _find_intents(text, None)
    is_sum = len(found) == 1 and isinstance(found[0], ArithmeticIntent)
    return found, asks_more, text if is_sum else "" if found else sum_asked


def _find_continued(asked: Sequence[Intent]) -> Intent | None:
    """The intent that a follow-up continues; None after several sums, which have no one result."""
    sums = [intent for intent in asked if isinstance(intent, ArithmeticIntent)]
    return None if len(sums) > 1 else asked[-1]


_WHY: Final = re.compile(r"\bwhy\b|how come|为什么|為什麼|为何|為何|为啥", re.IGNORECASE)
"""After another question it is that one's reason that is asked for."""


_REPEATED: Final = re.compile(r"(\S)\1{24}")
"""No question; patterns of numbers take seconds for hundreds of the same digit or unit."""


def _find_intents(text: str, last: Intent | None) -> tuple[list[Intent], bool]:
    line = " ".join(remove_language_request(text).split())
    if len(line) > MAX_CHARS or _REPEATED.search(line):
        return [], False
    whole = find_intent(line)
    if whole is None or isinstance(whole, HelpIntent):  # "what can I do?" after a reading
        whole = _continue_intent(line, last) or whole or find_intent(correct_spelling(line))
    if whole is None and (sums := _read_sums(line)):
        return sums, False
    parts = _split_parts(line)
    can_split = whole is None or isinstance(whole, _PLAIN | _OF_SERVER)
    if not can_split or not 1 < len(parts) <= MAX_PARTS:
        return ([whole] if whole else []), False
    read = _drop_changed(_read_parts(parts))
    intents = [i for _, i in read if i is not None and (i == _JOKE or not _is_light(i))]
    unread = [asks_something(part) for part, intent in read if intent is None]
    if isinstance(whole, _OF_SERVER) and len(intents) <= 1 and unread and not any(unread):
        return [whole], False  # The other sentences say what for.
    is_plain = (isinstance(intent, _PLAIN | _OF_SERVER) or intent == _JOKE for intent in intents)
    if not intents or not all(is_plain):
        return ([whole] if whole else []), False
    if len(intents) == 1 and isinstance(whole, ClockIntent | DateIntent) and not any(unread):
        intents = [whole]  # The sentences belong together: I was born in … How old am I?
    if intents == [TimeIntent()] and isinstance(whole, TimeIntent) and not all(unread):
        intents = [whole]  # Another sentence names the place: 我在伦敦。现在几点？
    return intents, any(unread)


def _drop_changed(read: Sequence[tuple[str, Intent | None]]) -> list[tuple[str, Intent | None]]:
    """The parts without questions whose meaning another part changes.

    "My flight lands at 18:30. What time is it in Berlin?" does not ask for now unless it says so.
    """
    unread = [part for part, intent in read if intent is None]
    has_time = any(names_moment(part) for part in unread)
    has_points = any(names_other_points(part) for part in unread)
    has_meaning = any(_OTHER_SUM.search(part) for part in unread)

    def is_changed(part: str, intent: Intent | None) -> bool:
        match intent:
            case TimeIntent() | ClockIntent() | DateIntent() | WeekdayIntent():
                return has_time and not _NOW.search(part)
            case PointsIntent() | LedgerIntent():
                return has_points
            case _:
                return has_meaning and isinstance(intent, ArithmeticIntent)

    return [(part, None if is_changed(part, intent) else intent) for part, intent in read]


def _split_parts(line: str) -> list[str]:
    """The questions of a message, at the ends of sentences, at linking words or at their numbers."""
    lines = _NEXT_NUMBER.split(line) if _IS_NUMBERED.match(line) else [line]
    parts = [part for one in lines for part in _BORDER.split(one)]
    return [_NUMBERED.sub("", part) for part in parts if part and part.strip()]


def _is_light(intent: Intent | None) -> bool:
    """Whether it is a courtesy that a question may come with."""
    return isinstance(intent, CourtesyIntent) and intent.kind not in SERIOUS


def _read_parts(parts: Sequence[str]) -> list[tuple[str, Intent | None]]:
    """The intent of each part; one that leaves something out continues the part before it."""
    read: list[tuple[str, Intent | None]] = []
    last: Intent | None = None
    for part in parts:
        intent = find_intent(part) or _continue_intent(part, last)
        read.append((part, intent))
        last = intent if not _is_light(intent) else last
    return read


def _read_sums(line: str) -> list[Intent]:
    """Several expressions in one question, or one that goes on: 3+5 和 7*8, 12*3 then add 5."""
    steps = _STEPS.split(line)
    if len(steps) > 1 and (expression := find_expression(steps[0])):
        for step in steps[1:]:
            continued = continue_expression(step, expression)
            if continued is None:
                return []
            expression = continued
        return [ArithmeticIntent(expression)]
    expressions = [find_expression(part) for part in _SUMS.split(line) if part]
    sums: list[Intent] = [ArithmeticIntent(each) for each in expressions if each is not None]
    is_all = 1 < len(sums) == len(expressions) <= MAX_PARTS
    return sums if is_all else []


_ANOTHER_END: Final = re.compile(
    r"^\W*(?:and|what about|how about) (?:until |till |to )?(?P<en>[a-z' ]{3,24}?)\W*$"
    r"|^\W*(?:那|那么|那麼)?(?:离|離|到)?(?P<zh>[^\W\d]{2,6}?)呢\W*$",
    re.IGNORECASE,
)


def _continue_count(line: str) -> DateIntent | None:
    """Days until another day, after a question for those until one: "and until new year?"."""
    match = _ANOTHER_END.match(line)
    if match is None:
        return None
    end = match["en"] or match["zh"]
    asked = f"how many days until {end}" if match["en"] else f"离{end}还有几天"
    found = find_intent(asked)
    return found if isinstance(found, DateIntent) and found.until else None


def _continue_intent(line: str, last: Intent | None) -> Intent | None:
    """The intent of a text that leaves out what the question before it said."""
    match last:
        case TimeIntent(places):
            return continue_time(line) or (None if places else continue_date(line))
        case WeekdayIntent():
            return continue_weekday(line) or continue_date(line)
        case DateIntent(until="", lunar=is_lunar):
            day = continue_date(line)
            return continue_weekday(line) if day is None else replace(day, lunar=is_lunar)
        case DateIntent(is_age=False, is_when=False):
            return _continue_count(line)
        case ArithmeticIntent(expression):
            continued = continue_expression(line, expression) or continue_discount(line, expression)
            return None if continued is None else ArithmeticIntent(continued)
        case CastIntent(""):
            return CastIntent(line[:300]) if _MATTER.search(line) else None
        case CastIntent(question) | CastFollowUpIntent(question):
            is_about = asks_about_board(line, question)
            return CastFollowUpIntent(question, line[:300]) if is_about else None
        case _:
            return None
