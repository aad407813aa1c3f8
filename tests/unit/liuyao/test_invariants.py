"""What holds for every cast."""

from datetime import timedelta

from hypothesis import given
from msgspec.structs import replace
from pydantic import TypeAdapter
from tests.unit.liuyao.strategies import casts

from yarrow.liuyao import DayBoundary, DivinationPayload, build_divination_payload, derive
from yarrow.liuyao.hexagrams import HEXAGRAMS, flip_lines
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF, HARM_OF

_STRICT = TypeAdapter(DivinationPayload)
_FLIPPED = {"少阳": "少阳", "少阴": "少阴", "老阳": "老阴", "老阴": "老阳"}


@given(casts)
def test_payload_always_fits_its_strict_model(cast):
    payload = build_divination_payload(derive(cast))

    assert _STRICT.validate_python(payload) == payload


@given(casts)
def test_the_same_cast_derives_the_same(cast):
    assert derive(cast) == derive(replace(cast))


@given(casts)
def test_world_and_response_are_three_apart(cast):
    hexagram = derive(cast).situation.hexagram

    assert abs(hexagram.world - hexagram.response) == 3


@given(casts)
def test_changing_twice_returns(cast):
    situation = derive(cast).situation
    back = derive(replace(cast, lines=tuple(_FLIPPED[line] for line in cast.lines))).situation

    assert (back.hexagram, back.target) == (situation.target, situation.hexagram)


@given(casts)
def test_every_relation_is_visible_or_hidden_exactly_once(cast):
    hexagram = derive(cast).situation.hexagram
    shown = {base.relation for base in hexagram.base_lines}
    hidden = [line.relation for line in hexagram.hidden]

    assert len(set(hidden)) == len(hidden)
    assert shown.isdisjoint(hidden)
    assert shown | set(hidden) == {"父母", "兄弟", "妻财", "官鬼", "子孙"}


@given(casts)
def test_six_spirits_stand_once_each(cast):
    lines = derive(cast).situation.lines

    assert len({line.spirit for line in lines}) == 6


@given(casts)
def test_only_moving_lines_become_another(cast):
    for line, word in zip(derive(cast).situation.lines, cast.lines, strict=True):
        assert line.moving == word.startswith("老")
        assert (line.becomes is not None) == line.moving == bool(line.tags)


@given(casts)
def test_line_is_void_exactly_when_its_branch_is(cast):
    situation = derive(cast).situation

    for line in situation.lines:
        assert bool(line.state.void_kind) == (line.base.branch in situation.day.void)


@given(casts)
def test_still_board_reports_nothing_that_lines_do(cast):
    situation = derive(replace(cast, lines=("少阳", "少阴") * 3)).situation

    assert not situation.has_moving
    assert "六爻安静" in situation.special


@given(casts)
def test_pillars_follow_each_other(cast):
    tomorrow = replace(cast, moment=cast.moment + timedelta(days=1))
    today, next_day = derive(cast).pillars, derive(tomorrow).pillars

    assert (next_day.day.index - today.day.index) % 60 == 1
    assert (next_day.hour.index - today.hour.index) % 60 == 12
    assert (next_day.month.index - today.month.index) % 60 in {0, 1}


@given(casts)
def test_day_boundary_moves_only_the_last_hour(cast):
    late = derive(replace(cast, day_boundary=DayBoundary.LATE_ZI)).pillars
    midnight = derive(replace(cast, day_boundary=DayBoundary.MIDNIGHT)).pillars

    assert (late.day.index - midnight.day.index) % 60 == (1 if cast.moment.hour == 23 else 0)
    assert late.hour == midnight.hour


def test_hidden_lines_number_as_the_reference_counts_them():
    counts = [len(hexagram.hidden) for hexagram in HEXAGRAMS.values()]

    assert [counts.count(n) for n in range(3)] == [20, 32, 12]  # reference 2


def test_special_hexagrams_number_as_the_reference_counts_them():
    concords = [hexagram.concord for hexagram in HEXAGRAMS.values()]
    generations = [hexagram.generation for hexagram in HEXAGRAMS.values()]

    assert (concords.count("六冲"), concords.count("六合")) == (10, 8)
    assert (generations.count("游魂"), generations.count("归魂")) == (8, 8)


def test_pairs_of_branches_are_mutual():
    for table in (CLASH_OF, COMBINE_OF, HARM_OF):
        assert all(table[table[branch]] == branch for branch in table)


def test_flipping_twice_returns_for_all_4096():
    for bits in HEXAGRAMS:
        for mask in range(64):
            pattern = f"{mask:06b}"
            assert flip_lines(flip_lines(bits, pattern), pattern) == bits
