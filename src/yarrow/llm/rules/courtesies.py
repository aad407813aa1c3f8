"""What needs no tool: greetings, thanks, farewells, and trouble that the user tells of."""

import re
from dataclasses import dataclass
from typing import Final

from yarrow.kit.self_harm import speaks_of_self_harm


@dataclass(frozen=True, slots=True)
class GreetingIntent:
    pass


@dataclass(frozen=True, slots=True)
class ThanksIntent:
    pass


@dataclass(frozen=True, slots=True)
class FarewellIntent:
    pass


@dataclass(frozen=True, slots=True)
class SorrowIntent:
    """The user tells of grief, illness or fear: nothing for so small a model."""


@dataclass(frozen=True, slots=True)
class SelfHarmIntent:
    """The user speaks of harming themselves."""


Courtesy = GreetingIntent | ThanksIntent | FarewellIntent | SorrowIntent | SelfHarmIntent


def _compile(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_GREETING: Final = _compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)(?: there| yarrow| all)?\W*$",
    r"^\W*(?:please )?(?:just )?say (?:hello|hi)\b",
    r"^\W*(?:你好|您好|你们好|你們好|嗨|哈喽|哈囉|早上好|上午好|下午好|晚上好|早安|大家好)[呀啊吗嗎]?\W*$",
    r"(?:说|說|打)(?:一)?(?:声|聲|句|个|個)?(?:你好|招呼)",
)
_THANKS: Final = _compile(
    r"^\W*(?:ok(?:ay)?,? |great,? |many )?(?:thanks?|thank you|thx|cheers)\b.{0,20}$",
    r"^\W*(?:好的?[,， ]*)?(?:谢谢|謝謝|多谢|多謝|感谢|感謝|辛苦了).{0,8}$",
)
_FAREWELL: Final = _compile(
    r"^\W*(?:bye|goodbye|good ?bye|good night|see you|farewell)\b.{0,16}$",
    r"^\W*(?:再见|再見|晚安|拜拜|回头见|回頭見)\W*$",
)


_SORROW: Final = _compile(
    r"\b(?:i|i'm|im|i am|i feel|feeling|feel|we are)\b.{0,16}\b(?:sad|lonely|alone|depressed|hopeless|"
    r"heartbroken|miserable|scared|afraid|anxious|worried|sick|ill|unhappy|grieving|crying|awful|"
    r"terrible|desperate|stressed|upset)\b",
    r"\bmy\b.{0,24}\b(?:died|is dead|passed away|is dying|is sick|is ill|left me|broke up|has cancer)\b",
    r"\b(?:i|we) (?:lost|buried) (?:my|our|a)\b|\bbroke up with me\b|\bfuneral\b|\bi was fired\b",
    r"我.{0,4}(?:难过|難過|伤心|傷心|孤独|孤獨|抑郁|抑鬱|绝望|絕望|害怕|焦虑|焦慮|崩溃|崩潰|心碎|失恋|失戀|失业|失業)",
    r"我.{0,8}(?:去世了|过世了|過世了|走了|死了|生病了|离开我|離開我|分手了)",
)


def read_courtesy(line: str) -> GreetingIntent | ThanksIntent | FarewellIntent | None:
    if _GREETING.search(line):
        return GreetingIntent()
    if _THANKS.search(line):
        return ThanksIntent()
    return FarewellIntent() if _FAREWELL.search(line) else None


def read_self_harm(line: str) -> SelfHarmIntent | None:
    return SelfHarmIntent() if speaks_of_self_harm(line) else None


def read_sorrow(line: str) -> SorrowIntent | None:
    return SorrowIntent() if _SORROW.search(line) else None
