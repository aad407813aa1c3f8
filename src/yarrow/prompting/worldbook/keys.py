"""What a key means: how letters are folded, where a word ends, what is a regex."""

import re

from yarrow.prompting.regexes import JsRegex

_REGEX = re.compile(r"/(.+)/([dgimsuvy]*)", re.DOTALL)
_BARE_SLASH = re.compile(r"(?:^|[^\\])/")

_CROSSES_LINES = re.compile(r"[\x00-\x1f]|\\[nrtvfsWDxucpP0-9]|\[\^|\(\?<?!")
"""What can take a line break into a match, or can tell the end of a text from one."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
"""Scripts that put no spaces between words, or hang endings on them: CJK, Hangul, Thai, Khmer…"""


def fold(text: str) -> str:
    """The text without case, of the same length: offsets in it are offsets in the text.

    İ is the one letter whose lower case is longer, so it stays. Both small sigmas become one,
    because which of them a capital becomes depends on its neighbours.
    """
    if text.isascii():
        return text.lower()
    return "İ".join(part.lower().replace("ς", "σ") for part in text.split("İ"))


def whole(text: str) -> str:
    """The text with single halves of surrogate pairs replaced, which no automaton can read."""
    return _HALF_PAIR.sub("\ufffd", text)


def is_one_word(key: str) -> bool:
    return len(key.split()) == 1


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing of a word adjoins this stretch.

    In scripts without spaces no word ends anywhere, so an edge of such a script always holds.
    """
    before_ok = start == 0 or not _in_word(text[start - 1]) or _is_unspaced(text[start])
    return before_ok and (
        end == len(text) or not _in_word(text[end]) or _is_unspaced(text[end - 1])
    )


def read_regex(key: str) -> JsRegex | None:
    """A key written `/pattern/flags`; one with a bare slash inside is plain text."""
    shaped = _REGEX.fullmatch(key)
    if shaped is None or _BARE_SLASH.search(shaped[1]):
        return None
    return JsRegex(shaped[1], shaped[2])


def may_cross_lines(regex: JsRegex) -> bool:
    """Whether a text joined of several could match where none of them does alone."""
    return "s" in regex.flags or _CROSSES_LINES.search(regex.pattern) is not None


def _in_word(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _is_unspaced(character)


def _is_unspaced(character: str) -> bool:
    return _UNSPACED.match(character) is not None
