"""The `divination` object as JSON text, joined from fragments.

A fragment is a run of fields (`"name":value,…`) that depends on few facts: the hexagram, the
hexagram and its moving lines, the month, the day. Each is encoded once and cached; a casting adds
what depends on more (the pillars, what month and day do to each line, the marks) and joins them.
The words of the art need no escapes; the two texts of the asker are encoded.
"""

from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from functools import cache, lru_cache
from typing import Final

from yarrow.kit.json import JsonObject, encode_json
from yarrow.liuyao.almanac import find_lunar_date, find_term_index, read_terms
from yarrow.liuyao.cast import Cast
from yarrow.liuyao.classic import find_related, find_texts
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.extras import describe_body, find_body, find_marks, find_positions
from yarrow.liuyao.five_elements import (
    BEARING,
    ELEMENT_OF,
    ELEMENTS,
    RELATION_HANT,
    SEASON_OF,
    STAGE_OF,
    Element,
)
from yarrow.liuyao.hexagrams import HEXAGRAMS, flip
from yarrow.liuyao.najia import HexagramLine, compute_lines
from yarrow.liuyao.pillars import Pillars
from yarrow.liuyao.reading.asker import UNKNOWN_ASKER, KnownAsker
from yarrow.liuyao.shensha import (
    StarOfDay,
    find_stars_of_branch,
    find_stars_of_month,
    find_stars_of_stem,
)
from yarrow.liuyao.situation import Situation
from yarrow.liuyao.six_spirits import SPIRIT_SHORT, SPIRIT_SHORT_HANT, SPIRITS, Spirit
from yarrow.liuyao.stems_branches import CLASH_OF, Branch, Stem

_TWO: Final = tuple(f"{number:02}" for number in range(60))
_WITH_ELEMENT: Final[dict[Branch, str]] = {b: b + element for b, element in ELEMENT_OF.items()}


def write_payload(derivation: Derivation, asker: KnownAsker = UNKNOWN_ASKER) -> bytes:
    """The derivation as the protocol prints it: compact JSON in UTF-8."""
    cast, situation, pillars = derivation.cast, derivation.situation, derivation.pillars
    target, mask = situation.target, situation.mask
    bits, lines, moment = situation.hexagram.bits, situation.lines, cast.moment
    month, day = situation.month, situation.day
    moved = target.bits if "1" in mask else ""
    marks = [_list_text(words) for words in find_marks(derivation, asker)]
    effects = [f"{line.base.label}：{line.state.text}" for line in lines]
    fields = (
        _cast_fields(cast),
        _name_fields(bits, mask),
        _ganzhi_field(pillars),
        _SEASON_FIELDS[month],
        b'"yaoInfoList":[%b]' % _rows(bits, situation),
        b'"targetYaoInfoList":[%b]' % (_rows(moved, situation) if moved else b""),
        _hidden_fields(bits),
        _list_field("specialStatus", situation.special),
        _list_field("interactions", derivation.interactions),
        _list_field("timeEffect", effects),
        _stage_field(bits, day.branch),
        _lunar_field(moment.date()),
        _term_field(find_term_index(moment), moment.tzinfo),
        b'"shenSha":[' + _stem_stars(bits, day.stem),
        _branch_stars(bits, day.branch),
        _month_stars(bits, month) + b"]",
        _text_fields(bits),
        _target_text_fields(moved),
        _related_fields(bits),
        b'"yaoMarks":[%b]' % b",".join(marks),
    )
    return b"{%b}" % b",".join(fields)


def _cast_fields(cast: Cast) -> bytes:
    return (
        f'"question":{_quote(cast.question)},"questionType":{_quote(cast.question_type)}'
        f',"divinationMethod":"{cast.method}","divinationTime":"{_format_time(cast.moment)}"'
    ).encode()


@lru_cache(maxsize=256)
def _quote(text: str) -> str:
    return encode_json(text).decode()


def _encode_fields(fields: JsonObject) -> bytes:
    return encode_json(fields)[1:-1]


@lru_cache(maxsize=4096)
def _list_text(words: tuple[str, ...]) -> bytes:
    return encode_json(words)


def _list_field(name: str, words: Sequence[str]) -> bytes:
    """A list of words of the art, which have nothing to escape."""
    joined = '","'.join(words)
    return (f'"{name}":["{joined}"]' if words else f'"{name}":[]').encode()


def _format_time(when: datetime) -> str:
    return (
        f"{when.year}年{_TWO[when.month]}月{_TWO[when.day]}日 {_TWO[when.hour]}:{_TWO[when.minute]}"
    )


@cache
def _name_fields(bits: str, mask: str) -> bytes:
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip(bits, mask)]
    return _encode_fields(
        {
            "binaryCode": bits,
            "changedBinaryCode": target.bits,
            "guaName": hexagram.name,
            "guaNameHant": hexagram.name_hant,
            "upperName": hexagram.upper,
            "lowerName": hexagram.lower,
            "targetGuaName": target.name,
            "targetGuaNameHant": target.name_hant,
            "worldPosition": hexagram.world,
            "responsePosition": hexagram.response,
            "hasChangingYao": "1" in mask,
        }
    )


def _ganzhi_field(pillars: Pillars) -> bytes:
    year, month, day, hour = pillars.year, pillars.month, pillars.day, pillars.hour
    return (
        f'"ganzhi":{{"yearGanZhi":"{year.name}","monthGanZhi":"{month.name}"'
        f',"dayGanZhi":"{day.name}","timeGanZhi":"{hour.name}"'
        f',"yearKongWang":"{year.void_name}","monthKongWang":"{month.void_name}"'
        f',"dayKongWang":"{day.void_name}","timeKongWang":"{hour.void_name}"'
        f',"yueJian":"{_WITH_ELEMENT[month.branch]}","riChen":"{_WITH_ELEMENT[day.branch]}"'
        f',"yuePo":"{_WITH_ELEMENT[CLASH_OF[month.branch]]}"'
        f',"riChong":"{_WITH_ELEMENT[CLASH_OF[day.branch]]}"}}'
    ).encode()


_SEASON_FIELDS: Final[dict[Branch, bytes]] = {
    month: _encode_fields(
        {"wuXingStatuses": {element: SEASON_OF[BEARING[ruler][element]] for element in ELEMENTS}}
    )
    for month, ruler in ELEMENT_OF.items()
}


def _rows(bits: str, situation: Situation) -> bytes:
    """The six lines of hexagram `bits`, kin named by the palace of the hexagram that was cast."""
    rows = _still_and_moving(bits, situation.hexagram.element, situation.lines[0].spirit)
    return b",".join([row[moved] for row, moved in zip(rows, situation.mask, strict=True)])


@cache
def _still_and_moving(
    bits: str, palace: Element, first_spirit: Spirit
) -> tuple[dict[str, bytes], ...]:
    """Each line as it is written when it is still (mask "0") and when it moves ("1")."""
    base_lines = compute_lines(bits, palace, HEXAGRAMS[bits].world)
    first = SPIRITS.index(first_spirit)
    spirits = SPIRITS[first:] + SPIRITS[:first]
    return tuple(
        {"0": _row(base, spirit, moving=False), "1": _row(base, spirit, moving=True)}
        for base, spirit in zip(base_lines, spirits, strict=True)
    )


def _row(base: HexagramLine, spirit: Spirit, *, moving: bool) -> bytes:
    row: JsonObject = {
        "position": base.position,
        "spiritName": SPIRIT_SHORT[spirit],
        "spiritNameHant": SPIRIT_SHORT_HANT[spirit],
        "relationName": base.relation,
        "relationNameHant": RELATION_HANT[base.relation],
        "tiganName": base.branch,
        "elementName": base.element,
        "isYang": base.is_yang,
        "isChanging": moving,
        "specialMark": base.mark,
    }
    return encode_json(row)


@cache
def _hidden_fields(bits: str) -> bytes:
    hidden = HEXAGRAMS[bits].hidden
    return _encode_fields(
        {
            "fushenPositions": [line.position for line in hidden],
            "fushenInfoList": [
                {
                    "position": line.position,
                    "relationName": line.relation,
                    "relationNameHant": RELATION_HANT[line.relation],
                    "tiganName": line.branch,
                    "elementName": line.element,
                }
                for line in hidden
            ],
        }
    )


@cache
def _stage_field(bits: str, day: Branch) -> bytes:
    base_lines = HEXAGRAMS[bits].base_lines
    return _encode_fields(
        {
            "riChenZhangSheng": [
                f"{base.label}：{STAGE_OF[base.element][day]}" for base in base_lines
            ]
        }
    )


@lru_cache(maxsize=4096)
def _lunar_field(day: date) -> bytes:
    return _encode_fields({"nongLi": find_lunar_date(day)})


@lru_cache(maxsize=4096)
def _term_field(place: int, zone: tzinfo | None) -> bytes:
    term, following = read_terms(place, zone)
    return _encode_fields(
        {
            "jieQi": {
                "name": term.name,
                "since": _format_time(term.begins),
                "next": following.name if following else "",
                "nextAt": _format_time(following.begins) if following else "",
            }
        }
    )


@cache
def _stem_stars(bits: str, stem: Stem) -> bytes:
    return _stars(bits, find_stars_of_stem(stem))


@cache
def _branch_stars(bits: str, day: Branch) -> bytes:
    return _stars(bits, find_stars_of_branch(day))


@cache
def _month_stars(bits: str, month: Branch) -> bytes:
    return _stars(bits, find_stars_of_month(month))


def _stars(bits: str, stars: tuple[StarOfDay, ...]) -> bytes:
    """The stars with the lines they fall on, without the brackets of the list."""
    rows = [
        {
            "name": star.name,
            "branches": star.branches,
            "positions": find_positions(star.branches, bits),
        }
        for star in stars
    ]
    return encode_json(rows)[1:-1]


@cache
def _text_fields(bits: str) -> bytes:
    hexagram = HEXAGRAMS[bits]
    body, texts = find_body(hexagram), find_texts(hexagram)
    return _encode_fields(
        {
            "guaShen": {"name": describe_body(body), "positions": find_positions((body,), bits)},
            "guaCi": texts.judgement,
            "yaoCi": texts.lines,
            "yongCi": texts.all_moving,
        }
    )


@cache
def _target_text_fields(bits: str) -> bytes:
    """The texts of the hexagram that the moving lines lead to; without any, `bits` is empty."""
    texts = find_texts(HEXAGRAMS[bits]) if bits else None
    return _encode_fields(
        {
            "targetGuaCi": texts.judgement if texts else "",
            "targetYaoCi": texts.lines if texts else [],
        }
    )


@cache
def _related_fields(bits: str) -> bytes:
    related = find_related(HEXAGRAMS[bits])
    return _encode_fields(
        {
            "huGua": related.mutual.name,
            "cuoGua": related.opposite.name,
            "zongGua": related.reversed.name,
        }
    )
