"""Errors of requests that took too long: by processor time, or by the ceiling on the clock."""

from typing import Protocol

from msgspec import Struct

SANDBOX_SETTING = "YARROW_SANDBOX_TIMEOUT_S"
IMPORT_SETTING = "YARROW_TABLE_IMPORT_TIMEOUT_S"
CODE_TOO_LONG = "TimeoutError: the code ran longer than"
"""How the error of an interrupted program begins."""


class TimeLimits(Protocol):
    """The limits of a job."""

    @property
    def seconds(self) -> float:
        """Processor time of one request."""
        ...

    @property
    def clock_seconds(self) -> float:
        """Time by the clock of one request."""
        ...


class CpuTimeExceeded(TimeoutError):
    """The job was ended because it used all its processor time."""


class IdleTimeExceeded(TimeoutError):
    """The program was ended because it hardly used the processor for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class TimeLimitWords(Struct, frozen=True):
    """What exceeded its time, the setting that limits it, and what its owner can do."""

    subject: str
    setting: str
    advice: str

    def explain(self, limits: TimeLimits, error: TimeoutError) -> str:
        """Which of the limits `error` is about, and what to do."""
        if isinstance(error, IdleTimeExceeded):
            return (
                f"{self.subject} longer than {error.seconds:g} seconds without using the "
                f"processor, which is the limit: it sleeps or waits for something; remove "
                f"sleep() and other waiting, nothing arrives here from outside"
            )
        if isinstance(error, CpuTimeExceeded):
            return (
                f"{self.subject} longer than {limits.seconds:g} seconds of processor time, "
                f"the limit of {self.setting}; {self.advice}"
            )
        return (
            f"{self.subject} longer than {limits.clock_seconds:g} seconds by the clock: it "
            f"waits for something, or the machine is busy; try again later, or {self.advice}"
        )


QUERY_WORDS = TimeLimitWords(
    "Timeout: the query took",
    SANDBOX_SETTING,
    "aggregate, filter rows or take fewer columns",
)
IMPORT_WORDS = TimeLimitWords(
    "reading the file took",
    IMPORT_SETTING,
    "split the file, upload it as Parquet, or ask the operator to raise the setting",
)
EXPORT_WORDS = TimeLimitWords("the export took", IMPORT_SETTING, "select fewer columns or rows")
CODE_WORDS = TimeLimitWords(
    CODE_TOO_LONG.removesuffix(" longer than"), SANDBOX_SETTING, "filter or aggregate first"
)
