"""Independent implementations, with their known faults written down beside what they check.

lunar_python computes the solar terms from another theory of the sun than the shipped table, so
the two agree except close to a term; its own error grows to 93 s by 2100 (reference 3.1).
najia has its own tables of boards and takes its pillars from lunar_python. Its known faults:
minutes are dropped, so the hour of a 节 is wrong; the day changes at midnight only; the order
of `hide.seat` differs from process to process; targets have no 世应.
"""

import random
from bisect import bisect_right
from datetime import UTC, datetime, timedelta, timezone

import pytest
from lunar_python import Solar
from najia import Najia
from tests.unit.liuyao.oracle import cast_at

from yarrow.liuyao import DayBoundary, derive
from yarrow.liuyao.hexagrams import HEXAGRAMS
from yarrow.liuyao.pillars import PILLAR_NAMED, compute_pillars, load_jie_table
from yarrow.liuyao.situation import build_situation

CHINA = timezone(timedelta(hours=8))
START = datetime(1900, 1, 1, tzinfo=CHINA)


def _moments(count: int, *, seed: int, clear_of_jie: timedelta) -> list[datetime]:
    dice, instants = random.Random(seed), load_jie_table().instants
    found: list[datetime] = []
    while len(found) < count:
        moment = START + timedelta(seconds=dice.randrange(200 * 365 * 86400))
        stamp = int(moment.astimezone(UTC).timestamp())
        near = bisect_right(instants, stamp)
        gap = min(abs(instants[i] - stamp) for i in (near - 1, near))
        if gap > clear_of_jie.total_seconds():
            found.append(moment)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("boundary", "sect"), [(DayBoundary.LATE_ZI, 1), (DayBoundary.MIDNIGHT, 2)]
)
def test_pillars_agree_with_lunar_python(boundary, sect):
    for moment in _moments(200, seed=sect, clear_of_jie=timedelta(seconds=120)):
        theirs = Solar.fromYmdHms(*moment.timetuple()[:6]).getLunar().getEightChar()
        theirs.setSect(sect)
        ours = compute_pillars(moment, boundary)

        names = [theirs.getYear(), theirs.getMonth(), theirs.getDay(), theirs.getTime()]
        assert [ours.year.name, ours.month.name, ours.day.name, ours.hour.name] == names, moment


@pytest.mark.slow
def test_all_4096_boards_agree_with_najia():
    day = PILLAR_NAMED["丁未"]
    oracle = _NajiaAtOneMoment()

    for bits in HEXAGRAMS:
        for number in range(64):
            mask = f"{number:06b}"
            ours = build_situation(bits, mask, month="卯", day=day)
            theirs = oracle.board(bits, mask)
            assert _ours(ours) == theirs


class _NajiaAtOneMoment:
    """najia with its pillars computed once: they cost it far more than the board."""

    def __init__(self) -> None:
        self.peer = Najia(0)
        gz = {"year": "丙午", "month": "辛卯", "day": "丁未", "hour": "庚戌"}
        self.peer._daily = lambda date=None: {"xkong": "寅卯", "gz": gz}

    def board(self, bits: str, mask: str) -> list[object]:
        numbers = {("1", "0"): 1, ("0", "0"): 2, ("1", "1"): 3, ("0", "1"): 4}
        params = [numbers[pair] for pair in zip(bits, mask, strict=True)]
        data = self.peer.compile(params=params, date="2026-04-03 20:30").data
        hidden, target = data["hide"], data["bian"]
        return [
            data["name"],
            data["gong"],
            list(data["shiy"][:2]),
            data["qin6"],
            data["qinx"],
            list(data["god6"]),
            sorted((seat + 1, hidden["qinx"][seat]) for seat in hidden["seat"]) if hidden else [],
            [target["name"], target["qin6"], target["qinx"]] if target else None,
        ]


def _ours(situation):
    hexagram, after = situation.hexagram, situation.target_lines
    seats = hexagram.base_lines
    return [
        hexagram.name,
        hexagram.palace,
        [hexagram.world, hexagram.response],
        [seat.relation for seat in seats],
        [seat.stem + seat.branch + seat.element for seat in seats],
        [line.spirit for line in situation.lines],
        [(h.position, h.stem + h.branch + h.element) for h in hexagram.hidden],
        [
            situation.target.name,
            [seat.relation for seat in after],
            [seat.stem + seat.branch + seat.element for seat in after],
        ]
        if situation.has_moving
        else None,
    ]


def test_najia_drops_the_minutes_and_we_do_not():
    derivation = derive(cast_at("2026-04-05T02:41:00+08:00"))
    theirs = Najia(0).compile(params=[1, 2, 3, 2, 1, 4], date="2026-04-05 02:41").data

    assert derivation.pillars.month.name == "壬辰"
    assert theirs["lunar"]["gz"]["month"] == "辛卯"  # 清明 was at 02:39:59
