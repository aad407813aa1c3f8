"""What the analyst's agents make: charts, pauses, summaries, suggested questions, report parts."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.product_events.product import AgentProduct, StepProduct


class ModelNote(AgentProduct, frozen=True, tag="model_note"):
    """Text of the model on the way to its next action."""

    text: str


class ChartAction(AgentProduct, frozen=True, tag="chart_action"):
    """A chart is about to be made."""

    iteration: int
    thought: str
    instruction: str
    input_tables: tuple[str, ...]


class CodeLanguage(StrEnum):
    """The language of the code that made a table."""

    PYTHON = "python"
    SQL = "sql"


class ChartDesign(Struct, frozen=True):
    """What is drawn, as the model asked for it."""

    instruction: str
    output_variable: str
    output_fields: tuple[str, ...]
    chart_type: str
    encodings: dict[str, str]
    config: JsonObject
    field_metadata: JsonObject
    display_names: JsonObject
    aggregates: dict[str, str] = {}


class DrawnChart(Struct, frozen=True, omit_defaults=True):
    """A chart: its code, its table with the rows to display, and its Vega-Lite spec."""

    code: str
    code_language: CodeLanguage
    code_signature: str
    table_name: str
    row_count: int
    rows: Sequence[JsonMapping]
    design: ChartDesign
    spec: JsonObject
    notes: tuple[str, ...] = ()
    reduction: JsonObject = {}


class ChartResult(StepProduct, frozen=True, tag="chart_result"):
    """A chart was made."""

    iteration: int
    question: str
    chart: DrawnChart


class QuestionKind(StrEnum):
    """How a question is answered."""

    SINGLE_CHOICE = "single_choice"
    FREE_TEXT = "free_text"


class QuestionOption(Struct, frozen=True, omit_defaults=True):
    """An answer to choose; `code` lets a client translate the label."""

    label: str
    code: str = ""


class UserQuestion(Struct, frozen=True, omit_defaults=True):
    """A question to the user; `code` and `params` let a client translate its text."""

    text: str
    kind: QuestionKind
    options: tuple[QuestionOption, ...] = ()
    required: bool = True
    code: str = ""
    params: JsonObject | None = None


class Clarification(AgentProduct, frozen=True, tag="clarification"):
    """The agent has to ask the user first; the run pauses."""

    iteration: int
    thought: str
    questions: tuple[UserQuestion, ...]
    completed_steps: int


class RoundsExhausted(AgentProduct, frozen=True, tag="rounds_exhausted"):
    """The model used all its rounds without a decision; the user is asked what to do."""

    iteration: int
    rounds: int
    question: str
    options: tuple[str, str, str]
    """To continue, to simplify the task, to summarise."""
    completed_steps: int


class Explanation(AgentProduct, frozen=True, tag="explanation"):
    """An answer in words, with follow-up questions to choose; the run pauses."""

    iteration: int
    thought: str
    text: str
    follow_ups: tuple[QuestionOption, ...]
    completed_steps: int


class Delegation(AgentProduct, frozen=True, tag="delegation"):
    """Another agent should take over; the run pauses."""

    iteration: int
    thought: str
    target: str
    options: tuple[str, ...]
    message: str
    completed_steps: int


class AnalysisSummary(AgentProduct, frozen=True, tag="analysis_summary"):
    """The analysis is done, or stopped at its limit of iterations."""

    iteration: int
    text: str
    total_steps: int
    thought: str = ""
    limit_reached: bool = False


class SuggestedQuestion(AgentProduct, frozen=True, tag="suggested_question"):
    """A question worth asking of the tables."""

    text: str
    goal: str
    tag: str


class SuggestionsFinished(AgentProduct, frozen=True, tag="suggestions_finished"):
    """All suggested questions were sent."""

    count: int


class EmbeddedChart(AgentProduct, frozen=True, tag="embedded_chart"):
    """A report shows a chart here."""

    chart_id: str
    caption: str


class EmbeddedTable(AgentProduct, frozen=True, tag="embedded_table"):
    """A report shows rows of a table here."""

    table_id: str
    caption: str
    columns: tuple[str, ...]
    rows: Sequence[JsonMapping]
    row_count: int = 0
    """Of the whole table."""


class LoadActions(AgentProduct, frozen=True, tag="load_actions"):
    """What the user can load now: previews and load plans, as the loader's tools return them."""

    actions: tuple[JsonObject, ...]


class DocumentFinished(AgentProduct, frozen=True, tag="document_finished"):
    """The whole text of a report, or of what the loader wrote."""

    text: str


PausingProduct: TypeAlias = Clarification | RoundsExhausted | Explanation | Delegation
"""The run ends, and the user's answer continues it."""

EndingProduct: TypeAlias = PausingProduct | AnalysisSummary | SuggestionsFinished | DocumentFinished
"""The last product of a run."""

AnalystProduct: TypeAlias = (
    EndingProduct
    | ModelNote
    | ChartAction
    | ChartResult
    | SuggestedQuestion
    | EmbeddedChart
    | EmbeddedTable
    | LoadActions
)
