"""Attachments in SQL."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from yarrow.attachments.model import Attachment
from yarrow.db import Tx
from yarrow.ids import AccountId, AttachmentId, MessageId, SessionId


async def reserve_attachment(tx: Tx, attachment: Attachment) -> None:
    """Insert the row before the first byte is stored, so that the sweep knows every file."""
    await tx.execute(
        "INSERT INTO attachments (id, account_id, path, mime_type) VALUES ($1, $2, $3, $4)",
        attachment.id,
        attachment.account_id,
        attachment.path,
        attachment.mime_type,
    )


async def complete_attachment(
    tx: Tx, attachment_id: AttachmentId, *, session_id: SessionId, size: int
) -> None:
    """Mark the upload as complete; from now on messages can refer to it."""
    await tx.execute(
        "UPDATE attachments SET session_id = $2, bytes = $3 WHERE id = $1",
        attachment_id,
        session_id,
        size,
    )


async def delete_attachments(tx: Tx, attachment_ids: Sequence[AttachmentId]) -> None:
    """Delete the rows of deleted files."""
    await tx.execute("DELETE FROM attachments WHERE id = ANY($1)", attachment_ids)


async def is_complete(tx: Tx, path: str) -> bool:
    """Whether there is such an attachment and its upload was completed."""
    exists = await tx.fetchval(
        "SELECT EXISTS (SELECT 1 FROM attachments WHERE path = $1 AND bytes IS NOT NULL)", path
    )
    return bool(exists)


async def mark_used(
    tx: Tx, account_id: AccountId, paths: Sequence[str], *, message_id: MessageId
) -> int:
    """Link attachments to a message; return how many of them still exist.

    One that several messages refer to is linked to the first, which is enough for the sweep.
    """
    status = await tx.execute(
        "UPDATE attachments SET message_id = coalesce(message_id, $3) "
        "WHERE account_id = $1 AND path = ANY($2) AND bytes IS NOT NULL",
        account_id,
        paths,
        message_id,
    )
    return int(status.rpartition(" ")[2])


async def lock_unused(
    tx: Tx, *, older_than: timedelta, limit: int, skipped: Collection[AttachmentId]
) -> list[tuple[AttachmentId, str]]:
    """Ids and paths of unused uploads, locked so that no message can begin to use them.

    The transaction may wait for the file store as long as it takes.
    """
    await tx.execute("SELECT set_config('idle_in_transaction_session_timeout', '0', TRUE)")
    rows = await tx.fetch(
        "SELECT id, path FROM attachments "
        "WHERE message_id IS NULL AND created_at < now() - $1::interval AND id <> ALL($3) "
        "ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED",
        older_than,
        limit,
        list(skipped),
    )
    return [(AttachmentId(row["id"]), row["path"]) for row in rows]
