"""A sum that is asked again with another number or unit.

"5 miles in km", then "and 10?" or "and in feet?"; 那80的呢. Not 那七折呢, which may be meant on top.
"""

import re
from typing import Final

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.units import build_unit_pattern

_N = r"(-?\d[\d,]*(?:\.\d+)?)"
_AGAIN: Final = re.compile(
    rf"^\W*(?:(?:and|or|what about|how about|then) )+(?:of |on |for |if it's |with )?(?:[$€£¥]\s?)?{_N}"
    rf"\s*(%|percent|{build_unit_pattern()})?\W*$"
    rf"|^\W*(?:那么?|那麼)?(?:百|100)分之\s*{_N}(%)?的?呢\W*$"
    rf"|^\W*(?:那么?|那麼|如果是|要是|换成|換成)+\s*{_N}\s*(%|{build_unit_pattern()})?的?(?:[呢吗嗎]|是多少)?\W*$"
    rf"|^\W*{_N}\s*(%|{build_unit_pattern()})?的?呢\W*$"
)
_NUMBER: Final = re.compile(rf"(?P<share>(?:百|100)分之)?(?<![\d.,]){_N}\s*(%|percent\b|折)?")
_OTHER_UNIT: Final = re.compile(
    rf"^\W*(?:(?:and|or|what about|how about|then) )+(?:in|into|to) (?P<en>(?:an? |one )?(?:{build_unit_pattern()}))\W*$"
    rf"|^\W*(?:那么?|那麼)?(?:是|等于|等於)?(?:多少|[几幾])?(?P<zh>{build_unit_pattern()})呢?\W*$"
)
_LAST_UNIT: Final = re.compile(
    rf"(?:(?<=\bin )|(?<=\binto )|(?<=\bto )|(?<=多少)|(?<=[几幾]))(?:an? |one )?(?:{build_unit_pattern()})(?=\W*$)"
)
_SHARES: Final = frozenset({"%", "percent"})


def repeat_sum(line: str, asked: str) -> str | None:
    """The text of the sum `asked` with the number of `line` in place of its only like number.

    A share replaces a share; None if that leaves a choice.
    """
    match = _AGAIN.match(write_digits(line.lower()))
    if match is None:
        return None
    number, sign = next((match[at], match[at + 1]) for at in (1, 3, 5, 7) if match[at])
    kind = "%" if match[3] else _name_kind(sign)
    text = write_digits(asked)
    numbers = [
        found
        for found in _NUMBER.finditer(text)
        if ("%" if found["share"] else _name_kind(found[3])) == kind
    ]
    if len(numbers) != 1 or (sign and not kind and sign not in text.lower()):
        return None
    start, end = numbers[0].span(2)
    return f"{text[:start]}{number}{text[end:]}"


def repeat_in_unit(line: str, asked: str) -> str | None:
    """The text of the conversion `asked` into the unit that `line` names."""
    match = _OTHER_UNIT.match(line.lower())
    found = _LAST_UNIT.search(asked.lower())
    if match is None or found is None:
        return None
    return f"{asked[: found.start()]}{match['en'] or match['zh']}{asked[found.end() :]}"


def _name_kind(sign: str | None) -> str:
    if sign in _SHARES:
        return "%"
    return "折" if sign == "折" else ""
