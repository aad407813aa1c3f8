"""`write_reading`: the whole reading of a derivation."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.language.languages import Language
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.reading.asker import Asker, KnownAsker, identify_asker
from yarrow.liuyao.reading.context import ReadingContext, Statement
from yarrow.liuyao.reading.judge import Judgement, SignLevel, judge_matter
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.plan import ReadingPlan, compose_plan, may_judge, withhold_verdict
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.sensitive_questions import Sensitivity, assess_texts
from yarrow.liuyao.reading.timing import Timing, estimate_timing, find_civil_day
from yarrow.liuyao.reading.topics import names_topic
from yarrow.liuyao.reading.words_en import EN
from yarrow.liuyao.reading.words_zh import ZH
from yarrow.liuyao.reading.yong_shen import Topic, choose_topic, identify_matter

# A withheld verdict still has to name one of the four levels; this one alarms nobody.
_WITHHELD_LEVEL: Final = SignLevel.HIGH


class Reading(Struct, frozen=True):
    """A judgement in words. Each statement keeps the rules and lines it rests on."""

    level: SignLevel
    conclusion: tuple[Statement, ...]
    focus_points: tuple[Statement, ...]
    advice: tuple[Statement, ...]
    keywords: tuple[str, ...]
    answer: str
    language: Language
    sensitivity: Sensitivity
    judgement: Judgement
    timing: Timing

    @property
    def withheld(self) -> bool:
        """Whether no verdict was drawn, for the asker's sake."""
        return not may_judge(self.sensitivity)


def write_reading(
    derivation: Derivation,
    *,
    asker: Asker | KnownAsker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Judge a derivation by the topic and the question of its cast, and say it in words."""
    cast = derivation.cast
    context = make_context(
        derivation, cast.question_type, cast.question, asker=asker, language=language
    )
    return compose_reading(context, language)


_LABELS: Final = frozenset(topic.value for topic in Topic)


def make_context(
    derivation: Derivation,
    label: Topic | str,
    question: str,
    *,
    asker: Asker | KnownAsker,
    language: Language,
) -> ReadingContext:
    topic = label if isinstance(label, Topic) else choose_topic(label, question)
    if asker is Asker.UNKNOWN or asker == KnownAsker():
        asker = identify_asker(question)
    matter = identify_matter(topic, question, asker)
    if matter.topic is topic and matter.special is None:
        matter = replace(matter, topic_assumed=not names_topic(label, question))
    judgement = judge_matter(derivation.situation, matter)
    period = find_period(question, find_civil_day(derivation))
    timing = estimate_timing(derivation, judgement, period)
    words = EN if language is Language.ENGLISH else ZH
    is_free = not isinstance(label, Topic) and label not in _LABELS
    beside = (label, f"{label}，{question}") if is_free else ()
    sensitivity = assess_texts(matter, question, beside)
    return ReadingContext(derivation, judgement, timing, words, sensitivity)


def compose_reading(context: ReadingContext, language: Language) -> Reading:
    sensitivity, judgement = context.sensitivity, context.judgement
    plan = compose_plan(context) if may_judge(sensitivity) else withhold_verdict(context)
    if language is Language.HANT:
        plan = _convert_plan_to_hant(plan)
    return Reading(
        level=judgement.level if may_judge(sensitivity) else _WITHHELD_LEVEL,
        conclusion=plan.conclusion,
        focus_points=plan.focus_points,
        advice=plan.advice,
        keywords=plan.keywords,
        answer=plan.answer,
        language=language,
        sensitivity=sensitivity,
        judgement=judgement,
        timing=context.timing,
    )


def _convert_plan_to_hant(plan: ReadingPlan) -> ReadingPlan:
    def convert_statements(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(replace(one, text=to_hant(one.text)) for one in statements)

    return ReadingPlan(
        conclusion=convert_statements(plan.conclusion),
        focus_points=convert_statements(plan.focus_points),
        advice=convert_statements(plan.advice),
        keywords=tuple(map(to_hant, plan.keywords)),
        answer=to_hant(plan.answer),
    )


def to_output_fields(reading: Reading) -> JsonObject:
    """The interpretation fields of the protocol's final answer event."""
    return {
        "sign_level": reading.level.value,
        "conclusion": [statement.text for statement in reading.conclusion],
        "focus_points": [statement.text for statement in reading.focus_points],
        "advice": [statement.text for statement in reading.advice],
        "keywords": list(reading.keywords),
        "answer": reading.answer,
    }


def explain_reading(reading: Reading) -> JsonObject:
    """The rules, lines and scored points, with sources, that each statement is based on."""
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
            name: [
                {"rules": list(statement.rules), "lines": list(statement.lines)}
                for statement in group
            ]
            for name, group in (
                ("conclusion", reading.conclusion),
                ("focus_points", reading.focus_points),
                ("advice", reading.advice),
            )
        },
    }
