"""Upload: a stream of bytes becomes a stored picture, or leaves nothing behind."""

from collections.abc import AsyncIterator

from yarrow.attachments import store
from yarrow.attachments.errors import AttachmentEmpty, AttachmentTooLarge
from yarrow.attachments.model import MAX_BYTES, Attachment
from yarrow.attachments.rules import HEAD_BYTES, path_of, sniff, stored_name
from yarrow.attachments.storage import Storage
from yarrow.db import Database
from yarrow.ids import AccountId, AttachmentId


class Incoming:
    """A file on its way in: looked at before it is stored, counted while it is read."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self.head = b""
        self.size = 0

    async def look(self) -> None:
        """Read just enough to tell what the file is."""
        while len(self.head) < HEAD_BYTES:
            chunk = await anext(self._chunks, b"")
            if not chunk:
                break
            self.head += chunk
        if not self.head:
            raise AttachmentEmpty

    async def chunks(self) -> AsyncIterator[bytes]:
        """All bytes; raises as soon as there are too many."""
        yield self._counted(self.head)
        async for chunk in self._chunks:
            yield self._counted(chunk)

    def _counted(self, chunk: bytes) -> bytes:
        self.size += len(chunk)
        if self.size > MAX_BYTES:
            raise AttachmentTooLarge(MAX_BYTES)
        return chunk


async def reserve(
    database: Database,
    account_id: AccountId,
    incoming: Incoming,
    *,
    given_name: str,
    attachment_id: AttachmentId,
) -> Attachment:
    """Look at the file, name it, and note it; nothing is stored yet."""
    await incoming.look()
    kind = sniff(incoming.head)
    path = path_of(account_id, stored_name(given_name, attachment_id, kind))
    attachment = Attachment(attachment_id, account_id, path, kind)
    async with database.transaction() as tx:
        await store.reserve(tx, attachment)
    return attachment


async def discard(database: Database, storage: Storage, attachment: Attachment) -> None:
    """Undo a reservation and what was stored for it."""
    await storage.delete(attachment.path)
    async with database.transaction() as tx:
        await store.forget(tx, [attachment.id])
