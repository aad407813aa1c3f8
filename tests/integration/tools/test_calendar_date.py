"""Days counted by the tool: weekdays, the lunar date, and the next day of a name."""

import pytest
from tests.integration.tools.calling import make_caller, make_tools
from tests.loose_json import JsonObject, decode_json
from tests.new_account import new_account

from yarrow.db import Database
from yarrow.tools.model import ToolError


@pytest.mark.parametrize(
    "arguments, result",
    [
        # It is 2026-04-03 20:30 in Shanghai.
        ({}, {"date": "2026-04-03", "weekday": "Friday", "lunar": "丙午年二月十六"}),
        ({"days": 30}, {"date": "2026-05-03", "weekday": "Sunday", "lunar": "丙午年三月十七"}),
        ({"date": "2000-01-01"}, {"weekday": "Saturday", "lunar": "己卯年冬月廿五"}),
        ({"date": "2024-01-01", "until": "2024-12-31"}, {"days": 365}),
        ({"until": "2026-04-01"}, {"days": -2}),
        ({"until": "04-03"}, {"until": "2026-04-03", "days": 0}),
        ({"until": "04-02"}, {"until": "2027-04-02", "days": 364}),
        ({"until": "02-29"}, {"until": "2028-02-29"}),
        ({"until": "lunar-new-year"}, {"until": "2027-02-06"}),
        ({"until": "12-25", "past": True}, {"until": "2025-12-25", "days": -99}),
        ({"until": "04-03", "past": True}, {"until": "2026-04-03", "days": 0}),
        ({"until": "02-29", "past": True}, {"until": "2024-02-29"}),
        ({"date": "lunar-new-year", "past": True}, {"date": "2026-02-17"}),
        ({"date": "1898-01-01", "until": "lunar-new-year"}, {"until": "1898-01-22"}),
        ({"date": "2101-01-01", "until": "lunar-new-year"}, {"until": "2101-01-29"}),
        ({"date": "03-01", "until": "06-01"}, {"date": "2027-03-01", "days": 92}),
        ({"date": "2024-01-01", "until": "03-05"}, {"until": "2024-03-05", "days": 64}),
        ({"date": "1582-10-15"}, {"weekday": "Friday", "lunar": ""}),
        ({"weekday": "friday"}, {"date": "2026-04-03", "days_from_today": 0}),
        ({"weekday": "monday"}, {"date": "2026-04-06", "days_from_today": 3}),
        ({"weekday": "monday", "week": "this"}, {"date": "2026-03-30"}),
        ({"weekday": "sunday", "week": "this"}, {"date": "2026-04-05"}),
        ({"weekday": "wednesday", "week": "next"}, {"date": "2026-04-08"}),
        ({"weekday": "tuesday", "week": "next", "days": 7}, {"date": "2026-04-14"}),
        ({"weekday": "monday", "week": "last"}, {"date": "2026-03-23"}),
        ({"months": 1}, {"date": "2026-05-03"}),
        ({"date": "2026-01-31", "months": 1}, {"date": "2026-02-28"}),
        ({"months": -4}, {"date": "2025-12-03"}),
        ({"date": "lunar-08-15"}, {"date": "2026-09-25"}),
        ({"date": "lunar-5-5"}, {"date": "2026-06-19"}),
        ({"date": "2025-07-25", "until": "lunar-06-15"}, {"until": "2026-07-28"}),
        ({"date": "lunar-new-years-eve"}, {"date": "2027-02-05"}),
        ({"date": "lunar-new-year", "year": "this"}, {"date": "2026-02-17"}),
        ({"date": "lunar-new-year", "year": "next"}, {"date": "2027-02-06"}),
        ({"date": "10-01", "year": "last"}, {"date": "2025-10-01", "weekday": "Wednesday"}),
    ],
)
async def test_days_are_counted_in_the_users_timezone(
    database: Database, arguments: JsonObject, result: JsonObject
) -> None:
    caller = make_caller(await new_account(database))

    answer = await make_tools(database)["calendar_date"].call(arguments, caller)

    assert decode_json(answer.text) | result == decode_json(answer.text)


@pytest.mark.parametrize(
    "arguments",
    [
        {"date": "2026-02-30"},
        {"until": "02-30"},
        {"date": "soon"},
        {"date": "02-29", "year": "this"},
        {"date": "lunar-13-01"},
        {"date": "lunar-01-31"},
        {"date": "9999-12-31", "days": 9},
    ],
)
async def test_a_date_that_does_not_exist_is_refused(
    database: Database, arguments: JsonObject
) -> None:
    caller = make_caller(await new_account(database))

    with pytest.raises(ToolError, match="no such date"):
        await make_tools(database)["calendar_date"].call(arguments, caller)


@pytest.mark.parametrize(
    "arguments",
    [
        {"date": "1492-10-12"},  # a Friday then; a Wednesday by the calendar of today
        {"date": "1582-10-04", "until": "1582-10-15"},
        {"until": "1066-10-14"},
        {"date": "1600-01-01", "months": -240},
    ],
)
async def test_a_date_before_the_gregorian_calendar_is_refused(
    database: Database, arguments: JsonObject
) -> None:
    caller = make_caller(await new_account(database))

    with pytest.raises(ToolError, match="Gregorian calendar begins"):
        await make_tools(database)["calendar_date"].call(arguments, caller)


@pytest.mark.parametrize("day", ["1896-01-01", "2101-02-01", "2500-01-01"])
async def test_a_lunar_new_year_outside_the_almanac_is_refused(
    database: Database, day: str
) -> None:
    caller = make_caller(await new_account(database))
    arguments: JsonObject = {"date": day, "until": "lunar-new-year"}

    with pytest.raises(ToolError, match="no such lunar date"):
        await make_tools(database)["calendar_date"].call(arguments, caller)
