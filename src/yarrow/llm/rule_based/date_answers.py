"""Results of the tools for dates and times as sentences."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.language.languages import Language
from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.intents import Intent
from yarrow.llm.rule_based.texts import RULE_TEXTS, RuleTexts, write_count

_ENGLISH_WEEKDAYS: Final = RULE_TEXTS[Language.ENGLISH].weekdays


def write_moment(sentence: str, moment: datetime, texts: RuleTexts, **more: str) -> str:
    """The sentence with the time, the date and the weekday of a moment."""
    return sentence.format(
        time=f"{moment:%H:%M}",
        date=f"{moment:%Y-%m-%d}",
        weekday=texts.weekdays[moment.weekday()],
        **more,
    )


def write_clock(results: Sequence[JsonObject], intent: ClockIntent, language: Language) -> str:
    """What a time at one place is at others, or the time so many minutes from now."""
    texts = RULE_TEXTS[language]
    moments = [datetime.fromisoformat(str(result["iso"])) for result in results]
    if intent.source is None:
        zone = str(results[0]["timezone"])
        sentence = texts.time_past if intent.minutes < 0 else texts.time_then
        return write_moment(sentence, moments[0], texts, zone=zone)
    sentences = [
        write_moment(
            texts.clock_there,
            moment,
            texts,
            at=intent.at,
            source=intent.source.name,
            place=place.name,
        )
        for place, moment in zip(intent.targets, moments, strict=False)
    ]
    return ("" if language is not Language.ENGLISH else " ").join(sentences)


def write_dates(
    results: Sequence[JsonObject], arguments: JsonObject, intent: Intent | None, language: Language
) -> str:
    """The day that was asked for, or the time between two."""
    result = results[0]
    if isinstance(intent, WeekdayIntent):
        return _write_weekdays(results, intent, language)
    if isinstance(result.get("days"), int):
        return _write_days(result, arguments, intent, language)
    return _write_day(result, language, is_lunar=isinstance(intent, DateIntent) and intent.lunar)


def _write_day(result: JsonObject, language: Language, *, is_lunar: bool = False) -> str:
    texts = RULE_TEXTS[language]
    has_lunar = result.get("lunar") and (is_lunar or language is not Language.ENGLISH)
    sentence = texts.lunar_date if has_lunar else texts.date
    weekday = _find_weekday(result, texts)
    return sentence.format(date=result["date"], weekday=weekday, lunar=result.get("lunar"))


def _write_weekdays(
    results: Sequence[JsonObject], intent: WeekdayIntent, language: Language
) -> str:
    """Both days that "next Friday" may mean; one if that of this week is no choice."""
    texts = RULE_TEXTS[language]
    distances = [result.get("days_from_today") for result in results]
    distance = distances[0] if isinstance(distances[0], int) else 0
    is_choice = distance < 0 if intent.is_past else distance > 0
    if not is_choice or len(results) == 1:
        return _write_day(results[-1], language)
    sentence = texts.last_weekdays if intent.is_past else texts.next_weekdays
    first, second = (str(result["date"]) for result in results[:2])
    return sentence.format(weekday=_find_weekday(results[0], texts), first=first, second=second)


def _write_days(
    result: JsonObject, arguments: JsonObject, intent: Intent | None, language: Language
) -> str:
    texts, asked = RULE_TEXTS[language], intent if isinstance(intent, DateIntent) else DateIntent()
    weekday = _find_weekday(result, texts)
    if asked.is_when:
        return texts.date.format(date=result["until"], weekday=weekday)
    days = int(str(result["days"]))
    if asked.is_age and days <= 0:
        return texts.age.format(
            until=result["until"],
            years=_count_years(str(result["until"]), str(result["date"])),
            count=write_count(-days, "day", language),
        )
    has_start = bool(arguments.get("date"))
    sentence = (
        texts.days_between if has_start else texts.days_until if days >= 0 else texts.days_since
    )
    count = write_count(days if has_start else abs(days), "day", language)
    if asked.in_weeks:
        weeks = write_count(abs(days) // 7, "week", language)
        count = f"{count} ({weeks} + {write_count(abs(days) % 7, 'day', language)})"
    return sentence.format(date=result["date"], until=result["until"], weekday=weekday, count=count)


def _find_weekday(result: JsonObject, texts: RuleTexts) -> str:
    return texts.weekdays[_ENGLISH_WEEKDAYS.index(str(result["weekday"]))]


def _count_years(start: str, end: str) -> int:
    """Whole years from one day to another; who is born on 29 February ages on 1 March."""
    born, today = date.fromisoformat(start), date.fromisoformat(end)
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
