"""Parse the questions that a model asks back to the user."""

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.analyst import QuestionKind, QuestionOption, UserQuestion

MAX_QUESTIONS = 3
MAX_OPTIONS = 6


def parse_questions(raw: JsonValue) -> tuple[UserQuestion, ...]:
    """The usable ones among the first three; an unusable one counts as one of the three."""
    items = raw if isinstance(raw, list) else []
    questions = (_parse_question(item) for item in items[:MAX_QUESTIONS])
    return tuple(question for question in questions if question is not None)


def parse_options(raw: JsonValue) -> tuple[QuestionOption, ...]:
    """The usable ones among the first six."""
    items = raw if isinstance(raw, list) else []
    options = (_parse_option(item) for item in items[:MAX_OPTIONS])
    return tuple(option for option in options if option is not None)


def parse_text(raw: JsonValue) -> str:
    """The text of a field without surrounding space; empty if the field is no string."""
    return raw.strip() if isinstance(raw, str) else ""


def _parse_question(raw: JsonValue) -> UserQuestion | None:
    if not isinstance(raw, dict):
        return None
    text, code = parse_text(raw.get("text")), parse_text(raw.get("text_code"))
    if not text and not code:
        return None
    options = parse_options(raw.get("options"))
    params, required = raw.get("text_params"), raw.get("required")
    return UserQuestion(
        text,
        _parse_kind(raw, options),
        options,
        required=required if isinstance(required, bool) else True,
        code=code,
        params=params if isinstance(params, dict) else None,
    )


def _parse_kind(raw: JsonObject, options: tuple[QuestionOption, ...]) -> QuestionKind:
    for name in ("responseType", "response_type"):
        if raw.get(name) in list(QuestionKind):
            return QuestionKind(str(raw[name]))
    return QuestionKind.SINGLE_CHOICE if options else QuestionKind.FREE_TEXT


def _parse_option(raw: JsonValue) -> QuestionOption | None:
    if isinstance(raw, str):
        return QuestionOption(raw.strip()) if raw.strip() else None
    if not isinstance(raw, dict):
        return None
    label, code = parse_text(raw.get("label")), parse_text(raw.get("label_code"))
    return QuestionOption(label, code) if label or code else None
