"""Questions of everyday life that are one calculation: percentages, discounts, tips, shares,
averages, remainders, and amounts in another unit. Text in, expression out."""

import re
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.arithmetic import (
    blank_currency,
    find_expression,
    may_be_list,
    normalize_signs,
)
from yarrow.llm.rule_based.units import (
    build_unit_pattern,
    find_unit,
    is_temperature,
    write_conversion,
)


class Amount(Struct, frozen=True):
    """An expression, and what its value counts."""

    expression: str
    unit: str = ""


_N = r"(-?\d+(?:\.\d+)?)"
_POLITE: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|pls|so|ok(?:ay)?|can you|could you|tell me|calculate|compute|convert|"
    r"what(?:'s|s| is| are| would be| will be)|how much (?:is|are)|请问|請問|请|請|帮我|幫我|你好|计算|計算|算一下|算算|算|"
    r"换算|換算|把|将)[,，:：\s]*)+"
)
_END: Final = re.compile(
    r"[\s?？.。!！=]*(?:(?:是|等于|等於|为|為|有|得)?(?:多少|[几幾])?(?:钱|錢|呢|啊|了|呀)?|please|"
    r"to pay|do i pay|each|per person|in total)?[\s?？.。!！=]*$"
)
_MONEY: Final = re.compile(
    r"[$€£¥]|(?<=\d)\s*(?:元|块钱|塊錢|块|塊|人民币|dollars?|euros?|usd|bucks)"
)
_OF_LIST: Final = re.compile(
    r"\b(?:average|mean|max\w*|min\w*|sum|total)\b|平均|均值", re.IGNORECASE
)


_REWRITTEN: Final = (
    (re.compile(r"([华華]氏|[摄攝]氏)\s*(-?\d+(?:\.\d+)?)\s*度"), r"\2\1度"),
    (re.compile(r"(?<![\d.])(\d)米(\d{1,2})(?=\D*$)"), r"\1.\2米"),
    (re.compile(r"[零0]下\s*(?=\d)"), "-"),
    (re.compile(r"(?<=\d)度(?=(?:是|等于|等於)?(?:多少|[几幾])?(?:[华華]氏))"), "摄氏度"),
    (
        re.compile(r"(?<![\d.])(\d)\s*['′’]\s*(\d{1,2})(?:\s*[\"″”])?(?= (?:in|to)\b)"),
        r"\1 ft \2 in",
    ),
    (
        re.compile(
            r"(?<![\d.])(\d)\s*(?:ft|foot|feet) (\d{1,2})(?= (?:in|to) (?:cm|mm|m\b|met|cent))"
        ),
        r"\1 ft \2 in",
    ),
    (re.compile(r"(?:多少|[几幾])2$"), "多少两"),
    (re.compile(r"([华華]氏|[摄攝]氏)(?:是)?(?:多少|[几幾])度"), r"多少\1度"),
    (re.compile(r"(?<![\d.])(\d+)(小时|小時|公?斤|公?里|天|米|升|吨)半"), r"\1.5\2"),
    (
        re.compile(r"(?<![\d.])(\d+)(?:[个個]半(?=小时|小時|钟头|星期)| and (?:a|1) half\b)"),
        r"\1.5",
    ),
    (
        re.compile(
            r"(?<![\d个個点點])半[个個]?(?=小时|小時|钟头|公?斤|公?里|天|米|升|吨)|\bhalf an? (?=hour|day|mile)"
        ),
        "0.5 ",
    ),
)


_BITS: Final = re.compile(r"(?<![A-Za-z])[KMGT]b(?![A-Za-z])")
"""Mb is a million bits, MB and mb a million bytes."""


def find_amount(text: str) -> Amount | None:
    """The calculation if the whole text asks for one of those that are known here."""
    if _BITS.search(text) or (may_be_list(text) and _OF_LIST.search(text)):
        return None
    line = normalize_signs(text)
    line = re.sub(r"(?<=\d)百分之", "的百分之", line)  # 120百 is no number
    if len({sign for sign in _MONEY.findall(line) if sign}) > 1:
        return None
    line = _POLITE.sub("", write_digits(_MONEY.sub(blank_currency, line))).strip(" ,，")
    for pattern, replacement in _REWRITTEN:
        line = pattern.sub(replacement, line)
    if factorial := _FACTORIAL.fullmatch(line):
        return _write_factorial(factorial[1])
    if (claim := _CLAIM.fullmatch(line)) and (expression := find_expression(claim[1])):
        return Amount(expression)
    line = _END.sub("", line).strip(" ,，")
    for pattern, write in _RULES:
        if (match := pattern.fullmatch(line)) is not None:
            return write(match)
    return None


_FACTORIAL: Final = re.compile(r"(\d{1,2})\s*(?:!|factorial|的阶乘|的階乘)(?:是多少|=)?\s*[?？]?")
_CLAIM: Final = re.compile(
    rf"(?:is |does )?(.+?)(?:\s*=\s*|\s+equals? (?:to )?|等于|等於|\s+(?=-?\d+(?:\.\d+)?\s*\?)){_N}"
    r"[\s,，]*(?:right|correct|true|对吗|對嗎|对不对|吗|嗎|是吗)?\s*[?？]*"
)
"""An equation to check: its left side is computed."""


def _write_discount(price: str, tenths: str) -> Amount:
    """打8折 leaves 8 tenths, 打85折 and 打8.5折 leave 85 hundredths."""
    share = f"{tenths} / 10" if "." in tenths or len(tenths) == 1 else f"{tenths} / 100"
    return Amount(f"{price} * {share}")


_FURTHER_DISCOUNT: Final = re.compile(
    rf"^\W*(?:那|那么|然后|然後|接着|接著)?再打\s*{_N}\s*折(?:[以之]?[后後])?(?:是|要)?(?:多少)?[钱錢]?\W*$"
)


def continue_discount(text: str, expression: str) -> str | None:
    """The expression of a further discount on the last result: 再打九折."""
    match = _FURTHER_DISCOUNT.match(write_digits(text))
    return _write_discount(f"({expression})", match[1]).expression if match else None


def _write_further_discount(price: str, first: str, second: str) -> Amount:
    once = _write_discount(price, first).expression
    return _write_discount(f"({once})", second)


def _write_saved(price: str, tenths: str) -> Amount:
    """打8折 saves 2 tenths."""
    return Amount(f"{price} - {_write_discount(price, tenths).expression}")


def _write_share(part: str, whole: str) -> Amount:
    return Amount(f"{part} / {whole} * 100", "%")


def _write_change(before: str, after: str) -> Amount:
    return Amount(f"({after} - {before}) / {before} * 100", "%")


def _read_numbers(listed: str) -> list[str]:
    return re.findall(r"-?\d+(?:\.\d+)?", listed)


def _write_mean(listed: str) -> Amount:
    numbers = _read_numbers(listed)
    return Amount(f"({' + '.join(numbers)}) / {len(numbers)}")


def _write_factorial(number: str) -> Amount | None:
    factors = [str(factor) for factor in range(1, int(number) + 1)]
    return Amount(" * ".join(factors) or "1") if int(number) <= 40 else None


def _convert_amount(measured: str, target: str) -> Amount | None:
    """An amount such as "3 hours and 45 minutes" in another unit."""
    pairs = re.findall(rf"{_N}\s*({build_unit_pattern()})", measured) or [("1", measured.strip())]
    read = [(value, find_unit(name)) for value, name in pairs]
    amounts = [(value, unit) for value, unit in read if unit is not None]
    unit = find_unit(target)
    if (
        unit is None
        or len(amounts) != len(read)
        or (len(amounts) > 1 and is_temperature(unit))
        or {each.kind for _, each in amounts} != {unit.kind}
    ):
        return None
    return Amount(write_conversion(amounts, unit), unit.symbol)


_PERCENT = r"(?:%|percent|per cent)"
_BASE = rf"在?\s*{_N}\s*(?:的?基[础礎]上)?再?"
_WORDS = r"[^\d%再又先原省便减減优優惠差少多赚賺亏虧涨漲加给給吗嗎不本没沒]{0,8}"
"""What is sold, and words of asking for its price; not for the difference or a further step."""
_PRICED = rf"(?:[1一][件个個双雙台部本张張套辆把条條]{_WORDS})?(?:原价|原價|定价|售价|标价)?是?\s*{_N}{_WORDS}"
_SAVES = r"(?:便宜|省|节省|節省|优惠|優惠|减|減|少付|少花)[了下掉]?"
_LIST = r"(-?\d[\d.]*(?:\s*(?:[,，、]|and|和|与|與|以及)\s*(?:and )?-?\d[\d.]*)+)"
_UNIT = f"(?:{build_unit_pattern()})"
_ONE = rf"-?\d+(?:\.\d+)?\s*{_UNIT}"
_MEASURED = rf"({_ONE}(?:\s*(?:and|,|又|零)?\s*{_ONE})*)"
_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Amount | None]], ...]] = tuple(
    (re.compile(pattern), write)
    for pattern, write in (
        (
            rf"(?:an? )?{_N}\s*(?:%|percent) (?:tip|gratuity|tax|vat|commission|discount)"
            rf" (?:on|of|for|from)(?: an?)?(?: bill of)? {_N}(?: bill)?",
            lambda m: Amount(f"{m[1]}% * {m[2]}"),
        ),
        (
            rf"{_PRICED}打\s*{_N}\s*折(?:[以之]?[后後])?{_WORDS}",
            lambda m: _write_discount(m[1], m[2]),
        ),
        (
            rf"{_PRICED}打\s*{_N}\s*折(?:[以之]?[后後])?[,，]?(?:能|可以|一共|共)?{_SAVES}",
            lambda m: _write_saved(m[1], m[2]),
        ),
        (
            # 打8折后160元 may be the price before or after.
            rf"打\s*{_N}\s*折(?:(?![后後]){_WORDS}{_N}|[以之]?[后後]{_WORDS}{_N}(?=\s*的)){_WORDS}",
            lambda m: _write_discount(m[2] or m[3], m[1]),
        ),
        (
            rf"add(?:ing)? (?:an? )?{_N}\s*{_PERCENT}(?: (?:tip|gratuity|tax|sales tax|vat|gst|interest|service"
            rf" charge))? (?:to|onto|on top of) {_N}",
            lambda m: Amount(f"{m[2]} * (100 + {m[1]}) / 100"),
        ),
        (
            rf"(?:subtract|deduct|take|knock|remove) {_N}\s*{_PERCENT} (?:from|off(?: of)?) {_N}",
            lambda m: Amount(f"{m[2]} * (100 - {m[1]}) / 100"),
        ),
        (
            rf"{_N}\s*{_PERCENT} (?:more|higher|greater) than {_N}",
            lambda m: Amount(f"{m[2]} * (100 + {m[1]}) / 100"),
        ),
        (
            rf"{_N}\s*{_PERCENT} (?:less|lower) than {_N}",
            lambda m: Amount(f"{m[2]} * (100 - {m[1]}) / 100"),
        ),
        (
            rf"how much (?:do|would|will|can) (?:i|you|we) save (?:with|at|on|by)(?: an?)? {_N}\s*{_PERCENT}"
            rf" (?:off|discount on)(?: of)? {_N}",
            lambda m: Amount(f"{m[2]} * {m[1]} / 100"),
        ),
        (
            rf"(?!.*\bsav(?:e|ed|ing))(?:an? |the )?[a-z ]{{0,20}}?(?:costs?|for|at|is) {_N},? (?:and |it )?(?:is |it's )?(?:at |with )?"
            rf"(?:an? )?{_N}\s*% (?:off|discount)(?:[.,;]? (?:what|how much)(?: do i pay| is it| is that|"
            r" is the price| will i pay)?)?",
            lambda m: Amount(f"{m[1]} * (100 - {m[2]}) / 100"),
        ),
        (
            rf"{_N} (?:with|at|after) (?:an? )?{_N}\s*% (?:off|discount)",
            lambda m: Amount(f"{m[1]} * (100 - {m[2]}) / 100"),
        ),
        (
            rf"{_N} (?:is|as) (?:what|how many) (?:%|percent|per cent|percentage) of {_N}",
            lambda m: _write_share(m[1], m[2]),
        ),
        (
            rf"(?:what )?(?:%|percent|percentage) of {_N} is {_N}",
            lambda m: _write_share(m[2], m[1]),
        ),
        (
            rf"(?:what )?(?:percent|percentage) is {_N} (?:out )?of {_N}",
            lambda m: _write_share(m[1], m[2]),
        ),
        (
            rf"{_N}\s*(?:是|占|佔){_N}的?(?:100分之|百分比|%)",
            lambda m: _write_share(m[1], m[2]),
        ),
        (
            rf"(?:the )?(?:percent(?:age)? (?:increase|change|growth|decrease|drop) )?from {_N} to {_N}"
            r"(?: is)?(?: what)?(?: (?:%|percent|percentage)(?: (?:increase|change|growth|decrease|drop))?)?",
            lambda m: _write_change(m[1], m[2]) if "percent" in m[0] or "%" in m[0] else None,
        ),
        (
            rf"从\s*{_N}\s*(?:涨|漲|增长|增加|升|降|跌|减少|減少)到\s*{_N}[,，]?\s*(?:涨|漲|增长|增加|升|降|跌|减少|減少|变化)了?"
            r"(?:100分之|百分比|%)",
            lambda m: _write_change(m[1], m[2]),
        ),
        (
            rf"{_BASE}(?:增加|增长|上涨|涨|漲|加上?){_N}\s*%(?:[以之]?[后後])?",
            lambda m: Amount(f"{m[1]} * (100 + {m[2]}) / 100"),
        ),
        (
            rf"{_BASE}(?:减少|減少|下降|降|跌|减去?|減去?){_N}\s*%(?:[以之]?[后後])?",
            lambda m: Amount(f"{m[1]} * (100 - {m[2]}) / 100"),
        ),
        (
            rf"(?:split|divide|share) (?:(?:the |a )?(?:bill|check|cost) of )?{_N} (?:between|among|by) {_N}(?: people| persons| friends| ways| of us)?"
            r"(?: evenly| equally)?",
            lambda m: Amount(f"{m[1]} / {m[2]}"),
        ),
        (
            rf"(?:split|divide|share) (?:(?:the |a )?(?:bill|check|cost) of )?{_N} with {_N} (?:other )?(?:people|persons|friends|others)(?: evenly| equally)?",
            lambda m: Amount(f"{m[1]} / ({m[2]} + 1)"),
        ),
        (
            rf"{_N}\s*(?:平均)?分给\s*{_N}[个個]?人",
            lambda m: Amount(f"{m[1]} / {m[2]}"),
        ),
        (
            rf"{_N}\s*{_N}[个個]?人?(?:平摊|平攤|平分|均分|均摊)[,，]?(?:每人|每个人|一人|1人)?",
            lambda m: Amount(f"{m[1]} / {m[2]}"),
        ),
        (
            rf"(?:a )?{_N}\s*(?:%|percent) tip (?:on|for) (?:a )?{_N},? (?:split|divided|shared)"
            rf" (?:by|between|among|into)? ?{_N}(?: ways| people| persons)?",
            lambda m: Amount(f"{m[2]} * (100 + {m[1]}) / 100 / {m[3]}"),
        ),
        (
            rf"{_N}\s*(?:再)?(?:加上?|\+){_N}%的?(?:小费|小費|服务费|服務費|税|稅)(?:之?[后後])?[,，]?(?:[一1]共|总共|總共|共)?",
            lambda m: Amount(f"{m[1]} * (100 + {m[2]}) / 100"),
        ),
        (
            rf"{_N}的{_N}%的?(?:小费|小費|服务费|服務費|税|稅)",
            lambda m: Amount(f"{m[1]} * {m[2]}%"),
        ),
        (
            rf"{_N}\s*先?打\s*{_N}\s*折[,，]?(?:然后|然後)?再打\s*{_N}\s*折",
            lambda m: _write_further_discount(m[1], m[2], m[3]),
        ),
        (
            rf"打?\s*{_N}\s*折[以之]?[后後](?:的?价格)?(?:是|为)?\s*{_N}[,，]?(?:那)?(?:原价|原價|原来)",
            lambda m: Amount(f"{m[2]} / ({_write_discount('1', m[1]).expression})"),
        ),
        (
            rf"(?:如果)?{_N}%(?:是|为|等于){_N}[,，]?(?:那么?)?(?:100%|总数|總數|总共|全部|整体|原数)",
            lambda m: Amount(f"{m[2]} / {m[1]}%"),
        ),
        (
            rf"(?:if )?{_N}% is {_N},? (?:then )?what(?:'s| is) (?:100%|the (?:whole|total))",
            lambda m: Amount(f"{m[2]} / {m[1]}%"),
        ),
        (
            rf"(?:月薪|月工资|月收入|[1一]个月(?:的)?(?:工资|收入)?)(?:是)?{_N}[,，]?(?:那)?(?:年薪|年收入|[1一]年)",
            lambda m: Amount(f"{m[1]} * 12"),
        ),
        (
            rf"(?:年薪|年收入)(?:是)?{_N}[,，]?(?:那)?(?:月薪|每个?月|月收入)",
            lambda m: Amount(f"{m[1]} / 12"),
        ),
        (
            rf"(?:the )?area of an? {_N} (?:by|x|\*) {_N} (?:rectangle|room)",
            lambda m: Amount(f"{m[1]} * {m[2]}"),
        ),
        (rf"{_N}\s*/\s*{_N} (?:as|in) (?:a )?decimals?", lambda m: Amount(f"{m[1]} / {m[2]}")),
        (
            rf"{_N}\s*除以\s*{_N}\s*(?:的余数|的餘數|余|餘)",
            lambda m: Amount(f"{m[1]} % {m[2]}"),
        ),
        (
            rf"(?:the )?remainder (?:of|when) {_N} (?:is )?(?:divided by|/) {_N}",
            lambda m: Amount(f"{m[1]} % {m[2]}"),
        ),
        (rf"(?:the )?(?:average|mean) of {_LIST}", lambda m: _write_mean(m[1])),
        (rf"{_LIST}\s*的?(?:平均数|平均數|平均值|平均|均值)", lambda m: _write_mean(m[1])),
        (
            rf"(?:the )?(max|min)(?:imum)?(?: value)? of {_LIST}",
            lambda m: Amount(f"{m[1]}({', '.join(_read_numbers(m[2]))})"),
        ),
        (
            rf"(?:the )?(?:sum|total) of {_LIST}",
            lambda m: Amount(" + ".join(_read_numbers(m[1]))),
        ),
        (
            r"(?:(?:the )?sum of (?:all numbers )?(?:from )?1 to |从?1加到)(\d+)",
            lambda m: Amount(f"{m[1]} * ({m[1]} + 1) / 2"),
        ),
        (rf"{_MEASURED} (?:in|to|into|as|=) ({_UNIT})", lambda m: _convert_amount(m[1], m[2])),
        (
            rf"(?:how many ({_UNIT}) (?:are |is )?(?:there )?(?:in|=) (?:an? )?((?:{_N}\s*)?{_UNIT}))",
            lambda m: _convert_amount(m[2], m[1]),
        ),
        (
            rf"{_MEASURED}\s*(?:(?:是|等于|等於|有|合|为|換算成|换算成|转成|轉成|转换成|转换为|=)"
            rf"\s*(?:多少|[几幾][个個]?)?|(?:多少|[几幾]))\s*({_UNIT})",
            lambda m: _convert_amount(m[1], m[2]),
        ),
    )
)
