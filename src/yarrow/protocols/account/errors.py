"""The account protocol's statuses and codes."""

from yarrow.errors import (
    AccountNotFound,
    AuthDisabled,
    BodyTooLarge,
    Conflict,
    DatabaseUnavailable,
    EmailTaken,
    Forbidden,
    InvalidInput,
    KeysUnavailable,
    NotFound,
    PointsShort,
    RecogniserError,
    SandboxError,
    StorageUnavailable,
    Unauthenticated,
    WrongCredentials,
)
from yarrow.http.problem import ErrorMap, Fault

FAULTS: ErrorMap = {
    InvalidInput: Fault(422, "REQUEST_INVALID", "The request is not valid"),
    BodyTooLarge: Fault(413, "REQUEST_TOO_LARGE", "The request is too large"),
    Unauthenticated: Fault(401, "AUTH_REQUIRED", "Authentication required"),
    WrongCredentials: Fault(401, "AUTH_INVALID_CREDENTIALS", "Wrong e-mail or password"),
    Forbidden: Fault(403, "AUTH_FORBIDDEN", "Not yours"),
    NotFound: Fault(404, "NOT_FOUND", "Not found"),
    AccountNotFound: Fault(404, "ACCOUNT_NOT_FOUND", "No such account"),
    Conflict: Fault(409, "CONFLICT", "Not possible now"),
    EmailTaken: Fault(409, "AUTH_EMAIL_TAKEN", "The e-mail is taken"),
    AuthDisabled: Fault(409, "AUTH_DISABLED", "This server has no accounts"),
    PointsShort: Fault(402, "POINTS_INSUFFICIENT", "Not enough points"),
    RecogniserError: Fault(503, "SPEECH_UNAVAILABLE", "Speech recognition is unavailable"),
    DatabaseUnavailable: Fault(503, "DATABASE_UNAVAILABLE", "The database is away"),
    SandboxError: Fault(503, "SANDBOX_UNAVAILABLE", "Tables cannot be worked on now"),
    StorageUnavailable: Fault(503, "STORAGE_UNAVAILABLE", "The storage is away"),
    KeysUnavailable: Fault(503, "AUTH_ISSUER_UNAVAILABLE", "The token issuer is away"),
}
