"""The bodies of the agent streams, and the `trajectory` of a paused analysis.

Unknown fields of a body are ignored: pages send more. A trajectory is one signed entry that says
where to resume. The conversation itself is stored in the session: a client sends the entry back
and cannot change what the model has seen.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.signing import HmacSigner

MAX_TABLES = 200
MAX_TEXT = 100_000
ROLE = "checkpoint"
CHANGED = "trajectory was changed, or belongs to somebody else; send it back as it came"


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
    rows: list[JsonObject] = Field(default_factory=list)


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
    attachments: list[JsonObject] = Field(default_factory=list)


class LoadingBody(StreamBody):
    """`POST /api/agent/data-loading-chat`."""

    model: ModelChoice | None = None
    messages: list[ChatEntry] = Field(min_length=1, max_length=500)
    row_limit: int = Field(2_000_000, ge=1)


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where a paused analysis resumes: the session, and the run that paused in it."""

    session_id: SessionId
    run_key: str


class TrajectorySigner:
    """Makes and verifies trajectories; the key is derived for this purpose alone."""

    def __init__(self, secret: bytes) -> None:
        self._signer = HmacSigner(secret, purpose="where an analysis goes on")

    def make_trajectory(self, account_id: AccountId, point: ResumePoint) -> list[JsonObject]:
        entry = {"role": ROLE, "session_id": str(point.session_id), "run_id": point.run_key}
        return [{**entry, "signature": self._signer.sign(_join_signed_fields(account_id, point))}]

    def find_resume_point(
        self, account_id: AccountId, trajectory: list[JsonValue]
    ) -> ResumePoint | None:
        """The signed point; None if the trajectory is another server's."""
        if not any(map(_is_checkpoint, trajectory)):
            return None
        entry, *more = trajectory
        if more or not isinstance(entry, dict) or entry.get("role") != ROLE:
            raise InvalidInput(CHANGED, field="trajectory")
        try:
            session_id = SessionId(UUID(str(entry.get("session_id"))))
        except ValueError:
            raise InvalidInput(CHANGED, field="trajectory") from None
        point = ResumePoint(session_id, str(entry.get("run_id")))
        if not self._signer.verify(
            _join_signed_fields(account_id, point), str(entry.get("signature"))
        ):
            raise InvalidInput(CHANGED, field="trajectory")
        return point


def _is_checkpoint(item: JsonValue) -> bool:
    return isinstance(item, dict) and (item.get("role") == ROLE or "signature" in item)


def _join_signed_fields(account_id: AccountId, point: ResumePoint) -> str:
    return f"{account_id}\n{point.session_id}\n{point.run_key}"
