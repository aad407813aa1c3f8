"""Correct the words that rules look for: two letters swapped, one left out or doubled."""

import re
from functools import cache
from typing import Final

_WORDS = """
what time date today tomorrow yesterday current difference between calculate compute times plus
minus divided percent points balance ledger search sessions cast hexagram table tables configure
model hello thanks
"""
_KEYWORDS: Final = tuple(_WORDS.split())
_KNOWN = """
tie tim tables cat cost casts ties dates mates chat hat wat point session mode plus the that than
thank hell hallo date rate late tale able day days
"""
_OTHER_WORDS: Final = frozenset(_KNOWN.split()) - {"wat", "tim"}
"""English words that differ from a keyword by one slip."""
_WORD: Final = re.compile(r"[A-Za-z]{3,}")


def correct_spelling(line: str) -> str:
    """The line with misspelt keywords corrected."""
    return _WORD.sub(lambda match: _slips().get(match[0].lower(), match[0]), line)


@cache
def _slips() -> dict[str, str]:
    """Misspelt forms that stand for one keyword only."""
    forms: dict[str, set[str]] = {}
    for word in _KEYWORDS:
        for at in range(len(word)):
            swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
            doubled = word[:at] + word[at] + word[at:]
            for form in (swapped, doubled, word[:at] + word[at + 1 :]):
                forms.setdefault(form, set()).add(word)
    return {
        form: next(iter(words))
        for form, words in forms.items()
        if len(words) == 1 and len(form) >= 3 and form not in _OTHER_WORDS and form not in _KEYWORDS
    }
