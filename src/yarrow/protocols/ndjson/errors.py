"""Statuses and codes of this protocol.

Plain calls answer 200 with an error envelope; access, size and routing errors have a status of
their own. A stream that cannot start answers 200 as well, as the seed demands.
"""

from collections.abc import Mapping

from yarrow.charting.errors import ChartImpossible
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    YarrowError,
)
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.problem import ErrorMap, WireError
from yarrow.journal.events import FailureReason
from yarrow.points.errors import PointsShort
from yarrow.runs.errors import AgentNotFound, RunNotFound
from yarrow.sandbox.errors import (
    PythonUnavailable,
    QueryFailed,
    SandboxMissing,
    SandboxUnconfined,
    TableUnreadable,
)
from yarrow.sessions.errors import SessionNotFound
from yarrow.sources.errors import (
    SourceDenied,
    SourceDriverMissing,
    SourceNotFound,
    SourceQueryFailed,
    SourceQueryRefused,
    SourceTableNotFound,
    SourceTimedOut,
    SourceUnavailable,
)
from yarrow.tables.errors import DiskFull, ProgramFailed, ProgramRefused, ScratchFull

WIRE_ERRORS: ErrorMap = {
    InvalidInput: WireError(200, "INVALID_REQUEST", "The request is not valid"),
    TooLarge: WireError(413, "FILE_TOO_LARGE", "The file is too large"),
    TableUnreadable: WireError(200, "FILE_PARSE_ERROR", "The file is no table we read"),
    QueryFailed: WireError(200, "DB_QUERY_ERROR", "The query failed"),
    ProgramFailed: WireError(200, "CODE_EXECUTION_ERROR", "The program failed"),
    ProgramRefused: WireError(200, "VALIDATION_ERROR", "The program may not be run"),
    ChartImpossible: WireError(200, "VALIDATION_ERROR", "The chart cannot be drawn"),
    Unauthenticated: WireError(401, "AUTH_REQUIRED", "Authentication required"),
    Forbidden: WireError(403, "ACCESS_DENIED", "Not yours"),
    NotFound: WireError(200, "TABLE_NOT_FOUND", "Not found"),
    AgentNotFound: WireError(200, "SERVICE_UNAVAILABLE", "There is no such agent here"),
    SessionNotFound: WireError(200, "NOT_FOUND", "There is no such conversation"),
    RunNotFound: WireError(200, "NOT_FOUND", "There is no such run"),
    Conflict: WireError(200, "INVALID_REQUEST", "Not possible now"),
    IdempotencyConflict: WireError(409, "IDEMPOTENCY_CONFLICT", "The key was used already"),
    ScratchFull: WireError(200, "STORAGE_FULL", "No room for more files"),
    PointsShort: WireError(200, "ACCESS_DENIED", "Not enough points"),
    SourceDenied: WireError(200, "CONNECTOR_AUTH_FAILED", "The source refused the credentials"),
    SourceQueryRefused: WireError(200, "VALIDATION_ERROR", "The query is not allowed"),
    SourceQueryFailed: WireError(200, "DB_QUERY_ERROR", "The query failed"),
    SourceNotFound: WireError(200, "NOT_FOUND", "There is no such source"),
    SourceTableNotFound: WireError(200, "CATALOG_NOT_FOUND", "The source has no such table"),
    SourceUnavailable: WireError(200, "DB_CONNECTION_FAILED", "The source cannot be reached"),
    SourceTimedOut: WireError(200, "DB_QUERY_ERROR", "The query took too long"),
    SourceDriverMissing: WireError(200, "CONNECTOR_ERROR", "The server has no driver for this"),
    Unavailable: WireError(200, "SERVICE_UNAVAILABLE", "Not available now"),
    TooManyRequests: WireError(429, "TOO_MANY_REQUESTS", "Too many requests"),
    DatabaseUnavailable: WireError(200, "DB_CONNECTION_FAILED", "The database is away"),
    DiskFull: WireError(200, "STORAGE_FULL", "No room on the disk"),
}

STRICT: Mapping[type[YarrowError], int] = {
    InvalidInput: 422,
    TooLarge: 413,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    IdempotencyConflict: 409,
    SourceUnavailable: 502,
    SourceTimedOut: 504,
    SourceDriverMissing: 501,
    Unavailable: 503,
    TooManyRequests: 429,
    Unauthenticated: 401,
}
"""Statuses of routes that no client of Data Formulator knows."""

RETRY = frozenset(
    {
        "LLM_RATE_LIMIT",
        "LLM_TIMEOUT",
        "LLM_SERVICE_ERROR",
        "DB_CONNECTION_FAILED",
        "STORAGE_FULL",
        "TOO_MANY_REQUESTS",
    }
)
"""Codes after which a retry may succeed."""

LASTING = (SandboxMissing, SandboxUnconfined, PythonUnavailable)
"""What is unavailable until the operator changes something; all else may succeed later."""

RETRY_REASONS = frozenset(
    {FailureReason.WORKER_LOST, FailureReason.TARGET_CHANGED, FailureReason.COMMIT_CONFLICT}
)
"""Failures after which a retry may succeed, though their code does not say so."""

RUN_ERRORS: dict[FailureReason, tuple[str, str]] = {
    FailureReason.MODEL_MISSING: (
        "SERVICE_UNAVAILABLE",
        "No model is configured. Set YARROW_LLM_BASE_URL, YARROW_LLM_MODEL and YARROW_LLM_API_KEY "
        "and restart the server; see /docs/howto/models.",
    ),
    # One code for refused connections and silence, as clients of Data Formulator expect it.
    FailureReason.MODEL_UNREACHABLE: ("LLM_TIMEOUT", "The model cannot be reached. Try again."),
    FailureReason.MODEL_FAILED: ("LLM_SERVICE_ERROR", "The model's service failed. Try again."),
    FailureReason.MODEL_TIMEOUT: ("LLM_TIMEOUT", "The model did not answer in time. Try again."),
    FailureReason.MODEL_RATE_LIMITED: (
        "LLM_RATE_LIMIT",
        "Too many requests to the model. Try again in a moment.",
    ),
    FailureReason.MODEL_REFUSED: ("LLM_UNKNOWN_ERROR", "The model rejected the request."),
    FailureReason.MODEL_DENIED: ("LLM_AUTH_FAILED", "The model's key was not accepted."),
    FailureReason.MODEL_FORBIDDEN: ("ACCESS_DENIED", "The model's key does not allow this."),
    FailureReason.MODEL_UNKNOWN: ("LLM_MODEL_NOT_FOUND", "The model does not exist."),
    FailureReason.PROMPT_TOO_LONG: (
        "LLM_CONTEXT_TOO_LONG",
        "The data and the conversation are longer than the model reads. Use fewer tables.",
    ),
    FailureReason.ANSWER_FILTERED: (
        "LLM_CONTENT_FILTERED",
        "The model's provider declined to answer this. Ask in another way.",
    ),
    FailureReason.MODEL_BROKEN: ("LLM_UNKNOWN_ERROR", "The model's answer could not be read."),
    FailureReason.ANSWER_UNUSABLE: (
        "AGENT_ERROR",
        "The model's answer held nothing to act on. Try again, or use a stronger model.",
    ),
    FailureReason.ANSWER_EMPTY: ("AGENT_ERROR", "The model answered with nothing. Ask again."),
    FailureReason.REPLAY_BLOCKED: ("AGENT_ERROR", "A tool call cannot be repeated."),
    FailureReason.INPUT_ERASED: ("AGENT_ERROR", "Nothing is left of the message."),
    FailureReason.OTHER_MATTER: ("AGENT_ERROR", "The board was not cast for this question."),
    FailureReason.TARGET_CHANGED: ("AGENT_ERROR", "The session was changed meanwhile. Try again."),
    FailureReason.COMMIT_CONFLICT: ("AGENT_ERROR", "The session was changed meanwhile. Try again."),
    FailureReason.DEADLINE: ("AGENT_ERROR", "The analysis took too long."),
    FailureReason.STATE_NOT_STAGED: ("INTERNAL_ERROR", "Something went wrong on our side."),
    FailureReason.COMMIT_BUSY: ("AGENT_ERROR", "The answer could not be stored in time."),
    FailureReason.WORKER_LOST: ("AGENT_ERROR", "The analysis was interrupted. Try again."),
    FailureReason.INTERNAL: ("INTERNAL_ERROR", "Something went wrong on our side."),
}
"""Code and message of an `error` line by the reason of the failure."""

MESSAGE_CODES: dict[FailureReason, str] = {
    FailureReason.ANSWER_UNUSABLE: "agent.parseActionFailed",
    FailureReason.ANSWER_EMPTY: "agent.llmEmptyResponse",
}
"""Message codes of the failures for which pages have translations."""

CANCELLED = ("AGENT_ERROR", "The analysis was stopped.")
