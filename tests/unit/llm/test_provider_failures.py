"""Statuses decide; words only where there is no status, or to tell refusals apart."""

import pytest

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
from yarrow.llm.provider_failures import error_for_message, error_for_status


@pytest.mark.parametrize(
    "words, expected",
    [
        ("Error code: 401 - Unauthorized, invalid api key", ModelDenied),
        ("Error code: 429 - Rate limit exceeded", ModelRateLimited),
        ("This model's maximum context length is 128000 tokens", PromptTooLong),
        ("The model 'gpt-99' does not exist", ModelUnknown),
        ("Connection timed out after 30s", ModelTimeout),
        ("502 Bad Gateway", ModelFailed),
        ("The response was filtered due to content_filter policy", AnswerFiltered),
        ("403 Forbidden: access denied", ModelForbidden),
        ("400 Bad request - malformed JSON body", ModelRefused),
    ],
)
def test_words_decide_where_there_is_no_status(words: str, expected: type[ModelError]) -> None:
    assert type(error_for_message(words)) is expected


@pytest.mark.parametrize(
    "status, words, expected",
    [
        (401, "Read timeout", ModelDenied),
        (503, "invalid api key", ModelFailed),
        (429, "context length exceeded", ModelRateLimited),
        (408, "quota", ModelTimeout),
        (404, "nothing here", ModelUnknown),
        (400, "maximum context length is 8192 tokens", PromptTooLong),
        (400, "flagged by our content policy", AnswerFiltered),
        (400, "a secret complaint", ModelRefused),
    ],
)
def test_a_status_beats_words(status: int, words: str, expected: type[ModelError]) -> None:
    failure = error_for_status(status, message=words)

    assert type(failure) is expected
    assert words not in str(failure)
