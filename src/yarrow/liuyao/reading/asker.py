"""Who asks: a man, a woman, or somebody the question and the account say nothing about.

It decides which kin a partner is (增删卜易·用神章: 妻财 for a man's, 官鬼 for a woman's).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.word_lists import LazyPattern


class Asker(StrEnum):
    """Who asks, as far as it is known; it decides which kin a partner is."""

    MAN = "男"
    WOMAN = "女"
    UNKNOWN = ""


class AskerSource(StrEnum):
    """Where the sex of the asker is known from."""

    QUESTION = "question"
    CONTEXT = "context"
    PROFILE = "profile"
    UNKNOWN = ""


class KnownAsker(Struct, frozen=True):
    asker: Asker = Asker.UNKNOWN
    source: AskerSource = AskerSource.UNKNOWN


UNKNOWN_ASKER: Final = KnownAsker()


_WOMAN: Final = LazyPattern(
    r"我是(?:一个|一名|个)?(?:单身)?女|本人女|坤造|女命|女士(?:问|占|测)|女(?:自)?占|女测"
    r"|我(?:的)?(?:现任|前)?(?:老公|丈夫|男朋友|男友|先生|未婚夫|前夫|夫君)|占夫|测夫"
    r"|(?:占|测|卜)女嫁|嫁(?:给|人|他|得)|\bmy (?:ex[- ]?)?(?:husband|boyfriend|fianc[eé])\b"
    r"|\bi(?:'m| am) an? (?:\w+ )?(?:woman|girl|female)\b|as a woman"
)
_MAN: Final = LazyPattern(
    r"我是(?:一个|一名|个)?(?:单身)?男|本人男|乾造|男命|先生(?:问|占|测)|男(?:自)?占|男测"
    r"|我(?:的)?(?:现任|前)?(?:老婆|妻子|太太|女朋友|女友|媳妇|未婚妻|前妻|妻)|占妻|测妻"
    r"|娶(?:她|妻|亲|老婆)|\bmy (?:ex[- ]?)?(?:wife|girlfriend|fianc[eé]e)\b"
    r"|\bi(?:'m| am) an? (?:\w+ )?(?:man|guy|boy|male)\b|as a man"
)
_WORDS: Final = {
    "男": Asker.MAN, "男性": Asker.MAN, "男士": Asker.MAN, "先生": Asker.MAN, "乾造": Asker.MAN,
    "male": Asker.MAN, "man": Asker.MAN, "m": Asker.MAN, "boy": Asker.MAN,
    "女": Asker.WOMAN, "女性": Asker.WOMAN, "女士": Asker.WOMAN, "小姐": Asker.WOMAN,
    "坤造": Asker.WOMAN, "female": Asker.WOMAN, "woman": Asker.WOMAN, "f": Asker.WOMAN,
    "girl": Asker.WOMAN,
}  # fmt: skip
_ABOUT_SEX: Final = LazyPattern(r"gender|\bsex\b|性别|男女|asker|求测|问卦")


def parse_asker(word: str) -> Asker:
    """The sex that one word names: male, female, 男, 女 and their like."""
    return _WORDS.get(word.strip().lower(), Asker.UNKNOWN)


def find_asker(question: str) -> Asker:
    """The sex that the words of a question give away ("我老公", "I am a woman")."""
    question = fold_question(question)
    woman, man = _WOMAN.search(question), _MAN.search(question)
    if bool(woman) == bool(man):
        return Asker.UNKNOWN
    return Asker.WOMAN if woman else Asker.MAN


def identify_asker(
    question: str, *, context: Iterable[tuple[str, str]] = (), profile: str = ""
) -> KnownAsker:
    """The question decides before the context of the request, and that before the profile.

    A context is pairs of description and value, as AG-UI sends them.
    """
    asker = find_asker(question)
    if asker is not Asker.UNKNOWN:
        return KnownAsker(asker, AskerSource.QUESTION)
    for description, value in context:
        if not _ABOUT_SEX.search(fold_question(description)):
            continue
        asker = parse_asker(value)
        asker = find_asker(value) if asker is Asker.UNKNOWN else asker
        if asker is not Asker.UNKNOWN:
            return KnownAsker(asker, AskerSource.CONTEXT)
    asker = parse_asker(profile)
    if asker is not Asker.UNKNOWN:
        return KnownAsker(asker, AskerSource.PROFILE)
    return UNKNOWN_ASKER
