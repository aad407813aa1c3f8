"""Importing and exporting chat files. Files are parsed and written in a thread."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.assets.model import AssetKind
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.chat_writing import write_chat
from yarrow.prompting.formats.chats import ChatFile, read_chat
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.assets.downloads import build_download
from yarrow.protocols.tavern.chats.wire import FILE_BYTES, ImportChatBody
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.runs.engine import Engine
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.chat_files import ExportedChat, ImportedChat, export_chat, import_chat
from yarrow.stories.model import StoryPatch

MEDIA_TYPE = "application/x-ndjson"
WARNINGS_MAX = 20
STATES_LEFT_OUT = "X-States-Left-Out"
"""The header of an export whose oldest replies are written without their state."""
REPLIES_LEFT_OUT = "X-Replies-Left-Out"
"""The header of an export of a story with replies elsewhere than in the file."""
MEMORIES_LEFT_OUT = "X-Memories-Left-Out"
"""The header of an export of a story with memories, for which the format has no place."""
LEFT_OUT_HEADERS = (STATES_LEFT_OUT, REPLIES_LEFT_OUT, MEMORIES_LEFT_OUT)

_Import = Annotated[ImportChatBody, Depends(make_json_reader(ImportChatBody, limit=FILE_BYTES))]


def make_chat_router(engine: Engine) -> APIRouter:
    router = make_router("chats")
    database = engine.database

    @router.post(
        "/import/chat",
        status_code=201,
        summary="A chat file becomes a story",
        openapi_extra=describe_body(ImportChatBody),
    )
    async def import_one(account_id: CurrentAccount, body: _Import) -> Response:
        chat = await asyncio.to_thread(read_chat, body.data)
        patch = _build_patch(body, chat)
        imported = await import_chat(database, account_id, chat, patch, now=engine.clock())
        return build_data(_encode_import(imported, chat), status=201)

    @router.get(
        "/export/chat/{session_id}",
        summary="A story as a chat file",
        response_class=Response,
        responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
    )
    async def export_one(
        session_id: str, account_id: CurrentAccount, branch_id: str = MAIN_BRANCH
    ) -> Response:
        exported = await export_chat(
            database, account_id, ids.parse_session_id(session_id), branch=branch_id
        )
        text = await asyncio.to_thread(write_chat, exported.chat)
        name = exported.story.title or str(session_id)
        file = build_download(text.encode(), name=name, extension="jsonl", media_type=MEDIA_TYPE)
        file.headers.update(_count_left_out(exported))
        return file

    return router


def _count_left_out(exported: ExportedChat) -> dict[str, str]:
    """Headers that tell how much of the story is not in the file, if there is any."""
    counts = (exported.missing_states, exported.missing_replies, exported.missing_memories)
    left_out = zip(LEFT_OUT_HEADERS, counts, strict=True)
    return {name: str(count) for name, count in left_out if count}


def _encode_import(imported: ImportedChat, chat: ChatFile) -> JsonObject:
    story, missing = imported.story, imported.missing_states
    warnings = [f"{name} cannot be read and was left out" for name in imported.unread]
    if missing:
        warnings.insert(0, f"the export had no room for the states of the {missing} oldest replies")
    return {
        "session_id": str(story.session_id),
        "title": story.title,
        "floor_count": imported.turn_count,
        "message_count": len(chat.lines),
        "warnings": warnings[:WARNINGS_MAX],
    }


def _build_patch(body: ImportChatBody, chat: ChatFile) -> StoryPatch:
    """Title and character of the new story; the default title is the character's name."""
    character = body.character_id
    return StoryPatch(
        title=chat.character_name if body.title is None else body.title,
        assets={} if character is None else {AssetKind.CHARACTER: ids.parse_asset_id(character)},
    )
