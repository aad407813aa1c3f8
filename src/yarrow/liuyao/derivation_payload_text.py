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
    Relation,
)
from yarrow.liuyao.hexagrams import HEXAGRAMS, flip_lines
from yarrow.liuyao.najia import Mark, compute_lines
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
    marks = [_encode_list(words) for words in find_marks(derivation, asker)]
    effects = [f"{line.base.label}：{line.state.text}" for line in lines]
    fields = (
        _write_cast_fields(cast),
        _write_name_fields(bits, mask),
        _write_ganzhi_field(pillars),
        _SEASON_FIELDS[month],
        b'"yaoInfoList":[%b]' % _write_rows(bits, situation),
        b'"targetYaoInfoList":[%b]' % (_write_rows(moved, situation) if moved else b""),
        _write_hidden_fields(bits),
        _write_list_field("specialStatus", situation.special),
        _write_list_field("interactions", derivation.interactions),
        _write_list_field("timeEffect", effects),
        _write_stage_field(bits, day.branch),
        _write_lunar_field(moment.date()),
        _write_term_field(find_term_index(moment), moment.tzinfo),
        b'"shenSha":[' + _write_stem_stars(bits, day.stem),
        _write_branch_stars(bits, day.branch),
        _write_month_stars(bits, month) + b"]",
        _write_text_fields(bits),
        _write_target_text_fields(moved),
        _write_related_fields(bits),
        b'"yaoMarks":[%b]' % b",".join(marks),
    )
    return b"{%b}" % b",".join(fields)


def _write_cast_fields(cast: Cast) -> bytes:
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
def _encode_list(words: tuple[str, ...]) -> bytes:
    return encode_json(words)


def _write_list_field(name: str, words: Sequence[str]) -> bytes:
    """A list of words of the art, which have nothing to escape."""
    joined = '","'.join(words)
    return (f'"{name}":["{joined}"]' if words else f'"{name}":[]').encode()


def _format_time(when: datetime) -> str:
    return (
        f"{when.year}年{_TWO[when.month]}月{_TWO[when.day]}日 {_TWO[when.hour]}:{_TWO[when.minute]}"
    )


@cache
def _write_name_fields(bits: str, mask: str) -> bytes:
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip_lines(bits, mask)]
    return (
        f'"binaryCode":"{bits}","changedBinaryCode":"{target.bits}"'
        f',"guaName":"{hexagram.name}","guaNameHant":"{hexagram.name_hant}"'
        f',"upperName":"{hexagram.upper}","lowerName":"{hexagram.lower}"'
        f',"targetGuaName":"{target.name}","targetGuaNameHant":"{target.name_hant}"'
        f',"worldPosition":{hexagram.world},"responsePosition":{hexagram.response}'
        f',"hasChangingYao":{"true" if "1" in mask else "false"}'
    ).encode()


def _write_ganzhi_field(pillars: Pillars) -> bytes:
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


def _write_rows(bits: str, situation: Situation) -> bytes:
    """The six lines of hexagram `bits`, kin named by the palace of the hexagram that was cast."""
    starts = _write_row_starts(situation.lines[0].spirit)
    ends = _write_row_ends(bits, situation.hexagram.element)
    rows = zip(starts, ends, situation.mask, strict=True)
    return b",".join([start + end[moved] for start, end, moved in rows])


@cache
def _write_row_starts(first: Spirit) -> tuple[bytes, ...]:
    """The fields of each line that depend on its place and on the spirit of the first line."""
    at = SPIRITS.index(first)
    spirits = SPIRITS[at:] + SPIRITS[:at]
    return tuple(
        f'{{"position":{position},"spiritName":"{SPIRIT_SHORT[spirit]}"'
        f',"spiritNameHant":"{SPIRIT_SHORT_HANT[spirit]}",'.encode()
        for position, spirit in enumerate(spirits, start=1)
    )


@cache
def _write_row_ends(bits: str, palace: Element) -> tuple[dict[str, bytes], ...]:
    """The other fields of each line when it is still (mask "0") and when it moves ("1")."""
    base_lines = compute_lines(bits, palace, HEXAGRAMS[bits].world)
    return tuple(
        [_write_row_end(base.relation, base.branch, base.is_yang, base.mark) for base in base_lines]
    )


@cache
def _write_row_end(
    relation: Relation,
    branch: Branch,
    is_yang: bool,  # noqa: FBT001 - positional, for the sake of the cache's speed
    mark: Mark,
) -> dict[str, bytes]:
    start = (
        f'"relationName":"{relation}","relationNameHant":"{RELATION_HANT[relation]}"'
        f',"tiganName":"{branch}","elementName":"{ELEMENT_OF[branch]}"'
        f',"isYang":{"true" if is_yang else "false"},"isChanging":'
    )
    return {
        moved: f'{start}{word},"specialMark":"{mark}"}}'.encode()
        for moved, word in (("0", "false"), ("1", "true"))
    }


@cache
def _write_hidden_fields(bits: str) -> bytes:
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
def _write_stage_field(bits: str, day: Branch) -> bytes:
    base_lines = HEXAGRAMS[bits].base_lines
    stages = [f"{base.label}：{STAGE_OF[base.element][day]}" for base in base_lines]
    return _write_list_field("riChenZhangSheng", stages)


@lru_cache(maxsize=4096)
def _write_lunar_field(day: date) -> bytes:
    return f'"nongLi":"{find_lunar_date(day)}"'.encode()


@lru_cache(maxsize=4096)
def _write_term_field(place: int, zone: tzinfo | None) -> bytes:
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
def _write_stem_stars(bits: str, stem: Stem) -> bytes:
    return _write_stars(bits, find_stars_of_stem(stem))


@cache
def _write_branch_stars(bits: str, day: Branch) -> bytes:
    return _write_stars(bits, find_stars_of_branch(day))


@cache
def _write_month_stars(bits: str, month: Branch) -> bytes:
    return _write_stars(bits, find_stars_of_month(month))


def _write_stars(bits: str, stars: tuple[StarOfDay, ...]) -> bytes:
    """The stars with the lines they fall on, without the brackets of the list."""
    places = _find_places(bits)
    rows = [f"{start}{places[branches]}]}}" for start, branches in _write_star_starts(stars)]
    return ",".join(rows).encode()


@cache
def _write_star_starts(stars: tuple[StarOfDay, ...]) -> list[tuple[str, tuple[Branch, ...]]]:
    """The fields of each star but the lines, and the branches that the lines are found by."""
    rows = []
    for name, branches in stars:
        quoted = '","'.join(branches)
        rows.append((f'{{"name":"{name}","branches":["{quoted}"],"positions":[', branches))
    return rows


class _Places(dict[tuple[Branch, ...], str]):
    """The places of a hexagram's lines that have one of some branches, as JSON writes them."""

    def __init__(self, bits: str) -> None:
        self._lines = HEXAGRAMS[bits].base_lines

    def __missing__(self, branches: tuple[Branch, ...]) -> str:
        places = [str(base.position) for base in self._lines if base.branch in branches]
        self[branches] = found = ",".join(places)
        return found


_find_places = cache(_Places)


@cache
def _write_text_fields(bits: str) -> bytes:
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
def _write_target_text_fields(bits: str) -> bytes:
    """The texts of the hexagram that the moving lines lead to; without any, `bits` is empty."""
    texts = find_texts(HEXAGRAMS[bits]) if bits else None
    return _encode_fields(
        {
            "targetGuaCi": texts.judgement if texts else "",
            "targetYaoCi": texts.lines if texts else [],
        }
    )


@cache
def _write_related_fields(bits: str) -> bytes:
    related = find_related(HEXAGRAMS[bits])
    return _encode_fields(
        {
            "huGua": related.mutual.name,
            "cuoGua": related.opposite.name,
            "zongGua": related.reversed.name,
        }
    )
