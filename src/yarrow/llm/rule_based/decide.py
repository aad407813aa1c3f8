"""Decide by rules what a model would reply: a tool call, a sentence, or small talk."""

from collections.abc import Sequence, Set
from itertools import takewhile
from typing import assert_never

from msgspec.structs import asdict, replace

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.language.languages import Language, find_requested_language
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.llm.rule_based.answers import CallResult, read_object, write_answer
from yarrow.llm.rule_based.clock_questions import ClockIntent
from yarrow.llm.rule_based.courtesy_texts import COURTESY_TEXTS
from yarrow.llm.rule_based.date_questions import DateIntent, WeekdayIntent
from yarrow.llm.rule_based.decision import (
    AskSmallModel,
    CallTools,
    Decision,
    RuleCall,
    SaySentence,
)
from yarrow.llm.rule_based.greetings import CourtesyIntent, read_remark
from yarrow.llm.rule_based.intents import (
    ArithmeticIntent,
    CastFollowUpIntent,
    CastIntent,
    DocsIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
)
from yarrow.llm.rule_based.language import detect_language
from yarrow.llm.rule_based.questions import find_intents
from yarrow.llm.rule_based.search_questions import SearchIntent
from yarrow.llm.rule_based.table_questions import TableIntent
from yarrow.llm.rule_based.texts import OTHER_LANGUAGE_NO_MODEL, RULE_TEXTS, RuleTexts
from yarrow.llm.rule_based.time_questions import TimeIntent

MAX_EXPRESSION = 200
"""Longer ones are refused by the tool."""
FACTS = ArithmeticIntent | TimeIntent | ClockIntent | DateIntent | WeekdayIntent
"""Questions with one right answer, which the small model does not know."""
MAX_PLACES = 8
"""One tool call is made for each place of a question."""


def decide_reply(request: ChatRequest) -> Decision:
    """The next step. Rules apply only to requests that offer tools: others play a role."""
    results = _read_results(request.messages)
    questions = [message for message in request.messages if message.role is ChatRole.USER]
    text = questions[-1].text if questions else ""
    language = find_requested_language(text) or detect_language(text)
    texts = RULE_TEXTS[language or Language.ENGLISH]
    intents_found, asks_more = find_intents([message.text for message in questions])
    intents = [_attach_last_cast(intent, request.messages) for intent in intents_found]
    if results:
        answer = _write_answers(results, intents, language or Language.ENGLISH)
        return SaySentence(f"{answer} {texts.rest_needs_model}" if asks_more else answer)
    if not request.tools:
        has_fact = any(isinstance(intent, FACTS) for intent in intents)
        return SaySentence(texts.no_model_for_role) if has_fact else _play_role(language, texts)
    if questions and questions[-1].images:
        return SaySentence(texts.no_pictures)
    rest = texts.rest_needs_model if asks_more else ""
    offered = {tool.name for tool in request.tools}
    decision = _answer_intents(intents, language or Language.ENGLISH, offered, rest=rest)
    if decision is not None:
        return decision
    if language is None:
        return SaySentence(OTHER_LANGUAGE_NO_MODEL)
    remark = read_remark(text)
    return SaySentence(COURTESY_TEXTS[language][remark.kind] if remark else texts.no_model)


def _answer_intents(
    intents: Sequence[Intent], language: Language, offered: Set[str], *, rest: str
) -> Decision | None:
    """One step for all intents: their calls together, or their sentences and `rest`.

    None if there is no intent or a tool is not offered.
    """
    decisions = [_answer_intent(intent, language) for intent in intents]
    calls = [call for one in decisions if isinstance(one, CallTools) for call in one.calls]
    if not calls:
        sentences = [one.text for one in decisions if isinstance(one, SaySentence)]
        return SaySentence(" ".join((*sentences, rest)).strip()) if sentences else None
    return CallTools(tuple(calls)) if {call.name for call in calls} <= offered else None


def _write_answers(
    results: Sequence[CallResult], intents: Sequence[Intent], language: Language
) -> str:
    """A sentence for each intent, from the results of its own calls."""
    answers, at = [], 0
    if len(intents) <= 1:
        return write_answer(results, next(iter(intents), None), language)
    for intent in intents:
        decision = _answer_intent(intent, language)
        if isinstance(decision, CallTools):
            own = results[at : at + len(decision.calls)]
            at += len(own)
            answers.append(write_answer(own, intent, language) if own else "")
        elif isinstance(decision, SaySentence):
            answers.append(decision.text)
    return " ".join(answer for answer in answers if answer)


def _play_role(language: Language | None, texts: RuleTexts) -> Decision:
    match language:
        case Language.ENGLISH:
            return AskSmallModel(otherwise=texts.no_model_for_role)
        case Language.HANS | Language.HANT:
            return SaySentence(texts.no_model_for_role)
        case None:
            return SaySentence(OTHER_LANGUAGE_NO_MODEL)
        case _:
            assert_never(language)


def _answer_intent(intent: Intent, language: Language) -> CallTools | SaySentence:
    texts = RULE_TEXTS[language]
    match intent:
        case TimeIntent():
            return _ask_times(intent, texts)
        case ClockIntent() | DateIntent() | WeekdayIntent():
            return _ask_calendar(intent)
        case ArithmeticIntent(expression):
            is_long = len(expression) > MAX_EXPRESSION
            call = _make_call("calculate", {"expression": expression})
            return SaySentence(texts.no_model) if is_long else call
        case PointsIntent():
            return _make_call("points_balance", {})
        case LedgerIntent():
            return _make_call("points_ledger", {})
        case SearchIntent(query):
            if not query:
                return SaySentence(texts.what_to_search)
            return _make_call("search_sessions", {"query": query})
        case CastIntent(question):
            if not question:
                return SaySentence(texts.what_to_cast)
            return _make_call("cast_hexagram", {"question": question})
        case CastFollowUpIntent(question, later, cast):
            if cast is None:
                return SaySentence(texts.no_model)
            arguments: JsonObject = {"question": question, "follow_up": later}
            return _make_call("cast_hexagram", arguments | cast)
        case TableIntent(table, figure):
            figures = {"table": table} | (asdict(figure) if figure else {})
            return _make_call("summarise_table", _drop_empty(figures))
        case DocsIntent(query):
            return _make_call("search_docs", {"query": query})
        case HelpIntent():
            return _make_call("show_card", _build_help_card(texts))
        case CourtesyIntent(kind):
            return SaySentence(COURTESY_TEXTS[language][kind])
        case _:
            assert_never(intent)


def _ask_times(intent: TimeIntent, texts: RuleTexts) -> CallTools | SaySentence:
    if intent.unknown:
        return SaySentence(texts.unknown_place.format(place=intent.unknown))
    if len(intent.places) > MAX_PLACES:
        return SaySentence(texts.no_model)
    calls = [RuleCall("current_time", {"timezone": place.zone}) for place in intent.places]
    return CallTools(tuple(calls) or (RuleCall("current_time", {}),))


def _ask_calendar(intent: ClockIntent | DateIntent | WeekdayIntent) -> CallTools:
    match intent:
        case ClockIntent(at, source, targets, minutes):
            named: JsonObject = {
                "at": at,
                "at_timezone": source.zone if source else "",
                "minutes": minutes,
            }
            given = _drop_empty(named)
            zones: list[JsonObject] = [{"timezone": place.zone} for place in targets] or [{}]
            return CallTools(tuple(RuleCall("current_time", zone | given) for zone in zones))
        case DateIntent():
            return _make_call("calendar_date", _name_date(intent))
        case WeekdayIntent(weekday, is_past):
            days: list[JsonObject] = [
                {"weekday": weekday, "week": week}
                for week in ("this", "last" if is_past else "next")
            ]
            return CallTools(tuple(RuleCall("calendar_date", day) for day in days))
        case _:
            assert_never(intent)


def _drop_empty(named: JsonObject) -> JsonObject:
    return {name: value for name, value in named.items() if value}


def _name_date(intent: DateIntent) -> JsonObject:
    named: JsonObject = {
        "date": intent.date,
        "year": intent.year,
        "months": intent.months,
        "days": intent.days,
        "weekday": intent.weekday,
        "week": intent.week,
        "until": intent.until,
        "past": intent.is_past,
    }
    return _drop_empty(named)


def _make_call(name: str, arguments: JsonObject) -> CallTools:
    return CallTools((RuleCall(name, arguments),))


def _build_help_card(texts: RuleTexts) -> JsonObject:
    actions: list[JsonValue] = [
        {"type": "message", "label": example, "text": example} for example in texts.help_examples
    ]
    return {"title": texts.help_title, "items": list(texts.help_items), "actions": actions}


def _attach_last_cast(intent: Intent, messages: Sequence[ChatMessage]) -> Intent:
    """A follow-up with the lines and the time of the last hexagram of the conversation."""
    if not isinstance(intent, CastFollowUpIntent):
        return intent
    results = (read_object(each.text) for each in messages if each.role is ChatRole.TOOL)
    casts = [result for result in results if result and "cast_at" in result]
    if not casts:
        return intent
    return replace(intent, cast={name: casts[-1].get(name) for name in ("lines", "cast_at")})


def _read_results(messages: tuple[ChatMessage, ...]) -> list[CallResult]:
    """The tool results at the end of the prompt, in order."""
    results = list(takewhile(lambda message: message.role is ChatRole.TOOL, reversed(messages)))
    calls = {call.id: call for message in messages for call in message.tool_calls}
    return [
        CallResult(
            calls[result.tool_call_id].name,
            read_object(calls[result.tool_call_id].arguments) or {},
            result.text,
        )
        for result in reversed(results)
        if result.tool_call_id in calls
    ]
