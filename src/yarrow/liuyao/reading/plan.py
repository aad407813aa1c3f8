"""The text plan: which facts of a judgement are said, and in what order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from yarrow.liuyao.interactions import triads
from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.advice import advise
from yarrow.liuyao.reading.care import Care
from yarrow.liuyao.reading.judge import SignLevel
from yarrow.liuyao.reading.scene import Scene, Statement, phrase
from yarrow.liuyao.reading.strength import Point, total
from yarrow.liuyao.reading.timing import JIE_OF
from yarrow.liuyao.situation import Line
from yarrow.liuyao.symbols import BEARING

_LEVELS: Final = tuple(SignLevel)
_WORLD_RULES: Final = (
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
_ABOUT_THE_WHOLE: Final = (*_WORLD_RULES, rules.FAN_YIN, rules.FU_YIN)
# Said elsewhere, or too little to carry a verdict.
_UNSPOKEN: Final = (*_WORLD_RULES, rules.MOVES, rules.HIDDEN)
# An opposing rule is worth a word when it weighs this much.
_NOTABLE: Final = 0.7
_FOCUS_POINTS: Final = 5
_KEYWORDS: Final = 6


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    conclusion: tuple[Statement, ...]
    focus_points: tuple[Statement, ...]
    advice: tuple[Statement, ...]
    keywords: tuple[str, ...]
    answer: str


def compose(scene: Scene) -> ReadingPlan:
    """Everything a reading says of `scene`."""
    when = _when(scene)
    said = [_verdict(scene), _world(scene), when]
    if scene.judgement.matter.asks_when:
        said = [when, *said[:2]]
    advice = advise(scene)
    return ReadingPlan(
        conclusion=tuple(said),
        focus_points=tuple(_points(scene))[:_FOCUS_POINTS],
        advice=advice,
        keywords=_keywords(scene),
        answer=_answer(scene, when, advice[0]),
    )


def write_verdict(scene: Scene) -> str:
    judgement = scene.judgement
    return scene.words.verdicts[judgement.matter.topic][_LEVELS.index(judgement.level)]


def _verdict(scene: Scene) -> Statement:
    words, judgement = scene.words, scene.judgement
    reasons, used = _reasons(scene)
    text = words.conclusion.format(
        opening=_opening(scene), focus=_focus(scene), reasons=reasons, verdict=write_verdict(scene)
    )
    lines = {judgement.focus.position, *(line for point in used for line in point.lines)}
    return Statement(text, tuple(point.rule.name for point in used), tuple(sorted(lines)))


def _opening(scene: Scene) -> str:
    situation = scene.derivation.situation
    template = scene.words.opening_moving if situation.has_moving else scene.words.opening_still
    return template.format(name=situation.hexagram.name, target=situation.target.name)


def _focus(scene: Scene) -> str:
    words, judgement = scene.words, scene.judgement
    template = words.focus_hidden if judgement.hidden else words.focus_shown
    text = template.format(
        what=words.focus_names[judgement.matter.focus], label=scene.label, over=scene.over
    )
    if judgement.matter.partner_guessed:
        return words.partner_guessed.format(focus=text)
    return text


def _reasons(scene: Scene) -> tuple[str, list[Point]]:
    """The two strongest rules that carry the verdict, and the strongest against it."""
    words, judgement = scene.words, scene.judgement
    spoken = [point for point in judgement.points if point.rule not in _UNSPOKEN]
    ranked = sorted(spoken, key=lambda point: -abs(point.value))
    good = judgement.score >= 0
    carrying = [point for point in ranked if point.value != 0 and (point.value > 0) == good]
    rootless = [point for point in spoken if point.rule is rules.ROOTLESS and not good]
    against = [
        point for point in ranked if (point.value < 0) == good and abs(point.value) >= _NOTABLE
    ]
    main = [*(carrying or ranked)[: 2 - len(rootless)], *rootless]
    text = words.and_.join(phrase(scene, point) for point in main)
    if not against or not carrying:
        return (words.reasons_good if good else words.reasons_bad).format(main=text), main
    template = words.reasons_good_although if good else words.reasons_bad_despite
    return template.format(main=text, other=phrase(scene, against[0])), [*main, against[0]]


def _world(scene: Scene) -> Statement:
    words, judgement, situation = scene.words, scene.judgement, scene.derivation.situation
    world, response = situation.world, situation.response
    if judgement.focus.line is world:
        bearing = BEARING[response.seat.element][world.seat.element]
        own = judgement.matter.focus == "世"
        text = (words.world_is_focus if own else words.world_holds).format(
            label=response.seat.label, relation=words.response_bears[bearing]
        )
        both = (world.seat.position, response.seat.position)
        return Statement(text + words.stop, (rules.HOLDS_WORLD.name,), both)
    ties = [
        point
        for point in judgement.points
        if point.rule in _WORLD_RULES and point.rule is not rules.WORLD_STRENGTH
    ]
    relation = words.and_.join(phrase(scene, tie) for tie in ties) or words.world_even
    template = words.world_own if judgement.matter.own else words.world_other
    text = template.format(
        label=world.seat.label, strength=_strength_word(scene), relation=relation
    )
    lines = tuple(dict.fromkeys((world.seat.position, judgement.focus.position)))
    names = tuple(tie.rule.name for tie in ties) or ("用神与世比和",)
    return Statement(text + words.stop, names, lines)


def _strength_word(scene: Scene) -> str:
    value = total(list(scene.judgement.world_points))
    if abs(value) < 1:
        return scene.words.balanced
    return scene.words.strong if value > 0 else scene.words.weak


def _when(scene: Scene) -> Statement:
    words, timing = scene.words, scene.timing
    days = words.pause.join(
        words.timing_day.format(branch=branch, year=day.year, month=day.month, day=day.day)
        for branch, day in zip(timing.branches, timing.days, strict=True)
    )
    months = words.pause.join(
        words.timing_month.format(branch=branch, jie=JIE_OF[branch]) for branch in timing.branches
    )
    template = words.timing_delayed if timing.delayed else words.timing_plain
    text = template.format(rule=scene.timing_text, days=days, months=months)
    return Statement(text + words.stop, (timing.rule.name,), (timing.line,))


def _points(scene: Scene) -> Iterator[Statement]:
    yield _focus_point(scene)
    yield _time_point(scene)
    yield from _moving_points(scene)
    world = scene.derivation.situation.world
    if scene.judgement.matter.own and scene.judgement.focus.line is not world:
        text = scene.words.point_world.format(label=world.seat.label, state=world.state.text)
        yield Statement(
            text + scene.words.stop, (rules.WORLD_STRENGTH.name,), (world.seat.position,)
        )
    yield from _special_points(scene)


def _focus_point(scene: Scene) -> Statement:
    words, judgement = scene.words, scene.judgement
    focus = judgement.focus
    qi = words.has_qi if focus.state.has_qi else words.no_qi
    spirit = scene.derivation.situation.lines[focus.position - 1].spirit
    template = words.point_hidden if judgement.hidden else words.point_focus
    text = template.format(
        label=scene.label,
        qi=qi,
        state=focus.state.text,
        spirit=words.spirits[spirit],
        over=scene.over,
    )
    names = tuple(
        point.rule.name
        for point in judgement.points
        if point.lines == (focus.position,) and point.rule not in _ABOUT_THE_WHOLE
    )
    return Statement(text + words.stop, names, (focus.position,))


def _time_point(scene: Scene) -> Statement:
    words, judgement = scene.words, scene.judgement
    by_month = judgement.points[0]
    by_day = next((p for p in judgement.points[1:] if p.rule in _DAY_RULES), None)
    day_text = phrase(scene, by_day) if by_day else words.day_clashes.format(day=scene.day)
    text = words.point_time.format(
        month=scene.month,
        day=scene.day,
        void=scene.derivation.pillars.day.void_name,
        by_month=phrase(scene, by_month),
        by_day=day_text,
    )
    names = (by_month.rule.name, *((by_day.rule.name,) if by_day else ()))
    return Statement(text + words.stop, names, (judgement.focus.position,))


_DAY_RULES: Final = (
    rules.IS_DAY,
    rules.DAY_FEEDS,
    rules.DAY_SAME,
    rules.DAY_CONTROLS,
    rules.DAY_DRAINS,
    rules.DAY_CONFINES,
    rules.DAY_BIRTH,
    rules.STIRRED,
    rules.DAY_BROKEN,
    rules.SCATTERED,
)


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
    effect = words.effect_on_focus[BEARING[line.seat.element][focus.element]]
    if after is None:
        template, name = words.point_stirred, rules.STIRRED.name
    else:
        template = words.point_moving_focus if line is focus.line else words.point_moving
        name = rules.MOVES.name
    text = template.format(
        label=line.seat.label,
        after=after.name if after else "",
        tags=words.pause.join(line.tags),
        effect=effect,
    )
    lines = (line.seat.position, focus.position)
    return Statement(text + words.stop, (name, *line.tags), tuple(dict.fromkeys(lines)))


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
        if mark == "六爻安静" and not any(line.acts for line in situation.lines):
            continue
        name = mark if mark in words.special else mark[-2:]
        yield Statement(words.special[name] + words.stop, (name,), pair)


def _keywords(scene: Scene) -> tuple[str, ...]:
    words, judgement, situation = scene.words, scene.judgement, scene.derivation.situation
    found = [
        situation.hexagram.name,
        words.keyword_focus.format(what=words.focus_names[judgement.matter.focus]),
        judgement.level.value,
        words.keyword_day.format(branch=scene.timing.branches[0]),
        *situation.special[:2],
    ]
    return tuple(found[:_KEYWORDS])


def _answer(scene: Scene, when: Statement, advice: Statement) -> str:
    words = scene.words
    verdict = words.answer_verdict.format(
        level=scene.judgement.level.value, verdict=write_verdict(scene)
    )
    timing = words.answer_when.format(timing=when.text.removesuffix(words.stop))
    parts = [timing, verdict] if scene.judgement.matter.asks_when else [verdict, timing]
    parts.append(words.answer_advice.format(advice=advice.text))
    return "".join([*parts, words.care_notes[scene.care], words.closing])


def withhold(scene: Scene) -> ReadingPlan:
    """What is said when no verdict may be drawn: help first, and the bare facts of the board."""
    words, care, situation = scene.words, scene.care, scene.derivation.situation
    world, response = situation.world.seat, situation.response.seat
    facts = {
        "name": situation.hexagram.name,
        "target": situation.target.name,
        "month": scene.month,
        "day": scene.day,
        "world": world.label,
        "response": response.label,
    }
    lines = ((), (), (world.position, response.position))
    said = words.withheld[care]
    advice = words.withheld_advice[care]
    gap = " " if words.stop == "." else ""
    return ReadingPlan(
        conclusion=tuple(Statement(text, (), ()) for text in said),
        focus_points=tuple(
            Statement(text.format(**facts), (), at)
            for text, at in zip(words.withheld_points, lines, strict=True)
        ),
        advice=tuple(Statement(text, (), ()) for text in advice),
        keywords=words.withheld_keywords[care],
        answer=gap.join([*said, *advice, words.care_notes[care].strip()]),
    )


def may_judge(care: Care) -> bool:
    """Whether a verdict may be drawn at all."""
    return care not in {Care.SELF_HARM, Care.LIFESPAN}
