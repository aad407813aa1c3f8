"""The result of a tool as a sentence."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject, JsonValue, decode_json
from yarrow.language.languages import Language
from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.date_answers import write_clock, write_dates, write_moment
from yarrow.llm.rule_based.intents import ArithmeticIntent, Intent
from yarrow.llm.rule_based.table_questions import TableIntent
from yarrow.llm.rule_based.texts import RULE_TEXTS, RuleTexts, write_count
from yarrow.llm.rule_based.time_questions import TimeIntent

SNIPPET_CHARS = 120
DOC_CHARS = 400
LISTED = 12


class CallResult(Struct, frozen=True):
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
    if first.name not in (*_WRITERS, "current_time", "calendar_date", "calculate"):
        return texts.tool_answered.format(text=first.text)
    objects: list[JsonObject] = []
    for result in results:
        if (parsed := read_object(result.text)) is None:
            error = result.text.rstrip(".")
            if isinstance(intent, TableIntent) and intent.is_guess and _MISSING.search(error):
                return texts.no_such_table.format(error=_translate_missing(error, texts))
            if first.name == "search_docs":  # none of the question's words is one of the docs
                return texts.docs_nothing
            error = _translate_missing(_translate_error(error, texts), texts)
            return texts.tool_failed.format(error=error)
        objects.append(parsed)
    if first.name == "current_time":
        if isinstance(intent, ClockIntent):
            return write_clock(objects, intent, language)
        return _write_times(objects, intent, language)
    if first.name == "calendar_date":
        return write_dates(objects, first.arguments, intent, language)
    if isinstance(intent, TableIntent) and intent.is_guess and objects[0].get("tables") == []:
        return texts.no_model
    if first.name == "calculate":
        unit = intent.unit if isinstance(intent, ArithmeticIntent) else ""
        return _write_sum(objects[0], unit, language)
    return _WRITERS[first.name](objects[0], first.arguments, language)


_MISSING: Final = re.compile(
    r"(?P<table>.+) has no column (?P<column>.+); known: (?P<columns>.+)"
    r"|there is no table (?P<name>.+); known: (?P<tables>.+)"
)


def _translate_error(error: str, texts: RuleTexts) -> str:
    """An error of a tool by the beginning that is translated; others as they are."""
    return next((own for begin, own in texts.errors.items() if error.startswith(begin)), error)


def _translate_missing(error: str, texts: RuleTexts) -> str:
    match = _MISSING.fullmatch(error)
    if match is None:
        return error
    return (texts.missing_table if match["name"] else texts.missing_column).format(
        **match.groupdict()
    )


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
        return write_moment(texts.time, moments[0], texts, zone=str(results[0]["timezone"]))
    names = [place.name for place in places]
    sentences = [
        write_moment(texts.time_there, moment, texts, place=name)
        for name, moment in zip(names, moments, strict=True)
    ]
    if len(moments) == 2:
        sentences.append(_write_difference(names, moments, language))
    return ("" if language is not Language.ENGLISH else " ").join(sentences)


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


def _write_sum(result: JsonObject, unit: str, language: Language) -> str:
    texts = RULE_TEXTS[language]
    space = "" if unit == "%" else " "
    value = f"{result['value']}{space}{unit}" if unit else result["value"]
    sentence = texts.equals if result.get("exact") else texts.about
    shown = str(result["expression"]).replace("**", "^").replace("*", "×").replace("/", "÷")
    return sentence.format(expression=" ".join(shown.split()), value=value)


def _write_points(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    return RULE_TEXTS[language].points.format(**result)


def _write_ledger(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    newest = _find_first_object(result.get("movements"))
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
    newest = _find_first_object(result.get("sessions"))
    if newest is None:
        return texts.found_nothing.format(query=arguments.get("query", ""))
    count = result["found"]
    at_least = texts.at_least if result.get("found_at_least") else ""
    snippet = str(newest["snippet"])
    return texts.found.format(
        count=at_least + write_count(count if isinstance(count, int) else 1, "session", language),
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
        names = [str(table["table"]) for table in _list_objects(result["tables"])]
        if not names:
            return texts.no_tables
        count = write_count(len(names), "table", language)
        return texts.tables.format(count=count, names=_list_names(names))
    if "measure" not in result:
        names = [str(column["name"]) for column in _list_objects(result["columns"])]
        return texts.table.format(
            table=result["table"], rows=result["rows"], columns=len(names), names=_list_names(names)
        )
    is_count = result["measure"] == "count"
    if result.get("by"):
        sentence = texts.row_counts if is_count else texts.figures
    else:
        sentence = texts.row_count if is_count else texts.figure
    rows = _list_objects(result.get("groups"))
    values = [f"{_write_cell(row['group'])} {_write_cell(row['value'])}" for row in rows]
    return sentence.format(
        measure=texts.measures.get(str(result["measure"])),
        column=result.get("column"),
        table=result["table"],
        value=_write_cell(result.get("value")),
        by=result.get("by"),
        values=_list_names(values),
    )


def _write_cell(value: JsonValue) -> JsonValue:
    """A dash for a group without a name and for the figure of a group without numbers."""
    return "–" if value is None else value


def _write_docs(result: JsonObject, _arguments: JsonObject, language: Language) -> str:
    texts = RULE_TEXTS[language]
    best = _find_first_object(result.get("sections"))
    if best is None or result.get("unknown"):
        return texts.docs_nothing
    text = str(best["text"])
    text = text if len(text) <= DOC_CHARS else f"{text[:DOC_CHARS].rsplit(' ', 1)[0]}…"
    answer = texts.docs.format(title=best["title"], address=best["address"], text=text)
    missing = result.get("missing")
    if not isinstance(missing, list) or not missing:
        return answer
    return (
        f"{texts.docs_nearest.format(words=_list_names([str(word) for word in missing]))}{answer}"
    )


def _list_objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _find_first_object(value: JsonValue) -> JsonObject | None:
    return next(iter(_list_objects(value)), None)


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown}, …"


_WRITERS: Final[dict[str, Callable[[JsonObject, JsonObject, Language], str]]] = {
    "points_balance": _write_points,
    "points_ledger": _write_ledger,
    "search_sessions": _write_found,
    "cast_hexagram": _write_cast,
    "summarise_table": _write_table,
    "search_docs": _write_docs,
}
