"""Times as moment.js writes them; the expected texts are from its documentation."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.prompting.macros.example import EVENING, expand

from yarrow.prompting.macros.date_format import format_date, humanize_duration


@pytest.mark.parametrize(
    ("macro", "result"),
    [
        ("time", "8:05 PM"),
        ("date", "April 3, 2026"),
        ("weekday", "Friday"),
        ("isotime", "20:05"),
        ("isodate", "2026-04-03"),
        ("time_UTC+2", "2:05 PM"),
        ("time_utc-10", "2:05 AM"),
        ("time::UTC+2", "2:05 PM"),
        ("time::UTC+330", "5:35 PM"),
        ("time::nonsense", "8:05 PM"),
        ("datetimeformat::YYYY-MM-DD HH:mm:ss", "2026-04-03 20:05:07"),
        ("datetimeformat DD.MM.YYYY HH:mm", "03.04.2026 20:05"),
        ("idleDuration", "just now"),
    ],
)
def test_time_macros(macro, result):
    assert expand(f"{{{{{macro}}}}}").text == result


@pytest.mark.parametrize(
    ("pattern", "result"),
    [
        ("M Mo MM MMM MMMM", "4 4th 04 Apr April"),
        ("Q Qo", "2 2nd"),
        ("D Do DD", "3 3rd 03"),
        ("DDD DDDo DDDD", "93 93rd 093"),
        ("d do dd ddd dddd", "5 5th Fr Fri Friday"),
        ("e E", "5 5"),
        ("w wo ww W Wo WW", "14 14th 14 14 14th 14"),
        ("YY YYYY Y gg gggg GG GGGG", "26 2026 2026 26 2026 26 2026"),
        ("A a H HH h hh k kk", "PM pm 20 20 8 08 20 20"),
        ("m mm s ss SSS", "5 05 7 07 000"),
        ("Z ZZ", "+08:00 +0800"),
        ("X x", "1775217907 1775217907000"),
        ("LT | LTS | L | l", "8:05 PM | 8:05:07 PM | 04/03/2026 | 4/3/2026"),
        ("LL | ll", "April 3, 2026 | Apr 3, 2026"),
        ("LLL | lll", "April 3, 2026 8:05 PM | Apr 3, 2026 8:05 PM"),
        ("LLLL", "Friday, April 3, 2026 8:05 PM"),
        ("llll", "Fri, Apr 3, 2026 8:05 PM"),
        ("[at] h [o'clock]", "at 8 o'clock"),
        ("hmm Hmmss", "805 200507"),
    ],
)
def test_format_tokens(pattern, result):
    assert format_date(EVENING, pattern) == result


def test_ordinals_of_the_teens():
    days = [format_date(datetime(2026, 1, day, tzinfo=UTC), "Do") for day in (1, 2, 11, 12, 13, 22)]

    assert days == ["1st", "2nd", "11th", "12th", "13th", "22nd"]


def test_the_english_week_begins_on_sunday_and_holds_the_first_of_january():
    assert format_date(datetime(2026, 1, 1, tzinfo=UTC), "w gggg W") == "1 2026 1"
    assert format_date(datetime(2025, 12, 28, tzinfo=UTC), "w gggg W GGGG") == "1 2026 52 2025"


@pytest.mark.parametrize(
    ("length", "result"),
    [
        ({"seconds": 0}, "a few seconds"),
        ({"seconds": 44}, "a few seconds"),
        ({"seconds": 45}, "a minute"),
        ({"seconds": 89}, "a minute"),
        ({"seconds": 90}, "2 minutes"),
        ({"minutes": 44}, "44 minutes"),
        ({"minutes": 45}, "an hour"),
        ({"minutes": 89}, "an hour"),
        ({"minutes": 90}, "2 hours"),
        ({"hours": 21}, "21 hours"),
        ({"hours": 22}, "a day"),
        ({"hours": 35}, "a day"),
        ({"hours": 36}, "2 days"),
        ({"days": 25}, "25 days"),
        ({"days": 26}, "a month"),
        ({"days": 45}, "a month"),
        ({"days": 46}, "2 months"),
        ({"days": 319}, "10 months"),
        ({"days": 320}, "a year"),
        ({"days": 547}, "a year"),
        ({"days": 548}, "2 years"),
    ],
)
def test_durations_are_rounded_as_people_say_them(length, result):
    assert humanize_duration(timedelta(**length).total_seconds()) == result


def test_idle_time_counts_from_the_last_user_message():
    expanded = expand("{{idleDuration}}/{{idle_duration}}", idle_since=EVENING - timedelta(hours=3))

    assert expanded.text == "3 hours/3 hours"


def test_a_difference_has_a_direction():
    text = "{{timeDiff::2023-01-01 12:00:00::2023-01-01 15:00:00}}"
    assert expand(text).text == "3 hours ago"
    assert expand("{{timeDiff::2023-01-02::2023-01-01}}").text == "in a day"


def test_what_is_no_time_keeps_the_macro():
    text = "{{timeDiff::then::now}}"

    assert (expand(text).text, expand(text).warnings) == (text, ["macro_arg_type_invalid"])
