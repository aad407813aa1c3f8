"""The result of a tool as a sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from yarrow.kit.json import JsonObject, JsonValue, decode_json
from yarrow.kit.language import Language
from yarrow.llm.rules.intents import Intent
from yarrow.llm.rules.texts import RULE_TEXTS, RuleTexts, write_count
from yarrow.llm.rules.time_questions import DateIntent, TimeIntent

SNIPPET_CHARS = 120
DOC_CHARS = 400
LISTED = 12
ENGLISH_WEEKDAYS = RULE_TEXTS[Language.ENGLISH].weekdays


@dataclass(frozen=True, slots=True)
class CallResult:
    """A tool that was called, with what it returned."""

    name: str
    arguments: JsonObject
    text: str


def write_answer(results: Sequence[CallResult], intent: Intent | None, language: Language) -> str:
    """One or two sentences about the results of the calls of one reply."""
    texts = RULE_TEXTS[language]
    first = results[0]
    if first.name == "show_card":
        return texts.help
    if first.name not in (*_WRITERS, "current_time", "calendar_date"):
        return texts.tool_answered.format(text=first.text)
    objects: list[JsonObject] = []
    for result in results:
        if (parsed := read_object(result.text)) is None:
            error = result.text.rstrip(".")
            return texts.tool_failed.format(error=texts.errors.get(error, error))
        objects.append(parsed)
    if first.name == "current_time":
        return _write_times(objects, intent, language)
    if first.name == "calendar_date":
        asks_lunar = isinstance(intent, DateIntent) and intent.lunar
        return _write_date(objects[0], first.arguments, language, asks_lunar=asks_lunar)
    return _WRITERS[first.name](objects[0], first.arguments, language)


def read_object(text: str) -> JsonObject | None:
    """Arguments or results of a tool; None for other text, such as an error."""
    try:
        value: JsonValue = decode_json(text.encode())
    except (msgspec.DecodeError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _write_times(results: Sequence[JsonObject], intent: Intent | None, language: Language) -> str:
    texts = RULE_TEXTS[language]
    places = intent.places if isinstance(intent, TimeIntent) else ()
    moments = [datetime.fromisoformat(str(result["iso"])) for result in results]
    if len(places) != len(results):
        return _write_time(texts.time, moments[0], texts, zone=str(results[0]["timezone"]))
    names = [place.name for place in places]
    sentences = [
        _write_time(texts.time_there, moment, texts, place=name)
        for name, moment in zip(names, moments, strict=True)
    ]
    if len(moments) == 2:
        sentences.append(_write_difference(names, moments, language))
    return ("" if language is not Language.ENGLISH else " ").join(sentences)


def _write_time(sentence: str, moment: datetime, texts: RuleTexts, **more: str) -> str:
    return sentence.format(
        time=f"{moment:%H:%M}",
        date=f"{moment:%Y-%m-%d}",
        weekday=texts.weekdays[moment.weekday()],
        **more,
    )


def _write_difference(names: Sequence[str], moments: Sequence[datetime], language: Language) -> str:
    texts = RULE_TEXTS[language]
    offsets = [moment.utcoffset() for moment in moments]
    seconds = [offset.total_seconds() if offset else 0.0 for offset in offsets]
    minutes = int(abs(seconds[0] - seconds[1])) // 60
    if not minutes:
        return texts.no_difference
    earlier, later = sorted(range(2), key=lambda at: seconds[at])
    amount = write_count(minutes // 60, "hour", language) if minutes >= 60 else ""
    if minutes % 60:
        amount = f"{amount} {write_count(minutes % 60, 'minute', language)}".strip()
    return texts.difference.format(later=names[later], earlier=names[earlier], hours=amount)


def _write_date(
    result: JsonObject, arguments: JsonObject, language: Language, *, asks_lunar: bool
) -> str:
    texts = RULE_TEXTS[language]
    weekday = texts.weekdays[ENGLISH_WEEKDAYS.index(str(result["weekday"]))]
    days = result.get("days")
    if not isinstance(days, int):
        is_lunar = result.get("lunar") and (asks_lunar or language is not Language.ENGLISH)
        sentence = texts.lunar_date if is_lunar else texts.date
        return sentence.format(date=result["date"], weekday=weekday, lunar=result.get("lunar"))
    sentence = texts.days_until if days >= 0 else texts.days_since
    if arguments.get("date"):
        sentence = texts.days_between
    return sentence.format(
        date=result["date"],
        until=result["until"],
        weekday=weekday,
        count=write_count(days if arguments.get("date") else abs(days), "day", language),
    )


def _write_sum(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    sentence = texts.equals if result.get("exact") else texts.about
    shown = str(result["expression"]).replace("**", "^").replace("*", "×").replace("/", "÷")
    return sentence.format(expression=" ".join(shown.split()), value=result["value"])


def _write_points(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    return RULE_TEXTS[language].points.format(**result)


def _write_ledger(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    newest = _first_object(result.get("movements"))
    if newest is None:
        return texts.ledger_empty
    points = newest["points"]
    return texts.ledger.format(
        points=f"{points:+d}" if isinstance(points, int) else points,
        date=newest["date"],
        why=texts.reasons.get(str(newest["why"]), newest["why"]),
        balance=newest["balance_after"],
    )


def _write_found(result: JsonObject, arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    newest = _first_object(result.get("sessions"))
    if newest is None:
        return texts.found_nothing.format(query=arguments.get("query", ""))
    count = result["found"]
    snippet = str(newest["snippet"])
    return texts.found.format(
        count=write_count(count if isinstance(count, int) else 1, "session", language),
        title=newest["title"] or "…",
        date=newest["date"],
        snippet=snippet if len(snippet) <= SNIPPET_CHARS else f"{snippet[:SNIPPET_CHARS]}…",
    )


def _write_cast(result: JsonObject, _arguments: JsonObject, _language: Language) -> str:
    """The reading's own answer, which names the hexagrams."""
    reading = result.get("reading")
    answer = reading.get("answer") if isinstance(reading, dict) else None
    return str(answer or result["hexagram"])


def _write_table(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    if "tables" in result:
        names = [str(table["table"]) for table in _objects(result["tables"])]
        if not names:
            return texts.no_tables
        count = write_count(len(names), "table", language)
        return texts.tables.format(count=count, names=_list_names(names))
    if "measure" not in result:
        names = [str(column["name"]) for column in _objects(result["columns"])]
        return texts.table.format(
            table=result["table"], rows=result["rows"], columns=len(names), names=_list_names(names)
        )
    measure = texts.measures[str(result["measure"])]
    sentence = texts.figures if result.get("by") else texts.figure
    values = [f"{row['group']} {row['value']}" for row in _objects(result.get("groups"))]
    return sentence.format(
        measure=measure,
        column=result.get("column") or "*",
        table=result["table"],
        value=result.get("value"),
        by=result.get("by"),
        values=_list_names(values),
    )


def _write_docs(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    best = _first_object(result.get("sections"))
    if best is None:
        return texts.docs_nothing
    text = str(best["text"])
    text = text if len(text) <= DOC_CHARS else f"{text[:DOC_CHARS].rsplit(' ', 1)[0]}…"
    return texts.docs.format(title=best["title"], address=best["address"], text=text)


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _first_object(value: JsonValue) -> JsonObject | None:
    return next(iter(_objects(value)), None)


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown}, …"


_WRITERS: Final[dict[str, Callable[[JsonObject, JsonObject, Language], str]]] = {
    "calculate": _write_sum,
    "points_balance": _write_points,
    "points_ledger": _write_ledger,
    "search_sessions": _write_found,
    "cast_hexagram": _write_cast,
    "summarise_table": _write_table,
    "search_docs": _write_docs,
}
