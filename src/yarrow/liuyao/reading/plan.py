"""The text plan: which facts of a judgement are said, and in what order."""

from dataclasses import dataclass
from typing import Final

from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.advice import advise
from yarrow.liuyao.reading.care import Care
from yarrow.liuyao.reading.judge import SignLevel
from yarrow.liuyao.reading.points import WORLD_RULES, list_points
from yarrow.liuyao.reading.scene import Scene, Statement, name_months, phrase
from yarrow.liuyao.reading.strength import Place, Point, total
from yarrow.liuyao.symbols import BEARING, Branch

_LEVELS: Final = tuple(SignLevel)
# Said elsewhere, or too little to carry a verdict.
_UNSPOKEN: Final = (
    *WORLD_RULES, rules.MOVES, rules.HIDDEN, rules.HIDDEN_USABLE, rules.BY_DAY, rules.BY_MONTH,
    rules.BY_CHANGE,
)  # fmt: skip
# An opposing rule is worth a word when it weighs this much.
_NOTABLE: Final = 0.7
# A period of up to so many days is answered with days, a longer one with months.
_NEAR_DAYS: Final = 45
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
    when = write_when(scene)
    said = [_verdict(scene), _world(scene), when]
    if scene.judgement.matter.asks_when:
        said = [when, *said[:2]]
    advice = advise(scene)
    return ReadingPlan(
        conclusion=tuple(said),
        focus_points=tuple(list_points(scene))[:_FOCUS_POINTS],
        advice=advice,
        keywords=_keywords(scene),
        answer=_answer(scene, when, advice[0]),
    )


def write_verdict(scene: Scene) -> str:
    judgement = scene.judgement
    return scene.words.verdicts[judgement.matter.wording][_LEVELS.index(judgement.level)]


def _verdict(scene: Scene) -> Statement:
    words, judgement = scene.words, scene.judgement
    reasons, used = _reasons(scene)
    text = words.conclusion.format(
        opening=_opening(scene),
        focus=write_focus(scene),
        reasons=reasons,
        verdict=write_verdict(scene),
    )
    lines = {judgement.focus.position, *(line for point in used for line in point.lines)}
    return Statement(text, tuple(point.rule.name for point in used), tuple(sorted(lines)))


def _opening(scene: Scene) -> str:
    words, situation = scene.words, scene.derivation.situation
    stirred = [line.seat.label for line in situation.lines if line.acts and not line.moving]
    template = words.opening_still
    if situation.has_moving:
        template = words.opening_moving
    elif stirred:
        template = words.opening_stirred
    return template.format(
        name=situation.hexagram.name,
        target=situation.target.name,
        stirred=words.pause.join(stirred),
    )


def write_focus(scene: Scene) -> str:
    """Which line is 用神, and what was assumed about the asker."""
    words, judgement = scene.words, scene.judgement
    matter = judgement.matter
    templates = {
        Place.LINE: words.focus_shown,
        Place.DAY: words.focus_by_day,
        Place.MONTH: words.focus_by_month,
        Place.CHANGED: words.focus_changed,
        Place.HIDDEN: words.focus_hidden,
    }
    text = templates[judgement.focus.place].format(
        what=words.focus_names[matter.focus],
        label=scene.label,
        name=scene.name,
        over=scene.over,
        month=scene.month,
        day=scene.day,
    )
    if matter.partner_guessed:
        return words.partner_guessed.format(focus=text)
    source = words.asker_source[matter.asker_source]
    return words.asker_known[matter.asker].format(focus=text, source=source)


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


def write_reasons(scene: Scene) -> str:
    """The rules that carry the verdict, and the strongest against it."""
    return _reasons(scene)[0]


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
        if point.rule in WORLD_RULES and point.rule is not rules.WORLD_STRENGTH
    ]
    relation = words.and_.join(_tie(scene, tie) for tie in ties) or words.world_even
    template = words.world_own if judgement.matter.own else words.world_other
    text = template.format(
        label=world.seat.label, strength=_strength_word(scene), relation=relation
    )
    lines = tuple(dict.fromkeys((world.seat.position, judgement.focus.position)))
    names = tuple(tie.rule.name for tie in ties) or ("用神与世比和",)
    return Statement(text + words.stop, names, lines)


def _tie(scene: Scene, tie: Point) -> str:
    """A tie of 用神 and 世. Who controls the line of another person steers nothing by it."""
    if tie.rule is rules.WORLD_CONTROLS and not scene.judgement.matter.own:
        return scene.words.world_controls_other
    return phrase(scene, tie)


def _strength_word(scene: Scene) -> str:
    value = total(list(scene.judgement.world_points))
    if abs(value) < 1:
        return scene.words.balanced
    return scene.words.strong if value > 0 else scene.words.weak


def write_when(scene: Scene) -> Statement:
    """应期 in words: days for what is near, months for what takes longer, within the period."""
    words, timing = scene.words, scene.timing
    template = words.timing_delayed if timing.delayed else words.timing_plain
    text = template.format(rule=scene.timing_text, times=_times(scene))
    return Statement(text + words.stop, (timing.rule.name,), (timing.line,))


def _times(scene: Scene) -> str:
    words, timing = scene.words, scene.timing
    days = words.pause.join(
        words.timing_day.format(branch=branch, year=day.year, month=day.month, day=day.day)
        for branch, day in zip(timing.branches, timing.days, strict=False)
    )
    months = name_months(scene, timing.months)
    period = timing.period
    if period is None:
        return words.timing_both.format(days=days, months=months)
    if period.days <= _NEAR_DAYS and days:
        return words.timing_within.format(period=period.text, times=days)
    if period.days > _NEAR_DAYS and months:
        return words.timing_within.format(period=period.text, times=months)
    if timing.beyond is None:
        return words.timing_within.format(period=period.text, times=days or months)
    day, branch = timing.beyond
    later = words.timing_day.format(branch=branch, year=day.year, month=day.month, day=day.day)
    return words.timing_not_within.format(period=period.text, later=later)


def _keywords(scene: Scene) -> tuple[str, ...]:
    words, judgement, situation = scene.words, scene.judgement, scene.derivation.situation
    found = [
        situation.hexagram.name,
        words.keyword_focus.format(what=words.focus_names[judgement.matter.focus]),
        judgement.level.value,
        words.keyword_day.format(branch=_first_branch(scene)),
        *[mark for mark in situation.special if mark != "六爻安静"][:2],
    ]
    return tuple(found[:_KEYWORDS])


def _first_branch(scene: Scene) -> Branch:
    """The branch of the first time that is told; one after the period if there is none within."""
    timing = scene.timing
    return timing.branches[0] if timing.beyond is None else timing.beyond[1]


def _answer(scene: Scene, when: Statement, advice: Statement) -> str:
    """Hexagram, verdict, reason, time and one counsel: all that a plain chat shows."""
    words = scene.words
    verdict = words.answer_verdict.format(
        opening=_opening(scene), level=scene.judgement.level.value, verdict=write_verdict(scene)
    )
    reasons, _ = _reasons(scene)
    reason = words.answer_reason.format(focus=write_focus(scene), reasons=reasons)
    timing = words.answer_when.format(timing=when.text.removesuffix(words.stop))
    parts = [verdict, reason, timing]
    if scene.judgement.matter.asks_when:
        parts = [timing, verdict, reason]
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
