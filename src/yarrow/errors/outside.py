"""What went wrong around us: models, recognisers, the database, other workers, settings."""

from yarrow.errors.root import YarrowError


class ModelError(YarrowError):
    """A model did not answer as it should. Never carries the provider's own words."""

    retry_after_s: float | None = None
    """When the endpoint asked to be tried again, if it did."""


class ModelMissing(ModelError):
    """No model is configured."""

    def __init__(self) -> None:
        super().__init__("no model is configured")


class ModelUnreachable(ModelError):
    """No connection, or it was cut off."""

    def __init__(self, message: str = "the model endpoint cannot be reached or failed") -> None:
        super().__init__(message)


class ModelFailed(ModelUnreachable):
    """The endpoint is there, and failed (status 5xx)."""

    def __init__(self, status: int, retry_after_s: float | None = None) -> None:
        super().__init__("the model endpoint failed")
        self.status = status
        self.retry_after_s = retry_after_s


class ModelTimeout(ModelError):
    """The model sent nothing for longer than the timeout, or the endpoint gave up (408)."""

    def __init__(self, timeout_ms: int | None) -> None:
        waited = "too long" if timeout_ms is None else f"{timeout_ms} ms"
        super().__init__(f"the model sent nothing for {waited}")
        self.timeout_ms = timeout_ms


class ModelRateLimited(ModelError):
    """The endpoint asks us to slow down (status 429)."""

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("the model endpoint asks to slow down")
        self.retry_after_s = retry_after_s


class ModelRefused(ModelError):
    """The endpoint rejected the request (other 4xx): key, model name or parameters."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the model endpoint rejected the request with status {status}")
        self.status = status


class ModelDenied(ModelRefused):
    """The endpoint does not take our key (status 401)."""


class ModelForbidden(ModelRefused):
    """The endpoint knows our key and does not let it do this (status 403)."""


class ModelUnknown(ModelRefused):
    """The endpoint has no model of that name."""


class PromptTooLong(ModelRefused):
    """What was sent is longer than the model reads."""


class AnswerFiltered(ModelRefused):
    """The provider's content filter stopped the question or the answer."""


class ModelBroken(ModelError):
    """The answer is not what the dialect says it should be."""

    def __init__(self) -> None:
        super().__init__("the model's answer cannot be read")


class AnswerUnusable(ModelError):
    """The model spoke, but an agent that was patient with it found nothing to act on."""

    def __init__(self, iteration: int) -> None:
        super().__init__("the model's answer has nothing the agent can act on")
        self.iteration = iteration


class AnswerEmpty(ModelError):
    """The model ended its answer without a word."""

    def __init__(self) -> None:
        super().__init__("the model's answer is empty")


class RecogniserError(YarrowError):
    """Speech cannot be turned into text now. Never carries the provider's own words."""


class RecogniserMissing(RecogniserError):
    """No recogniser is configured, or the configured one is not installed."""

    def __init__(self) -> None:
        super().__init__("this server has no speech recogniser")


class RecogniserFailed(RecogniserError):
    """No connection, a failed endpoint or process, or an answer that cannot be read."""

    def __init__(self) -> None:
        super().__init__("the speech recogniser cannot be reached or failed")


class RecogniserTimeout(RecogniserError):
    """Recognising took longer than it may."""

    def __init__(self, timeout_ms: int) -> None:
        super().__init__(f"the speech recogniser did not finish within {timeout_ms} ms")
        self.timeout_ms = timeout_ms


class RecogniserBusy(RecogniserError):
    """It has more to do than it can, or asks us to slow down (status 429)."""

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("the speech recogniser is busy; try again")
        self.retry_after_s = retry_after_s


class RecogniserRefused(RecogniserError):
    """The endpoint rejected the request (other 4xx): key, model name, or the sound itself."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the speech recogniser rejected the recording with status {status}")
        self.refused_with = status


class SandboxError(YarrowError):
    """Foreign code or a foreign file cannot be worked on now."""


class SandboxFailed(SandboxError):
    """The process that does the work could not be started, or broke."""

    def __init__(self) -> None:
        super().__init__("the process that reads tables failed; try again")


class SandboxBusy(SandboxError):
    """Others come first; ask again."""

    def __init__(self) -> None:
        super().__init__("too much is being computed already; try again")


class PythonUnavailable(SandboxError):
    """This machine cannot lock Python up, so none is run; `reason` is for the operator."""

    def __init__(self, reason: str) -> None:
        super().__init__("this server runs no Python: the machine cannot isolate it")
        self.reason = reason


class RunFenced(YarrowError):
    """Another worker owns this run now; what we hold must not be written."""

    def __init__(self) -> None:
        super().__init__("another worker owns this run now")


class RunWasCancelled(YarrowError):
    """The account wished the run to end before its answer was kept."""

    def __init__(self) -> None:
        super().__init__("the run was cancelled before its answer was kept")


class DatabaseUnavailable(YarrowError):
    """PostgreSQL cannot be reached; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the database cannot be reached; try again")


class StorageUnavailable(YarrowError):
    """The store of attachments cannot be reached; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the store of attachments cannot be reached; try again")


class DiskFull(StorageUnavailable):
    """The disk has no room left; nothing was kept."""

    def __init__(self) -> None:
        YarrowError.__init__(self, "there is no room left on the disk; try again later")


class KeysUnavailable(YarrowError):
    """The outside issuer's keys cannot be fetched; the request may be repeated."""

    def __init__(self) -> None:
        super().__init__("the token issuer's keys cannot be fetched; try again")


class Misconfigured(YarrowError):
    """The operator has to change something; the message says what."""
