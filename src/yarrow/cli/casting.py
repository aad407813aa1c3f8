"""Parse the options of a cast: lines, coins or random throws, and a time."""

import re
from collections.abc import Sequence
from datetime import datetime
from random import Random
from typing import Final

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.liuyao import YaoLine, line_from_hua

_COINS: Final = 3
_NAMES: Final[dict[YaoLine, str]] = {
    "老阴": "老阴 老陰 交 6",
    "少阳": "少阳 少陽 单 單 7",
    "少阴": "少阴 少陰 拆 8",
    "老阳": "老阳 老陽 重 9",
}
_LINE_BY_NAME: Final = {name: line for line, names in _NAMES.items() for name in names.split()}


class CoinThrows(Struct, frozen=True):
    """Six throws of three coins, the first one first; each coin shows 花 or 字."""

    faces: tuple[str, ...]

    @property
    def lines(self) -> tuple[YaoLine, ...]:
        return tuple(line_from_hua(faces.count("花")) for faces in self.faces)


def throw_six_times(dice: Random) -> CoinThrows:
    """Throw three coins six times."""
    return CoinThrows(tuple("".join(_throw_coin(dice) for _ in range(_COINS)) for _ in range(6)))


def parse_coins(text: str) -> CoinThrows:
    """Parse throws given as their number of 花, such as `1,2,3,2,1,0` or `123210`."""
    counts = [
        int(count) for count in _split_throws(text, "0123", option="--coins", means="0 to 3 花")
    ]
    return CoinThrows(tuple("花" * hua + "字" * (_COINS - hua) for hua in counts))


def parse_lines(text: str) -> tuple[YaoLine, ...]:
    """Parse six lines from the bottom up, by name (老阳), old name (重) or number (9)."""
    words = "6 7 8 9, or 老阴 少阳 少阴 老阳"
    names = _split_throws(text, tuple(_LINE_BY_NAME), option="--lines", means=words)
    return tuple(_LINE_BY_NAME[name] for name in names)


def parse_time(text: str) -> datetime:
    """Parse an ISO 8601 date and time; without an offset it is local time."""
    invalid = InvalidInput("--time takes a date and a time such as 2026-04-03T20:30:00+08:00")
    try:
        moment = datetime.fromisoformat(text.strip())
        if len(text.strip()) <= len("2026-04-03"):
            raise invalid
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):
        raise invalid from None


def require_utf8(text: str, *, option: str) -> str:
    """Return the text; raises if its bytes are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{option} is not UTF-8 text") from None
    return text


def _throw_coin(dice: Random) -> str:
    return "花" if dice.getrandbits(1) else "字"


def _split_throws(text: str, names: Sequence[str], *, option: str, means: str) -> list[str]:
    pattern = "|".join(names)
    if not re.fullmatch(rf"[\s,，、]*(?:(?:{pattern})[\s,，、]*)*", text):
        raise InvalidInput(f"{option} takes {means}, six times from 初爻 to 上爻")
    matches = re.findall(pattern, text)
    if len(matches) != 6:
        raise InvalidInput(f"{option} takes six lines from 初爻 to 上爻, {len(matches)} were given")
    return matches
