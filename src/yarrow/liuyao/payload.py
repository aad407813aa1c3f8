"""The `divination` object of the wire: the keys of the protocol, then those that were added."""

from datetime import datetime
from functools import cache, lru_cache
from typing import Literal, TypeVar

from typing_extensions import TypedDict

from yarrow.liuyao.almanac import SolarTerm
from yarrow.liuyao.derivation import Derivation, DivinationMethod
from yarrow.liuyao.extras import body_places, describe_body, find_extras, star_places
from yarrow.liuyao.hexagrams import (
    HEXAGRAMS,
    TRIGRAM_ELEMENT,
    Mark,
    Seat,
    Trigram,
    compute_seats,
)
from yarrow.liuyao.pillars import Pillars
from yarrow.liuyao.situation import Situation
from yarrow.liuyao.symbols import (
    BEARING,
    CLASH_OF,
    ELEMENT_OF,
    ELEMENTS,
    RELATION_HANT,
    SEASON_OF,
    SPIRIT_SHORT,
    SPIRIT_SHORT_HANT,
    SPIRITS,
    STAGE_OF,
    Branch,
    Element,
    Relation,
    Season,
    Spirit,
)

_Fields = TypeVar("_Fields")


def _strict(fields: type[_Fields]) -> type[_Fields]:
    """Have pydantic validate strictly, as `with_config` does; importing it takes too long here."""
    fields.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]
    return fields


@_strict
class GanZhi(TypedDict):
    yearGanZhi: str
    monthGanZhi: str
    dayGanZhi: str
    timeGanZhi: str
    yearKongWang: str
    monthKongWang: str
    dayKongWang: str
    timeKongWang: str
    yueJian: str
    riChen: str
    yuePo: str
    riChong: str


@_strict
class YaoInfo(TypedDict):
    """One line. `tiganName` is the protocol's word for the earthly branch."""

    position: int
    spiritName: str
    spiritNameHant: str
    relationName: Relation
    relationNameHant: str
    tiganName: Branch
    elementName: Element
    isYang: bool
    isChanging: bool
    specialMark: Mark


@_strict
class FushenInfo(TypedDict):
    position: int
    relationName: Relation
    relationNameHant: str
    tiganName: Branch
    elementName: Element


@_strict
class JieQi(TypedDict):
    """The solar term of the moment and the next one, with their local times."""

    name: str
    since: str
    next: str
    nextAt: str


@_strict
class ShenSha(TypedDict):
    """A star, its branches and the lines it falls on."""

    name: str
    branches: list[str]
    positions: list[int]


@_strict
class GuaShen(TypedDict):
    """卦身: a branch with its element, and the lines that have it."""

    name: str
    positions: list[int]


@_strict
class SeedFields(TypedDict):
    """The fields of the seed."""

    question: str
    questionType: str
    divinationMethod: DivinationMethod
    divinationTime: str
    binaryCode: str
    changedBinaryCode: str
    guaName: str
    guaNameHant: str
    upperName: Trigram
    lowerName: Trigram
    targetGuaName: str
    targetGuaNameHant: str
    worldPosition: Literal[1, 2, 3, 4, 5, 6]
    responsePosition: Literal[1, 2, 3, 4, 5, 6]
    hasChangingYao: bool
    ganzhi: GanZhi
    wuXingStatuses: dict[Element, Season]
    yaoInfoList: list[YaoInfo]
    targetYaoInfoList: list[YaoInfo]
    fushenPositions: list[int]
    fushenInfoList: list[FushenInfo]
    specialStatus: list[str]
    interactions: list[str]
    timeEffect: list[str]
    riChenZhangSheng: list[str]


@_strict
class AddedFields(TypedDict):
    """The fields that were added; they come after the seed's."""

    nongLi: str
    jieQi: JieQi
    shenSha: list[ShenSha]
    guaShen: GuaShen
    guaCi: str
    yaoCi: list[str]
    yongCi: str
    targetGuaCi: str
    targetYaoCi: list[str]
    huGua: str
    cuoGua: str
    zongGua: str
    yaoMarks: list[list[str]]


@_strict
class DivinationPayload(SeedFields, AddedFields):
    """The whole object; `TypeAdapter(DivinationPayload)` validates it strictly."""


def to_payload(derivation: Derivation) -> DivinationPayload:
    """The derivation as the protocol prints it."""
    return {**_seed_fields(derivation), **_added_fields(derivation)}


def _seed_fields(derivation: Derivation) -> SeedFields:
    cast, situation = derivation.cast, derivation.situation
    hexagram, target = situation.hexagram, situation.target
    lines, moved = situation.lines, situation.has_moving
    when, concealed = cast.moment, _fushen(hexagram.bits)
    return {
        "question": cast.question,
        "questionType": cast.question_type,
        "divinationMethod": cast.method,
        "divinationTime": _format_time(when),
        "binaryCode": hexagram.bits,
        "changedBinaryCode": target.bits,
        "guaName": hexagram.name,
        "guaNameHant": hexagram.name_hant,
        "upperName": hexagram.upper,
        "lowerName": hexagram.lower,
        "targetGuaName": target.name,
        "targetGuaNameHant": target.name_hant,
        "worldPosition": hexagram.world,  # type: ignore[typeddict-item]
        "responsePosition": hexagram.response,  # type: ignore[typeddict-item]
        "hasChangingYao": moved,
        "ganzhi": _ganzhi(derivation.pillars),
        "wuXingStatuses": _SEASONS[situation.month].copy(),
        "yaoInfoList": _rows(hexagram.bits, situation),
        "targetYaoInfoList": _rows(target.bits, situation) if moved else [],
        "fushenPositions": [hidden["position"] for hidden in concealed],
        "fushenInfoList": [hidden.copy() for hidden in concealed],
        "specialStatus": list(situation.special),
        "interactions": list(derivation.interactions),
        "timeEffect": [f"{line.seat.label}：{line.state.text}" for line in lines],
        "riChenZhangSheng": list(_stages(hexagram.bits, situation.day.branch)),
    }


def _added_fields(derivation: Derivation) -> AddedFields:
    extras, situation = find_extras(derivation), derivation.situation
    related, after = extras.related, extras.target_texts
    return {
        "nongLi": extras.lunar_date,
        "jieQi": _jie_qi(extras.term, extras.next_term),
        "shenSha": [
            {
                "name": star.name,
                "branches": list(star.branches),
                "positions": star_places(star, situation),
            }
            for star in extras.stars
        ],
        "guaShen": {
            "name": describe_body(extras.body),
            "positions": body_places(extras.body, situation),
        },
        "guaCi": extras.texts.judgement,
        "yaoCi": list(extras.texts.lines),
        "yongCi": extras.texts.all_moving,
        "targetGuaCi": after.judgement if after else "",
        "targetYaoCi": list(after.lines) if after else [],
        "huGua": related.mutual.name,
        "cuoGua": related.opposite.name,
        "zongGua": related.reversed.name,
        "yaoMarks": [list(marks) for marks in extras.marks],
    }


@lru_cache(maxsize=4096)
def _format_time(when: datetime) -> str:
    return (
        f"{when.year}年{_TWO[when.month]}月{_TWO[when.day]}日 {_TWO[when.hour]}:{_TWO[when.minute]}"
    )


def _jie_qi(term: SolarTerm, following: SolarTerm | None) -> JieQi:
    return {
        "name": term.name,
        "since": _format_time(term.begins),
        "next": following.name if following else "",
        "nextAt": _format_time(following.begins) if following else "",
    }


_TWO = tuple(f"{number:02}" for number in range(60))
_SEASONS: dict[Branch, dict[Element, Season]] = {
    month: {element: SEASON_OF[BEARING[ruler][element]] for element in ELEMENTS}
    for month, ruler in ELEMENT_OF.items()
}
_WITH_ELEMENT: dict[Branch, str] = {b: b + element for b, element in ELEMENT_OF.items()}


@cache
def _stages(bits: str, day: Branch) -> tuple[str, ...]:
    seats = HEXAGRAMS[bits].seats
    return tuple(f"{seat.label}：{STAGE_OF[seat.element][day]}" for seat in seats)


def _ganzhi(pillars: Pillars) -> GanZhi:
    year, month, day, hour = pillars.year, pillars.month, pillars.day, pillars.hour
    return {
        "yearGanZhi": year.name,
        "monthGanZhi": month.name,
        "dayGanZhi": day.name,
        "timeGanZhi": hour.name,
        "yearKongWang": year.void_name,
        "monthKongWang": month.void_name,
        "dayKongWang": day.void_name,
        "timeKongWang": hour.void_name,
        "yueJian": _WITH_ELEMENT[month.branch],
        "riChen": _WITH_ELEMENT[day.branch],
        "yuePo": _WITH_ELEMENT[CLASH_OF[month.branch]],
        "riChong": _WITH_ELEMENT[CLASH_OF[day.branch]],
    }


def _rows(bits: str, situation: Situation) -> list[YaoInfo]:
    """The six lines of hexagram `bits`, kin named by the palace of the hexagram that was cast."""
    still = _still_rows(bits, situation.hexagram.palace, situation.lines[0].spirit)
    rows = [row.copy() for row in still]
    for row, moved in zip(rows, situation.mask, strict=True):
        if moved == "1":
            row["isChanging"] = True
    return rows


@cache
def _still_rows(bits: str, palace: Trigram, first_spirit: Spirit) -> tuple[YaoInfo, ...]:
    """The rows as if no line moved; whoever hands them out copies them first."""
    seats = compute_seats(bits, TRIGRAM_ELEMENT[palace], HEXAGRAMS[bits].world)
    first = SPIRITS.index(first_spirit)
    spirits = SPIRITS[first:] + SPIRITS[:first]
    return tuple(_row(seat, spirit) for seat, spirit in zip(seats, spirits, strict=True))


def _row(seat: Seat, spirit: Spirit) -> YaoInfo:
    return {
        "position": seat.position,
        "spiritName": SPIRIT_SHORT[spirit],
        "spiritNameHant": SPIRIT_SHORT_HANT[spirit],
        "relationName": seat.relation,
        "relationNameHant": RELATION_HANT[seat.relation],
        "tiganName": seat.branch,
        "elementName": seat.element,
        "isYang": seat.is_yang,
        "isChanging": False,
        "specialMark": seat.mark,
    }


@cache
def _fushen(bits: str) -> tuple[FushenInfo, ...]:
    """The hidden lines; whoever hands them out copies them first."""
    return tuple(
        {
            "position": hidden.position,
            "relationName": hidden.relation,
            "relationNameHant": RELATION_HANT[hidden.relation],
            "tiganName": hidden.branch,
            "elementName": hidden.element,
        }
        for hidden in HEXAGRAMS[bits].hidden
    )
