"""What a drawing cannot do without."""

from yarrow.charting.errors import ChartWithoutNumbers, ChartWithoutRows
from yarrow.charting.fields import Field
from yarrow.charting.frame import Frame
from yarrow.charting.model import Channel


def require_measure(frame: Frame, *channels: Channel) -> None:
    """The fields in these channels hold numbers."""
    for channel in channels:
        field = frame.need(channel)
        if not field.measures or not frame.numbers(field):
            raise ChartWithoutNumbers(field.title)


def require_rows(frame: Frame, *fields: Field) -> None:
    """Something is left to draw after rows without values were taken out."""
    if not frame.rows:
        names = ", ".join(field.title for field in fields)
        raise ChartWithoutRows(f"no row has a value for {names}")
