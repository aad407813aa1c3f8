"""Days counted by the tool: weekdays, the lunar date, and the next day of a name."""

import pytest
from tests.integration.tools.calling import make_caller, make_tools, new_account
from tests.loose_json import JsonObject, decode_json

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
        ({"date": "0001-01-01"}, {"weekday": "Monday", "lunar": ""}),
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
        {"date": "9999-12-31", "days": 9},
    ],
)
async def test_a_date_that_does_not_exist_is_refused(
    database: Database, arguments: JsonObject
) -> None:
    caller = make_caller(await new_account(database))

    with pytest.raises(ToolError, match="no such date"):
        await make_tools(database)["calendar_date"].call(arguments, caller)
