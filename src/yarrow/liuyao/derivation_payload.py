"""The `divination` object of the wire: the keys of the protocol, then those that were added."""

from typing import Literal, TypeVar, cast

from typing_extensions import TypedDict

from yarrow.kit.json import decode_json
from yarrow.liuyao.cast import DivinationMethod
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.derivation_payload_text import write_payload
from yarrow.liuyao.five_elements import Element, Relation, Season
from yarrow.liuyao.najia import Mark
from yarrow.liuyao.reading.asker import UNKNOWN_ASKER, KnownAsker
from yarrow.liuyao.stems_branches import Branch
from yarrow.liuyao.trigrams import Trigram

_Fields = TypeVar("_Fields")


def _make_strict(fields: type[_Fields]) -> type[_Fields]:
    """Have pydantic validate strictly, as `with_config` does; importing it takes too long here."""
    fields.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]
    return fields


@_make_strict
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


@_make_strict
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


@_make_strict
class FushenInfo(TypedDict):
    position: int
    relationName: Relation
    relationNameHant: str
    tiganName: Branch
    elementName: Element


@_make_strict
class JieQi(TypedDict):
    """The solar term of the moment and the next one, with their local times."""

    name: str
    since: str
    next: str
    nextAt: str


@_make_strict
class ShenSha(TypedDict):
    """A star, its branches and the lines it falls on."""

    name: str
    branches: list[str]
    positions: list[int]


@_make_strict
class GuaShen(TypedDict):
    """卦身: a branch with its element, and the lines that have it."""

    name: str
    positions: list[int]


@_make_strict
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


@_make_strict
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


@_make_strict
class DivinationPayload(SeedFields, AddedFields):
    """The whole object; `TypeAdapter(DivinationPayload)` validates it strictly."""


def build_divination_payload(
    derivation: Derivation, asker: KnownAsker = UNKNOWN_ASKER
) -> DivinationPayload:
    """The derivation as the protocol prints it; the caller may change the object."""
    return cast("DivinationPayload", decode_json(write_payload(derivation, asker)))
