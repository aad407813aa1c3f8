"""The text of a question, from which what is read is removed, and patterns of names in it."""

import re
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Final

from yarrow.charting.columns import CAMEL, HAN, TableShape
from yarrow.charting.model import ChartLanguage
from yarrow.charting.question_terms import (
    HAN_NAMES_NEXT,
    NAME_OPENINGS,
    NAME_PLACES,
    NO_NAMES,
)
from yarrow.language.chinese_script import find_script, fold_script
from yarrow.language.languages import Language

REMOVED: Final = "\x00"
LETTER: Final = r"[0-9a-z\u00c0-\u06ff\u1e00-\u1eff]"
"""Of a script with spaces between words, in lower case; the last ones are of Vietnamese. No wider:
Python compiles a set of many characters in milliseconds, and every name of a column has its own
pattern."""
WORDS: Final = re.compile(r"[^\W_]+")
UNIT: Final = re.compile(r"[（(【\[].*$")
QUOTES: Final = "`\"'“”「」『』‘’"
APOSTROPHES: Final = "'\u2019"
QUOTED: Final = re.compile(
    "|".join(
        rf"{first}([^{first}{last}\x00]+){last}"
        if first not in APOSTROPHES
        # `what's` and `dogs'` quote nothing.
        else rf"(?<!{LETTER}){first}([^{first}{last}\x00]+){last}(?!{LETTER})"
        for first, last in ("``", '""', "''", "“”", "「」", "『』", "‘’", "’’")
    )
)
LATIN: Final = re.compile(r"[a-z]{2,}")
MAX_CHARS: Final = 2000
"""Of a question; more is not read."""


PATTERNS_KEPT = 4096
"""A table may have thousands of columns, and `re` keeps 512 patterns."""
compile_pattern = lru_cache(maxsize=PATTERNS_KEPT)(re.compile)


class QuestionText:
    """A question in lower case and simplified script, from which what is read is removed.

    Removed characters are replaced, so positions stay.
    """

    def __init__(self, text: str) -> None:
        folded = _fold_text(text)
        self.original = self.text = folded
        self.spelled = text if len(text) == len(folded) else folded
        """As the user wrote it."""

    def spell(self, match: re.Match[str]) -> str:
        """What a pattern matched, as the user wrote it."""
        return self.spelled[match.start() : match.end()]

    def spell_rest(self) -> str:
        """What was not removed, as the user wrote it."""
        pairs = zip(self.text, self.spelled, strict=True)
        return "".join(REMOVED if letter == REMOVED else spelled for letter, spelled in pairs)

    def take(self, pattern: str | re.Pattern[str]) -> list[re.Match[str]]:
        """Remove all matches."""
        matches = [match for match in compile_pattern(pattern).finditer(self.text) if match[0]]
        for match in matches:
            self.remove(match.start(), match.end())
        return matches

    def take_quoted(self, names: Container[str] | None = None) -> list[tuple[str, int, int]]:
        """Remove names in quotation marks, of these names or all; each with its place."""
        found = [
            (match[match.lastindex or 0], *match.span()) for match in QUOTED.finditer(self.text)
        ]
        taken = [quoted for quoted in found if names is None or fold_name(quoted[0]) in names]
        for _, start, end in taken:
            self.remove(start, end)
        return taken

    def remove(self, start: int, end: int) -> None:
        self.text = self.text[:start] + REMOVED * (end - start) + self.text[end:]

    def remove_table(self, name: str) -> None:
        """Remove the name of the table where it is named as one."""
        if pattern := build_name_pattern(name):
            self.take(rf"\b(?:table|from|in)\s+{pattern}|(?:表|数据表|从|在)\s*{pattern}")


def may_occur(name: str, text: str) -> bool:
    """Whether the beginnings of a name's words occur in a text; if not, its pattern cannot."""
    return all(word[:2] in text for word in split_name(name))


@lru_cache(maxsize=PATTERNS_KEPT)
def split_name(name: str) -> tuple[str, ...]:
    """The words of a column's name in lower case and simplified script, without its unit."""
    return tuple(WORDS.findall(_fold_text(CAMEL.sub(" ", UNIT.sub("", name) or name))))


def build_name_pattern(name: str) -> str:
    """A pattern of a name in lower case: any separators, the last word in singular or plural."""
    words = split_name(name)
    if not words:
        return ""
    pattern = build_words_pattern(words)
    if len(words) == 1 and words[0] in NO_NAMES | {"x", "y"}:
        return _name_in_place(pattern)
    return pattern


def has_marks(name: str) -> bool:
    """Whether a name has more than its words: a unit in brackets, or no letters at all."""
    return UNIT.search(name) is not None or not split_name(name)


def build_exact_pattern(name: str) -> str:
    """A pattern of a name as it is written, in lower case."""
    return rf"(?<!{LETTER}){re.escape(fold_name(name))}(?!{LETTER})"


def fold_name(name: str) -> str:
    return _fold_text(name.strip())


def build_words_pattern(words: Sequence[str]) -> str:
    """A pattern of these words in lower case, the last one in singular or plural."""
    if HAN.search("".join(words)):
        return r"[\W_]*".join(map(re.escape, words))
    *first, last = map(re.escape, words)
    return rf"(?<!{LETTER})" + r"[\W_]*".join([*first, inflect_word(last)]) + rf"(?!{LETTER})"


def inflect_word(word: str) -> str:
    """A pattern of the singular and the plural of an English word."""
    if len(word) < 3 or not word.isalpha():
        return word
    if word.endswith(("ies", "y")):
        return word.removesuffix("ies").removesuffix("y") + "(?:y|ies|ys)"
    stem = word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
    return f"{stem}(?:e?s)?"


def has_word(name: str, word: str) -> bool:
    """Whether a column's name has the word, in singular or plural."""
    return any(
        part[:2] == word[:2] and compile_pattern(inflect_word(re.escape(part))).fullmatch(word)
        for part in split_name(name)
    )


def _name_in_place(pattern: str) -> str:
    """A column whose name is a common word counts only in the place of a name.

    That is `average growth`, also `growth by bank` at the beginning, or 数值合计.
    """
    if HAN.search(pattern):
        return rf"{pattern}(?={'|'.join(HAN_NAMES_NEXT)})"
    before = "|".join(rf"(?<=\b{word} )" for word in NAME_PLACES)
    before = rf"(?:{before}|(?<=[`\"']))"
    after = r"(?=\s*(?:$|[`\"',.?!]|(?:by|and|vs|versus|over|per|against|as|in)\b))"
    first = "|".join(rf"(?<=^{words})" for words in NAME_OPENINGS)
    return rf"(?:{before}{pattern}{after}|(?:{first}){pattern}(?=\s+(?:by|per|across)\b))"


def find_language(text: str, chinese: ChartLanguage = ChartLanguage.ZH) -> ChartLanguage | None:
    """The language of a text by its letters; None if it has none, or those of other languages.

    `chinese` is the one of characters that both scripts have.
    """
    if re.search(r"[\u3040-\u30ff\uac00-\ud7af]", text):
        return None
    if HAN.search(text):
        match find_script(text):
            case Language.HANT:
                return ChartLanguage.HANT
            case Language.HANS:
                return ChartLanguage.ZH
            case _:
                return chinese
    return ChartLanguage.EN if LATIN.search(text.lower()) else None


def find_question_language(
    text: str, shapes: Sequence[TableShape], *, chinese: ChartLanguage = ChartLanguage.ZH
) -> ChartLanguage | None:
    """The language of a question by the words that are no names of columns."""
    rest = QuestionText(text[:MAX_CHARS])
    for shape in shapes:
        for column in sorted(shape.columns, key=lambda c: -len(c.name)):
            if pattern := build_name_pattern(column.name):
                rest.take(pattern)
    return find_language(rest.spell_rest(), chinese)


def _fold_text(text: str) -> str:
    """In lower case and simplified script."""
    return fold_script(text.lower()) if HAN.search(text) else text.lower()
