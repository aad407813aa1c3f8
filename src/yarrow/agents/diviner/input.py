"""The request of a divination: the mode, the cast, and the preferences of the account."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from yarrow.accounts.preferences import read_preferences
from yarrow.agents.diviner.errors import RuntimeModeInvalid
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.language.languages import Language, find_nearest_language, find_requested_language
from yarrow.liuyao import (
    UNKNOWN_ASKER,
    Asker,
    AskerSource,
    Cast,
    DayBoundary,
    KnownAsker,
    identify_asker,
    is_thanks,
    parse_cast,
)
from yarrow.product_events.divination import READING_EXPLAINED
from yarrow.runs.model import ClaimedRun, RunInput
from yarrow.sessions.model import Message

MODE = "runtime_mode"
PAYLOAD = "divinationPayload"

_ASKER_KEYS = ("gender", "sex")
"""Keys of `forwardedProps` that name the sex of the asker."""

_TEXTS = ("divinationMethod", "questionType", "question", "divinationTimeIso")
_FIELDS = frozenset({*_TEXTS, "yaoLines"})


class RuntimeMode(StrEnum):
    """The first run of a session, or one that comes back to it."""

    CHAT = "chat"
    FOLLOW_UP = "follow_up"


class DivinationInput(Struct, frozen=True):
    """A checked request of a divination."""

    mode: RuntimeMode
    cast: Cast


def parse_input(
    options: JsonObject, *, day_boundary: str = DayBoundary.LATE_ZI.value
) -> DivinationInput:
    """The mode and the cast; raises what the client did wrong."""
    if options.get(MODE) not in list(RuntimeMode):
        raise RuntimeModeInvalid
    mode = RuntimeMode(str(options[MODE]))
    return DivinationInput(mode, parse_payload(options.get(PAYLOAD), day_boundary=day_boundary))


def parse_payload(payload: JsonValue, *, day_boundary: str) -> Cast:
    """A `divinationPayload`: every field, no other field, and a known value in each."""
    if not isinstance(payload, dict):
        raise InvalidInput("forwardedProps.divinationPayload must be an object", field=PAYLOAD)
    if unknown := sorted(set(payload) - _FIELDS):
        raise InvalidInput(f"divinationPayload.{unknown[0]}: unknown field", field=unknown[0])
    if missing := sorted(_FIELDS - set(payload)):
        raise InvalidInput(f"divinationPayload.{missing[0]}: field required", field=missing[0])
    for name in _TEXTS:
        if not isinstance(payload[name], str):
            raise InvalidInput(f"divinationPayload.{name} must be a string", field=name)
    lines = payload["yaoLines"]
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise InvalidInput("divinationPayload.yaoLines must be 6 strings", field="yaoLines")
    return parse_cast(
        yao_lines=lines,
        time_iso=payload["divinationTimeIso"],
        question=payload["question"],
        question_type=payload["questionType"],
        method=payload["divinationMethod"],
        day_boundary=day_boundary,
    )


def choose_language(preferences: JsonObject, *texts: str) -> Language:
    """The language that the first of `texts` to ask for one asks for, else the profile's."""
    chosen = read_preferences(preferences)
    profile = find_nearest_language(chosen.ai_language, script=chosen.script)
    found = (find_requested_language(text) for text in texts)
    requested = next((language for language in found if language is not None), None)
    if requested is Language.HANS and profile is Language.HANT:
        return profile
    return requested or profile


def choose_asker(
    run: ClaimedRun, question: str, *, known: KnownAsker = UNKNOWN_ASKER
) -> KnownAsker:
    """Who asks: by the question, else as the first reading of the session took it (`known`), else
    by the context of the request, else by the profile."""
    told = identify_asker(question)
    if told == UNKNOWN_ASKER and known != UNKNOWN_ASKER:
        return known
    context = [(item.description, item.value) for item in run.input.context]
    for name in _ASKER_KEYS:
        value = run.input.options.get(name)
        if isinstance(value, str):
            context.append((name, value))
    profile = read_preferences(run.preferences).gender
    return identify_asker(question, context=context, profile=profile)


def is_free_follow_up(run_input: RunInput) -> bool:
    """Whether a follow-up only thanks; such a run asks no model and costs nothing."""
    is_follow_up = run_input.options.get(MODE) == RuntimeMode.FOLLOW_UP.value
    return is_follow_up and is_thanks(run_input.text)


def choose_day_boundary(preferences: JsonObject) -> str:
    """When the day of the account begins."""
    return str(preferences.get("day_boundary") or DayBoundary.LATE_ZI.value)


class FirstCast(Struct, frozen=True):
    """The cast of a session's first reading, and who asked as that reading took it."""

    cast: Cast
    asker: KnownAsker = UNKNOWN_ASKER


def find_first_cast(history: Sequence[Message]) -> FirstCast | None:
    """The first cast of a session, with the day boundary it was read with.

    Later runs and the picture of the board come back to that one.
    """
    payload: JsonValue = None
    for message in history:
        payload = message.details.options.get(PAYLOAD, payload)
        explanation = message.details.products.get(READING_EXPLAINED)
        if payload is not None and isinstance(explanation, dict):
            cast = parse_payload(payload, day_boundary=str(explanation["dayBoundary"]))
            return FirstCast(cast, _read_asker(explanation))
    return None


def _read_asker(explanation: JsonObject) -> KnownAsker:
    return KnownAsker(
        Asker(str(explanation.get("asker") or "")),
        AskerSource(str(explanation.get("askerFrom") or "")),
    )
