"""Statuses and codes of this protocol: problems for routes, `RUN_ERROR` for runs."""

from yarrow.accounts.errors import KeysUnavailable
from yarrow.agents.diviner.errors import RuntimeModeInvalid
from yarrow.attachments.errors import (
    AttachmentEmpty,
    AttachmentNotFound,
    AttachmentNotImage,
    AttachmentTooLarge,
    BucketInvalid,
    PathOutOfScope,
    SignedUrlImpossible,
    SignedUrlInvalid,
)
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    StorageUnavailable,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.problem import ErrorMap, WireError
from yarrow.journal.events import FailureReason
from yarrow.points.errors import PointsShort
from yarrow.runs.errors import (
    AgentMismatch,
    AgentNotFound,
    RunConflict,
    RunNotFound,
    SessionBusy,
    TurnCapReached,
)
from yarrow.sessions.errors import SessionArchived, SessionNotFound
from yarrow.speech.errors import AudioEmpty, AudioTooLarge, AudioUnsupported, RecogniserError

WIRE_ERRORS: ErrorMap = {
    InvalidInput: WireError(422, "AGENT_INPUT_INVALID", "Invalid input"),
    TooLarge: WireError(413, "AGENT_PAYLOAD_TOO_LARGE", "Payload too large"),
    AudioTooLarge: WireError(413, "AGENT_AUDIO_TOO_LARGE", "Audio too large"),
    AudioEmpty: WireError(422, "AGENT_AUDIO_EMPTY", "Audio is empty"),
    AudioUnsupported: WireError(422, "AGENT_AUDIO_UNSUPPORTED_FORMAT", "Unsupported audio"),
    RecogniserError: WireError(503, "AGENT_ASR_UNAVAILABLE", "Speech recognition is unavailable"),
    RuntimeModeInvalid: WireError(422, "AGENT_RUNTIME_MODE_INVALID", "Invalid runtime mode"),
    AgentMismatch: WireError(422, "AGENT_RUNTIME_MODE_INVALID", "Invalid runtime mode"),
    Unauthenticated: WireError(401, "AUTH_REQUIRED", "Authentication required"),
    Forbidden: WireError(403, "AGENT_FORBIDDEN", "Forbidden"),
    NotFound: WireError(404, "AGENT_NOT_FOUND", "Not found"),
    AgentNotFound: WireError(404, "AGENT_NOT_FOUND", "No such agent"),
    SessionNotFound: WireError(404, "AGENT_SESSION_NOT_FOUND", "Session not found"),
    RunNotFound: WireError(404, "AGENT_RUN_NOT_FOUND", "Run not found"),
    AttachmentEmpty: WireError(422, "AGENT_ATTACHMENT_EMPTY", "Empty attachment"),
    AttachmentTooLarge: WireError(413, "AGENT_ATTACHMENT_TOO_LARGE", "Attachment too large"),
    AttachmentNotImage: WireError(415, "AGENT_ATTACHMENT_UNSUPPORTED_TYPE", "Not a picture"),
    AttachmentNotFound: WireError(404, "AGENT_ATTACHMENT_NOT_FOUND", "Attachment not found"),
    BucketInvalid: WireError(422, "AGENT_ATTACHMENT_BUCKET_INVALID", "No such bucket"),
    PathOutOfScope: WireError(403, "AGENT_ATTACHMENT_PATH_SCOPE_INVALID", "Path out of scope"),
    SignedUrlImpossible: WireError(404, "AGENT_SIGNED_URL_GENERATION_FAILED", "No signed URL"),
    SignedUrlInvalid: WireError(403, "AGENT_SIGNED_URL_INVALID", "Signed URL not valid"),
    Unavailable: WireError(503, "AGENT_UNAVAILABLE", "Not available now"),
    TooManyRequests: WireError(429, "AGENT_TOO_MANY_REQUESTS", "Too many requests"),
    StorageUnavailable: WireError(
        503, "AGENT_ATTACHMENT_STORAGE_UNAVAILABLE", "The storage is away"
    ),
    Conflict: WireError(409, "AGENT_CONFLICT", "Conflict"),
    IdempotencyConflict: WireError(409, "IDEMPOTENCY_CONFLICT", "Idempotency key already used"),
    RunConflict: WireError(409, "AGENT_RUN_CONFLICT", "Run id already used"),
    SessionArchived: WireError(409, "AGENT_SESSION_ARCHIVED", "Session is archived"),
    SessionBusy: WireError(409, "AGENT_SESSION_BUSY", "Session is busy"),
    TurnCapReached: WireError(409, "AGENT_SESSION_RUN_LIMIT", "No more runs in this session"),
    PointsShort: WireError(402, "AGENT_POINTS_INSUFFICIENT", "Not enough points"),
    DatabaseUnavailable: WireError(503, "DATABASE_UNAVAILABLE", "The database is away"),
    KeysUnavailable: WireError(503, "AUTH_ISSUER_UNAVAILABLE", "The token issuer is away"),
}

_UNAVAILABLE = ("AGENT_MODEL_UNAVAILABLE", "The model cannot be reached. Try again later.")
_REJECTED = ("AGENT_MODEL_REJECTED", "The model rejected the request. Tell the operator.")
_UNUSABLE = ("AGENT_MODEL_OUTPUT_INVALID", "The model's answer was unusable.")
_CONFLICT = ("AGENT_CONFLICT", "The session was changed meanwhile. Try again.")

RUN_ERRORS: dict[FailureReason, tuple[str, str]] = {
    FailureReason.MODEL_MISSING: (
        "AGENT_MODEL_UNAVAILABLE",
        "No model is configured. Set YARROW_LLM_BASE_URL, YARROW_LLM_MODEL and YARROW_LLM_API_KEY "
        "and restart the server; see /docs/howto/models.",
    ),
    FailureReason.MODEL_UNREACHABLE: _UNAVAILABLE,
    FailureReason.MODEL_FAILED: _UNAVAILABLE,
    FailureReason.MODEL_TIMEOUT: ("AGENT_MODEL_TIMEOUT", "The model did not answer in time."),
    FailureReason.MODEL_RATE_LIMITED: (
        "AGENT_MODEL_RATE_LIMITED",
        "The model is overloaded. Try again in a moment.",
    ),
    FailureReason.MODEL_REFUSED: _REJECTED,
    FailureReason.MODEL_DENIED: _REJECTED,
    FailureReason.MODEL_FORBIDDEN: _REJECTED,
    FailureReason.MODEL_UNKNOWN: _REJECTED,
    FailureReason.PROMPT_TOO_LONG: (
        "AGENT_CONTEXT_TOO_LONG",
        "The conversation is longer than the model reads. Begin a new one.",
    ),
    FailureReason.ANSWER_FILTERED: (
        "AGENT_CONTENT_FILTERED",
        "The model's provider declined to answer this. Ask in another way.",
    ),
    FailureReason.MODEL_BROKEN: _UNUSABLE,
    FailureReason.ANSWER_UNUSABLE: _UNUSABLE,
    FailureReason.ANSWER_EMPTY: _UNUSABLE,
    FailureReason.REPLAY_BLOCKED: ("AGENT_REPLAY_BLOCKED", "A tool call cannot be repeated."),
    FailureReason.INPUT_ERASED: ("AGENT_CONFLICT", "Regex scripts leave nothing of the message."),
    FailureReason.OTHER_MATTER: (
        "AGENT_OTHER_MATTER",
        "The board was not cast for this question, and the follow-up is not used up. Ask about its "
        "matter, or cast again.",
    ),
    FailureReason.TARGET_CHANGED: _CONFLICT,
    FailureReason.COMMIT_CONFLICT: _CONFLICT,
    FailureReason.DEADLINE: ("AGENT_RUN_TIMEOUT", "The run took too long."),
    FailureReason.STATE_NOT_STAGED: ("AGENT_RUN_FAILED", "Something went wrong on our side."),
    FailureReason.COMMIT_BUSY: (
        "DATABASE_UNAVAILABLE",
        "The database was away when the answer was to be stored. Try again.",
    ),
    FailureReason.WORKER_LOST: ("AGENT_RUN_INTERRUPTED", "The run was interrupted. Try again."),
    FailureReason.INTERNAL: ("AGENT_RUN_FAILED", "Something went wrong on our side."),
}
"""Code and message of `RUN_ERROR` by the reason of the failure."""

CANCELLED = ("AGENT_RUN_CANCELED", "The run was cancelled.")
