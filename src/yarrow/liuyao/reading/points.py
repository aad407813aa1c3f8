"""What a reading rests on: 用神, the lines that act, 元神 and 忌神, 世, and the hexagram."""

from collections.abc import Iterator
from typing import Final

from yarrow.liuyao.interactions import triads
from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.scene import Scene, Statement
from yarrow.liuyao.reading.strength import Place, find_inability
from yarrow.liuyao.situation import Line
from yarrow.liuyao.symbols import BEARING, CLASH_OF, ELEMENTS, RELATION_OF, Bearing, Relation

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
ABOUT_THE_WHOLE: Final = (*WORLD_RULES, rules.FAN_YIN, rules.FU_YIN)


def list_points(scene: Scene) -> Iterator[Statement]:
    yield _focus_point(scene)
    yield from _moving_points(scene)
    yield _side_point(scene)
    world = scene.derivation.situation.world
    if scene.judgement.matter.own and scene.judgement.focus.line is not world:
        state = scene.describe(world.state)
        text = scene.words.point_world.format(label=world.seat.label, state=state)
        yield Statement(
            text + scene.words.stop, (rules.WORLD_STRENGTH.name,), (world.seat.position,)
        )
    yield from _special_points(scene)


def _focus_point(scene: Scene) -> Statement:
    words, judgement = scene.words, scene.judgement
    focus = judgement.focus
    qi = words.has_qi if focus.state.has_qi else words.no_qi
    helped = focus.state.day in {"生", "扶"} and not focus.state.day_clash
    if helped and not focus.state.has_qi:
        qi = words.day_qi
    spirit = scene.derivation.situation.lines[focus.position - 1].spirit
    template = words.point_absent
    if focus.place in {Place.LINE, Place.HIDDEN}:
        template = words.point_hidden if judgement.hidden else words.point_focus
    text = template.format(
        label=scene.label,
        qi=qi,
        state=scene.describe(focus.state),
        spirit=words.spirits[spirit],
        over=scene.over,
    )
    names = tuple(
        point.rule.name
        for point in judgement.points
        if point.lines == (focus.position,) and point.rule not in ABOUT_THE_WHOLE
    )
    return Statement(text + words.stop, names, (focus.position,))


def _moving_points(scene: Scene) -> Iterator[Statement]:
    """Up to two acting lines, those that touch 用神 most first."""
    focus = scene.judgement.focus
    weight = {point.lines[0]: abs(point.value) for point in scene.judgement.points if point.actor}
    acting = [
        line
        for line in scene.derivation.situation.lines
        if line.moving or (line.acts and line is not focus.line)
    ]
    acting.sort(key=lambda line: (line is not focus.line, -weight.get(line.seat.position, 0.0)))
    if not any(line.acts for line in scene.derivation.situation.lines):
        yield Statement(scene.words.point_still + scene.words.stop, ("六爻安静",), ())
    for line in acting[:2]:
        yield _moving_point(scene, line)


def _moving_point(scene: Scene, line: Line) -> Statement:
    words, focus, after = scene.words, scene.judgement.focus, line.becomes
    if after is None:
        template, name = words.point_stirred, rules.STIRRED.name
    else:
        template = words.point_moving_focus if line is focus.line else words.point_moving
        name = rules.MOVES.name
    text = template.format(
        label=line.seat.label,
        after=after.name if after else "",
        tags=words.pause.join(line.tags),
        effect=describe_effect(scene, line),
    )
    lines = (line.seat.position, focus.position)
    return Statement(text + words.stop, (name, *line.tags), tuple(dict.fromkeys(lines)))


def describe_effect(scene: Scene, line: Line) -> str:
    """What an acting line does to 用神, or why it does nothing."""
    words, focus = scene.words, scene.judgement.focus
    if focus.place in {Place.DAY, Place.MONTH}:
        return words.effect_on_ruler
    if focus.place is Place.CHANGED and line.seat.position == focus.position:
        return words.effect_becomes
    bearing = BEARING[line.seat.element][focus.element]
    reason = find_inability(line, bearing)
    if reason:
        return words.effect_spent[bearing].format(reason=words.inability[reason])
    if bearing == "克" and any(point.rule is rules.GREED for point in scene.judgement.points):
        return words.effect_greedy
    if bearing == "扶" and CLASH_OF[line.seat.branch] == focus.branch:
        return words.effect_clash
    return words.effect_on_focus[bearing]


def _side_point(scene: Scene) -> Statement:
    """元神 and 忌神: where they are and whether they act."""
    words, parts, at = scene.words, [], []
    sides: tuple[Bearing, Bearing] = ("生", "克")
    for bearing, side in zip(sides, words.side_names, strict=True):
        kin = find_side(scene, bearing)
        lines = [line for line in scene.derivation.situation.lines if line.seat.relation == kin]
        if not lines:
            parts.append(words.point_side_absent.format(side=side, kin=kin))
            continue
        state = words.pause.join(
            (words.is_moving if line.moving else words.is_stirred).format(label=line.seat.label)
            for line in lines
            if line.acts
        )
        where = words.pause.join(line.seat.label for line in lines)
        parts.append(
            words.point_side.format(side=side, kin=kin, lines=where, state=state or words.is_still)
        )
        at += [line.seat.position for line in lines]
    return Statement(words.semicolon.join(parts) + words.stop, words.side_names, tuple(sorted(at)))


def find_side(scene: Scene, bearing: Bearing) -> Relation:
    """The kin whose element bears so on that of 用神: 生 is 元神, 克 is 忌神."""
    palace, focus = scene.derivation.situation.hexagram.element, scene.judgement.focus.element
    element = next(e for e in ELEMENTS if BEARING[e][focus] == bearing)
    return RELATION_OF[BEARING[palace][element]]


def _special_points(scene: Scene) -> Iterator[Statement]:
    words, situation = scene.words, scene.derivation.situation
    pair = (situation.hexagram.world, situation.hexagram.response)
    for triad in triads(situation):
        template = words.triad_waiting if triad.missing else words.triad_complete
        text = template.format(
            members="".join(triad.members), element=triad.element, missing=triad.missing
        )
        lines = tuple(
            line.seat.position for line in situation.lines if line.seat.branch in triad.members
        )
        yield Statement(text + words.stop, ("三合局",), lines)
    for mark in situation.special:
        # Said of the acting lines already; beside a line that is stirred it would be untrue.
        if mark == "六爻安静":
            continue
        name = mark if mark in words.special else mark[-2:]
        yield Statement(words.special[name] + words.stop, (name,), pair)
