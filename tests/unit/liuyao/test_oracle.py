"""The oracle files, each row a test of the derivation."""

import pytest
from pydantic import TypeAdapter, ValidationError
from tests.unit.liuyao.oracle import cast_at, cast_of, load

from yarrow.liuyao import (
    DayBoundary,
    DivinationPayload,
    build_divination_payload,
    derive,
    parse_moment,
)
from yarrow.liuyao.hexagrams import HEXAGRAMS, flip_lines
from yarrow.liuyao.pillars import compute_pillars
from yarrow.liuyao.trigrams import TRIGRAM_ELEMENT

CASTINGS = load("castings")
SEED_KEYS = [
    "question", "questionType", "divinationMethod", "divinationTime", "binaryCode",
    "changedBinaryCode", "guaName", "guaNameHant", "upperName", "lowerName", "targetGuaName",
    "targetGuaNameHant", "worldPosition", "responsePosition", "hasChangingYao", "ganzhi",
    "wuXingStatuses", "yaoInfoList", "targetYaoInfoList", "fushenPositions", "fushenInfoList",
    "specialStatus", "interactions", "timeEffect", "riChenZhangSheng",
]  # fmt: skip


@pytest.mark.parametrize("row", CASTINGS, ids=range(len(CASTINGS)))
def test_casting_gives_every_field_of_the_oracle(row):
    payload = dict(build_divination_payload(derive(cast_of(row))))

    assert {key: payload[key] for key in row["expect"]} == row["expect"]


@pytest.mark.parametrize("row", CASTINGS, ids=range(len(CASTINGS)))
def test_casting_has_the_palace_and_stems_of_the_oracle(row):
    hexagram = derive(cast_of(row)).situation.hexagram

    assert hexagram.palace == row["palace"]
    assert hexagram.generation == row["generation"]
    assert [base.stem for base in hexagram.base_lines] == row["stems"]


def test_payload_begins_with_the_keys_of_the_seed_in_their_order():
    payload = build_divination_payload(derive(cast_at("2026-04-03T20:30:00+08:00")))

    assert list(payload)[: len(SEED_KEYS)] == SEED_KEYS  # seed 0, the divination object
    assert list(payload)[len(SEED_KEYS) :] == [
        "nongLi", "jieQi", "shenSha", "guaShen", "guaCi", "yaoCi", "yongCi", "targetGuaCi",
        "targetYaoCi", "huGua", "cuoGua", "zongGua", "yaoMarks",
    ]  # fmt: skip


def test_payload_model_is_strict():
    payload = build_divination_payload(derive(cast_at("2026-04-03T20:30:00+08:00")))
    adapter = TypeAdapter(DivinationPayload)

    assert adapter.validate_python(payload) == payload
    with pytest.raises(ValidationError):
        adapter.validate_python({**payload, "extra": 1})
    with pytest.raises(ValidationError):
        adapter.validate_python({**payload, "worldPosition": "3"})


def test_64_boards_agree_with_the_oracle():
    rows = load("oracle_hex64")["rows"]

    for row in rows:
        found = HEXAGRAMS[row[0]]
        base_lines = found.base_lines
        assert [
            found.bits, found.name, found.name_hant, found.short, found.upper, found.lower,
            found.palace, TRIGRAM_ELEMENT[found.palace],
        ] == row[:8]  # fmt: skip
        assert [found.generation, found.world, found.response] == row[9:12]
        assert [base.stem + base.branch for base in base_lines] == row[12]
        assert [base.relation for base in base_lines] == row[13]
        assert [
            [h.position, h.relation, h.stem + h.branch, h.element, h.over.stem + h.over.branch]
            for h in found.hidden
        ] == row[14]
        assert found.concord == row[15]
    assert len(rows) == len(HEXAGRAMS) == 64


def test_4096_changes_agree_with_the_oracle():
    for bits, targets in load("oracle_pairs4096")["rows"].items():
        found = [HEXAGRAMS[flip_lines(bits, f"{mask:06b}")].name for mask in range(64)]

        assert found == targets


def test_900_moments_have_the_pillars_of_the_oracle_in_both_day_boundaries():
    for row in load("pillars")["rows"]:
        moment = parse_moment(row[0])
        late = compute_pillars(moment, DayBoundary.LATE_ZI)
        midnight = compute_pillars(moment, DayBoundary.MIDNIGHT)

        names = [late.year, late.month, late.day, midnight.day, late.hour]
        assert [pillar.name for pillar in names] == row[1:6], row[0]
        assert [pillar.void_name for pillar in names] == row[6:11], row[0]
        assert midnight.hour == late.hour
