"""How answers to follow-up questions are put together in either language."""

from yarrow.liuyao.reading.context import ReadingContext
from yarrow.liuyao.reading.follow_up_words import EN, ZH, FollowUpWords


def find_words(context: ReadingContext) -> FollowUpWords:
    return EN if context.is_english else ZH


def end_sentence(context: ReadingContext, text: str) -> str:
    """`text` with the space that follows a sentence in English."""
    return f"{text} " if context.is_english else text


def join_parts(context: ReadingContext, parts: list[str]) -> str:
    return context.words.semicolon.join(parts)
