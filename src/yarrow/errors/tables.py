"""What is wrong with a table, a query or a chart that was asked for."""

from yarrow.errors.asked import BodyTooLarge, Conflict, Forbidden, InvalidInput, NotFound


class ChartImpossible(InvalidInput):
    """Nothing true can be drawn from what was asked; `rule` says why."""


class ChartFieldsMissing(ChartImpossible):
    """The chart names fields that the table does not have."""

    def __init__(self, *, missing: tuple[str, ...], available: tuple[str, ...]) -> None:
        super().__init__(
            f"the table has no field {', '.join(missing)}; it has {', '.join(available)}"
        )
        self.missing, self.available = missing, available


class ChartChannelsMissing(ChartImpossible):
    """The chart needs channels that nothing fills."""

    def __init__(self, *, chart_type: str, channels: tuple[str, ...]) -> None:
        super().__init__(f"{chart_type} needs a field for {', '.join(channels)}")
        self.chart_type, self.channels = chart_type, channels


class ChartWithoutRows(ChartImpossible):
    """There are no rows to draw, or none with a value."""

    def __init__(self, reason: str = "the table has no rows") -> None:
        super().__init__(reason)


class ChartWithoutNumbers(ChartImpossible):
    """A field that has to be measured holds no numbers."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} holds no numbers to draw", field=field)


class ChartUndrawable(ChartImpossible):
    """The spec cannot be made a picture, not in time, or only one that is too large."""

    def __init__(self, reason: str = "the chart cannot be drawn") -> None:
        super().__init__(reason)


class TableUnreadable(InvalidInput):
    """The file is no table we can read; `rule` says why, in words for its owner."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule, field="file")


class TableTooLarge(BodyTooLarge):
    """The file is larger than a table may be; reading stopped there."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a table's file may have at most {limit} bytes", limit=limit)


class QueryFailed(InvalidInput):
    """A query is wrong, forbidden, or takes too much; `rule` is safe to show."""


class TableNotFound(NotFound):
    """The workspace has no table of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no table {name}")
        self.name = name


class ProgramFailed(InvalidInput):
    """A program of the analyst's ended with an error; `rule` is safe to show."""


class ProgramRefused(InvalidInput):
    """A program may not be run again: it is not ours, or too much for one request."""


class ScratchPathDenied(Forbidden):
    """The path leads out of the workspace's scratch files."""

    def __init__(self) -> None:
        super().__init__("Access denied: only the scratch files of this workspace can be opened")


class ScratchNotFound(NotFound):
    """The workspace has no scratch file of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no scratch file {name}")
        self.name = name


class ScratchFull(Conflict):
    """The workspace's scratch files together may not be larger."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the scratch files of a workspace may have {limit} bytes together")
        self.limit = limit
