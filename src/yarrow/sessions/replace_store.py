"""SQL that replaces a turn or its reply, inside transaction 2."""

from yarrow.db import Tx
from yarrow.ids import MessageId, TurnId


async def supersede_turn(tx: Tx, turn_id: TurnId, *, by: TurnId) -> bool:
    """Supersede a turn; False if it is no longer live and answered."""
    superseded = await tx.fetchval(
        "UPDATE turns SET status = 'superseded', superseded_by = $2, live = FALSE, "
        "updated_at = now() WHERE id = $1 AND live AND status = 'answered' RETURNING TRUE",
        turn_id,
        by,
    )
    return bool(superseded)


_DEACTIVATE_REPLY = """
WITH answers AS (
    SELECT id, role, seq FROM messages
    WHERE turn_id = $1 AND deleted_at IS NULL AND page_active
      AND seq > (SELECT min(seq) FROM messages WHERE turn_id = $1)
), reply AS (
    SELECT id FROM answers WHERE role = 'assistant' ORDER BY seq DESC LIMIT 1
), removed AS (
    UPDATE messages m SET deleted_at = now(), updated_at = now()
    FROM answers a WHERE m.id = a.id AND m.id NOT IN (SELECT id FROM reply)
)
UPDATE messages m SET
    page_active = FALSE, page_slot = coalesce(m.page_slot, m.id), updated_at = now()
FROM reply WHERE m.id = reply.id
RETURNING m.page_slot
"""


async def deactivate_reply(tx: Tx, turn_id: TurnId) -> MessageId | None:
    """Make the turn's reply an inactive version and delete the tool messages that led to it.

    Returns the slot that the next version of the reply belongs to.
    """
    slot = await tx.fetchval(_DEACTIVATE_REPLY, turn_id)
    return None if slot is None else MessageId(slot)


async def append_version(tx: Tx, message_id: MessageId, *, slot: MessageId) -> None:
    """Make a message the newest version of a slot."""
    await tx.execute(
        "UPDATE messages SET page_slot = $2, page_no = "
        "1 + (SELECT max(page_no) FROM messages WHERE page_slot = $2) WHERE id = $1",
        message_id,
        slot,
    )
