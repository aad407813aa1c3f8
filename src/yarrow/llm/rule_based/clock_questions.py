"""Questions for another moment than now: a time of one place in others, hours later."""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.patterns import compile_any
from yarrow.llm.rule_based.places import PlaceZone, find_places, remove_places, remove_regions


class ClockIntent(Struct, frozen=True):
    """What a time of today at one place is at others; without a place, `minutes` from now."""

    at: str = ""
    source: PlaceZone | None = None
    targets: tuple[PlaceZone, ...] = ()
    minutes: int = 0


_CLOCK: Final = re.compile(
    r"(?P<part>早上|上午|中午|下午|傍晚|晚上|凌晨|夜里)?(?P<zh>\d{1,2})[点點](?:钟|鐘)?(?P<half>半)?(?:(?P<zm>\d{1,2})分)?"
    r"|\b(?P<h>\d{1,2})(?::(?P<m>\d{2}))?\s*(?P<ampm>a\.?m\b\.?|p\.?m\b\.?|o'clock)"
    r"|(?<![\d:])(?P<h24>\d{1,2}):(?P<m24>\d{2})(?!\d)|\b(?P<noon>noon|midnight)\b"
)
_AFTERNOON: Final = ("下午", "傍晚", "晚上")
_NIGHT: Final = ("晚上", "夜里", "凌晨")
_UNCLEAR: Final = {"晚上": range(1, 5), "夜里": range(5, 8)}
"""Hours that may be those of the evening or of the early morning."""
_JOIN: Final = re.compile(r"\s*(?:in|at|on|时间|時間|time|the|的|,|当地|當地)*\s*", re.IGNORECASE)
_ASKING: Final = compile_any(
    r"'s\b",
    r"\b(?:what|what's|when|if|is|it|it's|its|the|time|convert|to|in|at|be|will|would|then|local|please|and|of|"
    r"clock|does|do|for|there|here|into|tell|me|how|about)\b",
    r"[几幾][点點]钟?|时间|時間|如果|当|當|的|是|时候|時候|时|時|请问|換算成|换算成|转成|转换成|等于|等於|对应|在|呢|那么|那|现在|是什么|多少|"
    r"相当于|当地|當地",
)
_LATER: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|and|so|ok(?:ay)?|tell me|can you tell me)\W+)*what time (?:will it be|is it|will be|was it)(?: here)? (?:in (?P<a>\d+|an?) (?P<au>hours?|minutes?)|"
    r"(?P<b>\d+|an?) (?P<bu>hours?|minutes?) (?:from now|later|(?P<ago>ago)))[?. ]*$"
    r"|^\W*(?P<c>\d+)\s*[个個]?(?P<cu>小时|小時|钟头|分钟|分鐘)(?P<half>半)?[以之]?(?P<way>[后後前])(?:是|会是)?[几幾][点點]钟?[了呢?？。]*$"
)


def read_clock(line: str) -> ClockIntent | None:
    """The time that is asked for; None unless the line says nothing else."""
    plain = write_digits(remove_regions(line))
    if later := _LATER.search(plain.lower()):
        return _read_later(later)
    clocks = list(_CLOCK.finditer(plain.lower()))
    places = find_places(plain)
    if len(clocks) != 1 or len(places) < 2:
        return None
    clock = clocks[0]
    rest = remove_places(plain[: clock.start()] + " " + plain[clock.end() :])
    at = _write_clock(clock)
    source = _find_source(plain, clock, places)
    if not at or source is None or re.sub(r"\W|_", "", _ASKING.sub(" ", rest)):
        return None
    return ClockIntent(at, source, tuple(place for place in places if place != source))


def _read_later(match: re.Match[str]) -> ClockIntent:
    count = match["a"] or match["b"] or match["c"]
    unit = match["au"] or match["bu"] or match["cu"]
    minutes = (int(count) if count.isdigit() else 1) * (60 if unit[0] in "h小钟" else 1)
    minutes += 30 if match["half"] and unit[0] in "小钟" else 0
    return ClockIntent(minutes=-minutes if match["way"] == "前" or match["ago"] else minutes)


def _write_clock(match: re.Match[str]) -> str:
    """The time as HH:MM; empty if there is no such time."""
    if match["noon"]:
        return "12:00" if match["noon"] == "noon" else "00:00"
    hour = int(match["zh"] or match["h"] or match["h24"])
    minute = int(match["zm"] or match["m"] or match["m24"] or (30 if match["half"] else 0))
    ampm = (match["ampm"] or "").replace(".", "")
    if ampm in ("am", "pm"):
        if not 1 <= hour <= 12:
            return ""
        hour = hour % 12 + (12 if ampm == "pm" else 0)
    if match["part"] in _NIGHT and hour == 12:
        hour = 0
    if match["part"] == "夜里" and 8 <= hour < 12:
        hour += 12
    if match["part"] in _AFTERNOON and 1 <= hour < 12:
        hour += 12
    if match["part"] == "中午" and hour < 3:
        hour += 12
    is_unclear = int(match["zh"] or 0) in _UNCLEAR.get(match["part"], ())
    is_time = hour < 24 and minute < 60 and not is_unclear
    return f"{hour:02}:{minute:02}" if is_time else ""


def _find_source(line: str, clock: re.Match[str], places: list[PlaceZone]) -> PlaceZone | None:
    """The place that stands beside the time; None if two do, or none."""
    before, after = line[: clock.start()], line[clock.end() :]
    beside = []
    for place in places:
        start = after.find(place.name)
        if start >= 0 and _JOIN.fullmatch(after[:start]):
            beside.append(place)
        end = before.rfind(place.name)
        if end >= 0 and _JOIN.fullmatch(before[end + len(place.name) :].rstrip("是")):
            beside.append(place)
    return beside[0] if len(beside) == 1 else None
