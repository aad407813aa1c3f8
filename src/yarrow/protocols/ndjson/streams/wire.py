"""The bodies of the data agent's streams. Unknown fields are let pass: its pages send more."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from yarrow.kit.json import JsonObject

MAX_TABLES = 200
MAX_TEXT = 100_000


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        """Some clients send null for what they leave out."""
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if value is not None}


class ModelGiven(_Body):
    """The model to ask: one the client brings if it has an `api_base`, else the server's."""

    model: str = ""
    api_key: str = ""
    api_base: str = ""


class TableGiven(_Body):
    """A table by its name in the workspace; rows stand in for one that is not stored."""

    name: str = Field(min_length=1, max_length=512)
    rows: list[JsonObject] = Field(default_factory=list)


class AskBody(_Body):
    """What all questions about tables have in common."""

    model: ModelGiven | None = None
    input_tables: list[TableGiven] = Field(default_factory=list, max_length=MAX_TABLES)
    primary_tables: list[str] = Field(default_factory=list, max_length=MAX_TABLES)
    focused_thread: list[Any] = Field(default_factory=list)
    other_threads: list[Any] = Field(default_factory=list)
    agent_exploration_rules: str = Field("", max_length=MAX_TEXT)


class DataAgentBody(AskBody):
    """`POST /api/agent/data-agent-streaming`."""

    user_question: str = Field("", max_length=MAX_TEXT)
    max_iterations: int = Field(5, ge=0, le=100)
    max_repair_attempts: int = Field(1, ge=0, le=5)
    agent_coding_rules: str = Field("", max_length=MAX_TEXT)
    attached_images: list[str] = Field(default_factory=list, max_length=10)
    trajectory: list[Any] | None = None
    completed_step_count: int = Field(0, ge=0)


class QuestionsBody(AskBody):
    """`POST /api/agent/get-recommendation-questions`."""

    start_question: str = Field("", max_length=MAX_TEXT)
    current_chart: str = ""


class ChartBody(_Body):
    """A chart that a report is about."""

    chart_id: str = Field(min_length=1, max_length=256)
    chart_type: str = ""
    encodings: JsonObject = Field(default_factory=dict)
    table_ref: str = ""
    code: str = ""
    chart_data: JsonObject = Field(default_factory=dict)


class ReportBody(AskBody):
    """`POST /api/agent/generate-report-chat`."""

    charts: list[ChartBody] = Field(default_factory=list, max_length=100)
    user_prompt: str = Field("", max_length=MAX_TEXT)


class ChatEntry(_Body):
    """A message of the conversation about loading data."""

    role: str
    content: str = Field("", max_length=MAX_TEXT)
    attachments: list[JsonObject] = Field(default_factory=list)


class LoadingBody(_Body):
    """`POST /api/agent/data-loading-chat`."""

    model: ModelGiven | None = None
    messages: list[ChatEntry] = Field(min_length=1, max_length=500)
    row_limit: int = Field(2_000_000, ge=1)
