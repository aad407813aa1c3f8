"""What may be said of sessions and messages."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import NewMessage, Ownership, RecentSession, Role
from yarrow.sessions.rules import (
    SEARCHED_EACH,
    SEARCHED_MESSAGES,
    SEARCHED_SESSIONS,
    find_day_start,
    limit_searched_sessions,
    make_title,
    require_owner,
    require_valid_usage,
)

ME, OTHER = AccountId(uuid4()), AccountId(uuid4())
SESSION = SessionId(uuid4())


def test_a_title_is_the_first_words_on_one_line() -> None:
    assert make_title("  what is\nthe  time? ") == "what is the time?"
    assert make_title("卦" * 100) == "卦" * 59 + "…"


def test_only_the_owner_gets_a_session() -> None:
    require_owner(SESSION, Ownership(ME, deleted=False), caller=ME)
    with pytest.raises(Forbidden):
        require_owner(SESSION, Ownership(OTHER, deleted=False), caller=ME)


@pytest.mark.parametrize("ownership", [Ownership(None, False), Ownership(ME, True)])
def test_a_missing_or_deleted_session_is_not_found(ownership: Ownership) -> None:
    with pytest.raises(SessionNotFound):
        require_owner(SESSION, ownership, caller=ME)


# seed 3, messages: token/cost non-negative, latency_ms null or non-negative
@pytest.mark.parametrize(
    "figures",
    [{"input_tokens": -1}, {"output_tokens": -1}, {"cost": Decimal(-1)}, {"latency_ms": -1}],
)
def test_negative_figures_are_refused(figures: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        require_valid_usage(NewMessage(MessageId(uuid4()), Role.ASSISTANT, "x", **figures))


def test_zero_and_unknown_figures_are_sound() -> None:
    require_valid_usage(NewMessage(MessageId(uuid4()), Role.ASSISTANT, "x", latency_ms=None))


def recent(messages: int) -> RecentSession:
    return RecentSession(SessionId(uuid4()), "", datetime(2026, 1, 1, tzinfo=UTC), messages)


def test_a_search_reads_few_long_sessions_or_many_short_ones() -> None:  # its time is bounded
    long, short = [recent(10_000)] * 50, [recent(2)] * 500

    assert len(limit_searched_sessions(long)) == SEARCHED_MESSAGES // SEARCHED_EACH
    assert len(limit_searched_sessions(short)) == SEARCHED_SESSIONS
    assert limit_searched_sessions([]) == []


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
