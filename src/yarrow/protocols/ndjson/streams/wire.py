"""The bodies of the agent streams. Unknown fields are ignored: pages send more."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from yarrow.http.body import SentObject
from yarrow.kit.json import JsonObject

MAX_TABLES = 200
MAX_TEXT = 100_000


class StreamBody(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, body: object) -> object:
        """Some clients send null for a missing field."""
        if not isinstance(body, dict):
            return body
        return {key: value for key, value in body.items() if value is not None}


class ModelChoice(StreamBody):
    """The client's own model if it has an `api_base`, else the server's."""

    model: str = ""
    api_key: str = ""
    api_base: str = ""


class InlineTable(StreamBody):
    """A table by its name; rows are used where no such table is stored."""

    name: str = Field(min_length=1, max_length=512)
    rows: list[SentObject] = Field(default_factory=list)


class TablesBody(StreamBody):
    """Common fields of the streams about tables."""

    model: ModelChoice | None = None
    input_tables: list[InlineTable] = Field(default_factory=list, max_length=MAX_TABLES)
    primary_tables: list[str] = Field(default_factory=list, max_length=MAX_TABLES)
    focused_thread: list[Any] = Field(default_factory=list)
    other_threads: list[Any] = Field(default_factory=list)
    agent_exploration_rules: str = Field("", max_length=MAX_TEXT)


class DataAgentBody(TablesBody):
    """`POST /api/agent/data-agent-streaming`."""

    user_question: str = Field("", max_length=MAX_TEXT)
    max_iterations: int = Field(5, ge=0, le=100)
    max_repair_attempts: int = Field(1, ge=0, le=5)
    agent_coding_rules: str = Field("", max_length=MAX_TEXT)
    attached_images: list[str] = Field(default_factory=list, max_length=10)
    trajectory: list[Any] | None = None
    completed_step_count: int = Field(0, ge=0)


class QuestionsBody(TablesBody):
    """`POST /api/agent/get-recommendation-questions`."""

    start_question: str = Field("", max_length=MAX_TEXT)
    current_chart: str = ""


class ReportedChart(StreamBody):
    """A chart that a report may describe."""

    chart_id: str = Field(min_length=1, max_length=256)
    chart_type: str = ""
    encodings: JsonObject = Field(default_factory=dict)
    table_ref: str = ""
    code: str = ""
    chart_data: JsonObject = Field(default_factory=dict)


class ReportBody(TablesBody):
    """`POST /api/agent/generate-report-chat`."""

    charts: list[ReportedChart] = Field(default_factory=list, max_length=100)
    user_prompt: str = Field("", max_length=MAX_TEXT)


class ChatEntry(StreamBody):
    """A message of the conversation about loading data."""

    role: str
    content: str = Field("", max_length=MAX_TEXT)
    attachments: list[SentObject] = Field(default_factory=list)


class LoadingBody(StreamBody):
    """`POST /api/agent/data-loading-chat`."""

    model: ModelChoice | None = None
    messages: list[ChatEntry] = Field(min_length=1, max_length=500)
    row_limit: int = Field(2_000_000, ge=1)
