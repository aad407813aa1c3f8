"""SQL that replaces a turn or its reply, inside transaction 2, or takes turns away."""

from collections.abc import Mapping

from yarrow.db import Tx
from yarrow.ids import BranchId, MessageId, SessionId, TurnId

_SUPERSEDE = """
WITH first AS (
    UPDATE turns SET status = 'superseded', superseded_by = $2, live = FALSE, updated_at = now()
    WHERE id = $1 AND live AND status = 'answered'
    RETURNING branch_id, seq
), later AS (
    UPDATE turns t SET
        status = 'superseded', superseded_by = $2, live = FALSE, updated_at = now()
    FROM first WHERE $3 AND t.branch_id = first.branch_id AND t.seq > first.seq
      AND t.live AND t.status = 'answered'
)
SELECT TRUE FROM first
"""


async def supersede_turn(tx: Tx, turn_id: TurnId, *, by: TurnId, and_later: bool = False) -> bool:
    """Supersede a turn, and those behind it on its branch if wanted; False if it is no longer
    live and answered."""
    return bool(await tx.fetchval(_SUPERSEDE, turn_id, by, and_later))


_SUPERSEDE_LATER = """
WITH gone AS (
    UPDATE turns SET status = 'superseded', superseded_by = $3, live = FALSE, updated_at = now()
    WHERE branch_id = $1 AND seq > $2 AND live AND status = 'answered'
    RETURNING id, seq
)
SELECT id FROM gone ORDER BY seq
"""


async def supersede_later_turns(
    tx: Tx, branch_id: BranchId, seq: int, *, by: TurnId | None
) -> tuple[TurnId, ...]:
    """Supersede the answered turns of a branch beyond a number; returns them, oldest first.

    `by` is the turn that the branch ends with from now on. The session must be locked.
    """
    rows = await tx.fetch(_SUPERSEDE_LATER, branch_id, seq, by)
    return tuple(TurnId(row["id"]) for row in rows)


async def supersede_failed(tx: Tx, turn_id: TurnId, *, by: TurnId) -> None:
    """Supersede a failed turn whose input was sent again: it is shown once.

    Its time stays that of its failure, so that no turn counts as one that followed it.
    """
    await tx.execute(
        "UPDATE turns SET status = 'superseded', superseded_by = $2 "
        "WHERE id = $1 AND status = 'failed'",
        turn_id,
        by,
    )


_DELETE_TOOL_RESULTS = """
WITH removed AS (
    UPDATE messages SET deleted_at = now(), updated_at = now()
    WHERE turn_id = $1 AND role = 'tool' AND metadata ->> 'run_id' = $2 AND deleted_at IS NULL
    RETURNING session_id
)
UPDATE sessions SET message_count = message_count - (SELECT count(*) FROM removed)
WHERE id IN (SELECT session_id FROM removed)
"""


async def delete_tool_results(tx: Tx, turn_id: TurnId, *, run_key: str) -> None:
    """Delete the tool results that a failed run brought to an answered turn."""
    await tx.execute(_DELETE_TOOL_RESULTS, turn_id, run_key)


IS_REPLY = """
(role = 'assistant' AND metadata ->> 'role' IS DISTINCT FROM 'narrator' AND visibility_mask & 2 > 0)
"""
"""A condition: the message is a reply that prompts have, not a hidden or a narrator's line."""

_ANSWERS = f"""
WITH lines AS (
    SELECT id, role, seq, session_id, page_active, {IS_REPLY} AS is_reply,
           metadata ->> 'run_id' AS run_key,
           NOT metadata ?| ARRAY['run_id', 'from_client'] AND role <> 'tool' AS is_from_file
    FROM messages WHERE turn_id = $1 AND deleted_at IS NULL AND role <> 'user'
), last_reply AS (
    SELECT id, run_key FROM lines
    WHERE page_active AND role = 'assistant' AND (is_reply OR NOT is_from_file)
    ORDER BY is_from_file, seq DESC LIMIT 1
), answers AS (
    SELECT line.* FROM lines line LEFT JOIN last_reply ON TRUE
    WHERE line.page_active AND (line.id = last_reply.id OR NOT line.is_from_file AND (
        line.role = 'tool' OR line.run_key = last_reply.run_key
        OR NOT EXISTS (SELECT FROM lines WHERE is_from_file)))
)"""  # noqa: S608
"""The active messages of turn $1 that a new reply stands for. Of an imported turn, that is one
reply: the last one that a run made, else the last one that prompts have."""

_DEACTIVATE_REPLY = f"""
{_ANSWERS}, removed AS (
    UPDATE messages m SET deleted_at = now(), updated_at = now()
    FROM answers a WHERE m.id = a.id AND a.role = 'tool'
    RETURNING m.session_id
), counted AS (
    UPDATE sessions SET message_count = message_count - (SELECT count(*) FROM removed)
    WHERE id IN (SELECT session_id FROM removed)
), versions AS (
    UPDATE messages m SET
        page_active = FALSE, page_slot = coalesce(m.page_slot, m.id), updated_at = now()
    FROM answers a WHERE m.id = a.id AND a.role <> 'tool'
    RETURNING m.page_slot, m.role, m.seq
)
SELECT page_slot FROM versions WHERE role = 'assistant' ORDER BY seq DESC LIMIT 1
"""  # noqa: S608


async def deactivate_reply(tx: Tx, turn_id: TurnId) -> MessageId | None:
    """Make the turn's reply an inactive version and delete the tool messages that led to it.

    Of an imported turn, the lines beside its last reply stay, such as those of a narrator or of
    other characters.
    Returns the slot that the next version of the reply belongs to.
    """
    slot = await tx.fetchval(_DEACTIVATE_REPLY, turn_id)
    return None if slot is None else MessageId(slot)


async def find_answers(tx: Tx, turn_id: TurnId) -> frozenset[MessageId]:
    """Find the messages of a turn that a new reply stands for; the other lines stay."""
    rows = await tx.fetch(f"{_ANSWERS} SELECT id FROM answers", turn_id)  # noqa: S608
    return frozenset(MessageId(row["id"]) for row in rows)


_COPY_LINES = """
WITH span AS (
    SELECT last.seq, last.seq - min(m.seq) + 1 AS length
    FROM messages m, (SELECT max(seq) AS seq FROM messages WHERE session_id = $1) AS last
    WHERE m.turn_id = $2 AND m.role <> 'user' GROUP BY last.seq
), moved AS (
    UPDATE messages m SET seq = m.seq + span.length + $5,
        metadata = jsonb_strip_nulls(jsonb_build_object('name', nullif($6, ''))) || m.metadata
    FROM span WHERE m.turn_id = $2 AND m.role <> 'user'
), copies AS (
    SELECT m.*, c.copy_id, c.n
    FROM unnest($3::uuid[], $4::uuid[]) WITH ORDINALITY AS c (id, copy_id, n)
    JOIN messages m ON m.id = c.id
), stored AS (
    INSERT INTO messages (id, session_id, turn_id, seq, role, content, visibility_mask, metadata,
        page_slot, page_no, page_active, created_at, model_code, output_tokens)
    SELECT c.copy_id, $1, $2, span.seq + c.n + CASE WHEN c.n > $5 THEN span.length ELSE 0 END,
           c.role, c.content, c.visibility_mask,
           jsonb_build_object('copy_of', c.id) || c.metadata - ARRAY['run_id', 'produced'],
           (SELECT first.copy_id FROM copies first WHERE first.id = c.page_slot),
           c.page_no, c.page_active, c.created_at, c.model_code, c.output_tokens
    FROM copies c, span
    RETURNING id
)
UPDATE sessions SET message_count = message_count + (SELECT count(*) FROM stored) WHERE id = $1
"""


async def copy_lines(
    tx: Tx,
    session_id: SessionId,
    turn_id: TurnId,
    *,
    copies: Mapping[MessageId, MessageId],
    before_answer: int,
    speaker: str,
) -> None:
    """Copy messages of a replaced turn, with these new ids, around the answer of the turn that
    replaces it, so many before it. Copies name the message that they are a copy of."""
    await tx.execute(
        _COPY_LINES, session_id, turn_id, [*copies], [*copies.values()], before_answer, speaker
    )


async def append_version(tx: Tx, message_id: MessageId, *, slot: MessageId) -> None:
    """Make a message the newest version of a slot, whose speaker it has."""
    await tx.execute(
        "UPDATE messages m SET page_slot = $2, page_no = "
        "1 + (SELECT max(page_no) FROM messages WHERE page_slot = $2), metadata = m.metadata || "
        "jsonb_strip_nulls(jsonb_build_object('name', f.metadata -> 'name')) "
        "FROM messages f WHERE m.id = $1 AND f.id = $2",
        message_id,
        slot,
    )
