"""Attach: one upload from its first byte to an attachment that a message can show."""

import asyncio
import logging
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from yarrow.attachments import store, upload
from yarrow.attachments.model import Attachment
from yarrow.errors import Unavailable
from yarrow.ids import AccountId, AttachmentId, SessionId
from yarrow.runs.engine import Engine
from yarrow.sessions.read import require_own_session

log = logging.getLogger("yarrow.attachments")


class Attaching:
    """Takes the file and its session, each once, in whichever order they come.

        async with Attaching(engine, account_id) as attaching:
            await attaching.to(session_id)
            await attaching.write(name, chunks)
            attachment = await attaching.keep()

    What was not kept when the block ends, for whatever reason, is removed.
    """

    def __init__(self, engine: Engine, account_id: AccountId) -> None:
        self._engine = engine
        self._account_id = account_id
        self._session_id: SessionId | None = None
        self._draft: Attachment | None = None
        self._size = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._draft is not None:
            await asyncio.shield(self._discard(self._draft))

    async def to(self, session_id: SessionId) -> None:
        """The session that the file is for; refused at once when it is not the caller's."""
        async with self._engine.database.connection() as tx:
            await require_own_session(tx, self._account_id, session_id)
        self._session_id = session_id

    async def write(self, given_name: str, chunks: AsyncIterator[bytes]) -> None:
        """Store the file as it is read."""
        incoming = upload.Incoming(chunks)
        self._draft = await upload.reserve(
            self._engine.database,
            self._account_id,
            incoming,
            given_name=given_name,
            attachment_id=AttachmentId(self._engine.new_id()),
        )
        await self._engine.storage.write(self._draft.path, incoming.chunks())
        self._size = incoming.size

    async def keep(self) -> Attachment:
        """Both are here: the file can be used from now on."""
        assert self._session_id is not None
        assert self._draft is not None
        async with self._engine.database.transaction() as tx:
            await require_own_session(tx, self._account_id, self._session_id)
            await store.complete(tx, self._draft.id, session_id=self._session_id, size=self._size)
        kept, self._draft = self._draft, None
        log.info("attachment.kept", extra={"attachment_id": str(kept.id), "bytes": self._size})
        return kept

    async def _discard(self, draft: Attachment) -> None:
        try:
            await upload.discard(self._engine.database, self._engine.storage, draft)
        except Unavailable:
            # Its row says that it is unused, so the sweep finds it.
            log.warning("attachment.left_to_sweep", extra={"attachment_id": str(draft.id)})
