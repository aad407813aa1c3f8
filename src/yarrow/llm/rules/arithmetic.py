"""Find the arithmetic expression that a question asks for, in figures or in words."""

import re
import unicodedata
from typing import Final

_DATE: Final = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}:\d{2}\b")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMERALS: Final = re.compile(r"[零〇一二两兩三四五六七八九十百千万萬亿億]+")
_DIGITS: Final = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}

_NUMBER = r"(?:\d+(?:\.\d+)?|\([^()]*\))"
_REPLACEMENTS: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"(?:the )?square root of ({_NUMBER})", r"sqrt(\1)"),
        (rf"({_NUMBER})\s*的平方根|[√]\s*({_NUMBER})", r"sqrt(\1\2)"),
        (rf"百分之\s*({_NUMBER})", r"\1%"),
        (rf"({_NUMBER})\s*的\s*({_NUMBER})\s*次方", r"\1**\2"),
        (rf"({_NUMBER})\s*的\s*({_NUMBER}%)", r"\1*\2"),
        (r"的平方|\bsquared\b", "**2"),
        (r"的立方|\bcubed\b", "**3"),
        (r"(?:%|percent) of", "% *"),
        (r"\bpercent\b", "%"),
        (r"\b(?:raised )?to the (?:power of)?\b", "**"),
        (r"\bmultiplied by\b|\btimes\b|乘以|乘上|乘|(?<=\d)\s*[x×]\s*(?=[\d(])", "*"),
        (r"\bdivided by\b|(?<=\d) over (?=\d)|除以", "/"),
        (r"\bplus\b|加上|加", "+"),
        (r"\bminus\b|减去|減去|减|減", "-"),
        (r"[×·]", "*"),
        (r"÷", "/"),
        (r"\^", "**"),
    )
)
_ASKING: Final = re.compile(
    r"\b(?:hi|hello|hey|please|can you|could you|would you|tell me|what is|what's|whats|how much is|"
    r"how much are|what are|calculate|compute|evaluate|work out|solve|the (?:result|value|sum|"
    r"product) of|equals?|is|and the answer|for me|now)\b"
    r"|请问|請問|请|請|帮我|幫我|给我|計算|计算|算一下|算算|算出|算|一下|等于|等於|是多少|多少|几|幾|"
    r"得|结果|結果|呢|吗|嗎|的|是|你好|[?？。,，!！=:：;；]"
)
_EXPRESSION: Final = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+|sqrt|[-+*/%()\s])+")
_OPERATOR: Final = re.compile(r"[\d)%]\s*(?:\*\*|[-+*/%])\s*[-(\d.s]|sqrt|\d\s*%\s*\*")


def find_expression(text: str) -> str | None:
    """The expression if the text asks for the value of one and for nothing else."""
    line = unicodedata.normalize("NFKC", text).lower()
    if _DATE.search(line):
        return None
    line = _NUMERALS.sub(_write_digits, _GROUPED.sub("", line))
    for pattern, replacement in _REPLACEMENTS:
        line = pattern.sub(replacement, line)
    expression = " ".join(_ASKING.sub(" ", line).rstrip(". ").split())
    is_one = _EXPRESSION.fullmatch(expression) and _OPERATOR.search(expression)
    return expression if is_one else None


def _write_digits(numerals: re.Match[str]) -> str:
    """Chinese numerals as digits: 十七 is 17, 两千零五 is 2005, 二三 is 23."""
    signs = numerals[0]
    if all(sign in _DIGITS for sign in signs):
        return "".join(str(_DIGITS[sign]) for sign in signs)
    total = section = digit = 0
    for sign in signs:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _UNITS:
            section += (digit or 1) * _UNITS[sign]
            digit = 0
        else:
            total = (total + section + digit) * _MYRIADS[sign]
            section = digit = 0
    return str(total + section + digit)
