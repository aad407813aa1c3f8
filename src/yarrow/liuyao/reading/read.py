"""`read`: the whole reading of a derivation."""

from dataclasses import dataclass, replace
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.kit.language import Language
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.reading.care import Care, choose_care
from yarrow.liuyao.reading.judge import Judgement, SignLevel, judge
from yarrow.liuyao.reading.matters import Asker, Topic, choose_topic, find_topic, identify_matter
from yarrow.liuyao.reading.plan import ReadingPlan, compose, may_judge, withhold
from yarrow.liuyao.reading.scene import Scene, Statement
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.timing import Timing, estimate_timing
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
    asker: Asker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Judge a derivation and say it in words.

    Topic and question are those of the cast unless others are given.
    """
    asked = derivation.cast.question if question is None else question
    label = derivation.cast.question_type if topic is None else topic
    subject = label if isinstance(label, Topic) else choose_topic(label, asked)
    judgement = judge(derivation.situation, identify_matter(subject, asked, asker))
    timing = estimate_timing(derivation, judgement)
    care = choose_care(subject, asked)
    words = EN if language is Language.ENGLISH else ZH
    scene = Scene(derivation, judgement, timing, words, care)
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
        timing=timing,
    )


def follow_up(
    derivation: Derivation,
    question: str,
    *,
    asker: Asker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Read the same board for a later question.

    A question that names no topic of its own goes on about the first one, so that "什么时候"
    after "父亲的病" still asks about the father.
    """
    topic = find_topic(question)
    whole = question if topic else f"{derivation.cast.question} {question}"
    return read(derivation, topic, question=whole, asker=asker, language=language)


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
