"""What to do about it: the causes that hold 用神 back, then the counsel of the topic."""

from collections.abc import Iterator
from typing import Final

from yarrow.liuyao.reading import rules, timing
from yarrow.liuyao.reading.matters import Topic
from yarrow.liuyao.reading.scene import Scene, Statement
from yarrow.liuyao.reading.strength import Point
from yarrow.liuyao.reading.words import ReadingWords

_MOST: Final = 3
# Lines that act with less than this are not worth a warning or a hint.
_FELT: Final = 0.8


def advise(scene: Scene) -> tuple[Statement, ...]:
    """Two or three counsels; the topic's own is always among them."""
    words, judgement = scene.words, scene.judgement
    topic, at = judgement.matter.topic, (judgement.focus.position,)
    choice = 0 if judgement.score >= 0 else 1
    counsel = Statement(words.advice[topic][choice], (), at)
    if topic is Topic.HEALTH:
        # Waiting for a branch or blaming a kin is no counsel for the sick.
        return counsel, Statement(words.advice_rest, (), at)
    causes = [*_by_timing(scene), *_by_lines(scene), *_by_hexagram(scene)]
    if not causes:
        return counsel, Statement(words.advice_general[choice], (), at)
    return (*causes[: _MOST - 1], counsel)


def _by_timing(scene: Scene) -> Iterator[Statement]:
    words, found = scene.words, scene.timing
    templates = {
        timing.VOID: words.advice_void,
        timing.BROKEN: words.advice_broken,
        timing.BOUND: words.advice_bound,
        timing.ENTOMBED: words.advice_tomb,
        timing.HIDDEN: words.advice_hidden,
    }
    if found.rule in templates:
        text = templates[found.rule].format(branch=found.branches[0])
        yield Statement(text, (found.rule.name,), (found.line,))


def _by_lines(scene: Scene) -> Iterator[Statement]:
    words, points = scene.words, scene.judgement.points
    if any(point.rule is rules.CHANGES["回头克"] for point in points):
        yield Statement(words.advice_turned_back, ("回头克",), (scene.judgement.focus.position,))
    harm = _strongest(points, rules.LINE_CONTROLS)
    if harm is not None:
        yield _about_kin(scene, harm, words)
    help_ = _strongest(points, rules.LINE_FEEDS)
    if help_ is not None:
        yield _about_kin(scene, help_, words)


def _strongest(points: tuple[Point, ...], rule: rules.Rule) -> Point | None:
    felt = [point for point in points if point.rule is rule and abs(point.value) >= _FELT]
    return max(felt, key=lambda point: abs(point.value), default=None)


def _about_kin(scene: Scene, point: Point, words: ReadingWords) -> Statement:
    kin = scene.derivation.situation.lines[point.lines[0] - 1].seat.relation
    if point.rule is rules.LINE_CONTROLS:
        text = words.advice_trouble.format(trouble=words.kin_trouble[kin])
    else:
        text = words.advice_help.format(help=words.kin_help[kin])
    return Statement(text, (point.rule.name,), point.lines)


def _by_hexagram(scene: Scene) -> Iterator[Statement]:
    words, situation = scene.words, scene.derivation.situation
    hexagram = situation.hexagram
    pair = (hexagram.world, hexagram.response)
    # A clash dissolves quarrels, so its usual counsel would mislead in a lawsuit.
    if hexagram.concord and scene.judgement.matter.topic is not Topic.LAWSUIT:
        yield Statement(words.advice_concord[hexagram.concord], (hexagram.concord,), pair)
    for mark in situation.special:
        if mark.endswith("反吟"):
            yield Statement(words.advice_fan_yin, ("反吟",), pair)
        elif mark.endswith("伏吟"):
            yield Statement(words.advice_fu_yin, ("伏吟",), pair)
