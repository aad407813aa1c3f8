"""SQL of the state after each reply, and of the prompts that replies were made from."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg
import msgspec

from yarrow.db import Row, Tx
from yarrow.db.pool import RETRYABLE
from yarrow.ids import AccountId, BranchId, MessageId, RunId, SessionId, TurnId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.product_events.story_tools import StagedWrite
from yarrow.sessions.supersede_store import IS_REPLY
from yarrow.stories.errors import StateStageFailed
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntries,
    VariableEntry,
    VariableKey,
    VariableWrite,
)

STATE_COLUMNS = (
    "s.reply_id, s.variables, s.writes, s.timers, s.timers_before, s.session_state, s.global_writes"
)


async def find_state(tx: Tx, turn_id: TurnId) -> TurnState | None:
    """Read the state after a turn, that of its active version; None if it is not known."""
    row = await tx.fetchrow(
        f"SELECT {STATE_COLUMNS} FROM turn_states s JOIN messages m ON m.id = s.reply_id "  # noqa: S608
        "WHERE s.turn_id = $1 AND m.page_active AND m.deleted_at IS NULL",
        turn_id,
    )
    return None if row is None else make_state(row)


async def find_last_state(tx: Tx, turn_id: TurnId) -> TurnState | None:
    """Read the state after the version of a turn's reply that was made last."""
    row = await tx.fetchrow(
        f"SELECT {STATE_COLUMNS} FROM turn_states s JOIN messages m ON m.id = s.reply_id "  # noqa: S608
        "WHERE s.turn_id = $1 ORDER BY m.seq DESC LIMIT 1",
        turn_id,
    )
    return None if row is None else make_state(row)


async def find_reply_state(tx: Tx, reply_id: MessageId) -> TurnState | None:
    """Read the state after one version of a reply."""
    row = await tx.fetchrow(
        f"SELECT {STATE_COLUMNS} FROM turn_states s WHERE s.reply_id = $1",  # noqa: S608
        reply_id,
    )
    return None if row is None else make_state(row)


async def read_versions(tx: Tx, turn_id: TurnId) -> tuple[TurnState, ...]:
    """Read the states after all versions of a turn's reply, newest first."""
    rows = await tx.fetch(
        f"SELECT {STATE_COLUMNS} FROM turn_states s WHERE s.turn_id = $1 "  # noqa: S608
        "ORDER BY s.reply_id DESC",
        turn_id,
    )
    return tuple(map(make_state, rows))


async def find_branch_state(tx: Tx, branch_id: BranchId, turn_id: TurnId) -> TurnState | None:
    """Read the state that a branch continues from, if it is the one after this turn."""
    row = await tx.fetchrow(
        f"SELECT {STATE_COLUMNS} FROM turn_states s JOIN branches b ON b.state_reply = s.reply_id "  # noqa: S608
        "WHERE b.id = $1 AND s.turn_id = $2",
        branch_id,
        turn_id,
    )
    return None if row is None else make_state(row)


async def find_newest_turn(tx: Tx, branch_id: BranchId) -> TurnId | None:
    """Find the last answered turn of a branch, without those before its fork."""
    turn_id = await tx.fetchval(
        "SELECT id FROM turns WHERE branch_id = $1 AND live AND status = 'answered' "
        "ORDER BY seq DESC LIMIT 1",
        branch_id,
    )
    return None if turn_id is None else TurnId(turn_id)


async def is_newest_turn(tx: Tx, branch_id: BranchId, turn_id: TurnId) -> bool:
    """Whether no answered turn of the branch comes after this one."""
    return await find_newest_turn(tx, branch_id) == turn_id


async def read_entries(
    tx: Tx, account_id: AccountId, branch_id: BranchId
) -> dict[VariableKey, VariableEntry]:
    """Read the variables and state values of a branch, with their writers."""
    rows = await tx.fetch("SELECT * FROM fn_read_entries('{}', $1, $2)", account_id, branch_id)
    return decode_entries(rows)


def decode_entries(rows: Sequence[Row]) -> dict[VariableKey, VariableEntry]:
    """Decode the columns of `fn_read_entries`; a row without a key is of an outer join."""
    return {
        (EntryScope(row["scope"]), row["key"]): VariableEntry(row["value"], row["written_by"])
        for row in rows
        if row["key"] is not None
    }


WRITE_ENTRIES = """
INSERT INTO variables (account_id, scope, scope_id, session_id, key, value, written_by)
SELECT $1, 'branch', $3, $2, w.key, w.value::json, w.writer
FROM unnest($4::text[], $5::text[], $6::uuid[]) AS w (key, value, writer)
ON CONFLICT (account_id, scope, scope_id, key)
    DO UPDATE SET value = excluded.value, written_by = excluded.written_by, updated_at = now()
"""
"""Takes `list_values`."""


async def change_entries(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    branch_id: BranchId,
    *,
    old: VariableEntries,
    new: VariableEntries,
) -> None:
    """Write the difference between two sets of variables and state values."""
    changed = await delete_entries(tx, account_id, session_id, branch_id, old=old, new=new)
    if changed:
        values = list_values(account_id, session_id, branch_id, changed)
        await tx.execute(WRITE_ENTRIES, *values)


async def delete_entries(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    branch_id: BranchId,
    *,
    old: VariableEntries,
    new: VariableEntries,
) -> VariableEntries:
    """Write the difference except for changed variables, which it returns.

    `StateStageFailed` if the database refuses a state value.
    """
    gone = [variable for variable in old if variable not in new]
    changed = {each: entry for each, entry in new.items() if old.get(each) != entry}
    try:
        await _change_values(tx, session_id, branch_id, gone=gone, changed=changed)
    except asyncpg.PostgresError as error:
        if isinstance(error, RETRYABLE):
            raise
        raise StateStageFailed from error
    if keys := [key for scope, key in gone if scope is EntryScope.BRANCH]:
        await tx.execute(
            "DELETE FROM variables WHERE account_id = $1 AND scope = 'branch' AND scope_id = $2 "
            "AND key = ANY($3)",
            account_id,
            str(branch_id),
            keys,
        )
    return {each: changed[each] for each in changed if each[0] is EntryScope.BRANCH}


def list_values(
    account_id: AccountId, session_id: SessionId, branch_id: BranchId, changed: VariableEntries
) -> tuple[object, ...]:
    return (
        account_id,
        session_id,
        str(branch_id),
        [key for _, key in changed],
        [encode_json(entry.value).decode() for entry in changed.values()],
        [_parse_uuid(entry.writer) for entry in changed.values()],
    )


_WRITE_VALUES = """
INSERT INTO state_values (branch_id, session_id, namespace, slot, entry, bytes, written_by)
SELECT $1, $2, w.namespace, w.slot, w.entry::json, octet_length(w.entry), w.writer
FROM unnest($3::text[], $4::text[], $5::text[], $6::uuid[]) AS w (namespace, slot, entry, writer)
ON CONFLICT (branch_id, namespace, slot) DO UPDATE SET
    entry = excluded.entry, bytes = excluded.bytes, written_by = excluded.written_by,
    updated_at = now()
"""


async def _change_values(
    tx: Tx,
    session_id: SessionId,
    branch_id: BranchId,
    *,
    gone: Sequence[VariableKey],
    changed: VariableEntries,
) -> None:
    """Delete and write the state values among the entries."""
    if keys := [key for scope, key in gone if scope is EntryScope.STATE]:
        await tx.execute(
            "DELETE FROM state_values WHERE branch_id = $1 "
            "AND namespace || '/' || slot = ANY($2::text[])",
            branch_id,
            keys,
        )
    values = {key: entry for (scope, key), entry in changed.items() if scope is EntryScope.STATE}
    if values:
        await tx.execute(
            _WRITE_VALUES,
            branch_id,
            session_id,
            [key.partition("/")[0] for key in values],
            [key.partition("/")[2] for key in values],
            [encode_json(entry.value).decode() for entry in values.values()],
            [_parse_uuid(entry.writer) for entry in values.values()],
        )


_INSERT_FIRST_STATE = f"""
WITH last AS (
    SELECT coalesce(page_slot, id) AS slot FROM messages
    WHERE turn_id = $1 AND deleted_at IS NULL ORDER BY {IS_REPLY} DESC, seq DESC LIMIT 1
), versions AS (
    SELECT m.id, m.page_active FROM messages m, last
    WHERE m.turn_id = $1 AND m.deleted_at IS NULL AND coalesce(m.page_slot, m.id) = last.slot
), stored AS (
    INSERT INTO turn_states (reply_id, turn_id, variables, timers, timers_before, session_state)
    SELECT id, $1, $3, $4, $4, $5 FROM versions
    ON CONFLICT (reply_id) DO NOTHING
)
UPDATE branches SET state_reply = versions.id FROM versions
WHERE branches.id = $2 AND versions.page_active
"""  # noqa: S608


async def insert_first_state(
    tx: Tx,
    branch_id: BranchId,
    turn_id: TurnId,
    *,
    variables: JsonObject,
    timers: Sequence[JsonObject] = (),
    session_state: JsonObject | None = None,
) -> None:
    """Store the state after a turn that no run made: greetings, the end of an imported chat."""
    await tx.execute(
        _INSERT_FIRST_STATE, turn_id, branch_id, variables, timers, session_state or {}
    )


async def read_branch_timers(tx: Tx, branch_id: BranchId) -> tuple[JsonObject, ...]:
    """Read the timers of the state that a branch continues from."""
    timers = await tx.fetchval(
        "SELECT s.timers FROM turn_states s JOIN branches b ON b.state_reply = s.reply_id "
        "WHERE b.id = $1",
        branch_id,
    )
    return tuple(timers or ())


async def continue_from_reply(tx: Tx, branch_id: BranchId, reply_id: MessageId | None) -> None:
    """Let a branch continue from the state after a reply."""
    await tx.execute("UPDATE branches SET state_reply = $2 WHERE id = $1", branch_id, reply_id)


async def continue_from_turn(tx: Tx, branch_id: BranchId, turn_id: TurnId) -> None:
    """Let a branch continue from the state after a turn's active version."""
    await tx.execute(
        "UPDATE branches SET state_reply = (SELECT s.reply_id FROM turn_states s "
        "JOIN messages m ON m.id = s.reply_id "
        "WHERE s.turn_id = $2 AND m.page_active AND m.deleted_at IS NULL) WHERE id = $1",
        branch_id,
        turn_id,
    )


async def read_later_states(tx: Tx, branch_id: BranchId, seq: int) -> tuple[TurnState, ...]:
    """Read the states after all versions of a branch's live turns beyond a number, newest first."""
    rows = await tx.fetch(
        f"SELECT {STATE_COLUMNS} FROM turns t JOIN turn_states s ON s.turn_id = t.id "  # noqa: S608
        "WHERE t.branch_id = $1 AND t.live AND t.status = 'answered' AND t.seq > $2 "
        "ORDER BY t.seq DESC, s.reply_id DESC",
        branch_id,
        seq,
    )
    return tuple(map(make_state, rows))


async def read_superseded_states(tx: Tx, turn_id: TurnId) -> tuple[TurnState, ...]:
    """Read the states after all versions of the turns that a turn supersedes, newest first."""
    rows = await tx.fetch(
        f"SELECT {STATE_COLUMNS} FROM turns t JOIN turn_states s ON s.turn_id = t.id "  # noqa: S608
        "WHERE t.session_id = (SELECT session_id FROM turns WHERE id = $1) "
        "AND t.superseded_by = $1 ORDER BY t.seq DESC, s.reply_id DESC",
        turn_id,
    )
    return tuple(map(make_state, rows))


_INPUT_TURNS = """
WITH input AS (
    SELECT t.branch_id, t.seq FROM messages m JOIN turns t ON t.id = m.turn_id
    WHERE m.session_id = $1 AND m.role = 'user' AND m.deleted_at IS NULL
      AND t.live AND t.status = 'answered'
      AND (m.metadata ? 'client_id' AND m.metadata ->> 'client_id' = $2 OR m.id::text = $2)
    ORDER BY m.seq DESC LIMIT 1
)
SELECT t.id, b.name FROM input i JOIN turns t ON t.branch_id = i.branch_id AND t.seq >= i.seq
JOIN branches b ON b.id = t.branch_id
WHERE t.live AND t.status = 'answered' ORDER BY t.seq
"""


async def find_input_turns(
    tx: Tx, session_id: SessionId, message_id: str
) -> tuple[tuple[TurnId, str], ...]:
    """Find the live turn with an input of this id, the client's or ours, and those behind it on
    its branch, each with the name of the branch."""
    rows = await tx.fetch(_INPUT_TURNS, session_id, message_id)
    return tuple((TurnId(row["id"]), row["name"]) for row in rows)


_CONTINUE_AFTER = """
WITH state AS (
    SELECT s.reply_id, s.session_state FROM turn_states s JOIN messages m ON m.id = s.reply_id
    WHERE s.turn_id = $2 AND m.page_active AND m.deleted_at IS NULL
), copied AS (
    INSERT INTO state_values (branch_id, session_id, namespace, slot, entry, bytes)
    SELECT b.id, b.session_id, split_part(v.key, '/', 1), substr(v.key, strpos(v.key, '/') + 1),
           v.value, octet_length(v.value::text)
    FROM state, branches b, json_each(state.session_state) v WHERE b.id = $1
)
UPDATE branches SET state_reply = (SELECT reply_id FROM state) WHERE id = $1
"""


async def continue_new_branch(tx: Tx, branch_id: BranchId, turn_id: TurnId) -> None:
    """Let a new branch continue from the state after a turn, that of its active version, with the
    state values that the turn left."""
    await tx.execute(_CONTINUE_AFTER, branch_id, turn_id)


async def find_run_turn(tx: Tx, run_id: RunId) -> Row:
    """Read the turn of a run with its branch's name, and the options of the run."""
    row = await tx.fetchrow(
        "SELECT t.id, t.seq, t.replaces, coalesce(b.wanted_name, b.name) AS branch, "
        "r.input -> 'options' AS options, r.created_at AS accepted_at FROM runs r "
        "JOIN turns t ON t.id = r.turn_id JOIN branches b ON b.id = t.branch_id WHERE r.id = $1",
        run_id,
    )
    assert row is not None
    return row


async def find_prompt(tx: Tx, turn_id: TurnId) -> bytes | None:
    """Read the compressed prompt of a turn's active reply."""
    record = await tx.fetchval(
        "SELECT p.record FROM turn_prompts p JOIN messages m ON m.id = p.reply_id "
        "WHERE p.turn_id = $1 AND m.page_active AND m.deleted_at IS NULL",
        turn_id,
    )
    return None if record is None else bytes(record)


async def find_run_prompt(tx: Tx, turn_id: TurnId, run_key: str) -> bytes | None:
    """Read the compressed prompt of the reply that a run made."""
    record = await tx.fetchval(
        "SELECT p.record FROM turn_prompts p JOIN messages m ON m.id = p.reply_id "
        "WHERE p.turn_id = $1 AND m.metadata ->> 'run_id' = $2",
        turn_id,
        run_key,
    )
    return None if record is None else bytes(record)


def make_state(row: Row) -> TurnState:
    """The state of a row with `STATE_COLUMNS`."""
    return TurnState(
        reply_id=str(row["reply_id"]),
        variables=row["variables"],
        writes=msgspec.convert(row["writes"], tuple[VariableWrite, ...]),
        timers=tuple(row["timers"]),
        timers_before=tuple(row["timers_before"]),
        session_state=row["session_state"],
        global_writes=msgspec.convert(row["global_writes"], tuple[StagedWrite, ...]),
    )


def _parse_uuid(writer: str | None) -> UUID | None:
    return None if writer is None else UUID(writer)
