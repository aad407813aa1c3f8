"""Which error a provider's failure is.

A status tells more than words do, so it decides; words only tell refusals of one status apart,
and failures that come without a status. They are read here and go no further: no error of ours
carries them.
"""

import re
from collections.abc import Callable

from yarrow.llm.errors import (
    AnswerFiltered,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnknown,
    PromptTooLong,
)

WORDS_READ = 4096
"""How much of a provider's complaint is looked at."""

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

_REFUSALS: tuple[tuple[re.Pattern[str], Callable[[int], ModelError]], ...] = (
    (re.compile(_LENGTH), PromptTooLong),
    (re.compile(_UNKNOWN + "|deprecated model"), ModelUnknown),
    (re.compile(_FILTER), AnswerFiltered),
)
"""What the words of a 400 or 422 may mean."""

_WORDS: tuple[tuple[re.Pattern[str], Callable[[], ModelError]], ...] = (
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
"""The first that matches decides, for a failure that has no status."""


def failure_of_status(
    status: int, *, words: str = "", retry_after_s: float | None = None
) -> ModelError:
    """The error a status stands for; a redirect counts as a refusal, we follow none."""
    if status == 429:
        return ModelRateLimited(retry_after_s)
    if status >= 500:
        return ModelFailed(status, retry_after_s)
    if (known := _BY_STATUS.get(status)) is not None:
        return known(status)
    said = words[:WORDS_READ].lower()
    for pattern, refusal in _REFUSALS:
        if pattern.search(said):
            return refusal(status)
    return ModelRefused(status)


def failure_of_words(words: str) -> ModelError:
    """The error that a complaint without a status tells of."""
    said = words[:WORDS_READ].lower()
    for pattern, failure in _WORDS:
        if pattern.search(said):
            return failure()
    return ModelRefused(400)
