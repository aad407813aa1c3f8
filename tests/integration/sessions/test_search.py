"""Searching what was said: words as they are, in one's own sessions only."""

from uuid import UUID, uuid4

import pytest

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.sessions import store
from yarrow.sessions.model import SearchHit

NO_SESSION = SessionId(UUID(int=0))


@pytest.fixture
async def account_id(database: Database) -> AccountId:
    return await new_account(database)


async def new_account(database: Database) -> AccountId:
    async with database.transaction() as tx:
        return AccountId(await tx.fetchval("INSERT INTO auth.users DEFAULT VALUES RETURNING id"))


async def say(
    database: Database, account_id: AccountId, *texts: str, role: str = "user", mask: int = 3
) -> SessionId:
    """A session in which this was said."""
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
    async with database.connection() as tx:
        found: tuple[SearchHit, ...] = await store.search_messages(
            tx, account_id, words, besides=besides, limit=limit
        )
    return [message.content for message in found]


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
        await store.delete_session(tx, gone)
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
    assert await find(database, account_id, "rain", limit=1) == ["rain three"]
    assert await find(database, account_id, "rain", besides=newest) == ["rain two"]
