"""Classify a provider's failures.

The status decides. The provider's message only distinguishes rejections of one status, and
failures without a status; it is read here and goes no further: no error of ours carries it.
"""

import re
from collections.abc import Callable

import aiohttp

from yarrow.kit.http_client import ResponseTooLarge
from yarrow.llm.allowed_addresses import AddressDenied
from yarrow.llm.errors import (
    AnswerFiltered,
    ModelAddressDenied,
    ModelBroken,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnknown,
    ModelUnreachable,
    PromptTooLong,
)

MAX_MESSAGE_CHARS = 4096
"""How much of a provider's message is read."""

_BY_STATUS: dict[int, Callable[[int], ModelError]] = {
    401: ModelDenied,
    403: ModelForbidden,
    404: ModelUnknown,
    408: lambda _: ModelTimeout(None),
    413: PromptTooLong,
}

_LENGTH = r"context.{0,20}length|too many tokens|max\w*.{0,20}tokens|token limit|maximum context"
_UNKNOWN = r"model.{0,80}not found|model.{0,80}does not exist|no such model|decommissioned"
_FILTER = r"content.?filter|content.?policy|responsible ai|safety|flagged"

_REJECTIONS: tuple[tuple[re.Pattern[str], Callable[[int], ModelError]], ...] = (
    (re.compile(_LENGTH), PromptTooLong),
    (re.compile(_UNKNOWN + "|deprecated model"), ModelUnknown),
    (re.compile(_FILTER), AnswerFiltered),
)
"""By the message of a 400 or 422."""

_MESSAGES: tuple[tuple[re.Pattern[str], Callable[[], ModelError]], ...] = (
    (
        re.compile(r"\b401\b|unauthorized|invalid.{0,20}key|auth\w*.{0,20}fail"),
        lambda: ModelDenied(401),
    ),
    (
        re.compile(r"\b429\b|rate.?limit|too many requests|quota"),
        ModelRateLimited,
    ),
    (re.compile(_LENGTH), lambda: PromptTooLong(400)),
    (re.compile(_UNKNOWN + "|deprecated model"), lambda: ModelUnknown(404)),
    (
        re.compile(
            r"timeout|timed out|connect\w*.{0,20}error|connection.{0,20}refused|unreachable"
            r"|econnrefused|name.{0,20}resolution"
        ),
        lambda: ModelTimeout(None),
    ),
    (
        re.compile(r"\b50\d\b|bad gateway|service unavailable|server.error"),
        lambda: ModelFailed(503),
    ),
    (re.compile(_FILTER), lambda: AnswerFiltered(400)),
    (
        re.compile(r"\b403\b|forbidden|access denied|not allowed|insufficient.{0,20}permission"),
        lambda: ModelForbidden(403),
    ),
)
"""For failures without a status; the first match decides."""


def error_for_status(
    status: int, *, message: str = "", retry_after_s: float | None = None
) -> ModelError:
    """The error for an HTTP status; redirects are not followed and count as rejections."""
    if status == 429:
        return ModelRateLimited(retry_after_s)
    if status >= 500:
        return ModelFailed(status, retry_after_s)
    if (error := _BY_STATUS.get(status)) is not None:
        return error(status)
    text = message[:MAX_MESSAGE_CHARS].lower()
    for pattern, rejection in _REJECTIONS:
        if pattern.search(text):
            return rejection(status)
    return ModelRefused(status)


def error_for_message(message: str) -> ModelError:
    """The error for a message without a status."""
    text = message[:MAX_MESSAGE_CHARS].lower()
    for pattern, error in _MESSAGES:
        if pattern.search(text):
            return error()
    return ModelRefused(400)


def error_for_connection(error: aiohttp.ClientError | OSError, *, timeout_ms: int) -> ModelError:
    """Classify a request that got no whole answer."""
    match error:
        case aiohttp.ClientConnectorError(os_error=AddressDenied()):
            return ModelAddressDenied()
        case aiohttp.ConnectionTimeoutError():
            return ModelUnreachable()
        case TimeoutError():
            return ModelTimeout(timeout_ms)
        case aiohttp.ClientResponseError() | ResponseTooLarge():
            return ModelBroken()
        case _:
            return ModelUnreachable()
