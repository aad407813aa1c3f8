"""Patterns of words in questions."""

import re
from typing import Final


def compile_any(*patterns: str) -> re.Pattern[str]:
    """A pattern that finds any of these, in capitals or not."""
    return re.compile("|".join(patterns), re.IGNORECASE)


_QUESTION: Final = re.compile(
    r"\bwonder\b|[?？]\s*$|呢\W*$|什么|什麼|谁|誰|怎么|怎麼|为何|為何|哪|吗|嗎|帮我|幫我",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(
    r"^\W*(?:(?:and|but|so|well|also|today|yesterday|oh|because)\W+)*(?:i|i'm|i've|i'd|i'll|im|my|we|"
    r"we're|our|it|it's|this|that|that's|there|he|she|they|the|an?|no|not|now|just)\b"
    r"|^\W*(?:今天|昨天|明天|刚才|剛才|因为|因為|所以|但|可|刚刚?|剛剛?)?(?:我|我们|我們|这|這|那|他|她|它|有|下|到)|^\W*$",
    re.IGNORECASE,
)
"""A sentence that tells the circumstances of a question, and asks for nothing."""


def asks_something(part: str) -> bool:
    """Whether a part of a message asks for something, or rather tells the circumstances."""
    return bool(_QUESTION.search(part)) or not _STATEMENT.search(part)


_CLAUSE: Final = re.compile(r"[，,。.！!；;]+(?!\d)")


def has_unread(line: str, fillers: re.Pattern[str], asked: re.Pattern[str]) -> bool:
    """Whether a line has words besides `fillers`, which may change what it asks for.

    Clauses that only tell the circumstances may have any words, but not the one with the question.
    """
    clauses = [clause for clause in _CLAUSE.split(line) if clause.strip()]
    for clause in clauses:
        rest = fillers.sub(" ", clause)
        is_read = not re.search(r"[^\W_]", rest)
        is_asked = len(clauses) == 1 or asked.search(clause) or asks_something(clause)
        if not is_read and is_asked:
            return True
    return False
