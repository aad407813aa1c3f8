"""The actions of the analyst and its questions to the user, parsed from JSON of the model."""

from collections.abc import Callable

from msgspec import Struct, field

from yarrow.agents.conversation.json_text import decode_lenient
from yarrow.charting import RowFilter
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.analyst import QuestionKind, QuestionOption, UserQuestion

TARGETS = ("data_loading", "report_gen")
MAX_DELEGATE_OPTIONS = 2
MAX_QUESTIONS = 3
MAX_OPTIONS = 6


class Visualize(Struct, frozen=True):
    """Make a table by a program or a query, and draw it."""

    thought: str
    instruction: str
    input_tables: tuple[str, ...]
    code: str
    sql: str
    output_variable: str
    chart: JsonObject
    field_metadata: JsonObject = field(default_factory=dict)
    display_names: JsonObject = field(default_factory=dict)
    stored_table: str = ""
    """Draw this table as it is stored; `sql` only says the same in words."""
    row_filter: RowFilter | None = None
    """Which rows of the stored table are drawn."""


class Clarify(Struct, frozen=True):
    """Ask the user; the run pauses."""

    thought: str
    questions: tuple[UserQuestion, ...]


class Explain(Struct, frozen=True):
    """Answer in words and offer follow-up questions; the run pauses."""

    thought: str
    text: str
    follow_ups: tuple[QuestionOption, ...]


class Delegate(Struct, frozen=True):
    """Hand over to the loader or the report writer; the run pauses."""

    thought: str
    target: str
    options: tuple[str, ...]
    message: str


class Summarise(Struct, frozen=True):
    """Done: say what was found."""

    thought: str
    summary: str


Action = Visualize | Clarify | Explain | Delegate | Summarise


class UnusableReply(Struct, frozen=True):
    """A reply without an action, or with one that lacks fields; `reason` is for the model."""

    reason: str
    is_empty: bool = False


class UnknownAction(Struct, frozen=True):
    """An action that does not exist."""

    name: str


NoAction = UnusableReply | UnknownAction

REQUIRED: dict[str, tuple[str, ...]] = {
    "visualize": ("chart",),
    "clarify": ("questions",),
    "explain": ("explanation",),
    "summary": ("summary",),
    "delegate": ("target", "options"),
}
"""Required fields of each action. Code or a query is checked separately."""

_NESTED = ("chart", "questions", "options", "field_metadata", "field_display_names", "input_tables")


def parse_action(raw: JsonObject, *, name: str = "") -> Action | NoAction:
    """The action of an object. `name` is the tool's, if the model called the action as one."""
    name = name or read_action_name(raw)
    if not name:
        return UnusableReply("The object has no action")
    if name not in REQUIRED:
        return UnknownAction(name)
    fields = {**raw, **_decode_nested(raw)}
    missing = [key for key in REQUIRED[name] if fields.get(key) in (None, "", [], {})]
    has_code = parse_text(fields.get("code")) or parse_text(fields.get("sql"))
    if name == "visualize" and not has_code:
        missing.insert(0, "code")
    if missing:
        return UnusableReply(f"Missing fields: {', '.join(missing)}")
    action = _PARSERS[name](fields)
    if isinstance(action, Clarify) and not action.questions:
        return UnusableReply("No usable question")
    if isinstance(action, Delegate) and not (action.options and action.target in TARGETS):
        return UnusableReply("Unknown target or no options")
    return action


def read_action_name(raw: JsonObject) -> str:
    """The name of the action, in lower case: models do not agree on capitals."""
    return parse_text(raw.get("action")).lower()


def _decode_nested(raw: JsonObject) -> JsonObject:
    """Nested fields that came as JSON text, as weak models send them."""
    decoded: JsonObject = {}
    for key in _NESTED:
        value = raw.get(key)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            whole = decode_lenient('{"it": ' + value + "}")
            if whole is not None:
                decoded[key] = whole["it"]
    return decoded


def _parse_visualize(fields: JsonObject) -> Visualize:
    return Visualize(
        thought=parse_text(fields.get("thought")),
        instruction=parse_text(fields.get("display_instruction")),
        input_tables=_parse_texts(fields.get("input_tables")),
        code=parse_text(fields.get("code")),
        sql=parse_text(fields.get("sql")),
        output_variable=parse_text(fields.get("output_variable")) or "result",
        chart=_parse_chart(fields.get("chart")),
        field_metadata=_parse_object(fields.get("field_metadata")),
        display_names=_parse_object(fields.get("field_display_names")),
    )


def _parse_chart(raw: JsonValue) -> JsonObject:
    """The chart; weak models give only its type."""
    return {"chart_type": raw} if isinstance(raw, str) else _parse_object(raw)


def _parse_clarify(fields: JsonObject) -> Clarify:
    return Clarify(parse_text(fields.get("thought")), parse_questions(fields.get("questions")))


def _parse_explain(fields: JsonObject) -> Explain:
    options = fields.get("followups") or fields.get("follow_ups") or fields.get("options")
    text = parse_text(fields.get("explanation"))
    return Explain(parse_text(fields.get("thought")), text, parse_options(options))


def _parse_delegate(fields: JsonObject) -> Delegate:
    return Delegate(
        thought=parse_text(fields.get("thought")),
        target=parse_text(fields.get("target")),
        options=_parse_texts(fields.get("options"))[:MAX_DELEGATE_OPTIONS],
        message=parse_text(fields.get("message")),
    )


def _parse_summary(fields: JsonObject) -> Summarise:
    return Summarise(parse_text(fields.get("thought")), parse_text(fields.get("summary")))


_PARSERS: dict[str, Callable[[JsonObject], Action]] = {
    "visualize": _parse_visualize,
    "clarify": _parse_clarify,
    "explain": _parse_explain,
    "summary": _parse_summary,
    "delegate": _parse_delegate,
}


def _parse_texts(raw: JsonValue) -> tuple[str, ...]:
    items = raw if isinstance(raw, list) else []
    labels = (item.get("label") if isinstance(item, dict) else item for item in items)
    return tuple(text for label in labels if (text := parse_text(label)))


def _parse_object(raw: JsonValue) -> JsonObject:
    return raw if isinstance(raw, dict) else {}


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
