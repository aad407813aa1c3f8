"""`read`: the whole reading of a derivation."""

from dataclasses import dataclass, replace
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.kit.language import Language
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.reading.asker import Asker, KnownAsker, identify_asker
from yarrow.liuyao.reading.care import Care, choose_care
from yarrow.liuyao.reading.follow_up import FollowUpKind, classify_follow_up
from yarrow.liuyao.reading.follow_up_plan import answer_follow_up
from yarrow.liuyao.reading.judge import Judgement, SignLevel, judge
from yarrow.liuyao.reading.matters import Topic, choose_topic, identify_matter
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.plan import ReadingPlan, compose, may_judge, withhold
from yarrow.liuyao.reading.scene import Scene, Statement
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.timing import Timing, civil_day, estimate_timing
from yarrow.liuyao.reading.topics import find_later_topic
from yarrow.liuyao.reading.words_en import EN
from yarrow.liuyao.reading.words_zh import ZH

# A withheld verdict still has to name one of the four levels; this one alarms nobody.
_WITHHELD_LEVEL: Final = SignLevel.HIGH


@dataclass(frozen=True, slots=True)
class Reading:
    """A judgement in words. Each statement keeps the rules and lines it rests on."""

    level: SignLevel
    conclusion: tuple[Statement, ...]
    focus_points: tuple[Statement, ...]
    advice: tuple[Statement, ...]
    keywords: tuple[str, ...]
    answer: str
    language: Language
    care: Care
    judgement: Judgement
    timing: Timing

    @property
    def withheld(self) -> bool:
        """Whether no verdict was drawn, for the asker's sake."""
        return not may_judge(self.care)


def read(
    derivation: Derivation,
    topic: Topic | str | None = None,
    *,
    question: str | None = None,
    asker: Asker | KnownAsker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Judge a derivation and say it in words.

    Topic and question are those of the cast unless others are given.
    """
    asked = derivation.cast.question if question is None else question
    label = derivation.cast.question_type if topic is None else topic
    scene = _make_scene(derivation, label, asked, asker=asker, language=language)
    return _compose_reading(scene, language)


def _make_scene(
    derivation: Derivation,
    label: Topic | str,
    question: str,
    *,
    asker: Asker | KnownAsker,
    language: Language,
) -> Scene:
    topic = label if isinstance(label, Topic) else choose_topic(label, question)
    if asker is Asker.UNKNOWN or asker == KnownAsker():
        asker = identify_asker(question)
    matter = identify_matter(topic, question, asker)
    judgement = judge(derivation.situation, matter)
    period = find_period(question, civil_day(derivation))
    timing = estimate_timing(derivation, judgement, period)
    words = EN if language is Language.ENGLISH else ZH
    return Scene(derivation, judgement, timing, words, choose_care(matter, question))


def _compose_reading(scene: Scene, language: Language) -> Reading:
    care, judgement = scene.care, scene.judgement
    plan = compose(scene) if may_judge(care) else withhold(scene)
    if language is Language.HANT:
        plan = _in_hant(plan)
    return Reading(
        level=judgement.level if may_judge(care) else _WITHHELD_LEVEL,
        conclusion=plan.conclusion,
        focus_points=plan.focus_points,
        advice=plan.advice,
        keywords=plan.keywords,
        answer=plan.answer,
        language=language,
        care=care,
        judgement=judgement,
        timing=scene.timing,
    )


def _find_first_topic(derivation: Derivation) -> Topic:
    cast = derivation.cast
    label = choose_topic(cast.question_type, cast.question)
    return identify_matter(label, cast.question).topic


def follow_up(
    derivation: Derivation,
    question: str,
    *,
    asker: Asker | KnownAsker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Answer a later question from the same board.

    A question that names no topic of its own goes on about the first one, so that "什么时候"
    after "父亲的病" still asks about the father. So does one that only has a word which the first
    matter may have too, as 什么时候回来 after a lost cat. The answer is about what was asked: when,
    why, what if not, what is in the way, what helps.
    """
    first = _find_first_topic(derivation)
    named = find_later_topic(question, first)
    kind = classify_follow_up(
        question,
        names_period=find_period(question, civil_day(derivation)) is not None,
        names_topic=named is not None,
    )
    is_about = kind in {FollowUpKind.TOPIC, FollowUpKind.OPEN, FollowUpKind.PERIOD}
    is_new = named is not None and (named is not first or named.value in question)
    topic = named if is_about or is_new else None
    whole = question if topic else f"{derivation.cast.question} {question}"
    label = topic or derivation.cast.question_type
    scene = _make_scene(derivation, label, whole, asker=asker, language=language)
    if kind in {FollowUpKind.WHEN, FollowUpKind.PERIOD}:
        # The period of this question comes before the one that the first question named.
        today = civil_day(derivation)
        period = find_period(question, today) or find_period(whole, today)
        scene = replace(scene, timing=estimate_timing(derivation, scene.judgement, period))
    reading = _compose_reading(scene, language)
    if reading.withheld:
        return reading
    answer = answer_follow_up(scene, kind, question)
    return replace(reading, answer=to_hant(answer) if language is Language.HANT else answer)


def _in_hant(plan: ReadingPlan) -> ReadingPlan:
    def turn(said: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(replace(one, text=to_hant(one.text)) for one in said)

    return ReadingPlan(
        conclusion=turn(plan.conclusion),
        focus_points=turn(plan.focus_points),
        advice=turn(plan.advice),
        keywords=tuple(map(to_hant, plan.keywords)),
        answer=to_hant(plan.answer),
    )


def to_output(reading: Reading) -> JsonObject:
    """The interpretation fields of the protocol's final answer event."""
    return {
        "sign_level": reading.level.value,
        "conclusion": [said.text for said in reading.conclusion],
        "focus_points": [said.text for said in reading.focus_points],
        "advice": [said.text for said in reading.advice],
        "keywords": list(reading.keywords),
        "answer": reading.answer,
    }


def to_why(reading: Reading) -> JsonObject:
    """Why each thing was said: rules, lines, and the points of the score with their sources."""
    judgement = reading.judgement
    return {
        "score": None if reading.withheld else judgement.score,
        "focus": judgement.matter.focus,
        "focusPosition": judgement.focus.position,
        "hidden": judgement.hidden,
        "place": judgement.focus.place.name.lower(),
        "asker": judgement.matter.asker.value,
        "askerFrom": judgement.matter.asker_source.value,
        "points": []
        if reading.withheld
        else [
            {
                "rule": point.rule.name,
                "basis": point.rule.basis,
                "value": round(point.value, 2),
                "lines": list(point.lines),
            }
            for point in judgement.points
        ],
        "statements": {
            name: [{"rules": list(said.rules), "lines": list(said.lines)} for said in group]
            for name, group in (
                ("conclusion", reading.conclusion),
                ("focus_points", reading.focus_points),
                ("advice", reading.advice),
            )
        },
    }
