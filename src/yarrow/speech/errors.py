"""Errors of recordings and of the speech recogniser.

Errors of a recogniser never carry the provider's text.
"""

from yarrow.errors import InvalidInput, TooLarge, Unavailable


class AudioTooLarge(TooLarge):
    """The recording exceeds the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"audio must have at most {limit} bytes", limit=limit)


class AudioEmpty(InvalidInput):
    """The recording has no bytes, or a header without samples."""

    def __init__(self) -> None:
        super().__init__("audio is empty", field="audio")


class AudioUnsupported(InvalidInput):
    """The recording is not a supported WAV file; `rule` says why."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule, field="audio")


class RecogniserError(Unavailable):
    """Speech cannot be transcribed now."""


class RecogniserMissing(RecogniserError):
    """No recogniser is configured, or the configured one is not installed."""

    def __init__(self) -> None:
        super().__init__("this server has no speech recogniser")


class RecogniserFailed(RecogniserError):
    """The connection, endpoint or child process failed, or the answer cannot be parsed."""

    def __init__(self) -> None:
        super().__init__("the speech recogniser cannot be reached or failed")


class RecogniserTimeout(RecogniserError):
    """The transcription exceeded its timeout."""

    def __init__(self, timeout_ms: int) -> None:
        super().__init__(f"the speech recogniser did not finish within {timeout_ms} ms")
        self.timeout_ms = timeout_ms


class RecogniserBusy(RecogniserError):
    """The queue is full, or the endpoint answered 429."""

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("the speech recogniser is busy; try again")
        self.retry_after_s = retry_after_s


class RecogniserRefused(RecogniserError):
    """The endpoint rejected the request (other 4xx): key, model name or recording."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the speech recogniser rejected the recording with status {status}")
        self.refused_with = status
