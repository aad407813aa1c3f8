"""Decide by rules what a model would reply: a tool call, a sentence, or small talk."""

from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import assert_never

import msgspec

from yarrow.kit.json import JsonObject, JsonValue, decode_json
from yarrow.kit.language import Language
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.llm.rules.answers import CallResult, write_answer
from yarrow.llm.rules.intents import (
    ArithmeticIntent,
    CastIntent,
    DocsIntent,
    FarewellIntent,
    GreetingIntent,
    HelpIntent,
    Intent,
    LedgerIntent,
    PointsIntent,
    SearchIntent,
    TableIntent,
    ThanksIntent,
    TimeIntent,
    find_intent,
)
from yarrow.llm.rules.language import detect_language
from yarrow.llm.rules.small_talk import is_small_talk
from yarrow.llm.rules.texts import OTHER_LANGUAGE_NO_MODEL, RULE_TEXTS, RuleTexts


@dataclass(frozen=True, slots=True)
class RuleCall:
    """Call this tool."""

    name: str
    arguments: JsonObject


@dataclass(frozen=True, slots=True)
class CallTools:
    """Call tools and wait for their results."""

    calls: tuple[RuleCall, ...]


@dataclass(frozen=True, slots=True)
class SaySentence:
    """Answer with this text."""

    text: str


@dataclass(frozen=True, slots=True)
class MakeSmallTalk:
    """Ask the small model; without one, answer with `otherwise`."""

    otherwise: str


Decision = CallTools | SaySentence | MakeSmallTalk


def decide(request: ChatRequest) -> Decision:
    """The next step. Rules apply only to requests that offer tools: others play a role."""
    results = _read_results(request.messages)
    question = next((m for m in reversed(request.messages) if m.role is ChatRole.USER), None)
    text = question.text if question else ""
    intent = find_intent(text)
    language = detect_language(text)
    texts = RULE_TEXTS[language or Language.ENGLISH]
    if results:
        return SaySentence(write_answer(results, intent, language or Language.ENGLISH))
    if not request.tools:
        return _decide_without_rules(language, texts)
    if question is not None and question.images:
        return SaySentence(texts.no_pictures)
    if intent is not None:
        decision = _answer_intent(intent, texts)
        offered = {tool.name for tool in request.tools}
        if not isinstance(decision, CallTools) or {c.name for c in decision.calls} <= offered:
            return decision
    if language is Language.ENGLISH and not is_small_talk(text):
        return SaySentence(texts.no_model)
    return _decide_without_rules(language, texts)


def _decide_without_rules(language: Language | None, texts: RuleTexts) -> Decision:
    match language:
        case Language.ENGLISH:
            return MakeSmallTalk(otherwise=texts.no_model)
        case Language.HANS | Language.HANT:
            return SaySentence(texts.no_model)
        case None:
            return SaySentence(OTHER_LANGUAGE_NO_MODEL)
        case _:
            assert_never(language)


def _answer_intent(intent: Intent, texts: RuleTexts) -> Decision:
    match intent:
        case TimeIntent(unknown=place) if place:
            return SaySentence(texts.unknown_place.format(place=place))
        case TimeIntent(places):
            zones = [place.zone for place in places[:2]]
            calls = [RuleCall("current_time", {"timezone": zone}) for zone in zones]
            return CallTools(tuple(calls) or (RuleCall("current_time", {}),))
        case ArithmeticIntent(expression):
            return _call("calculate", {"expression": expression})
        case PointsIntent():
            return _call("points_balance", {})
        case LedgerIntent():
            return _call("points_ledger", {})
        case SearchIntent(query):
            if not query:
                return SaySentence(texts.what_to_search)
            return _call("search_sessions", {"query": query})
        case CastIntent(question):
            return _call("cast_hexagram", {"question": question})
        case TableIntent(table, figure):
            named = {"table": table} | (asdict(figure) if figure else {})
            return _call("summarise_table", {key: value for key, value in named.items() if value})
        case DocsIntent(query):
            return _call("search_docs", {"query": query})
        case HelpIntent():
            return _call("show_card", _help_card(texts))
        case GreetingIntent():
            return SaySentence(texts.greeting)
        case ThanksIntent():
            return SaySentence(texts.thanks)
        case FarewellIntent():
            return SaySentence(texts.farewell)
        case _:
            assert_never(intent)


def _call(name: str, arguments: JsonObject) -> CallTools:
    return CallTools((RuleCall(name, arguments),))


def _help_card(texts: RuleTexts) -> JsonObject:
    actions: list[JsonValue] = [
        {"type": "message", "label": example, "text": example} for example in texts.help_examples
    ]
    return {"title": texts.help_title, "items": list(texts.help_items), "actions": actions}


def _read_results(messages: tuple[ChatMessage, ...]) -> list[CallResult]:
    """The tool results at the end of the prompt, in order."""
    results = list(takewhile(lambda message: message.role is ChatRole.TOOL, reversed(messages)))
    calls = {call.id: call for message in messages for call in message.tool_calls}
    return [
        CallResult(
            calls[result.tool_call_id].name,
            _read_arguments(calls[result.tool_call_id].arguments),
            result.text,
        )
        for result in reversed(results)
        if result.tool_call_id in calls
    ]


def _read_arguments(text: str) -> JsonObject:
    try:
        arguments: JsonValue = decode_json(text.encode())
    except (msgspec.DecodeError, ValueError):
        return {}
    return arguments if isinstance(arguments, dict) else {}
