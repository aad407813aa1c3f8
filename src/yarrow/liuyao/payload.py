"""The `divination` object of the wire, with exactly the keys of the protocol."""

from functools import cache
from typing import Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from yarrow.liuyao.derivation import Derivation, DivinationMethod
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

_STRICT = ConfigDict(extra="forbid", strict=True)


@with_config(_STRICT)
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


@with_config(_STRICT)
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


@with_config(_STRICT)
class FushenInfo(TypedDict):
    position: int
    relationName: Relation
    relationNameHant: str
    tiganName: Branch
    elementName: Element


@with_config(_STRICT)
class DivinationPayload(TypedDict):
    """The whole object; `TypeAdapter(DivinationPayload)` validates it strictly."""

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


def to_payload(derivation: Derivation) -> DivinationPayload:
    """The derivation as the protocol prints it."""
    cast, situation = derivation.cast, derivation.situation
    hexagram, target = situation.hexagram, situation.target
    lines, moved = situation.lines, situation.has_moving
    when, concealed = cast.moment, _fushen(hexagram.bits)
    return {
        "question": cast.question,
        "questionType": cast.question_type,
        "divinationMethod": cast.method,
        "divinationTime": (
            f"{when.year}年{_TWO[when.month]}月{_TWO[when.day]}日"
            f" {_TWO[when.hour]}:{_TWO[when.minute]}"
        ),
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
