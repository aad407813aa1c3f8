"""The actions of the analyst, parsed from a JSON object of the model."""

from collections.abc import Callable
from dataclasses import dataclass, field

from yarrow.agents.analyst.chart.clarify import parse_options, parse_questions, parse_text
from yarrow.agents.conversation.json_text import decode_lenient
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.analyst import QuestionOption, UserQuestion

TARGETS = ("data_loading", "report_gen")
MAX_DELEGATE_OPTIONS = 2


@dataclass(frozen=True, slots=True)
class Visualize:
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


@dataclass(frozen=True, slots=True)
class Clarify:
    """Ask the user; the run pauses."""

    thought: str
    questions: tuple[UserQuestion, ...]


@dataclass(frozen=True, slots=True)
class Explain:
    """Answer in words and offer follow-up questions; the run pauses."""

    thought: str
    text: str
    follow_ups: tuple[QuestionOption, ...]


@dataclass(frozen=True, slots=True)
class Delegate:
    """Hand over to the loader or the report writer; the run pauses."""

    thought: str
    target: str
    options: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Summarise:
    """Done: say what was found."""

    thought: str
    summary: str


Action = Visualize | Clarify | Explain | Delegate | Summarise


@dataclass(frozen=True, slots=True)
class UnusableReply:
    """A reply without an action, or with one that lacks fields; `reason` is for the model."""

    reason: str
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class UnknownAction:
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
    name = name or action_name(raw)
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


def action_name(raw: JsonObject) -> str:
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
