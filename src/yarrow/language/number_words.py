"""Numbers in words as digits, in Chinese and English: 一万五 is 15000, twenty-five is 25."""

import re
from decimal import Decimal
from itertools import pairwise
from typing import Final

_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_TWO = "(?:(?<![零〇一二三四五六七八九十百千万萬亿億\\d])[两兩]|[两兩](?=[百千万萬亿億]))"
"""Behind a number, 两 is the unit of weight: 五两."""
_SIGN = rf"(?:[零〇一二三四五六七八九十百千万萬亿億]|{_TWO})"
_ARABIC = r"\d+(?:\.\d+)?"
_WHOLE = (
    rf"(?:{_SIGN}|{_ARABIC}(?=[十百千万萬亿億])){_SIGN}*(?:{_ARABIC}(?=[十百千万萬亿億]){_SIGN}+)*"
    rf"(?:(?<=[零〇十百千万萬亿億]){_ARABIC}(?![\d十百千万萬亿億]))?"
)
_CHINESE: Final = re.compile(
    rf"(?P<minus>[负負])?(?P<whole>{_WHOLE})"
    r"(?:[点點](?P<decimals>[零〇一二三四五六七八九]++)(?!十)(?P<unit>[百千]?[万萬亿億]{1,2})?)?"
)
_PIECE: Final = re.compile(rf"{_ARABIC}|{_SIGN}")
_VAGUE: Final = frozenset(["一二", "二三", "三四", "四五", "五六", "六七", "七八", "八九", "三五"])
"""Three to five rather than 35."""
_TENTHS: Final = frozenset("百千万萬亿億")
"""After these a last digit counts tenths of the unit: 一万五 is 15000."""

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH_SMALL: Final = {word: value for value, word in enumerate(_SMALL.split())}
_ENGLISH_TENS: Final = {word: value * 10 for value, word in enumerate(_TENS.split(), start=2)}
_ENGLISH_UNITS: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join((*_ENGLISH_SMALL, *_ENGLISH_TENS, *_ENGLISH_UNITS))
_ENGLISH: Final = re.compile(
    rf"\b(?:{_WORD}|a(?= (?:hundred|thousand|million|billion)))"
    rf"(?:(?:-| |(?<=hundred) and |(?<=thousand) and )(?:{_WORD}))*\b"
)


def write_digits(line: str) -> str:
    """The line with its numbers in digits; lower case is expected."""
    return _ENGLISH.sub(_read_english, _CHINESE.sub(_read_chinese, line))


def _read_chinese(match: re.Match[str]) -> str:
    """The number, or the signs as they are if they are none, as in 1万5.5."""
    whole = _add_up(_PIECE.findall(match["whole"]))
    if not whole:
        return match[0]
    decimals = "".join(str(_DIGITS[sign]) for sign in match["decimals"] or "")
    number = f"{whole}.{decimals}" if decimals else whole
    for sign in match["unit"] or "":
        number = _write_plain(Decimal(number) * (_UNITS | _MYRIADS)[sign])
    return f"-{number}" if match["minus"] else number


def _add_up(pieces: list[str]) -> str:
    """十七 is 17, 两千零五 is 2005, 二五 is 25, 3千万 is 30000000, 三千五 is 3500.

    Empty if there is no figure before 万 or 亿, or the last one does not fit below its unit, and
    for vague numbers: 两三, 二三十.
    """
    if "".join(pieces).replace("两", "二").replace("兩", "二") in _VAGUE:
        return ""
    if all(piece in _DIGITS for piece in pieces):
        return "".join(str(_DIGITS[piece]) for piece in pieces)
    total = section = digit = Decimal(0)
    myriad = 0
    if not _has_order(pieces):
        return ""
    for piece in pieces:
        if piece in _UNITS:
            section += (digit or 1) * _UNITS[piece]
            digit = Decimal(0)
        elif piece in _MYRIADS:
            if not total + section + digit:
                return ""
            if _MYRIADS[piece] < myriad:  # 一亿五千万: what stands before 亿 is counted already
                total += (section + digit) * _MYRIADS[piece]
            else:
                total = (total + section + digit) * _MYRIADS[piece]
            section, digit, myriad = Decimal(0), Decimal(0), _MYRIADS[piece]
        else:
            digit = Decimal(_DIGITS.get(piece, piece))
    unit = (_UNITS | _MYRIADS).get(pieces[-2], 0) if len(pieces) > 1 else 0
    if digit and unit and len(pieces[-1]) > 1 and (digit >= unit or "." in pieces[-1]):
        return ""
    if digit and len(pieces[-1]) == 1 and pieces[-2:-1] and pieces[-2] in _TENTHS:
        digit *= unit // 10
    return _write_plain(total + section + digit)


def _has_order(pieces: list[str]) -> bool:
    """Whether units become smaller up to 万 or 亿, and only 零 stands before another figure."""
    smallest = ceiling = max(_UNITS.values()) + 1
    for before, piece in pairwise(["", *pieces]):
        if piece in _UNITS:
            if _UNITS[piece] >= smallest:
                return False
            smallest = _UNITS[piece]
        elif piece in _MYRIADS:
            smallest = ceiling
        elif before and before not in _UNITS and before not in _MYRIADS and before not in "零〇":
            return False
    return True


def _write_plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _read_english(match: re.Match[str]) -> str:
    """The number, or the words as they are if they are none, as in "two three"."""
    total = section = 0
    ceiling = smallest = 10**12
    for word in re.findall(r"[a-z]+", match[0].replace(" and ", " ")):
        unit = _ENGLISH_UNITS.get(word, 0)
        if unit >= smallest or (word == "hundred" and section >= unit):
            return match[0]
        if word == "hundred":
            section, ceiling = (section or 1) * unit, unit
        elif unit:
            total, section = total + (section or 1) * unit, 0
            ceiling = smallest = unit
        elif word != "a":
            value = _ENGLISH_SMALL.get(word, _ENGLISH_TENS.get(word, 0))
            if value >= ceiling:
                return match[0]
            section, ceiling = section + value, 10 if word in _ENGLISH_TENS else 0
    return str(total + section)
