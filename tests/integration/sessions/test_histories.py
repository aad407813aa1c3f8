"""Histories: live turns only, the ancestors of a fork, and `has_answer` of a session."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import chain
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId
from yarrow.sessions import branch_store, history_store, store, turn_store
from yarrow.sessions.history_store import BATCH_ROWS, DayHistory
from yarrow.sessions.model import (
    AnsweredTurn,
    HistorySlice,
    Message,
    NewBranch,
    NewMessageVersions,
    Role,
    Visibility,
)
from yarrow.sessions.read import read_latest_answers


async def open_session(tx: Tx, account_id: AccountId) -> tuple[SessionId, BranchId]:
    session_id, branch_id = SessionId(uuid4()), BranchId(uuid4())
    await store.insert_session(tx, session_id, account_id, title="t", main_branch_id=branch_id)
    return session_id, branch_id


async def add_turns(
    tx: Tx, session_id: SessionId, branch_id: BranchId, *texts: str, first: int = 1
) -> list[TurnId]:
    turns = [
        AnsweredTurn(
            TurnId(uuid4()),
            seq,
            (
                NewMessageVersions(Role.USER, (f"{text}?",)),
                NewMessageVersions(Role.ASSISTANT, (text,)),
            ),
        )
        for seq, text in enumerate(texts, first)
    ]
    await turn_store.insert_turns(tx, session_id, branch_id, turns=turns)
    return [turn.id for turn in turns]


async def supersede(tx: Tx, turn_id: TurnId, by: TurnId) -> None:
    await tx.execute(
        "UPDATE turns SET live = FALSE, status = 'superseded', superseded_by = $2 WHERE id = $1",
        turn_id,
        by,
    )


def read_contents(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


async def read_titles(database: Database, account_id: AccountId) -> list[str]:
    page = await read_latest_answers(database, account_id, limit=10, offset=0)
    return [message.content for message in page.messages]


async def test_superseded_turns_are_in_no_history(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        session_id, branch_id = await open_session(tx, account_id)
        first, second = await add_turns(tx, session_id, branch_id, "one", "old two")
        await supersede(tx, second, by=first)
        await tx.execute(
            "INSERT INTO messages (session_id, seq, role, content) VALUES ($1, 9, 'user', 'loose')",
            session_id,
        )

        whole = await history_store.read_messages(tx, session_id, read_contents)
        day = await history_store.read_day(tx, session_id, read_contents, before=None, zone=UTC)

    assert whole == [["one?", "one", "loose"]]
    assert day.batches == whole
    assert await read_titles(database, account_id) == ["one"]


async def test_day_of_a_session_whose_newest_turn_was_superseded(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        session_id, branch_id = await open_session(tx, account_id)
        first, second = await add_turns(tx, session_id, branch_id, "one", "two")
        await supersede(tx, second, by=first)
        await tx.execute(
            "UPDATE messages SET created_at = created_at - interval '3 days' WHERE turn_id = $1",
            first,
        )

        shown = await history_store.read_day(tx, session_id, tuple, before=None, zone=UTC)

    (messages,) = shown.batches
    assert read_contents(messages) == ["one?", "one"]
    assert shown.day == messages[0].created_at.date()
    assert not shown.has_more


async def test_day_is_one_of_the_time_zone(database: Database, account_id: AccountId) -> None:
    async with database.transaction() as tx:
        session_id, branch_id = await open_session(tx, account_id)
        await add_turns(tx, session_id, branch_id, "one", "two")
        for hour, text in ((15, "one%"), (17, "two%")):
            moment = datetime(2026, 4, 2, hour, tzinfo=UTC)
            await tx.execute(
                "UPDATE messages SET created_at = $2 WHERE session_id = $1 AND content LIKE $3",
                session_id,
                moment,
                text,
            )

        zone = ZoneInfo("Asia/Shanghai")
        shown = await history_store.read_day(tx, session_id, read_contents, before=None, zone=zone)
        earlier = await history_store.read_day(
            tx, session_id, read_contents, before=shown.day, zone=zone
        )

    assert shown == DayHistory(session_id, date(2026, 4, 3), [["two?", "two"]], has_more=True)
    assert earlier == DayHistory(session_id, date(2026, 4, 2), [["one?", "one"]], has_more=False)


@pytest.mark.parametrize("extra", [-1, 0, 1, BATCH_ROWS])
async def test_history_of_several_batches_is_whole_and_in_order(
    database: Database, account_id: AccountId, extra: int
) -> None:
    count = BATCH_ROWS + extra
    async with database.transaction() as tx:
        session_id, _ = await open_session(tx, account_id)
        await tx.execute(
            "INSERT INTO messages (session_id, seq, role, content) "
            "SELECT $1, n, 'user', n::text FROM generate_series(1, $2::int) n",
            session_id,
            count,
        )

        read = await history_store.read_messages(tx, session_id, read_contents)

    assert list(chain.from_iterable(read)) == [str(number) for number in range(1, count + 1)]


async def test_model_sees_the_ancestors_of_a_forked_branch(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        session_id, main = await open_session(tx, account_id)
        one, two, _ = await add_turns(tx, session_id, main, "one", "two", "three")
        child, grandchild = BranchId(uuid4()), BranchId(uuid4())
        await branch_store.insert_branch(
            tx, session_id, NewBranch(child, "child", main, after=two, after_seq=2)
        )
        (own,) = await add_turns(tx, session_id, child, "child three", first=3)
        await branch_store.insert_branch(
            tx, session_id, NewBranch(grandchild, "grandchild", child, after=own, after_seq=3)
        )
        await supersede(tx, two, by=one)

        seen = await store.read_branch_answers(tx, grandchild, before_seq=4)
        newest = await store.read_branch_answers(tx, grandchild, before_seq=4, turns=2)
        of_main = await store.read_branch_answers(tx, main, before_seq=3)

    assert [message.content for message in seen if message.role is Role.ASSISTANT] == [
        "one",
        "two",
        "child three",
    ]
    assert [message.content for message in newest] == ["two?", "two", "child three?", "child three"]
    assert [message.content for message in of_main] == ["one?", "one"]


async def test_session_without_an_answer_is_not_listed(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        session_id, branch_id = await open_session(tx, account_id)
        hidden = NewMessageVersions(Role.ASSISTANT, ("for the model",), visibility=Visibility.MODEL)
        turn = AnsweredTurn(TurnId(uuid4()), 1, (NewMessageVersions(Role.USER, ("hello",)), hidden))
        await turn_store.insert_turns(tx, session_id, branch_id, turns=[turn])

    page = await read_latest_answers(database, account_id, limit=10, offset=0)

    assert (page.messages, page.has_more) == ((), False)


async def test_session_is_listed_until_its_last_answer_is_deleted(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        session_id, main = await open_session(tx, account_id)
        greeting = AnsweredTurn(TurnId(uuid4()), 1, (NewMessageVersions(Role.USER, ("hello",)),))
        await turn_store.insert_turns(tx, session_id, main, turns=[greeting])
        child = NewBranch(BranchId(uuid4()), "child", main, after=greeting.id, after_seq=1)
        await branch_store.insert_branch(tx, session_id, child)
        await add_turns(tx, session_id, child.id, "only here", first=2)
    listed = await read_titles(database, account_id)

    async with database.transaction() as tx:
        await branch_store.delete_branches(tx, session_id, [child.id])

    assert (listed, await read_titles(database, account_id)) == (["only here"], [])


async def test_pages_by_session_and_by_offset_agree(
    database: Database, account_id: AccountId
) -> None:
    async with database.transaction() as tx:
        for number in range(5):
            session_id, branch_id = await open_session(tx, account_id)
            await add_turns(tx, session_id, branch_id, f"answer {number}")
            await tx.execute(
                "UPDATE sessions SET last_activity_at = $2::text::timestamptz WHERE id = $1",
                session_id,
                f"2026-01-0{1 + number // 2}",
            )

    pages: list[HistorySlice] = []
    after: SessionId | None = None
    while True:
        page = await read_latest_answers(database, account_id, limit=2, offset=0, after=after)
        offset = sum(len(each.messages) for each in pages)
        assert page == await read_latest_answers(database, account_id, limit=2, offset=offset)
        pages.append(page)
        if not page.has_more:
            break
        after = page.messages[-1].session_id

    assert [len(page.messages) for page in pages] == [2, 2, 1]
    assert len({UUID(str(m.session_id)) for page in pages for m in page.messages}) == 5
