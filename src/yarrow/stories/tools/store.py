"""SQL of tool permissions and of recorded tool calls."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from yarrow.db import Row, Tx
from yarrow.db.list_total import ListTotal, build_total, limit_count
from yarrow.ids import AccountId, MessageId, RunId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import ExecutionStatus, SideEffect, StoryToolFinished
from yarrow.stories.tools.replay_rules import CallFacts, CallFilter, CommitOutcome, ToolExecution

_COLUMNS = (
    "e.id, e.session_id, e.turn_id, e.tool_name, e.provider_type, e.side_effect, e.status, "
    "e.provider_id, e.arguments, e.result, e.message, e.outcome, e.duration_ms, e.attempt, "
    "e.created_at"
)


class CallOwner(Struct, frozen=True):
    """The run and turn of recorded calls."""

    run_id: RunId
    session_id: SessionId
    turn_id: TurnId
    account_id: AccountId


async def read_permissions(tx: Tx, session_id: SessionId) -> JsonObject:
    """Read the stored tool permissions of a story."""
    stored: JsonObject | None = await tx.fetchval(
        "SELECT tool_permissions FROM session_bindings WHERE session_id = $1", session_id
    )
    return stored or {}


async def write_permissions(tx: Tx, session_id: SessionId, permissions: JsonObject) -> None:
    await tx.execute(
        "UPDATE session_bindings SET tool_permissions = $2 WHERE session_id = $1",
        session_id,
        permissions,
    )


_INSERT = """
INSERT INTO tool_executions (run_id, session_id, turn_id, account_id, reply_id, outcome, id,
    call_id, tool_name, provider_id, provider_type, side_effect, arguments, status, result, message,
    duration_ms, attempt, number)
SELECT $1, $2, $3, $4, $5, $6, c.* FROM unnest($7::uuid[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::integer[],
    $18::integer[]) WITH ORDINALITY AS c
"""


async def insert_calls(
    tx: Tx,
    owner: CallOwner,
    calls: Sequence[StoryToolFinished],
    *,
    outcome: CommitOutcome,
    reply_id: MessageId | None = None,
) -> None:
    """Record the tool calls of a run."""
    if not calls:
        return
    await tx.execute(
        _INSERT,
        owner.run_id,
        owner.session_id,
        owner.turn_id,
        owner.account_id,
        reply_id,
        outcome,
        [UUID(call.execution_id) for call in calls],
        [_remove_nul(call.call_id) for call in calls],
        [call.tool_name for call in calls],
        [call.provider_id for call in calls],
        [call.provider_type for call in calls],
        [call.side_effect for call in calls],
        [call.arguments for call in calls],
        [call.status for call in calls],
        [_remove_nul(call.result) for call in calls],
        [_remove_nul(call.message) for call in calls],
        [call.duration_ms for call in calls],
        [call.attempt for call in calls],
    )


async def has_ended_badly(tx: Tx, run_id: RunId) -> bool:
    """Whether the run failed or was cancelled."""
    ended = await tx.fetchval(
        "SELECT TRUE FROM runs WHERE id = $1 AND status IN ('failed', 'cancelled')", run_id
    )
    return bool(ended)


async def read_committed_calls(tx: Tx, turn_id: TurnId) -> tuple[ToolExecution, ...]:
    """Read the calls of a turn's active reply, in their order."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM tool_executions e JOIN messages m ON m.id = e.reply_id "  # noqa: S608
        "WHERE e.turn_id = $1 AND m.page_active AND m.deleted_at IS NULL "
        "ORDER BY e.created_at, e.attempt, e.number",
        turn_id,
    )
    return tuple(map(_build_execution, rows))


async def read_turn_calls(tx: Tx, turn_id: TurnId) -> tuple[ToolExecution, ...]:
    """Read all recorded calls of a turn, also those of replaced replies and failed attempts."""
    rows = await tx.fetch(
        f"SELECT {_COLUMNS} FROM tool_executions e WHERE e.turn_id = $1 "  # noqa: S608
        "ORDER BY e.created_at, e.attempt, e.number",
        turn_id,
    )
    return tuple(map(_build_execution, rows))


# A subquery for each call in turn: a join would be planned as one over all sessions.
_OF_STORY = """
(SELECT s.is_story AND s.deleted_at IS NULL AND s.user_id = $1
 FROM sessions s WHERE s.id = e.session_id)
"""
_FILTERS = ("session_id", "turn_id", "tool_name", "status")


def build_list_statements(where: CallFilter) -> tuple[str, str]:
    """List and count calls. After the account the parameters are those of the filter, then limit
    and offset.

    Only with the filters that are used: those that might be unused look so selective that all
    calls would be read and sorted.
    """
    used = [name for name in _FILTERS if getattr(where, name) is not None]
    conditions = [f"e.{name} = ${number}" for number, name in enumerate(used, 2)]
    if where.session_id is None:
        conditions.append("e.account_id = $1")
    if where.status not in (None, ExecutionStatus.SUCCESS):
        # In words, as the index of these calls has it.
        conditions.append("e.status <> 'success'")
    matching = f"FROM tool_executions e WHERE {_OF_STORY} AND {' AND '.join(conditions)}"
    limit, offset = f"LIMIT ${len(used) + 2}", f"OFFSET ${len(used) + 3}"
    return (
        f"SELECT {_COLUMNS} {matching} "
        f"ORDER BY e.created_at DESC, e.attempt DESC, e.number DESC {limit} {offset}",
        f"SELECT count(*) FROM (SELECT 1 {matching} {limit}) counted",  # noqa: S608
    )


async def list_calls(
    tx: Tx, account_id: AccountId, where: CallFilter, *, limit: int, offset: int
) -> tuple[tuple[ToolExecution, ...], ListTotal]:
    """List some recorded calls of the account, newest first, and count those that match."""
    listing, counting = build_list_statements(where)
    used = (where.session_id, where.turn_id, where.tool_name, where.status)
    values = (account_id, *(value for value in used if value is not None))
    rows = await tx.fetch(listing, *values, limit, offset)
    count = await tx.fetchval(counting, *values, limit_count(limit, offset))
    return tuple(map(_build_execution, rows)), build_total(count, limit=limit, offset=offset)


def _remove_nul(text: str) -> str:
    """PostgreSQL cannot store NUL."""
    return text.replace("\0", " ")


def _build_execution(row: Row) -> ToolExecution:
    side_effect = row["side_effect"]
    return ToolExecution(
        id=str(row["id"]),
        session_id=str(row["session_id"]),
        turn_id=str(row["turn_id"]),
        facts=CallFacts(
            tool_name=row["tool_name"],
            provider_type=row["provider_type"],
            side_effect=None if side_effect is None else SideEffect(side_effect),
            status=ExecutionStatus(row["status"]),
        ),
        provider_id=row["provider_id"],
        arguments=row["arguments"],
        result=row["result"],
        message=row["message"],
        outcome=CommitOutcome(row["outcome"]),
        duration_ms=row["duration_ms"],
        attempt=row["attempt"],
        created_at=row["created_at"],
    )
