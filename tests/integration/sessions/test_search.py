"""Search the messages of an account: literal words, own sessions only, bounded."""

from uuid import UUID, uuid4

import pytest
from tests.new_account import new_account

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions import store
from yarrow.sessions.read import search_messages
from yarrow.sessions.search_limits import SEARCHED_EACH, SEARCHED_SESSIONS

NO_SESSION = SessionId(UUID(int=0))


async def say(
    database: Database, account_id: AccountId, *texts: str, role: str = "user", mask: int = 3
) -> SessionId:
    """A session with these messages."""
    session_id = SessionId(uuid4())
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO sessions (id, user_id, title) VALUES ($1, $2, $3)",
            session_id,
            account_id,
            texts[0],
        )
        for seq, text in enumerate(texts, 1):
            await tx.execute(
                "INSERT INTO messages (session_id, seq, role, content, visibility_mask)"
                " VALUES ($1, $2, $3, $4, $5)",
                session_id,
                seq,
                role,
                text,
                mask,
            )
    return session_id


async def find(
    database: Database,
    account_id: AccountId,
    *words: str,
    besides: SessionId = NO_SESSION,
    limit: int = 10,
) -> list[str]:
    result = await search_messages(database, account_id, words, besides=besides, limit=limit)
    assert result.searched_until is None
    return [hit.content for hit in result.hits]


@pytest.mark.parametrize(
    "said, words",
    [
        ("我最近换工作是否合适？", ("换工作",)),
        ("我最近换工作是否合适？", ("合适", "工作")),
        ("The Weather in Paris", ("weather", "PARIS")),
        ("ПРИВЕТ, мир", ("привет",)),
        ("half price: 50% off", ("50%",)),
        ("the file a_b.txt", ("a_b",)),
        (r"C:\temp\new", (r"\temp",)),
        ("it's 'quoted'", ("'quoted'",)),
    ],
)
async def test_words_are_found_as_they_are(
    database: Database, account_id: AccountId, said: str, words: tuple[str, ...]
) -> None:
    await say(database, account_id, said)

    assert await find(database, account_id, *words) == [said]


@pytest.mark.parametrize("word", ["5%0", "%", "_", "a_b", "\\", "'; DROP TABLE messages; --"])
async def test_signs_of_patterns_match_only_themselves(
    database: Database, account_id: AccountId, word: str
) -> None:
    await say(database, account_id, "500 and aXb")

    assert await find(database, account_id, word) == []


async def test_all_words_must_be_in_one_message(database: Database, account_id: AccountId) -> None:
    await say(database, account_id, "rain today", "snow tomorrow")

    assert await find(database, account_id, "rain", "snow") == []


async def test_others_are_never_found(database: Database, account_id: AccountId) -> None:
    await say(database, await new_account(database), "a secret of theirs")

    assert await find(database, account_id, "secret") == []


async def test_deleted_sessions_and_messages_are_not_found(
    database: Database, account_id: AccountId
) -> None:
    gone = await say(database, account_id, "rain, deleted")
    await say(database, account_id, "rain, hidden message")
    async with database.transaction() as tx:
        await store.mark_deleted(tx, gone)
        await tx.execute("UPDATE messages SET deleted_at = now() WHERE content LIKE '%hidden m%'")

    assert await find(database, account_id, "rain") == []


async def test_only_what_the_user_saw_said_is_found(
    database: Database, account_id: AccountId
) -> None:
    await say(database, account_id, "rain, for the model", mask=2)
    await say(database, account_id, "rain, by a tool", role="tool")
    await say(database, account_id, "rain, by a system", role="system")

    assert await find(database, account_id, "rain") == []


async def test_each_session_is_found_once_the_newest_first(
    database: Database, account_id: AccountId
) -> None:
    await say(database, account_id, "rain one", "rain two")
    newest = await say(database, account_id, "rain three")

    assert await find(database, account_id, "rain") == ["rain three", "rain two"]
    first = await search_messages(database, account_id, ["rain"], limit=1)
    assert [hit.content for hit in first.hits] == ["rain three"]
    assert first.searched_until is not None
    assert await find(database, account_id, "rain", besides=newest) == ["rain two"]


async def test_search_that_stopped_says_where_and_can_be_continued(
    database: Database, account_id: AccountId
) -> None:
    oldest = await say(database, account_id, "rain, long ago")
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE sessions SET last_activity_at = '2026-01-01' WHERE id = $1", oldest
        )
        await tx.execute(
            "INSERT INTO sessions (user_id, last_activity_at)"
            " SELECT $1, '2026-02-01'::timestamptz + n * interval '1 hour'"
            " FROM generate_series(1, $2) n",
            account_id,
            SEARCHED_SESSIONS,
        )

    first = await search_messages(database, account_id, ["rain"], besides=NO_SESSION, limit=5)
    second = await search_messages(
        database, account_id, ["rain"], besides=NO_SESSION, limit=5, before=first.searched_until
    )

    assert first.hits == ()
    assert first.searched_until is not None
    assert [hit.content for hit in second.hits] == ["rain, long ago"]
    assert second.searched_until is None


async def test_only_the_newest_messages_of_a_long_session_are_searched(
    database: Database, account_id: AccountId
) -> None:
    session_id = await say(database, account_id, "rain, in the beginning")
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO messages (session_id, seq, role, content)"
            " SELECT $1, n, 'user', 'snow' FROM generate_series(2, $2) n",
            session_id,
            SEARCHED_EACH + 1,
        )
        await tx.execute(
            "UPDATE sessions SET message_count = $2 WHERE id = $1", session_id, SEARCHED_EACH + 1
        )

    result = await search_messages(database, account_id, ["rain"], besides=NO_SESSION, limit=5)

    assert (result.hits, result.cut_sessions) == ((), 1)
