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
from yarrow.http.problem import ErrorMap, Fault, describe_problems
from yarrow.points.errors import PointsShort

FAULTS: ErrorMap = {
    InvalidInput: Fault(422, "REQUEST_INVALID", "The request is not valid"),
    TooLarge: Fault(413, "REQUEST_TOO_LARGE", "The request is too large"),
    Unauthenticated: Fault(401, "AUTH_REQUIRED", "Authentication required"),
    WrongCredentials: Fault(401, "AUTH_INVALID_CREDENTIALS", "Wrong e-mail or password"),
    TooManyRequests: Fault(429, "TOO_MANY_REQUESTS", "Too many requests"),
    TooManySignups: Fault(429, "AUTH_TOO_MANY_ATTEMPTS", "Too many new accounts"),
    TooManyLogins: Fault(429, "AUTH_TOO_MANY_ATTEMPTS", "Too many failed logins"),
    Forbidden: Fault(403, "AUTH_FORBIDDEN", "Not yours"),
    NotFound: Fault(404, "NOT_FOUND", "Not found"),
    AccountNotFound: Fault(404, "ACCOUNT_NOT_FOUND", "No such account"),
    Conflict: Fault(409, "CONFLICT", "Not possible now"),
    IdempotencyConflict: Fault(409, "IDEMPOTENCY_CONFLICT", "Idempotency key already used"),
    EmailTaken: Fault(409, "AUTH_EMAIL_TAKEN", "The e-mail is taken"),
    AuthDisabled: Fault(409, "AUTH_DISABLED", "This server has no accounts"),
    PointsShort: Fault(402, "POINTS_INSUFFICIENT", "Not enough points"),
    Unavailable: Fault(503, "SERVICE_UNAVAILABLE", "Not available now"),
    DatabaseUnavailable: Fault(503, "DATABASE_UNAVAILABLE", "The database is away"),
    KeysUnavailable: Fault(503, "AUTH_ISSUER_UNAVAILABLE", "The token issuer is away"),
}


def describe_account_problems(*kinds: type[YarrowError]) -> OpenApiResponses:
    """The OpenAPI responses of these errors, and of an unreachable database."""
    return describe_problems([FAULTS[kind] for kind in (*kinds, DatabaseUnavailable)])
