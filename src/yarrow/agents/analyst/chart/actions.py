"""What the analyst may do next: one JSON object in the model's answer, read into a value."""

from collections.abc import Callable
from dataclasses import dataclass, field

from yarrow.agents.analyst.chart.clarify import (
    explanation_as_question,
    normalised_questions,
    text_of,
)
from yarrow.agents.conversation.json_text import decode_lenient
from yarrow.kit.json import JsonObject, JsonValue

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
    questions: list[JsonObject]


@dataclass(frozen=True, slots=True)
class Explain:
    """Answer in words and offer ways to go on; the run pauses."""

    thought: str
    questions: list[JsonObject]


@dataclass(frozen=True, slots=True)
class Delegate:
    """Hand over to loading data or writing a report; the run pauses."""

    thought: str
    target: str
    options: list[str]
    message: str


@dataclass(frozen=True, slots=True)
class Summarise:
    """Done: say what was found."""

    thought: str
    summary: str


Action = Visualize | Clarify | Explain | Delegate | Summarise


@dataclass(frozen=True, slots=True)
class Unusable:
    """Words, or an action that says too little: nothing to act on, and why."""

    reason: str
    is_silence: bool = False
    """There were not even words."""


@dataclass(frozen=True, slots=True)
class UnknownAction:
    """An action that does not exist."""

    name: str


NoAction = Unusable | UnknownAction

REQUIRED: dict[str, tuple[str, ...]] = {
    "visualize": ("chart",),
    "clarify": ("questions",),
    "explain": ("explanation",),
    "summary": ("summary",),
    "delegate": ("target", "options"),
}
"""The fields without which an action means nothing. A program or a query is checked beside."""

_NESTED = ("chart", "questions", "options", "field_metadata", "field_display_names", "input_tables")


def read_action(raw: JsonObject, *, name: str = "") -> Action | NoAction:
    """The action an object stands for. `name` is the tool's, when a model called it as one."""
    named = name or action_name(raw)
    if not named:
        return Unusable("The object has no action")
    if named not in REQUIRED:
        return UnknownAction(named)
    given = {**raw, **_unpacked(raw)}
    missing = [key for key in REQUIRED[named] if given.get(key) in (None, "", [], {})]
    if named == "visualize" and not (text_of(given.get("code")) or text_of(given.get("sql"))):
        missing.insert(0, "code")
    if missing:
        return Unusable(f"Missing fields: {', '.join(missing)}")
    action = _READERS[named](given)
    if isinstance(action, Clarify | Explain) and not action.questions:
        return Unusable("No usable question")
    if isinstance(action, Delegate) and not (action.options and action.target in TARGETS):
        return Unusable("Unknown target or no options")
    return action


def action_name(raw: JsonObject) -> str:
    """The action an object names, if it names one; models do not agree on capitals."""
    return text_of(raw.get("action")).lower()


def _unpacked(raw: JsonObject) -> JsonObject:
    """Nested fields that arrived as JSON text, as weak models send them."""
    unpacked: JsonObject = {}
    for key in _NESTED:
        value = raw.get(key)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            whole = decode_lenient('{"it": ' + value + "}")
            if whole is not None:
                unpacked[key] = whole["it"]
    return unpacked


def _visualize(raw: JsonObject) -> Visualize:
    return Visualize(
        thought=text_of(raw.get("thought")),
        instruction=text_of(raw.get("display_instruction")),
        input_tables=tuple(_texts(raw.get("input_tables"))),
        code=text_of(raw.get("code")),
        sql=text_of(raw.get("sql")),
        output_variable=text_of(raw.get("output_variable")) or "result",
        chart=_chart(raw.get("chart")),
        field_metadata=_object(raw.get("field_metadata")),
        display_names=_object(raw.get("field_display_names")),
    )


def _chart(raw: JsonValue) -> JsonObject:
    """The chart; weak models only name its type."""
    return {"chart_type": raw} if isinstance(raw, str) else _object(raw)


def _clarify(raw: JsonObject) -> Clarify:
    return Clarify(text_of(raw.get("thought")), normalised_questions(raw.get("questions")))


def _explain(raw: JsonObject) -> Explain:
    follow_ups = raw.get("followups") or raw.get("follow_ups") or raw.get("options")
    questions = explanation_as_question(text_of(raw.get("explanation")), follow_ups)
    return Explain(text_of(raw.get("thought")), questions)


def _delegate(raw: JsonObject) -> Delegate:
    return Delegate(
        thought=text_of(raw.get("thought")),
        target=text_of(raw.get("target")),
        options=_texts(raw.get("options"))[:MAX_DELEGATE_OPTIONS],
        message=text_of(raw.get("message")),
    )


def _summarise(raw: JsonObject) -> Summarise:
    return Summarise(text_of(raw.get("thought")), text_of(raw.get("summary")))


_READERS: dict[str, Callable[[JsonObject], Action]] = {
    "visualize": _visualize,
    "clarify": _clarify,
    "explain": _explain,
    "summary": _summarise,
    "delegate": _delegate,
}


def _texts(raw: JsonValue) -> list[str]:
    given = raw if isinstance(raw, list) else []
    labels = (item.get("label") if isinstance(item, dict) else item for item in given)
    return [text for label in labels if (text := text_of(label))]


def _object(raw: JsonValue) -> JsonObject:
    return raw if isinstance(raw, dict) else {}
