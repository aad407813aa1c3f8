"""Upload an image: store it while it is received, and delete it unless it was completed."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Self

from yarrow.attachments import store
from yarrow.attachments.errors import AttachmentEmpty, AttachmentNotImage, AttachmentTooLarge
from yarrow.attachments.image_types import HEAD_BYTES, sniff_type
from yarrow.attachments.model import Attachment, ImageType
from yarrow.attachments.paths import build_path, make_file_name
from yarrow.attachments.storage import Storage
from yarrow.db import Database
from yarrow.errors import Unavailable
from yarrow.ids import AccountId, AttachmentId, SessionId
from yarrow.sessions.read import require_own_session

log = logging.getLogger("yarrow.attachments")

MAX_BYTES = 5 * 1024 * 1024


class AttachmentUpload:
    """Takes a file and its session, each once and in any order.

        async with AttachmentUpload(database, storage, attachment_id, account_id) as upload:
            await upload.set_session(session_id)
            await upload.write(name, chunks)
            attachment = await upload.complete()

    A file that was not completed when the block ends, for whatever reason, is deleted.
    """

    def __init__(
        self,
        database: Database,
        storage: Storage,
        attachment_id: AttachmentId,
        account_id: AccountId,
    ) -> None:
        self._database, self._storage = database, storage
        self._id, self._account_id = attachment_id, account_id
        self._session_id: SessionId | None = None
        self._draft: Attachment | None = None
        self._size = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._draft is not None:
            await asyncio.shield(self._discard_draft(self._draft))

    async def set_session(self, session_id: SessionId) -> None:
        """Set the session of the file; raise at once if it is not the account's."""
        async with self._database.connection() as tx:
            await require_own_session(tx, self._account_id, session_id)
        self._session_id = session_id

    async def write(self, filename: str, chunks: AsyncIterator[bytes]) -> None:
        """Check the type of the file and store it while it is received."""
        incoming = _IncomingFile(chunks)
        image_type = await incoming.read_type()
        path = build_path(self._account_id, make_file_name(filename, self._id, image_type))
        draft = Attachment(self._id, self._account_id, path, image_type)
        async with self._database.transaction() as tx:
            await store.reserve_attachment(tx, draft)
        self._draft = draft
        await self._storage.write(path, incoming.chunks())
        self._size = incoming.size

    async def complete(self) -> Attachment:
        """Make the file usable; both file and session must be set."""
        assert self._session_id is not None
        assert self._draft is not None
        async with self._database.transaction() as tx:
            await require_own_session(tx, self._account_id, self._session_id)
            await store.complete_attachment(
                tx, self._id, session_id=self._session_id, size=self._size
            )
        attachment, self._draft = self._draft, None
        log.info("attachment.kept", extra={"attachment_id": str(self._id), "bytes": self._size})
        return attachment

    async def _discard_draft(self, draft: Attachment) -> None:
        try:
            await self._storage.delete(draft.path)
            async with self._database.transaction() as tx:
                await store.delete_attachments(tx, [draft.id])
        except Unavailable:
            # No message refers to its row, so the sweep finds it.
            log.warning("attachment.left_to_sweep", extra={"attachment_id": str(draft.id)})


class _IncomingFile:
    """A file that is being received; its bytes are counted as they are read."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._head = b""
        self.size = 0

    async def read_type(self) -> ImageType:
        """The type by the first bytes. Of a file that is no image the size is checked first:
        which of two errors it gets must not depend on how far it exceeds the limit."""
        head = await self._read_head()
        try:
            return sniff_type(head)
        except AttachmentNotImage:
            async for _ in self.chunks():
                pass
            raise

    async def _read_head(self) -> bytes:
        """The first bytes, enough to detect the type."""
        while len(self._head) < HEAD_BYTES:
            chunk = await anext(self._chunks, b"")
            if not chunk:
                break
            self._head += chunk
        if not self._head:
            raise AttachmentEmpty
        return self._head

    async def chunks(self) -> AsyncIterator[bytes]:
        """All bytes; raises as soon as there are too many."""
        yield self._count_bytes(self._head)
        async for chunk in self._chunks:
            yield self._count_bytes(chunk)

    def _count_bytes(self, chunk: bytes) -> bytes:
        self.size += len(chunk)
        if self.size > MAX_BYTES:
            raise AttachmentTooLarge(MAX_BYTES)
        return chunk
