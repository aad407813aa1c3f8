"""Where a day of the history begins."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from yarrow.sessions.history_days import find_day_start


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("Asia/Shanghai", datetime(2026, 3, 28, 16, tzinfo=UTC)),
        ("Europe/Berlin", datetime(2026, 3, 28, 23, tzinfo=UTC)),  # before the clocks change
        ("America/New_York", datetime(2026, 3, 29, 4, tzinfo=UTC)),
    ],
)
def test_a_day_of_the_history_begins_at_midnight_of_its_zone(zone: str, start: datetime) -> None:
    assert find_day_start(date(2026, 3, 29), ZoneInfo(zone)) == start


def test_the_first_day_of_all_begins_with_the_calendar() -> None:
    first = find_day_start(date.min, ZoneInfo("Asia/Shanghai"))

    assert first == datetime.min.replace(tzinfo=UTC)
