"""Errors of running foreign SQL and Python and of reading foreign files."""

from yarrow.errors import InvalidInput, Unavailable
from yarrow.kit.notes import CodedNote


class TableUnreadable(InvalidInput):
    """The file is not a table in a supported format; `note` says why, for its owner."""

    def __init__(self, note: CodedNote) -> None:
        super().__init__(note.message, field="file")
        self.note = note


class QueryFailed(InvalidInput):
    """The query is wrong, forbidden or exceeds its limits; `rule` is safe to show."""


class SandboxError(Unavailable):
    """The sandbox cannot run the job now."""


class SandboxFailed(SandboxError):
    """The sandbox process could not be started, or died."""

    def __init__(self) -> None:
        super().__init__("the process that reads tables failed; try again")


class SandboxMissing(SandboxError):
    """The packages that read tables are not installed."""

    def __init__(self) -> None:
        super().__init__(
            "this server reads no tables: its packages are not installed "
            "(pip install 'yarrow[analyst]')"
        )


class SandboxUnconfined(SandboxError):
    """The machine has neither user namespaces nor Landlock, so no file is parsed."""

    def __init__(self) -> None:
        super().__init__(
            "this server reads no tables: the machine has neither user namespaces nor Landlock "
            "to keep other files from their reader; yarrow doctor says more"
        )


class SandboxBusy(SandboxError):
    """The job waited too long for a free slot."""

    def __init__(self) -> None:
        super().__init__("too much is being computed already; try again")


class PythonUnavailable(SandboxError):
    """The machine cannot isolate Python, so none is run; `reason` is for the operator."""

    def __init__(self, reason: str) -> None:
        super().__init__("this server runs no Python: the machine cannot isolate it")
        self.reason = reason
