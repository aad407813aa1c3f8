"""Errors of a workspace's tables, programs and scratch files."""

from yarrow.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    StorageUnavailable,
    TooLarge,
)


class TableTooLarge(TooLarge):
    """The file exceeds the limit of tables."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a table's file may have at most {limit} bytes", limit=limit)


class ProgramFailed(InvalidInput):
    """A rerun of the analyst's program ended with an error; `rule` is safe to show."""


class ProgramRefused(InvalidInput):
    """The program is not signed by this server, or exceeds the limits of one request."""


class TableNotFound(NotFound):
    """The workspace has no table of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no table {name}")
        self.name = name


class TableFileGone(NotFound):
    """The table is listed, but its file is neither here nor in the shared store."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the file of table {name} is gone; upload it again")
        self.name = name


class ScratchPathDenied(Forbidden):
    """The path is outside the workspace's scratch folder."""

    def __init__(self) -> None:
        super().__init__("Access denied: only the scratch files of this workspace can be opened")


class ScratchNotFound(NotFound):
    """The workspace has no scratch file of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no scratch file {name}")
        self.name = name


class ScratchFull(Conflict):
    """The workspace's scratch files have reached their total size limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the scratch files of a workspace may have {limit} bytes together")
        self.limit = limit


class DiskFull(StorageUnavailable):
    """The disk is full; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("there is no room left on the disk; try again later")
