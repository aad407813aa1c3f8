"""Judge which encoding a text has by the script it would be written in.

Many encodings decode the same bytes. For each of them the text is scored by how likely its
characters are in a text of that script: common Chinese characters in GBK, syllables in EUC-KR, kana
in Shift-JIS, letters in the right case in Cyrillic, accented letters beside plain ones in Latin.
"""

import codecs
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

from charset_normalizer import from_bytes
from msgspec import Struct

from yarrow.sandbox.files.frequent_characters import JAPANESE, KOREAN, SIMPLIFIED, TRADITIONAL

DETECTOR_BONUS = 2.0
"""What the opinion of the statistical detector counts, in the unit of the scores."""
FIRST_BONUS = 1.5
"""What Western Latin has before the others: a single letter says little."""
UNLIKELY = math.log(0.0005 / 100)
"""A character that a text of the script has hardly ever."""
REPEATED = math.log(0.05)
"""An accented Latin letter beside another one, or a capital letter inside a word."""

Weigh = Callable[[str], float]


class LeadRange(Struct, frozen=True):
    """Characters by the first byte of their code, and how likely one of them is."""

    first: int
    last: int
    weight: float


def _compute_log_share(share: float, count: int) -> float:
    return math.log(share / count)


_MULTIBYTE: Mapping[str, tuple[LeadRange, ...]] = {
    "gb18030": (
        LeadRange(0xB0, 0xD7, _compute_log_share(0.93, 3755)),
        LeadRange(0xD8, 0xF7, _compute_log_share(0.03, 3008)),
        LeadRange(0xA1, 0xA9, _compute_log_share(0.04, 700)),
    ),
    "big5": (
        LeadRange(0xA4, 0xC6, _compute_log_share(0.95, 5401)),
        LeadRange(0xA1, 0xA3, _compute_log_share(0.04, 440)),
        LeadRange(0xC9, 0xF9, _compute_log_share(0.01, 7652)),
    ),
    "cp949": (
        LeadRange(0xB0, 0xC8, _compute_log_share(0.96, 2350)),
        LeadRange(0xA1, 0xAC, _compute_log_share(0.02, 900)),
        LeadRange(0xCA, 0xFD, _compute_log_share(0.01, 4888)),
        LeadRange(0x81, 0xA0, _compute_log_share(0.01, 8000)),
    ),
    "cp932": (
        LeadRange(0x82, 0x83, _compute_log_share(0.5, 170)),
        LeadRange(0x88, 0x97, _compute_log_share(0.45, 2965)),
        LeadRange(0x81, 0x81, _compute_log_share(0.04, 150)),
        LeadRange(0x98, 0x9F, _compute_log_share(0.005, 3390)),
        LeadRange(0xA1, 0xDF, _compute_log_share(0.002, 63)),
        LeadRange(0xE0, 0xEA, _compute_log_share(0.005, 3390)),
    ),
    "euc-jp": (
        LeadRange(0xA4, 0xA5, _compute_log_share(0.5, 170)),
        LeadRange(0xB0, 0xCF, _compute_log_share(0.45, 2965)),
        LeadRange(0xA1, 0xA3, _compute_log_share(0.04, 150)),
        LeadRange(0xD0, 0xF4, _compute_log_share(0.01, 3390)),
    ),
}
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
_HALF_WIDTH_WEIGHT = _compute_log_share(0.5, 63)
"""Of half-width kana beside kanji: names and places in files of banks and post offices."""
_FREQUENT: Mapping[str, frozenset[str]] = {
    "gb18030": SIMPLIFIED,
    "big5": TRADITIONAL,
    "cp949": KOREAN,
    **dict.fromkeys(("cp932", "euc-jp"), JAPANESE),
}
_FREQUENT_SHARE = 0.4
"""Of a short table's characters, carefully: titles and names have rare ones."""
RIVAL_MARGIN = 4.0
"""Scores that differ by less do not decide."""
_WESTERN = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0152\u0153\u0160\u0161"
_CENTRAL = "\u00c1-\u00d6\u00d8-\u00f6\u00f8-\u017f"
_TURKISH = f"{_WESTERN}\u011e\u011f\u0130\u0131\u015e\u015f"
_CYRILLIC = "\u0401\u0404\u0406\u0407\u0410-\u044f\u0451\u0454\u0456\u0457\u0490\u0491"
_WESTERN_COMMON = "áàâäãåçéèêëíîïñóôöõøßúùüÉÖÄÜ"
_SCRIPTS: Mapping[str, tuple[str, str]] = {
    "cp1252": (_WESTERN, _WESTERN_COMMON),
    "cp1251": (_CYRILLIC, "оеаинтсрвлкм"),
    "koi8-r": (_CYRILLIC, "оеаинтсрвлкм"),
    "cp1250": (_CENTRAL, "ąćęłńóśźżáčďéěíňřšťúůýžőűăâîşţöüä"),
    "cp1253": ("\u0386-\u03ce", "αοιετσνρκπςμλ"),
    "cp1254": (_TURKISH, f"{_WESTERN_COMMON}ğışİŞ"),
    "cp1255": ("\u05d0-\u05ea", "יולהארתבמנש"),
    "cp1256": ("\u0621-\u064a", "الينمرتوبه"),
    "cp874": ("\u0e01-\u0e5b", "กนรอายเงมลสวดตทปัิีุ่้คพ"),
}
"""Code pages of one byte: the letters of their script, and those that are most of a text."""
_MARKS = frozenset("€£°–—‘’“”„«»…·×²³½§®™©№\u00a0")
_MARK = _compute_log_share(0.02, len(_MARKS))
_COMMON, _OTHERS = 0.75, 0.2
_BOTH_CASES = frozenset(("cp1251", "koi8-r"))
"""The capital letters of one are small letters in the other: frequent letters tell them apart."""
_LATIN = frozenset(("cp1250", "cp1252", "cp1254"))
FIRST = "cp1252"
CANDIDATES = (*_MULTIBYTE, *_SCRIPTS)


def rank_encodings(head: bytes) -> list[str]:
    """The encodings that decode these bytes, the likeliest first."""
    scores = _score_encodings(head)
    return sorted(scores, key=lambda name: -scores[name])


def find_rival(head: bytes, encoding: str) -> str | None:
    """Another encoding that is hardly less likely and gives another text; None if there is none."""
    text = decode_head(head, encoding)
    scores = _score_encodings(head)
    own = scores.get(_find_family(encoding))
    if own is None or text is None:
        return None
    rivals = (
        name
        for name in sorted(scores, key=lambda name: -scores[name])
        if abs(scores[name] - own) < RIVAL_MARGIN and decode_head(head, name) != text
    )
    return next(rivals, None)


def _score_encodings(head: bytes) -> dict[str, float]:
    scores: dict[str, float] = {}
    for encoding in CANDIDATES:
        text = decode_head(head, encoding)
        if text is not None:
            scores[encoding] = score_text(text, encoding)
    scores[FIRST] = scores.get(FIRST, -math.inf) + FIRST_BONUS
    best = from_bytes(head).best()
    if best is not None and (known := _find_family(best.encoding)) in scores:
        scores[known] += DETECTOR_BONUS
    return scores


def decode_head(head: bytes, encoding: str) -> str | None:
    """The beginning of a file as text; a character that is cut off at the end is left out."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None


def score_text(text: str, encoding: str) -> float:
    """The logarithm of the likelihood of the characters beyond ASCII."""
    counts = Counter(char for char in text if char > "\x7f")
    leads = _MULTIBYTE.get(encoding)
    if leads is not None:
        weigh: Weigh = partial(_weigh_lead, encoding=encoding, leads=leads)
        if encoding == "cp932" and _has_more_frequent(counts, _FREQUENT[encoding]):
            weigh = partial(_weigh_japanese, weigh=weigh)
        return sum(count * weigh(char) for char, count in counts.items())
    letters, common = _SCRIPTS[encoding]
    if encoding in _BOTH_CASES:
        common += common.upper()
    weigh = partial(_weigh_letter, letters=re.compile(f"[{letters}]"), common=common)
    score = sum(count * weigh(char) for char, count in counts.items())
    return score + REPEATED * _count_oddities(text, letters, is_latin=encoding in _LATIN)


def _weigh_lead(char: str, *, encoding: str, leads: tuple[LeadRange, ...]) -> float:
    if char in (common := _FREQUENT[encoding]):
        return _compute_log_share(_FREQUENT_SHARE, len(common))
    code = char.encode(encoding, "ignore")
    lead = code[0] if code and len(code) <= 2 else 0
    return next((r.weight for r in leads if r.first <= lead <= r.last), UNLIKELY)


def _has_more_frequent(counts: Counter[str], frequent: frozenset[str]) -> bool:
    """Whether most characters other than half-width kana are frequent ones."""
    full = [char for char in counts if not _HALF_WIDTH.match(char)]
    known = sum(counts[char] for char in full if char in frequent)
    return known * 2 > sum(counts[char] for char in full)


def _weigh_japanese(char: str, *, weigh: Weigh) -> float:
    return _HALF_WIDTH_WEIGHT if _HALF_WIDTH.match(char) else weigh(char)


def _weigh_letter(char: str, *, letters: re.Pattern[str], common: str) -> float:
    if char in _MARKS:
        return _MARK
    if char in common:
        return _compute_log_share(_COMMON, len(common))
    return _compute_log_share(_OTHERS, 40) if letters.match(char) else UNLIKELY


def _count_oddities(text: str, letters: str, *, is_latin: bool) -> int:
    """A capital after a small letter; accented letters that stand together; mixed scripts."""
    odd = sum(1 for a, b in pairwise(text) if a.islower() and b.isupper())
    if is_latin:
        return odd + len(re.findall(f"(?<=[{letters}])[{letters}]", text))
    beside = f"(?<=[A-Za-z])[{letters}]|[{letters}](?=[A-Za-z])"
    return odd + len(re.findall(beside, text))


def _find_family(encoding: str) -> str:
    """The name that this module has for an encoding of the detector."""
    name = codecs.lookup(encoding).name
    return {
        **dict.fromkeys(("gbk", "gb2312", "hz"), "gb18030"),
        **dict.fromkeys(("euc_kr", "johab"), "cp949"),
        **dict.fromkeys(("shift_jis", "shift_jis_2004", "shift_jisx0213"), "cp932"),
        **dict.fromkeys(("euc_jp", "euc_jis_2004", "euc_jisx0213"), "euc-jp"),
        **dict.fromkeys(("big5hkscs", "cp950"), "big5"),
        **dict.fromkeys(("iso8859-1", "iso8859-15"), "cp1252"),
        **dict.fromkeys(("iso8859-2",), "cp1250"),
        **dict.fromkeys(("iso8859-7",), "cp1253"),
        **dict.fromkeys(("iso8859-9",), "cp1254"),
    }.get(name, name)
