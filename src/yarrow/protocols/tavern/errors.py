"""Statuses and codes of this protocol: `{"error": {code, message, details?}}`."""

from collections.abc import Mapping

from fastapi import Request, Response

from yarrow.accounts.errors import KeysUnavailable
from yarrow.assets.errors import VersionConflict
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
from yarrow.http.error_formats import ErrorFormat, UnroutedCodes
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.problem import ErrorMap, RenderError, WireError, build_headers, find_wire_error
from yarrow.journal.events import FailureReason
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.kit.notes import encode_note
from yarrow.memory.errors import (
    MemoryEdgeNotFound,
    MemoryFull,
    MemoryJobNotFound,
    MemoryJobState,
    MemoryNotFound,
    MemoryTurnedOff,
)
from yarrow.points.errors import PointsShort
from yarrow.prompting.errors import ChatUnreadable, FileRefused, PromptTooLarge, UserMessageErased
from yarrow.protocols.tavern.state.encode import encode_blocking_mutation
from yarrow.protocols.tavern.tools.encode import encode_blocker
from yarrow.runs.errors import (
    BranchQueueTimeout,
    ClientLeft,
    CommitConflict,
    RunConflict,
    SessionBusy,
    TurnNotLive,
)
from yarrow.sessions.errors import (
    BranchExists,
    BranchNotFound,
    MessageNotFound,
    SessionArchived,
    TurnNotFound,
)
from yarrow.stories.errors import (
    AccountBytesExceeded,
    AccountItemsExceeded,
    BranchHeadMoved,
    InputHidden,
    InputMissing,
    MessageChanged,
    MessageRoleInvalid,
    MessageScopeInvalid,
    NamespaceBytesExceeded,
    NamespaceItemsExceeded,
    NamespaceNotRegistered,
    NoTurnToRegenerate,
    ResetTargetInvalid,
    SnapshotMissing,
    SourceTurnNotFound,
    StateLimitExceeded,
    StatePayloadTooLarge,
    StateTurnedOff,
    StateWriteForbidden,
    ToolModeUnsupported,
    WrongState,
)
from yarrow.stories.model_endpoints.errors import (
    EndpointDisabled,
    EndpointKeyDamaged,
    EndpointKeyUnreadable,
    EndpointNotFound,
    RequiredSlotDisabled,
)
from yarrow.stories.tools.errors import (
    ReplayRefused,
    ReplayUnconfirmed,
    StateReplayBlocked,
    StateReplayUnconfirmed,
    ToolCatalogConflict,
    ToolReplayBlocked,
    ToolReplayUnconfirmed,
)
from yarrow.variables.errors import VariablesFull

WIRE_ERRORS: ErrorMap = {
    InvalidInput: WireError(400, "validation_error", "The request is not valid"),
    MessageRoleInvalid: WireError(400, "invalid_message_role", "Only user messages can be edited"),
    MessageScopeInvalid: WireError(400, "invalid_message_scope", "The message is no active input"),
    ToolModeUnsupported: WireError(400, "invalid_tool_mode", "No such tool mode"),
    ChatUnreadable: WireError(400, "import_parse_error", "The file cannot be read"),
    TooLarge: WireError(413, "payload_too_large", "The request is too large"),
    PromptTooLarge: WireError(400, "prompt_too_large", "The prompt does not fit its budget"),
    UserMessageErased: WireError(409, "missing_effective_user_tail", "There is no text to answer"),
    InputHidden: WireError(409, "missing_effective_user_tail", "The message is hidden"),
    Unauthenticated: WireError(401, "unauthorized", "Authentication required"),
    Forbidden: WireError(404, "not_found", "Not found", "not found"),
    NotFound: WireError(404, "not_found", "Not found"),
    BranchNotFound: WireError(404, "branch_not_found", "No such branch"),
    SourceTurnNotFound: WireError(404, "source_floor_not_found", "No such source floor"),
    TurnNotFound: WireError(404, "floor_not_found", "No such floor"),
    MessageNotFound: WireError(404, "message_not_found", "No such message"),
    NoTurnToRegenerate: WireError(404, "no_floor_to_regenerate", "No floor to regenerate"),
    InputMissing: WireError(404, "no_user_message", "The floor has no user message"),
    NamespaceNotRegistered: WireError(
        404, "session_state_namespace_not_registered", "No such state namespace"
    ),
    Conflict: WireError(409, "conflict", "Not possible now"),
    SessionBusy: WireError(
        409,
        "generation_conflict",
        "The branch is busy",
        "another turn of this branch is being generated; wait for it or cancel it",
    ),
    RunConflict: WireError(
        409,
        "idempotency_conflict",
        "The key was used before",
        "this Idempotency-Key was used before with another body",
    ),
    CommitConflict: WireError(409, "commit_conflict", "Changed meanwhile"),
    ToolCatalogConflict: WireError(409, "tool_catalog_conflict", "Two tools have the same name"),
    ReplayRefused: WireError(409, "replay_confirmation_required", "Effects need confirmation"),
    ReplayUnconfirmed: WireError(409, "replay_confirmation_required", "Effects need confirmation"),
    ToolReplayUnconfirmed: WireError(
        409, "tool_replay_confirmation_required", "Tool calls need confirmation"
    ),
    StateReplayUnconfirmed: WireError(
        409, "session_state_replay_confirmation_required", "State writes need confirmation"
    ),
    ToolReplayBlocked: WireError(409, "tool_replay_blocked", "A tool call cannot be repeated"),
    StateReplayBlocked: WireError(
        409, "session_state_replay_blocked", "A state write cannot be repeated"
    ),
    SnapshotMissing: WireError(409, "branch_local_snapshot_missing", "The floor has no snapshot"),
    StateWriteForbidden: WireError(
        409, "session_state_public_write_forbidden", "The namespace is not writable"
    ),
    StatePayloadTooLarge: WireError(
        409, "session_state_payload_too_large", "The value is too large"
    ),
    StateLimitExceeded: WireError(
        409, "session_state_namespace_limit_exceeded", "Too many namespaces"
    ),
    NamespaceItemsExceeded: WireError(
        409, "session_state_namespace_item_limit_exceeded", "The namespace is full"
    ),
    NamespaceBytesExceeded: WireError(
        409, "session_state_namespace_byte_limit_exceeded", "The namespace is full"
    ),
    AccountItemsExceeded: WireError(
        409, "session_state_account_item_limit_exceeded", "Too much session state"
    ),
    AccountBytesExceeded: WireError(
        409, "session_state_account_byte_limit_exceeded", "Too much session state"
    ),
    StateTurnedOff: WireError(503, "feature_unavailable", "Session state is turned off"),
    MemoryNotFound: WireError(404, "memory_not_found", "No such memory"),
    MemoryEdgeNotFound: WireError(404, "memory_edge_not_found", "No such memory edge"),
    MemoryJobNotFound: WireError(404, "memory_job_not_found", "No such memory job"),
    MemoryFull: WireError(409, "memory_limit_exceeded", "Too many memories"),
    MemoryJobState: WireError(409, "invalid_state", "The job is not in this state"),
    EndpointNotFound: WireError(409, "profile_not_found", "No such model profile"),
    EndpointDisabled: WireError(409, "profile_disabled", "The model profile is disabled"),
    EndpointKeyUnreadable: WireError(503, "secret_unavailable", "The key cannot be read"),
    EndpointKeyDamaged: WireError(500, "secret_invalid_format", "The stored key is damaged"),
    RequiredSlotDisabled: WireError(
        409, "instance_slot_disabled_required", "A slot that turns need is disabled"
    ),
    MemoryTurnedOff: WireError(503, "feature_unavailable", "Memory is turned off"),
    SessionArchived: WireError(409, "session_archived", "The session is archived"),
    IdempotencyConflict: WireError(409, "idempotency_conflict", "The key was used already"),
    BranchHeadMoved: WireError(409, "branch_head_conflict", "The branch has moved on"),
    ResetTargetInvalid: WireError(409, "invalid_reset_target", "The branch cannot be reset there"),
    BranchExists: WireError(409, "branch_exists", "The branch exists"),
    TurnNotLive: WireError(409, "generation_target_stale", "The floor was replaced"),
    ClientLeft: WireError(499, "generation_cancelled", "The client left"),
    BranchQueueTimeout: WireError(503, "generation_queue_timeout", "The branch stayed busy"),
    WrongState: WireError(409, "invalid_state", "Not in this state"),
    VariablesFull: WireError(409, "variable_limit_exceeded", "Too many variables"),
    MessageChanged: WireError(409, "message_changed", "The message has another text now"),
    VersionConflict: WireError(409, "version_conflict", "The asset has moved on"),
    PointsShort: WireError(402, "points_insufficient", "Not enough points"),
    Unavailable: WireError(503, "service_unavailable", "Not available now"),
    TooManyRequests: WireError(429, "too_many_requests", "Too many requests"),
    DatabaseUnavailable: WireError(503, "resource_busy", "The database is away"),
    KeysUnavailable: WireError(503, "auth_issuer_unavailable", "The token issuer is away"),
}


COMMIT_BUSY = WireError(503, "commit_busy", "The database is away.")

CHAT_ERRORS: ErrorMap = {
    **WIRE_ERRORS,
    DatabaseUnavailable: COMMIT_BUSY,
}
"""For the routes of the chat: clients tell a busy commit from a busy resource."""


def _fail_orchestration(title: str) -> WireError:
    return WireError(500, "orchestration_failed", title)


_TIMEOUT = WireError(504, "generation_timeout", "The model did not answer in time.")
_UNREACHABLE = _fail_orchestration(
    "The model cannot be reached, or its answer broke off. Try again later."
)
_REJECTED = _fail_orchestration(
    "The model rejected the request. Check the key and the model of its profile."
)
_TOO_LARGE = WireError(400, "prompt_too_large", "The prompt does not fit its budget.")
COMMIT_FAILED = WireError(500, "turn_commit_failed", "The turn could not be stored.")

RUN_FAULTS: dict[FailureReason, WireError] = {
    FailureReason.MODEL_MISSING: _fail_orchestration("No model is configured."),
    FailureReason.MODEL_UNREACHABLE: _UNREACHABLE,
    FailureReason.MODEL_FAILED: _UNREACHABLE,
    FailureReason.MODEL_TIMEOUT: _TIMEOUT,
    FailureReason.MODEL_RATE_LIMITED: _fail_orchestration(
        "The model is overloaded. Try again in a moment."
    ),
    FailureReason.MODEL_REFUSED: _REJECTED,
    FailureReason.MODEL_DENIED: _REJECTED,
    FailureReason.MODEL_FORBIDDEN: _REJECTED,
    FailureReason.MODEL_UNKNOWN: _REJECTED,
    FailureReason.PROMPT_TOO_LONG: _TOO_LARGE,
    FailureReason.ANSWER_FILTERED: _fail_orchestration(
        "The model's provider declined to answer this. Write it in another way."
    ),
    FailureReason.MODEL_BROKEN: _fail_orchestration("The model's answer cannot be read."),
    FailureReason.ANSWER_UNUSABLE: _fail_orchestration("The verifier rejected the reply."),
    FailureReason.ANSWER_EMPTY: _fail_orchestration("The model's answer has no text."),
    FailureReason.DEADLINE: _TIMEOUT,
    FailureReason.REPLAY_BLOCKED: WireError(
        409, "tool_replay_blocked", "The rejected reply called tools that cannot be repeated."
    ),
    FailureReason.INPUT_ERASED: WireError(
        409, "missing_effective_user_tail", "Regex scripts leave nothing of the message."
    ),
    FailureReason.OTHER_MATTER: _fail_orchestration("The board was not cast for this question."),
    FailureReason.TARGET_CHANGED: WireError(
        409, "generation_target_stale", "The floor was changed before its turn came."
    ),
    FailureReason.COMMIT_CONFLICT: WireError(
        409, "commit_conflict", "What the turn would change was changed meanwhile; try again."
    ),
    FailureReason.STATE_NOT_STAGED: WireError(
        500,
        "session_state_stage_failed",
        "The session state of the turn could not be stored, so nothing of it is stored.",
    ),
    FailureReason.COMMIT_BUSY: COMMIT_BUSY,
    FailureReason.WORKER_LOST: _fail_orchestration("The turn was interrupted. Try again."),
    FailureReason.INTERNAL: _fail_orchestration("Something went wrong on our side."),
}
CANCELLED_FAULT = WireError(499, "generation_cancelled", "The turn was cancelled.")

RUN_ERRORS = {reason: (fault.code, fault.title) for reason, fault in RUN_FAULTS.items()}
"""Code and message of an `error` event by the reason of the failure."""
CANCELLED = (CANCELLED_FAULT.code, CANCELLED_FAULT.title)


def render_fault(fault: WireError) -> Response:
    """The error of a turn that was started and failed."""
    body = {"error": {"code": fault.code, "message": fault.title}}
    headers = build_headers(None, fault.status)
    return Response(encode_json(body), fault.status, headers, "application/json")


def make_error_renderer(faults: ErrorMap) -> RenderError:
    """Render errors as `{"error": …}` with the codes of one map."""

    def render(_request: Request, error: YarrowError) -> Response:
        return _build_error_response(error, find_wire_error(error, faults))

    return render


def _build_error_response(error: YarrowError, fault: WireError) -> Response:
    body: JsonObject = {"code": fault.code, "message": fault.detail or str(error)}
    if details := _collect_details(error):
        body["details"] = details
    if isinstance(error, FileRefused):
        body["note"] = encode_note(error.note)
    return Response(
        encode_json({"error": body}),
        fault.status,
        build_headers(error, fault.status),
        "application/json",
    )


def _collect_details(error: YarrowError) -> JsonValue:
    """The refused field, or the numbers behind the refusal; None if the message says all."""
    match error:
        case VersionConflict(expected=expected, actual=actual):
            return {"expected": expected, "actual": actual}
        case ReplayRefused(executions=executions, mutations=mutations):
            return {
                "blocking_executions": [encode_blocker(each) for each in executions],
                "blocking_session_state_mutations": [
                    encode_blocking_mutation(each) for each in mutations
                ],
            }
        case PromptTooLarge(needed=needed, available=available):
            return {"needed": needed, "available": available}
        case InvalidInput(field=field):
            return [{"path": field or "body", "message": str(error), "code": "invalid"}]
        case _:
            return None


UNROUTED_CODES = UnroutedCodes(
    not_found="not_found",
    wrong_method="method_not_allowed",
    internal="internal_error",
    other="validation_error",
)
_PREFIXES = (
    "/sessions",
    "/floors",
    "/messages",
    "/pages",
    "/variables",
    "/presets",
    "/worldbooks",
    "/regex-profiles",
    "/characters",
    "/users",
    "/import",
    "/export",
    "/prompt-runtime",
    "/tools",
    "/tool-executions",
    "/memories",
    "/memory-edges",
    "/memory",
    "/llm-profiles",
    "/llm-instances",
)


def make_unrouted_formats() -> tuple[ErrorFormat, ...]:
    """One for each first segment of our paths: this protocol has no common prefix."""
    return tuple(ErrorFormat(prefix, UNROUTED_CODES, _render_unrouted) for prefix in _PREFIXES)


def _render_unrouted(fault: WireError, _path: str, headers: Mapping[str, str]) -> Response:
    body = {"error": {"code": fault.code, "message": fault.detail or fault.title}}
    return Response(encode_json(body), fault.status, dict(headers), "application/json")
