"""What a prompt is assembled from, read from the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.loose_json import JsonObject

from yarrow.assets.model import Asset, AssetKind
from yarrow.assets.write import create_asset, edit_asset
from yarrow.clock import system_clock
from yarrow.db import Database, Row, Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId
from yarrow.prompting.formats.chats import read_chat
from yarrow.prompting.model import PromptRole
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.stories.branches import (
    activate_version,
    delete_branch,
    fork_branch,
    hide_message,
)
from yarrow.stories.chat_files import import_chat
from yarrow.stories.history_store import ReadHistories
from yarrow.stories.model import HistoryMessage, StoryPatch
from yarrow.stories.story_state import read_state
from yarrow.stories.timeline import read_timeline
from yarrow.stories.turn_state_store import insert_first_state
from yarrow.stories.variables import ScopeSelector, put_variables
from yarrow.variables.model import Scope

LINES: list[JsonObject] = [
    {"mes": "Welcome.", "is_user": False},
    {"mes": "one?", "is_user": True},
    {"mes": "one.", "is_user": False, "swipes": ["eins.", "one."], "swipe_id": 1},
    {"mes": "two?", "is_user": True},
    {"mes": "two.", "is_user": False},
]


class CountingTx:
    """A connection that counts what it is asked."""

    def __init__(self, tx: Tx) -> None:
        self._tx, self.statements = tx, 0

    async def fetch(self, query: str, *args: object) -> list[Row]:
        self.statements += 1
        return await self._tx.fetch(query, *args)

    async def fetchrow(self, query: str, *args: object) -> Row | None:
        self.statements += 1
        return await self._tx.fetchrow(query, *args)

    async def fetchval(self, query: str, *args: object) -> Row:
        self.statements += 1
        return await self._tx.fetchval(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        self.statements += 1
        return await self._tx.execute(query, *args)


@asynccontextmanager
async def counting(database: Database) -> AsyncIterator[CountingTx]:
    async with database.connection() as tx:
        yield CountingTx(tx)


@pytest.fixture
async def preset(database: Database, account_id: AccountId) -> Asset:
    return await create_asset(
        database, account_id, AssetKind.PRESET, content={"prompts": []}, name="Calm"
    )


@pytest.fixture
async def session_id(database: Database, account_id: AccountId, preset: Asset) -> SessionId:
    wanted = StoryPatch(title="t", assets={AssetKind.PRESET: preset.id})
    imported = await import_chat(database, account_id, read_chat(LINES), wanted, now=system_clock())
    return imported.story.session_id


async def told(
    database: Database,
    session_id: SessionId,
    branch: str = "main",
    *,
    histories: ReadHistories | None = None,
) -> Sequence[HistoryMessage]:
    async with database.connection() as tx:
        owner = await tx.fetchval("SELECT user_id FROM sessions WHERE id = $1", session_id)
        state = await read_state(tx, AccountId(owner), session_id, branch, histories=histories)
        return state.history


async def contents(database: Database, session_id: SessionId, branch: str = "main") -> list[str]:
    return [line.content for line in await told(database, session_id, branch)]


async def test_a_story_and_its_lineage_are_one_statement(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with counting(database) as tx:
        story = await read_state(tx, account_id, session_id)

    assert tx.statements == 1
    assert [(line.role, line.content, line.turn_number) for line in story.history] == [
        (PromptRole.ASSISTANT, "Welcome.", 0),
        (PromptRole.USER, "one?", 1),
        (PromptRole.ASSISTANT, "one.", 1),
        (PromptRole.USER, "two?", 2),
        (PromptRole.ASSISTANT, "two.", 2),
    ]


async def test_a_binding_comes_down_to_the_newest_version_or_the_held_one(
    database: Database, account_id: AccountId, session_id: SessionId, preset: Asset
) -> None:
    newer = await edit_asset(database, preset.ref, lambda old: old | {"temperature": 1})

    async with database.connection() as tx:
        follows = (await read_state(tx, account_id, session_id)).find_bound(AssetKind.PRESET)
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE session_bindings SET preset_version = 1 WHERE session_id = $1", session_id
        )
        held = (await read_state(tx, account_id, session_id)).find_bound(AssetKind.PRESET)

    assert follows is not None
    assert held is not None
    assert (follows.version_id, follows.version, follows.pinned) == (newer.version_id, 2, False)
    assert (held.version_id, held.version, held.pinned) == (preset.version_id, 1, True)


async def test_a_deleted_asset_still_serves_the_story_bound_to_it(
    database: Database, account_id: AccountId, session_id: SessionId, preset: Asset
) -> None:
    async with database.transaction() as tx:
        await tx.execute("UPDATE assets SET deleted_at = now() WHERE id = $1", preset.id)
        bound = (await read_state(tx, account_id, session_id)).find_bound(AssetKind.PRESET)

    assert bound is not None
    assert (bound.asset_id, bound.deleted) == (preset.id, True)


async def test_variables_come_scope_by_scope(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    items = [
        (ScopeSelector(Scope.GLOBAL), "x", 1),
        (ScopeSelector(Scope.CHAT, session_id), "x", 2),
        (ScopeSelector(Scope.BRANCH, session_id), "x", None),
    ]
    await put_variables(database, account_id, items)

    async with database.connection() as tx:
        held = (await read_state(tx, account_id, session_id)).variables

    assert held.get(Scope.GLOBAL) == {"x": 1}
    assert held.get(Scope.CHAT) == {"x": 2}
    assert held.get(Scope.BRANCH) == {"x": None}
    assert held.get(Scope.TURN) == {}


async def test_the_order_is_that_of_the_story_not_of_the_rows(
    database: Database, session_id: SessionId
) -> None:
    async with database.transaction() as tx:
        # A row whose indexed column was updated is stored behind the others.
        for content, seq in (("one.", 2_000), ("one?", 1_000)):
            await tx.execute(
                "UPDATE messages m SET seq = $3 + m.page_no FROM messages shown "
                "WHERE shown.session_id = $1 AND shown.content = $2 AND shown.page_active "
                "AND (m.id = shown.id OR m.page_slot = shown.page_slot)",
                session_id,
                content,
                seq,
            )

    assert await contents(database, session_id) == ["Welcome.", "one?", "one.", "two?", "two."]


async def test_failed_open_and_replaced_turns_are_left_out(
    database: Database, session_id: SessionId
) -> None:
    for seq, status in ((3, "failed"), (2, "open")):
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE turns SET status = $3, live = $3 <> 'failed' "
                "WHERE session_id = $1 AND seq = $2",
                session_id,
                seq,
                status,
            )

    assert await contents(database, session_id) == ["Welcome."]


async def test_a_replacement_is_not_seen_before_its_run_commits(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    before = await read_timeline(database, account_id, session_id, branch="main")

    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO turns (id, session_id, branch_id, seq, status, live, replaces) "
            "SELECT $2, session_id, branch_id, seq, 'open', FALSE, id FROM turns "
            "WHERE session_id = $1 AND seq = 3",
            session_id,
            uuid4(),
        )

    assert await read_timeline(database, account_id, session_id, branch="main") == before


async def remember_state(database: Database, turn_id: TurnId) -> None:
    async with database.transaction() as tx:
        branch_id = await tx.fetchval("SELECT branch_id FROM turns WHERE id = $1", turn_id)
        await insert_first_state(tx, BranchId(branch_id), turn_id, variables={})


async def test_a_fork_of_a_fork_goes_through_both(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    turns = [TurnId(UUID(line.turn_id or "")) for line in await told(database, session_id)]
    await remember_state(database, turns[2])
    await fork_branch(database, account_id, turns[2], name="a")
    own = await say_on(database, session_id, "a", "a!")
    await remember_state(database, own)
    await fork_branch(database, account_id, own, name="b")
    await say_on(database, session_id, "b", "b!")
    await say_on(database, session_id, "a", "later")

    assert await contents(database, session_id, "a") == ["Welcome.", "one?", "one.", "a!", "later"]
    assert await contents(database, session_id, "b") == ["Welcome.", "one?", "one.", "a!", "b!"]
    assert len(await contents(database, session_id)) == 5


async def test_hidden_messages_are_told_as_hidden(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    message_id = MessageId(UUID((await told(database, session_id))[1].message_id or ""))
    await hide_message(database, account_id, message_id, hidden=True)

    assert [line.hidden for line in await told(database, session_id)] == [
        False,
        True,
        False,
        False,
        False,
    ]


async def test_another_accounts_story_is_not_found(
    database: Database, session_id: SessionId
) -> None:
    async with database.connection() as tx:
        with pytest.raises(SessionNotFound):
            await read_state(tx, AccountId(uuid4()), session_id)


async def test_an_unknown_branch_is_not_found(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    async with database.connection() as tx:
        with pytest.raises(BranchNotFound):
            await read_state(tx, account_id, session_id, "elsewhere")


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("page_active = true", "ux_messages_active_page"),
        ("page_no = 0", "ux_messages_page_no"),
    ],
)
async def test_a_slot_has_one_active_page_and_each_number_once(
    database: Database, session_id: SessionId, change: str, constraint: str
) -> None:
    with pytest.raises(asyncpg.UniqueViolationError) as refused:
        async with database.transaction() as tx:
            await tx.execute(
                f"UPDATE messages SET {change} WHERE session_id = $1 AND page_slot IS NOT NULL",
                session_id,
            )

    assert refused.value.constraint_name == constraint


async def test_a_page_without_alternates_is_shown(
    database: Database, session_id: SessionId
) -> None:
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        async with database.transaction() as tx:
            await tx.execute(
                "UPDATE messages SET page_active = false "
                "WHERE session_id = $1 AND page_slot IS NULL",
                session_id,
            )

    assert refused.value.constraint_name == "ck_messages_page_slot"


async def say_on(database: Database, session_id: SessionId, branch: str, text: str) -> TurnId:
    """One more answered turn on a branch, as a live turn would leave it."""
    turn_id, message_id = TurnId(uuid4()), MessageId(uuid4())
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO turns (id, session_id, branch_id, seq, status) "
            "SELECT $3, session_id, id, 1 + greatest(forked_after_seq, "
            "(SELECT max(seq) FROM turns t WHERE t.branch_id = b.id)), 'answered' "
            "FROM branches b WHERE session_id = $1 AND name = $2",
            session_id,
            branch,
            turn_id,
        )
        await tx.execute(
            "INSERT INTO messages (id, session_id, turn_id, seq, role, content) "
            "SELECT $1, $2, $3, 1 + max(seq), 'assistant', $4 FROM messages WHERE session_id = $2",
            message_id,
            session_id,
            turn_id,
            text,
        )
    return turn_id


async def test_only_turns_that_were_not_read_before_are_read(
    database: Database, session_id: SessionId
) -> None:
    histories = ReadHistories()
    first = await told(database, session_id, histories=histories)
    await say_on(database, session_id, "main", "three.")

    again = await told(database, session_id, histories=histories)

    assert again == await told(database, session_id)
    assert [line.content for line in again] == [*(line.content for line in first), "three."]
    assert [line.number for line in again] == [0, 1, 2, 3, 4, 5]
    # All but the newest turn of the first reading are kept, as the very same objects.
    assert [new is old for new, old in zip(again, first, strict=False)] == [True] * 3 + [False] * 2


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE messages SET content = 'once?' WHERE session_id = $1 AND content = 'one?'",
        "UPDATE messages SET visibility_mask = 1 WHERE session_id = $1 AND content = 'Welcome.'",
        "UPDATE messages SET deleted_at = now() WHERE session_id = $1 AND content = 'one?'",
        "UPDATE messages SET metadata = '{\"greeting\": true}' WHERE session_id = $1",
        "DELETE FROM messages WHERE session_id = $1 AND content = 'one?'",
        "UPDATE turns SET status = 'superseded', live = FALSE WHERE session_id = $1 AND seq = 2",
    ],
)
async def test_a_kept_history_is_read_anew_after_every_change(
    database: Database, session_id: SessionId, change: str
) -> None:
    histories = ReadHistories()
    before = await told(database, session_id, histories=histories)

    async with database.transaction() as tx:
        await tx.execute(change, session_id)
        while_open = await told(database, session_id, histories=histories)
    after = await told(database, session_id, histories=histories)

    assert while_open == before
    assert after == await told(database, session_id)
    assert after != before


async def test_another_page_of_an_older_turn_is_read_although_the_history_is_kept(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    histories = ReadHistories()
    await told(database, session_id, histories=histories)
    async with database.connection() as tx:
        other = await tx.fetchval(
            "SELECT id FROM messages WHERE session_id = $1 AND content = 'eins.'", session_id
        )

    await activate_version(database, account_id, MessageId(other))

    kept = await told(database, session_id, histories=histories)
    assert [line.content for line in kept] == ["Welcome.", "one?", "eins.", "two?", "two."]


async def test_a_branch_that_takes_the_name_of_a_deleted_one_has_its_own_history(
    database: Database, account_id: AccountId, session_id: SessionId
) -> None:
    histories = ReadHistories()
    turns = [TurnId(UUID(line.turn_id or "")) for line in await told(database, session_id)]
    for turn in (turns[0], turns[4]):
        await remember_state(database, turn)
    await fork_branch(database, account_id, turns[4], name="a")
    assert len(await told(database, session_id, "a", histories=histories)) == 5
    await delete_branch(database, account_id, session_id, name="a")
    await fork_branch(database, account_id, turns[0], name="a")

    kept = await told(database, session_id, "a", histories=histories)

    assert [line.content for line in kept] == ["Welcome."]


async def test_kept_histories_have_a_limit(database: Database, session_id: SessionId) -> None:
    histories = ReadHistories(most_bytes=1_000)
    first = await told(database, session_id, histories=histories)

    again = await told(database, session_id, histories=histories)

    assert again == first
    assert not any(new is old for new, old in zip(again, first, strict=True))
