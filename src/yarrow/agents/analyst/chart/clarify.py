"""Questions back to the user, in the one form that clients know."""

from yarrow.kit.json import JsonObject, JsonValue

MAX_QUESTIONS = 3
MAX_OPTIONS = 6
SINGLE_CHOICE = "single_choice"
FREE_TEXT = "free_text"


def normalised_questions(raw: JsonValue) -> list[JsonObject]:
    """The usable ones among the first three; an unusable one still takes its place."""
    given = raw if isinstance(raw, list) else []
    questions = (_question(item) for item in given[:MAX_QUESTIONS])
    return [question for question in questions if question is not None]


def _question(raw: JsonValue) -> JsonObject | None:
    if not isinstance(raw, dict):
        return None
    text, code = text_of(raw.get("text")), text_of(raw.get("text_code"))
    if not text and not code:
        return None
    options = _options(raw.get("options"))
    question: JsonObject = {"text": text, "responseType": _response_type(raw, options)}
    if code:
        question["text_code"] = code
    if isinstance(raw.get("text_params"), dict):
        question["text_params"] = raw["text_params"]
    if options:
        question["options"] = options
    required = raw.get("required")
    question["required"] = required if isinstance(required, bool) else True
    return question


def _response_type(raw: JsonObject, options: list[JsonObject]) -> str:
    for name in ("responseType", "response_type"):
        if raw.get(name) in (SINGLE_CHOICE, FREE_TEXT):
            return str(raw[name])
    return SINGLE_CHOICE if options else FREE_TEXT


def _options(raw: JsonValue) -> list[JsonObject]:
    given = raw if isinstance(raw, list) else []
    options = (_option(item) for item in given[:MAX_OPTIONS])
    return [option for option in options if option is not None]


def _option(raw: JsonValue) -> JsonObject | None:
    if isinstance(raw, str):
        return {"label": raw.strip()} if raw.strip() else None
    if not isinstance(raw, dict):
        return None
    label, code = text_of(raw.get("label")), text_of(raw.get("label_code"))
    if not label and not code:
        return None
    return {"label": label, **({"label_code": code} if code else {})}


def text_of(raw: JsonValue) -> str:
    """The words of a field; nothing if it holds no words."""
    return raw.strip() if isinstance(raw, str) else ""


def explanation_as_question(explanation: str, follow_ups: JsonValue) -> list[JsonObject]:
    """An explanation in the same form: the answer is the text, follow-ups are the options."""
    options = _options(follow_ups)
    question: JsonObject = {
        "text": explanation,
        "responseType": SINGLE_CHOICE if options else FREE_TEXT,
    }
    if options:
        question["options"] = options
    question["required"] = False
    return [question]
