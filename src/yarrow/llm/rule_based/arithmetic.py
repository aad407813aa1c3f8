"""Find the arithmetic expression that a question asks for, in figures or in words."""

import re
import unicodedata
from decimal import Decimal
from typing import Final

from yarrow.language.number_words import write_digits

_DATE: Final = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}:\d{2}\b|\b\d{1,2}([-/.])\d{1,2}\1\d{4}\b"
    r"|\b\d{4}([/.])\d{1,2}\2\d{1,2}\b|\d[年月]|\d[点點]|\b0x"
)
_GROUPED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_GROUP_OR_NEXT: Final = re.compile(r"(?<=\d),(?=[1-9]\d\d(?!\d))")
"""A comma between thousands, or between the numbers of a list: 100,200."""
_CURRENCY: Final = re.compile(r"[$€£¥]|(?<=[\d十百千万亿])\s*(?:元|块钱?|塊錢?|美元|欧元)")
_RAISED: Final = re.compile(r"(?<=[\d)零一二三四五六七八九十百千万亿])(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_LOWERED: Final = re.compile(r"(?<=\d)[₀-₉]+")
_LABEL: Final = re.compile(
    r"(?<![\d-])(?:(?:1-)?\d{3}-\d{3}-\d{4}|\d{3}-\d{4}-\d{4}|0\d{2,3}-\d{7,8}|97[89](?:-\d+)+"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2]))(?![\d-])"
)
"""A telephone number, an ISBN or a month, not a subtraction."""
_VAGUE: Final = re.compile(
    r"[几幾数數][十百千万萬亿億]|[十百千万萬亿億](?:[几幾来來余餘]|多(?!少))"
)
"""Some tens, or a thousand and more."""
_YEARS: Final = re.compile(r"(?<![\d-])((?:19|20)\d\d)-((?:19|20)\d\d)(?![\d-])")
_FACTORIAL: Final = re.compile(r"\d!")
_PERCENT_BESIDE: Final = re.compile(r"\d%\s+[\d(]")
_NO_NUMERAL: Final = re.compile(r"一下|一共|总共|總共|一起")

_SCALED: Final = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?(thousand|million|billion)\b")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def _write_scaled(match: re.Match[str]) -> str:
    return f"{(Decimal(match[1]) * _SCALES[match[2]]).normalize():f}"


_NUMBER = r"(?:\d+(?:\.\d+)?|\([^()]*\))"
_UNARY = r"(?<![\d)])(?<![\d)] )-\s*"
_OPERAND = rf"((?:sqrt)?{_NUMBER}(?:\s*\*\*\s*{_NUMBER}|\s*%)?)"
_REPLACEMENTS: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"\bmultiply ({_NUMBER}) (?:by|with|and) (?={_NUMBER}\W*$)", r"\1 * "),
        (rf"\bdivide ({_NUMBER}) by (?={_NUMBER}\W*$)", r"\1 / "),
        (rf"\badd ({_NUMBER}) (?:to|and) (?={_NUMBER}\W*$)", r"\1 + "),
        (rf"\bsubtract ({_NUMBER}) from ({_NUMBER})(?=\W*$)", r"\2 - \1"),
        (rf"({_NUMBER})\s*的\s*[一1]半", r"(\1/2)"),
        (rf"(?:the )?square root of (-?{_NUMBER})", r"sqrt(\1)"),
        (rf"\bsqrt (?=\d)({_NUMBER})|根号\s*({_NUMBER})", r"sqrt(\1\2)"),
        (rf"(-?{_NUMBER})\s*的平方根|[√]\s*({_NUMBER})", r"sqrt(\1\2)"),
        (rf"(?<![\d.])100分之\s*({_NUMBER})", r"\1%"),
        (rf"({_NUMBER})\s*分之\s*({_NUMBER})", r"(\2/\1)"),
        # 负三的平方 is (-3)², unlike -3².
        (rf"{_UNARY}({_NUMBER})\s*(?=的\s*(?:平方(?!根)|立方(?!根)|{_NUMBER}\s*次方))", r"(-\1)"),
        (rf"({_NUMBER})\s*的\s*({_NUMBER})\s*次方", r"\1**\2"),
        (rf"({_NUMBER}%)\s*的\s*({_NUMBER})", r"(\1 * \2)"),
        (rf"({_NUMBER})\s*的\s*({_NUMBER}%|\({_NUMBER}/{_NUMBER}\))", r"(\1*\2)"),
        (r"\s*(?:的平方|\bsquared\b)", "**2"),
        (r"\s*(?:的立方|\bcubed\b)", "**3"),
        (r"\b(?:raised )?to the (?:power of)?\b|\^", "**"),
        (r"\s*\b(?:percent|per cent)\b", "%"),
        (rf"({_NUMBER})\s*% off (?:of )?({_NUMBER})", r"(\2*(100-\1)/100)"),
        (rf"increase ({_NUMBER}) by ({_NUMBER})\s*%", r"(\1*(100+\2)/100)"),
        (rf"(?:decrease|reduce) ({_NUMBER}) by ({_NUMBER})\s*%", r"(\1*(100-\2)/100)"),
        (rf"\b(?:a )?half of {_OPERAND}", r"(1/2 * \1)"),
        (rf"\b(?:a |1 )?third of {_OPERAND}", r"(1/3 * \1)"),
        (rf"\b(?:a |1 )?quarter of {_OPERAND}", r"(1/4 * \1)"),
        (rf"\b(?:double|twice) {_OPERAND}", r"(2 * \1)"),
        (rf"\btriple {_OPERAND}", r"(3 * \1)"),
        (rf"({_NUMBER}\s*%) of {_OPERAND}", r"(\1 * \2)"),
        (rf"(\d+)\s*/\s*(\d+) of {_OPERAND}", r"(\1/\2 * \3)"),
        (r"\bmod(?:ulo)?\b", "%"),
        (
            r"\bmultipl(?:ied|y)(?: it| that)? by\b|\btimes\b|乘以|乘上|乘|(?<=\d)\s*[x×]\s*(?=[\d(])",
            "*",
        ),
        (r"\bdivided?(?: it| that)? by\b|(?<=\d) over (?=\d)|除以", "/"),
        (r"^\s*add\b|\bplus\b|加上|加", "+"),
        (r"^\s*subtract\b|\bminus\b|减去|減去|减|減", "-"),
        (r"[×·]", "*"),
        (r"÷", "/"),
    )
)
_ASKING: Final = re.compile(
    r"\b(?:hi|hello|hey|please|pls|can you|could you|would you|tell me|what is|what's|whats|how much "
    r"is|how much are|what are|calculate|compute|evaluate|work out|solve|the (?:result|value|sum|"
    r"product) of|equals?|is|and the answer|for me|now)\b"
    r"|请问|請問|请|請|帮我|幫我|给我|計算|计算|算算|算出|算|等于|等於|是多少|多少|几|幾|"
    r"得|结果|結果|呢|吗|嗎|的|是|你好|=\s*[?？]*\s*$|[?？。,，!！:：;；]"
)
_ASKED: Final = "¿"
"""Stands for a word of asking: between numbers, it may be the unknown of an equation."""
_EXPRESSION: Final = re.compile(r"(?:\d++(?:\.\d++)?|\.\d++|sqrt|[-+*/%()\s])++")
"""Possessive: a long number before a word must not be split in every way."""
_OPERATOR: Final = re.compile(r"[\d)%]\s*(?:\*\*|[-+*/%])\s*[-(\d.s]|sqrt|\d\s*%\s*\*")
_NEIGHBOURS: Final = re.compile(r"[\d.)] +[\d.(]")
_OPERATION: Final = re.compile(r"(?:\*\*|[-+*/])\s*-?(?:\d+(?:\.\d+)?%?|sqrt\(\d+\))")
_WRAPPED: Final = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_LINKING: Final = re.compile(r"^\W*(?:and|then|now|and then|那么|那|再|然后|然後|接着|接著)+\s*")


def _remove_groups(text: str) -> str:
    """The text without commas between thousands; a comma of Chinese (，) is never one.

    Before NFKC, which makes them the same.
    """
    return _GROUPED.sub(lambda match: match[0].replace(",", ""), text)


def normalize_signs(text: str) -> str:
    """The text in lower case and plain signs; 10² is 10**2, and 10₂ no number."""
    text = _RAISED.sub(
        lambda match: f"**({'-' if match[1] else ''}{match[2]})", _remove_groups(text)
    )
    return unicodedata.normalize("NFKC", _LOWERED.sub("_", text)).lower()


def may_be_list(text: str) -> bool:
    """Whether a comma of the text may separate numbers as well as thousands."""
    return bool(_GROUP_OR_NEXT.search(text))


def find_expression(text: str) -> str | None:
    """The expression if the text asks for the value of one and for nothing else."""
    parts = _GROUP_OR_NEXT.split(text)
    if len(parts) > 1 and all(_OPERATOR.search(part) for part in parts):
        return None  # 100+200,300+400 are two
    expression = _write_expression(_LINKING.sub("", text.lower()))
    is_one = _EXPRESSION.fullmatch(expression) and _OPERATOR.search(expression)
    return _take_share(expression) if is_one and not _NEIGHBOURS.search(expression) else None


def continue_expression(text: str, expression: str) -> str | None:
    """The expression of a text that continues from the last result, as "times 3" and 再加九 do."""
    operation = _write_expression(_LINKING.sub("", text.lower()))
    continued = f"({expression}) {operation}"
    return _take_share(continued) if _OPERATION.fullmatch(operation) else None


_SHARE: Final = re.compile(r"([-+])\s*(\d+(?:\.\d+)?)\s*%(?!\s*[\d(*/])")


def _take_share(expression: str) -> str | None:
    """100 - 10% as 100 * (100 - 10) / 100, as people and pocket calculators mean it.

    None where it is not clear of what the share is: 100 - 10% + 5.
    """
    match = _SHARE.search(expression)
    if match is None or "%" in expression[: match.start()]:
        return expression
    whole = expression[: match.start()].strip()
    if match.end() < len(expression) or not whole:
        return None
    taken = whole if whole.replace(".", "").isdigit() or _WRAPPED.fullmatch(whole) else f"({whole})"
    return f"{taken} * (100 {match[1]} {match[2]}) / 100"


def _is_label(line: str) -> bool:
    """Whether it has a date, a telephone number, some tens or a span of years, as 2023-2024."""
    years = _YEARS.search(line)
    is_span = years is not None and years[1] < years[2]
    return is_span or any(each.search(line) for each in (_DATE, _LABEL, _VAGUE))


def blank_currency(match: re.Match[str]) -> str:
    """Nothing for a sign before a number, a space for a word behind it: another may follow."""
    return "" if match[0] in "$€£¥" else " "


def _write_expression(text: str) -> str:
    """The text with numbers in digits, signs for words, and no words of asking around them.

    Empty for dates, labels such as telephone numbers, and signs that may mean several things.
    """
    line = normalize_signs(text)
    if _FACTORIAL.search(text) or _is_label(line) or len(set(_CURRENCY.findall(line))) > 1:
        return ""
    line = _CURRENCY.sub(blank_currency, _NO_NUMERAL.sub(" ", line))
    line = write_digits(_SCALED.sub(_write_scaled, line))
    for pattern, replacement in _REPLACEMENTS:
        line = pattern.sub(replacement, line)
    if _PERCENT_BESIDE.search(line):
        return ""
    expression = " ".join(_ASKING.sub(f" {_ASKED} ", line).split()).strip(f"{_ASKED} ").rstrip(". ")
    wrapped = _WRAPPED.fullmatch(expression)
    return wrapped[1] if wrapped else expression
