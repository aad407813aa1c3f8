"""The days of the history, in the time zone of a user."""

from datetime import UTC, date, datetime, time, tzinfo


def find_day_start(day: date, zone: tzinfo) -> datetime:
    """Where a day of the history begins: at midnight in the user's time zone.

    It is the first moment of year 1 where UTC has no earlier one.
    """
    try:
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)
