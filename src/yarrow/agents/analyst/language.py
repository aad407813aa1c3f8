"""The language of an answer: that of the question, else that of the client."""

from collections.abc import Sequence

from msgspec import structs

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.workspace import TableSummary
from yarrow.charting import ChartLanguage, find_question_language
from yarrow.sessions.model import Message, Role

_OTHER_SCRIPTS = frozenset(("", "zh", "ja", "ko", "ru", "uk", "ar", "hi", "th"))
"""Languages of a client in which a question of Latin letters is not written."""


def follow_question(
    analyst_input: AnalystInput,
    question: str,
    tables: Sequence[TableSummary],
    *,
    history: Sequence[Message] = (),
) -> AnalystInput:
    """The input in the language of the question, or of the last question that gives a clue.

    Names of columns are no clue. Which of the languages in Latin letters it is, is not guessed: the
    language of the client stays if it is one of them.
    """
    earlier = [message.content for message in reversed(history) if message.role is Role.USER]
    shapes = [table.shape for table in tables]
    for text in (question, *earlier):
        match find_question_language(text, shapes):
            case ChartLanguage.ZH:
                return structs.replace(analyst_input, language="zh")
            case ChartLanguage.EN:
                if analyst_input.language in _OTHER_SCRIPTS:
                    return structs.replace(analyst_input, language="en")
                return analyst_input
            case None:
                continue
    return analyst_input
