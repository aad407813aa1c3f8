"""Statuses and codes of this protocol: problems."""

from yarrow.accounts.errors import (
    AccountNotFound,
    AuthDisabled,
    EmailTaken,
    KeysUnavailable,
    TooManyLogins,
    TooManySignups,
    WrongCredentials,
)
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
from yarrow.http.openapi import OpenApiResponses
from yarrow.http.problem import ErrorMap, WireError, build_problem_responses
from yarrow.points.errors import PointsShort

WIRE_ERRORS: ErrorMap = {
    InvalidInput: WireError(422, "REQUEST_INVALID", "The request is not valid"),
    TooLarge: WireError(413, "REQUEST_TOO_LARGE", "The request is too large"),
    Unauthenticated: WireError(401, "AUTH_REQUIRED", "Authentication required"),
    WrongCredentials: WireError(401, "AUTH_INVALID_CREDENTIALS", "Wrong e-mail or password"),
    TooManyRequests: WireError(429, "TOO_MANY_REQUESTS", "Too many requests"),
    TooManySignups: WireError(429, "AUTH_TOO_MANY_ATTEMPTS", "Too many new accounts"),
    TooManyLogins: WireError(429, "AUTH_TOO_MANY_ATTEMPTS", "Too many failed logins"),
    Forbidden: WireError(403, "AUTH_FORBIDDEN", "Not yours"),
    NotFound: WireError(404, "NOT_FOUND", "Not found"),
    AccountNotFound: WireError(404, "ACCOUNT_NOT_FOUND", "No such account"),
    Conflict: WireError(409, "CONFLICT", "Not possible now"),
    IdempotencyConflict: WireError(409, "IDEMPOTENCY_CONFLICT", "Idempotency key already used"),
    EmailTaken: WireError(409, "AUTH_EMAIL_TAKEN", "The e-mail is taken"),
    AuthDisabled: WireError(409, "AUTH_DISABLED", "This server has no accounts"),
    PointsShort: WireError(402, "POINTS_INSUFFICIENT", "Not enough points"),
    Unavailable: WireError(503, "SERVICE_UNAVAILABLE", "Not available now"),
    DatabaseUnavailable: WireError(503, "DATABASE_UNAVAILABLE", "The database is away"),
    KeysUnavailable: WireError(503, "AUTH_ISSUER_UNAVAILABLE", "The token issuer is away"),
}


def describe_account_problems(*kinds: type[YarrowError]) -> OpenApiResponses:
    """The OpenAPI responses of these errors, and of an unreachable database."""
    return build_problem_responses([WIRE_ERRORS[kind] for kind in (*kinds, DatabaseUnavailable)])
