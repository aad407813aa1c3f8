"""A chat file becomes a story that can be continued, and a story a chat file."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby

from yarrow.assets.model import AssetKind
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId, TurnId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.chats import (
    DEFAULT_CHARACTER,
    ChatFile,
    ChatLine,
    ChatSpeaker,
    split_exchanges,
)
from yarrow.sessions.errors import BranchNotFound
from yarrow.sessions.model import NARRATOR, MessageDetails, Role, TurnStatus, Visibility
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline import branch_store as branches
from yarrow.sessions.timeline import store as timeline
from yarrow.sessions.timeline.model import Floor, NewFloor, NewSlot, Page
from yarrow.stories.create import begin_story
from yarrow.stories.model import StoryHead, StoryPatch
from yarrow.stories.timeline import own_story, shown
from yarrow.variables import store as variables
from yarrow.variables.model import Place, Scope
from yarrow.variables.rules import require_key, require_room, require_value

VARIABLES = "variables"
USER_NAME = "user_name"
CHARACTER_NAME = "character_name"

_ROLES = {
    ChatSpeaker.USER: Role.USER,
    ChatSpeaker.ASSISTANT: Role.ASSISTANT,
    ChatSpeaker.NARRATOR: Role.ASSISTANT,
    ChatSpeaker.SYSTEM: Role.SYSTEM,
}
_SPEAKERS = {
    Role.USER: ChatSpeaker.USER,
    Role.ASSISTANT: ChatSpeaker.ASSISTANT,
    Role.SYSTEM: ChatSpeaker.SYSTEM,
    Role.TOOL: ChatSpeaker.SYSTEM,
}


async def import_chat(
    database: Database, account_id: AccountId, chat: ChatFile, wanted: StoryPatch, *, now: datetime
) -> tuple[StoryHead, int]:
    """A new story with the whole chat as its history; gives back how many floors it has."""
    floors = await asyncio.to_thread(new_floors, chat.lines)
    held = chat.metadata.get(VARIABLES)
    values = held if isinstance(held, dict) else {}
    for key, value in values.items():
        require_key(key)
        require_value(value)
    async with database.transaction() as tx:
        wanted = replace(wanted, metadata=_kept_metadata(chat))
        head, main = await begin_story(tx, account_id, wanted, now=now)
        await timeline.insert_floors(tx, head.session_id, main, floors=floors)
        place = Place(Scope.BRANCH, str(main), head.session_id)
        require_room(place, len(values))
        await variables.write(tx, account_id, place, values)
    return head, len(floors)


def _kept_metadata(chat: ChatFile) -> JsonObject:
    """What the file says of the whole chat: the author's note among it, and who spoke."""
    kept = {name: value for name, value in chat.metadata.items() if name != VARIABLES}
    return kept | {USER_NAME: chat.user_name, CHARACTER_NAME: chat.character_name}


def new_floors(lines: Sequence[ChatLine]) -> list[NewFloor]:
    """The turns to store, in order."""
    return [
        NewFloor(TurnId(new_uuid()), seq, tuple(map(_slot, floor)))
        for seq, floor in enumerate(split_exchanges(lines), 1)
    ]


def _slot(line: ChatLine) -> NewSlot:
    return NewSlot(
        role=_ROLES[line.speaker],
        texts=line.swipes,
        shown=line.active,
        visibility=Visibility.USER if line.hidden else Visibility.BOTH,
        details=_details(line),
        said_at=line.said_at,
    )


def _details(line: ChatLine) -> MessageDetails:
    role = NARRATOR if line.speaker is ChatSpeaker.NARRATOR else ""
    return MessageDetails(speaker=line.name, shown_role=role, extra=line.extra)


async def export_chat(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch: str = MAIN_BRANCH
) -> tuple[StoryHead, ChatFile]:
    """What was said on the way to a branch's end, with all alternates."""
    async with database.connection() as tx:
        head = await own_story(tx, account_id, session_id)
        found = next(iter(await branches.read_branches(tx, session_id, branch)), None)
        if found is None:
            raise BranchNotFound(branch)
        floors = await timeline.read_timeline(tx, session_id, branch)
        place = Place(Scope.BRANCH, str(found.id), session_id)
        held = await variables.read_places(tx, account_id, [place])
    names = head.names
    said = [floor for floor in shown(floors, names) if floor.status in _SAID]
    told = head.bindings.metadata
    return head, ChatFile(
        user_name=names.user
        if AssetKind.PERSONA in head.bound
        else told.get(USER_NAME, names.user),
        character_name=names.character or told.get(CHARACTER_NAME, DEFAULT_CHARACTER),
        metadata=_told_metadata(told, {each.key: each.value for each in held}),
        lines=tuple(line for floor in said for line in _lines(floor)),
    )


def _text(told: JsonObject, name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""


def _told_metadata(kept: JsonObject, variables: JsonObject) -> JsonObject:
    told = {name: value for name, value in kept.items() if name not in (USER_NAME, CHARACTER_NAME)}
    return told | ({VARIABLES: variables} if variables else {})


_SAID = (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED)
"""A line has no replaced floors but the one its branch was forked after."""


def _lines(floor: Floor) -> list[ChatLine]:
    slots = groupby(floor.pages, lambda page: page.slot)
    return [_chat_line(list(pages), floor.number) for _, pages in slots]


def _chat_line(pages: list[Page], floor_no: int) -> ChatLine:
    first = pages[0]
    active = next((number for number, page in enumerate(pages) if page.active), 0)
    return ChatLine(
        speaker=ChatSpeaker.NARRATOR if first.details.is_narrator else _SPEAKERS[first.role],
        swipes=tuple(page.content for page in pages),
        active=active,
        name=first.details.speaker,
        hidden=pages[active].hidden,
        said_at=pages[active].created_at,
        floor_no=floor_no,
        extra=first.details.extra,
    )
