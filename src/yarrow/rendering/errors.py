"""Errors of rendering a chart."""

from yarrow.charting.errors import ChartImpossible


class ChartUndrawable(ChartImpossible):
    """The spec cannot be rendered, or not within the limits of time and size."""

    def __init__(self, reason: str = "the chart cannot be drawn") -> None:
        super().__init__(reason)
