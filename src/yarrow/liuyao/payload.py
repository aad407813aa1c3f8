"""The `divination` object of the wire, with exactly the keys of the protocol."""

from typing import Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from yarrow.liuyao.derivation import Derivation, DivinationMethod
from yarrow.liuyao.hexagrams import Hidden, Mark, Seat, Trigram
from yarrow.liuyao.pillars import Pillars
from yarrow.liuyao.symbols import (
    BEARING,
    CLASH_OF,
    ELEMENT_OF,
    ELEMENTS,
    RELATION_HANT,
    SEASON_OF,
    SPIRIT_SHORT,
    SPIRIT_SHORT_HANT,
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
    when = cast.moment
    return {
        "question": cast.question,
        "questionType": cast.question_type,
        "divinationMethod": cast.method,
        "divinationTime": (
            f"{when.year:04}年{when.month:02}月{when.day:02}日 {when.hour:02}:{when.minute:02}"
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
        "yaoInfoList": [_yao(line.seat, line.spirit, line.moving) for line in lines],
        "targetYaoInfoList": [
            _yao(seat, line.spirit, line.moving)
            for seat, line in zip(situation.target_seats, lines, strict=True)
        ]
        if moved
        else [],
        "fushenPositions": [hidden.position for hidden in hexagram.hidden],
        "fushenInfoList": [_fushen(hidden) for hidden in hexagram.hidden],
        "specialStatus": list(situation.special),
        "interactions": list(derivation.interactions),
        "timeEffect": [f"{line.seat.label}：{line.state.text}" for line in lines],
        "riChenZhangSheng": [f"{line.seat.label}：{line.state.stage}" for line in lines],
    }


_SEASONS: dict[Branch, dict[Element, Season]] = {
    month: {element: SEASON_OF[BEARING[ruler][element]] for element in ELEMENTS}
    for month, ruler in ELEMENT_OF.items()
}
_WITH_ELEMENT: dict[Branch, str] = {b: b + element for b, element in ELEMENT_OF.items()}


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


def _yao(seat: Seat, spirit: Spirit, moving: bool) -> YaoInfo:  # noqa: FBT001
    return {
        "position": seat.position,
        "spiritName": SPIRIT_SHORT[spirit],
        "spiritNameHant": SPIRIT_SHORT_HANT[spirit],
        "relationName": seat.relation,
        "relationNameHant": RELATION_HANT[seat.relation],
        "tiganName": seat.branch,
        "elementName": seat.element,
        "isYang": seat.is_yang,
        "isChanging": moving,
        "specialMark": seat.mark,
    }


def _fushen(hidden: Hidden) -> FushenInfo:
    return {
        "position": hidden.position,
        "relationName": hidden.relation,
        "relationNameHant": RELATION_HANT[hidden.relation],
        "tiganName": hidden.branch,
        "elementName": hidden.element,
    }
