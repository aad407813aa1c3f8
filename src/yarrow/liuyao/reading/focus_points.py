"""What a reading rests on: 用神, the lines that act, 元神 and 忌神, 世, and the hexagram."""

from collections.abc import Iterator
from typing import Final

from yarrow.liuyao.five_elements import BEARING, ELEMENTS, RELATION_OF, Bearing, Relation
from yarrow.liuyao.interactions import find_triads
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.context import ReadingContext, Statement
from yarrow.liuyao.reading.strength import FocusLocation, find_inability
from yarrow.liuyao.situation import CastLine
from yarrow.liuyao.stems_branches import CLASH_OF

WORLD_RULES: Final = (
    rules.HOLDS_WORLD,
    rules.FEEDS_WORLD,
    rules.FEEDS_WORLD_WEAKLY,
    rules.CONTROLS_WORLD,
    rules.COMES_TO_WORLD,
    rules.WORLD_FEEDS,
    rules.WORLD_CONTROLS,
    rules.COMBINES_WORLD,
    rules.WORLD_VOID,
    rules.SERVES_RESPONSE,
    rules.SERVES_RESPONSE_YET_COMES,
    rules.WORLD_STRENGTH,
)
_SIDES: Final[tuple[Bearing, Bearing]] = ("生", "克")
ABOUT_THE_WHOLE: Final = (*WORLD_RULES, rules.FAN_YIN, rules.FU_YIN)


def list_focus_points(context: ReadingContext) -> Iterator[Statement]:
    yield _write_focus_point(context)
    yield from _write_moving_points(context)
    yield from _write_triad_points(context, complete=True)
    yield _write_side_point(context)
    world = context.derivation.situation.world
    if context.judgement.matter.own and context.judgement.focus.line is not world:
        state = context.describe(world.state)
        text = context.words.point_world.format(label=world.base.label, state=state)
        yield Statement(
            text + context.words.stop, (rules.WORLD_STRENGTH.name,), (world.base.position,)
        )
    yield from _write_special_points(context)


def _write_focus_point(context: ReadingContext) -> Statement:
    words, judgement = context.words, context.judgement
    focus = judgement.focus
    qi = words.has_qi if focus.state.has_qi else words.no_qi
    helped = focus.state.day in {"生", "扶"} and not focus.state.day_clash
    if helped and not focus.state.has_qi:
        qi = words.day_qi
    spirit = context.derivation.situation.lines[focus.position - 1].spirit
    template = words.point_absent
    if focus.place in {FocusLocation.LINE, FocusLocation.HIDDEN}:
        template = words.point_hidden if judgement.hidden else words.point_focus
    text = template.format(
        label=context.label,
        qi=qi,
        state=context.describe(focus.state),
        spirit=words.spirits[spirit],
        over=context.cover_label,
    )
    names = tuple(
        point.rule.name
        for point in judgement.points
        if point.lines == (focus.position,) and point.rule not in ABOUT_THE_WHOLE
    )
    return Statement(text + words.stop, names, (focus.position,))


def _write_moving_points(context: ReadingContext) -> Iterator[Statement]:
    """Up to two acting lines: 用神 itself, then 元神 and 忌神, able or not, then the others."""
    focus = context.judgement.focus
    sides = [find_kin_by_bearing(context, bearing) for bearing in _SIDES]
    weight = {point.lines[0]: abs(point.value) for point in context.judgement.points if point.actor}
    acting = [
        line
        for line in context.derivation.situation.lines
        if line.moving or (line.acts and line is not focus.line)
    ]
    acting.sort(
        key=lambda line: (
            line is not focus.line,
            line.base.relation not in sides,
            -weight.get(line.base.position, 0.0),
        )
    )
    if not any(line.acts for line in context.derivation.situation.lines):
        yield Statement(context.words.point_still + context.words.stop, ("六爻安静",), ())
    for line in acting[:2]:
        yield _write_moving_point(context, line)


def _write_moving_point(context: ReadingContext, line: CastLine) -> Statement:
    words, focus, after = context.words, context.judgement.focus, line.becomes
    if after is None:
        template, name = words.point_stirred, rules.STIRRED.name
    else:
        template = words.point_moving_focus if line is focus.line else words.point_moving
        name = rules.MOVES.name
    text = template.format(
        label=line.base.label,
        after=after.name if after else "",
        tags=words.pause.join(line.tags),
        effect=describe_effect(context, line),
    )
    lines = (line.base.position, focus.position)
    return Statement(text + words.stop, (name, *line.tags), tuple(dict.fromkeys(lines)))


def describe_effect(context: ReadingContext, line: CastLine) -> str:
    """What an acting line does to 用神, or why it does nothing."""
    words, focus = context.words, context.judgement.focus
    if focus.place in {FocusLocation.DAY, FocusLocation.MONTH}:
        return words.effect_on_ruler
    if focus.place is FocusLocation.CHANGED and line.base.position == focus.position:
        return words.effect_becomes
    bearing = BEARING[line.base.element][focus.element]
    reason = find_inability(line, bearing)
    if reason:
        return words.effect_spent[bearing].format(reason=words.inability[reason])
    if bearing == "克" and any(point.rule is rules.GREED for point in context.judgement.points):
        return words.effect_greedy
    if bearing == "扶" and CLASH_OF[line.base.branch] == focus.branch:
        return words.effect_clash
    return words.effect_on_focus[bearing]


def _write_side_point(context: ReadingContext) -> Statement:
    """元神 and 忌神: where they are and whether they act."""
    words, parts, at = context.words, [], []
    for bearing, side in zip(_SIDES, words.side_names, strict=True):
        kin = find_kin_by_bearing(context, bearing)
        lines = [line for line in context.derivation.situation.lines if line.base.relation == kin]
        if not lines:
            parts.append(words.point_side_absent.format(side=side, kin=kin))
            continue
        state = words.pause.join(
            (words.is_moving if line.moving else words.is_stirred).format(label=line.base.label)
            for line in lines
            if line.acts
        )
        where = words.pause.join(line.base.label for line in lines)
        parts.append(
            words.point_side.format(side=side, kin=kin, lines=where, state=state or words.is_still)
        )
        at += [line.base.position for line in lines]
    return Statement(words.semicolon.join(parts) + words.stop, words.side_names, tuple(sorted(at)))


def find_kin_by_bearing(context: ReadingContext, bearing: Bearing) -> Relation:
    """The kin whose element bears so on that of 用神: 生 is 元神, 克 is 忌神."""
    palace, focus = context.derivation.situation.hexagram.element, context.judgement.focus.element
    element = next(e for e in ELEMENTS if BEARING[e][focus] == bearing)
    return RELATION_OF[BEARING[palace][element]]


def _write_special_points(context: ReadingContext) -> Iterator[Statement]:
    yield from _write_triad_points(context, complete=False)
    words, situation = context.words, context.derivation.situation
    pair = (situation.hexagram.world, situation.hexagram.response)
    for mark in situation.special:
        # Said of the acting lines already; beside a line that is stirred it would be untrue.
        if mark == "六爻安静":
            continue
        name = mark if mark in words.special else mark[-2:]
        yield Statement(words.special[name] + words.stop, (name,), pair)


def _write_triad_points(context: ReadingContext, *, complete: bool) -> Iterator[Statement]:
    words, situation = context.words, context.derivation.situation
    template = words.triad_complete if complete else words.triad_waiting
    for triad in find_triads(situation):
        if (triad.missing is None) != complete:
            continue
        text = template.format(
            members="".join(triad.members), element=triad.element, missing=triad.missing
        )
        lines = tuple(
            line.base.position for line in situation.lines if line.base.branch in triad.members
        )
        yield Statement(text + words.stop, ("三合局",), lines)
