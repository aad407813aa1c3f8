"""Import a chat file as a story, and export a story as a chat file."""

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
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound
from yarrow.sessions.model import (
    MAIN_BRANCH,
    NARRATOR,
    AnsweredTurn,
    MessageDetails,
    MessageVersion,
    NewSlot,
    Role,
    TurnStatus,
    TurnView,
    Visibility,
)
from yarrow.stories import state_store
from yarrow.stories.create import insert_story
from yarrow.stories.model import StoryPatch, StorySession
from yarrow.stories.state import require_own_story
from yarrow.stories.timeline import name_greetings
from yarrow.variables import store as variables
from yarrow.variables.model import Scope, ScopeRef
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
    database: Database, account_id: AccountId, chat: ChatFile, patch: StoryPatch, *, now: datetime
) -> tuple[StorySession, int]:
    """Create a story with the chat as its history; returns it and its number of turns."""
    turns = await asyncio.to_thread(make_turns, chat.lines)
    stored = chat.metadata.get(VARIABLES)
    values = stored if isinstance(stored, dict) else {}
    for key, value in values.items():
        require_key(key)
        require_value(value)
    async with database.transaction() as tx:
        patch = replace(patch, metadata=_session_metadata(chat))
        story, main_branch_id = await insert_story(tx, account_id, patch, now=now)
        await turn_store.insert_turns(tx, story.session_id, main_branch_id, turns=turns)
        scope = ScopeRef(Scope.BRANCH, str(main_branch_id), story.session_id)
        require_room(scope, len(values))
        await variables.write_variables(tx, account_id, scope, values)
        if turns:
            await state_store.insert_first_state(tx, main_branch_id, turns[-1].id, variables=values)
    return story, len(turns)


def _session_metadata(chat: ChatFile) -> JsonObject:
    """Keep the file's metadata (the author's note among it) and both names with the session."""
    others = {name: value for name, value in chat.metadata.items() if name != VARIABLES}
    return others | {USER_NAME: chat.user_name, CHARACTER_NAME: chat.character_name}


def make_turns(lines: Sequence[ChatLine]) -> list[AnsweredTurn]:
    """Group the lines into turns, in order."""
    return [
        AnsweredTurn(TurnId(new_uuid()), seq, tuple(map(_slot, exchange)))
        for seq, exchange in enumerate(split_exchanges(lines), 1)
    ]


def _slot(line: ChatLine) -> NewSlot:
    return NewSlot(
        role=_ROLES[line.speaker],
        texts=line.swipes,
        active=line.active,
        visibility=Visibility.USER if line.hidden else Visibility.BOTH,
        details=_details(line),
        created_at=line.sent_at,
    )


def _details(line: ChatLine) -> MessageDetails:
    role = NARRATOR if line.speaker is ChatSpeaker.NARRATOR else ""
    return MessageDetails(speaker=line.name, shown_role=role, extra=line.extra)


async def export_chat(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch: str = MAIN_BRANCH
) -> tuple[StorySession, ChatFile]:
    """Write the path to a branch's end as a chat, with all alternatives of each message."""
    async with database.connection() as tx:
        story = await require_own_story(tx, account_id, session_id)
        found_branch = next(iter(await branch_store.read_branches(tx, session_id, branch)), None)
        if found_branch is None:
            raise BranchNotFound(branch)
        turns = await turn_store.read_path_turns(tx, session_id, branch)
        scope = ScopeRef(Scope.BRANCH, str(found_branch.id), session_id)
        stored = await variables.read_scopes(tx, account_id, [scope])
    names, metadata = story.names, story.bindings.metadata
    has_persona = AssetKind.PERSONA in story.bound
    complete = [turn for turn in name_greetings(turns, names) if turn.status in _COMPLETE]
    return story, ChatFile(
        user_name=names.user if has_persona else _text(metadata, USER_NAME, names.user),
        character_name=names.character or _text(metadata, CHARACTER_NAME, DEFAULT_CHARACTER),
        metadata=_chat_metadata(metadata, {each.key: each.value for each in stored}),
        lines=tuple(line for turn in complete for line in _chat_lines(turn)),
    )


def _text(metadata: JsonObject, name: str, default: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else default


def _chat_metadata(metadata: JsonObject, values: JsonObject) -> JsonObject:
    names = (USER_NAME, CHARACTER_NAME)
    others = {name: value for name, value in metadata.items() if name not in names}
    return others | ({VARIABLES: values} if values else {})


_COMPLETE = (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED)
"""The only superseded turn on a path is one that a branch was forked after."""


def _chat_lines(turn: TurnView) -> list[ChatLine]:
    slots = groupby(turn.versions, lambda version: version.slot_id)
    return [_chat_line(list(versions), turn.number) for _, versions in slots]


def _chat_line(versions: list[MessageVersion], turn_number: int) -> ChatLine:
    first = versions[0]
    active = next((index for index, version in enumerate(versions) if version.active), 0)
    return ChatLine(
        speaker=ChatSpeaker.NARRATOR if first.details.is_narrator else _SPEAKERS[first.role],
        swipes=tuple(version.content for version in versions),
        active=active,
        name=first.details.speaker,
        hidden=versions[active].hidden,
        sent_at=versions[active].created_at,
        turn_number=turn_number,
        extra=first.details.extra,
    )
