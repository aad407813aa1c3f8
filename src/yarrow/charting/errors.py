"""Errors of compiling a chart."""

from yarrow.errors import InvalidInput


class ChartImpossible(InvalidInput):
    """The chart cannot be made from this table; `rule` says why."""


class ChartFieldsMissing(ChartImpossible):
    """The chart names fields that the table does not have."""

    def __init__(self, *, missing: tuple[str, ...], available: tuple[str, ...]) -> None:
        super().__init__(
            f"the table has no field {', '.join(missing)}; it has {', '.join(available)}"
        )
        self.missing, self.available = missing, available


class ChartChannelsMissing(ChartImpossible):
    """Required channels of the chart type have no field."""

    def __init__(self, *, chart_type: str, channels: tuple[str, ...]) -> None:
        super().__init__(f"{chart_type} needs a field for {', '.join(channels)}")
        self.chart_type, self.channels = chart_type, channels


class ChartWithoutRows(ChartImpossible):
    """The table has no rows, or none with a value."""

    def __init__(self, reason: str = "the table has no rows") -> None:
        super().__init__(reason)


class ChartWithoutNumbers(ChartImpossible):
    """A field on a quantitative channel has no numbers."""

    def __init__(self, field: str) -> None:
        super().__init__(f"{field} holds no numbers to draw", field=field)


class ChartRangeTooLarge(ChartImpossible):
    """The numbers of a distribution span more than a float holds."""

    def __init__(self, field: str) -> None:
        super().__init__(
            f"the numbers of {field} lie too far apart to divide their range; filter them",
            field=field,
        )


class ChartTooLarge(ChartImpossible):
    """The chart would have too many marks."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"the chart would have more than {most:,} marks; group its fields, or filter"
        )
