"""Errors of asking a model. They never carry the provider's text.

`reason` is the value of the `journal.events.FailureReason` with which a run fails on this error.
"""

from typing import ClassVar

from yarrow.errors import YarrowError


class ModelError(YarrowError):
    """The model did not answer as it should."""

    reason: ClassVar[str]
    retry_after_s: float | None = None
    """The seconds of the endpoint's `Retry-After`, if it sent one."""


class ModelMissing(ModelError):
    """No model is configured, and the offline answers are turned off."""

    reason = "model_missing"

    def __init__(self) -> None:
        super().__init__("no model is configured")


class ModelUnreachable(ModelError):
    """The connection to the endpoint failed or was cut."""

    reason = "model_unreachable"

    def __init__(self, message: str = "the model endpoint cannot be reached or failed") -> None:
        super().__init__(message)


class ModelFailed(ModelUnreachable):
    """The endpoint answered 5xx."""

    reason = "model_failed"

    def __init__(self, status: int, retry_after_s: float | None = None) -> None:
        super().__init__("the model endpoint failed")
        self.status = status
        self.retry_after_s = retry_after_s


class ModelTimeout(ModelError):
    """The model sent nothing for longer than the timeout, or the endpoint answered 408."""

    reason = "model_timeout"

    def __init__(self, timeout_ms: int | None) -> None:
        waited = "too long" if timeout_ms is None else f"{timeout_ms} ms"
        super().__init__(f"the model sent nothing for {waited}")
        self.timeout_ms = timeout_ms


class AnswerTooSlow(ModelError):
    """The answer came too slowly for its length. Not a `ModelTimeout`: a retry takes as long."""

    reason = "model_timeout"

    def __init__(self, timeout_ms: int) -> None:
        super().__init__(f"the model's answer was not complete after {timeout_ms} ms")
        self.timeout_ms = timeout_ms


class ModelRateLimited(ModelError):
    """The endpoint answered 429."""

    reason = "model_rate_limited"

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("the model endpoint asks to slow down")
        self.retry_after_s = retry_after_s


class ModelRefused(ModelError):
    """The endpoint rejected the request (other 4xx): key, model name or parameters."""

    reason = "model_refused"

    def __init__(self, status: int) -> None:
        super().__init__(f"the model endpoint rejected the request with status {status}")
        self.status = status


class ModelDenied(ModelRefused):
    """The endpoint does not accept our key (401)."""

    reason = "model_denied"


class ModelForbidden(ModelRefused):
    """The endpoint accepts our key but does not allow it this request (403)."""

    reason = "model_forbidden"


class ModelAddressDenied(ModelRefused):
    """The endpoint's address is one that clients may not use; nothing was sent to it."""

    reason = "model_refused"

    def __init__(self) -> None:
        super().__init__(403)


class ModelUnknown(ModelRefused):
    """The endpoint has no model of this name."""

    reason = "model_unknown"


class PromptTooLong(ModelRefused):
    """The request exceeds the model's context window."""

    reason = "prompt_too_long"


class AnswerFiltered(ModelRefused):
    """The provider's content filter stopped the question or the answer."""

    reason = "answer_filtered"


class ModelBroken(ModelError):
    """The answer violates the provider's own protocol and cannot be parsed."""

    reason = "model_broken"

    def __init__(self) -> None:
        super().__init__("the model's answer cannot be read")


class AnswerUnusable(ModelError):
    """The answer can be parsed but has nothing the agent can act on, after all retries."""

    reason = "answer_unusable"

    def __init__(self, iteration: int) -> None:
        super().__init__("the model's answer has nothing the agent can act on")
        self.iteration = iteration


class AnswerEmpty(ModelError):
    """The model ended its answer without text."""

    reason = "answer_empty"

    def __init__(self) -> None:
        super().__init__("the model's answer is empty")
