"""Tell times without rows that have no place on an axis of separate places."""

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import ChartChannel
from yarrow.charting.notes import Note

GAPS_TOLD = 3
_PERIOD = re.compile(r"(\d{4})(?:-(?:(\d{2})|Q([1-4])|W(\d{2})))?")


def note_time_gaps(frame: ChartFrame) -> ChartFrame:
    """A note of the gaps between years, quarters, months or weeks that are drawn side by side."""
    for channel in (ChartChannel.X, ChartChannel.Y):
        field = frame.get(channel)
        if field is None or not field.dated or not field.is_discrete:
            continue
        labels = [str(value) for value in frame.values(field)]
        if gaps := find_gaps(labels):
            more = [f"(+{len(gaps) - GAPS_TOLD})"] if len(gaps) > GAPS_TOLD else []
            listed = ", ".join([*gaps[:GAPS_TOLD], *more])
            frame = frame.with_note(Note.TIME_GAPS, field=field.title, gaps=listed)
    return frame


def find_gaps(labels: Sequence[str]) -> list[str]:
    """The neighbours between which periods are missing; none if all are as far apart, as the years
    of elections are. What is no period, as the place of rows without a date, does not count."""
    places = {label: place for label in labels if (place := _count_periods(label)) is not None}
    forms = {(len(label), "Q" in label) for label in places}
    if len(forms) != 1:
        return []
    ordered = sorted(places, key=places.__getitem__)
    steps = [(places[two] - places[one], one, two) for one, two in pairwise(ordered)]
    if len({step for step, _, _ in steps}) < 2:
        return []
    return [f"{one} – {two}" for step, one, two in steps if step > min(steps)[0]]


def _count_periods(label: str) -> int | None:
    """The number of a year, quarter, month or week; None for everything else."""
    if (parts := _PERIOD.fullmatch(label)) is None:
        return None
    year, month, quarter, week = parts.groups()
    if month:
        return int(year) * 12 + int(month)
    if quarter:
        return int(year) * 4 + int(quarter)
    if week:
        try:
            return date.fromisocalendar(int(year), int(week), 1).toordinal() // 7
        except ValueError:
            return None
    return int(year)
