"""Import a chat file as a story, and export a story as a chat file."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from yarrow.assets import store as assets
from yarrow.assets.model import AssetKind
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.cards import find_book_name, read_card
from yarrow.prompting.formats.chat_dates import format_create_date
from yarrow.prompting.formats.chat_timers import TIMED_LORE, read_chat_timers, write_chat_timers
from yarrow.prompting.formats.chats import (
    CHARACTER_NAME,
    DEFAULT_CHARACTER,
    STORY_STATE,
    UNUSED,
    USER_NAME,
    ChatFile,
)
from yarrow.prompting.worldbook import BookKind
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound
from yarrow.sessions.model import MAIN_BRANCH, Branch, TurnStatus, TurnView
from yarrow.stories import chat_state_store, session_state_store, turn_state_store
from yarrow.stories.chat_lines import list_slots, list_states, make_lines, make_turns
from yarrow.stories.chat_state import ChatFileState, PresentState, load_states, save_states
from yarrow.stories.create import insert_story
from yarrow.stories.inherited_writers import InheritedWriters
from yarrow.stories.model import StoryPatch, StorySession
from yarrow.stories.names import name_turns
from yarrow.stories.story_state import require_own_story
from yarrow.stories.turn_state import EntryScope, TurnState, select_scope
from yarrow.variables import store as variables
from yarrow.variables.model import Scope, ScopeRef
from yarrow.variables.write_limits import require_key, require_room, require_value

VARIABLES = "variables"
HEADER = "chat_header"
"""Of a session's metadata: the first line of the imported file, where it has more than names."""
CREATE_DATE = "create_date"


class ImportedChat(Struct, frozen=True):
    """The story that an import created; `unread` are the timers and states that are left out.

    `missing_states` is the number of states that the export of the file had no room for.
    """

    story: StorySession
    turn_count: int
    unread: Sequence[str]
    missing_states: int


async def import_chat(
    database: Database, account_id: AccountId, chat: ChatFile, patch: StoryPatch, *, now: datetime
) -> ImportedChat:
    """Create a story with the chat as its history, and with the state that the file has."""
    turns = await asyncio.to_thread(make_turns, chat.lines)
    stored = chat.metadata.get(VARIABLES)
    values = stored if isinstance(stored, dict) else {}
    for key, value in values.items():
        require_key(key)
        require_value(value)
    timers, unread = read_chat_timers(chat.metadata)
    states = list_states(turns, chat.lines)
    loaded = await asyncio.to_thread(load_states, states, chat.metadata, values)
    async with database.transaction() as tx:
        patch = replace(patch, metadata=_build_session_metadata(chat))
        story, main_branch_id = await insert_story(tx, account_id, patch, now=now)
        await turn_store.insert_turns(tx, story.session_id, main_branch_id, turns=turns)
        scope = ScopeRef(Scope.BRANCH, str(main_branch_id), story.session_id)
        require_room(scope, len(values))
        await chat_state_store.write_state(tx, account_id, story.session_id, main_branch_id, loaded)
        if turns:
            await turn_state_store.insert_first_state(
                tx,
                main_branch_id,
                turns[-1].id,
                variables=values,
                timers=timers,
                session_state=select_scope(loaded.entries, EntryScope.STATE),
            )
    names = [f"chat_metadata.{TIMED_LORE}.{name}" for name in unread]
    return ImportedChat(story, len(turns), [*names, *loaded.unread], loaded.left_out)


def _build_session_metadata(chat: ChatFile) -> JsonObject:
    """Keep the file's metadata (the author's note among it) and its header with the session.

    Of variables and timers, which the story has as its state, only the fields are kept: of timers
    also their empty ones, as SillyTavern writes them. Of its session state nothing is.
    """
    names: JsonObject = {USER_NAME: chat.user_name, CHARACTER_NAME: chat.character_name}
    metadata = dict(chat.metadata)
    if isinstance(metadata.get(VARIABLES), dict):
        metadata[VARIABLES] = {}
    if TIMED_LORE in metadata:
        metadata[TIMED_LORE] = _list_empty_sections(metadata[TIMED_LORE])
    header = {} if chat.header in ({}, names) else {HEADER: chat.header}
    metadata.pop(STORY_STATE, None)
    return metadata | names | header


def _list_empty_sections(value: object) -> JsonObject:
    fields = value.items() if isinstance(value, dict) else ()
    return {name: {} for name, each in fields if isinstance(each, dict)}


class ExportedChat(Struct, frozen=True):
    """A story as a chat file, and what is not in it.

    `missing_states` is the number of states that it has no room for, `missing_replies` that of
    replies of other branches and of turns that were replaced or taken back.
    """

    story: StorySession
    chat: ChatFile
    missing_states: int
    missing_replies: int
    missing_memories: int


class _StoredChat(Struct, frozen=True):
    turns: tuple[TurnView, ...]
    states: tuple[TurnState, ...]
    present: PresentState
    missing_replies: int
    missing_memories: int


async def export_chat(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch: str = MAIN_BRANCH
) -> ExportedChat:
    """Write the path to a branch's end as a chat, with all alternatives of each message."""
    async with database.connection() as tx:
        story = await require_own_story(tx, account_id, session_id)
        found_branch = await branch_store.find_branch(tx, session_id, branch)
        if found_branch is None:
            raise BranchNotFound(branch)
        stored = await _read_chat(tx, story, found_branch)
    saved = await asyncio.to_thread(_save_states, stored, found_branch)
    names, metadata = story.names, story.bindings.metadata
    chat = ChatFile(
        user_name=names.user,
        character_name=names.character or DEFAULT_CHARACTER,
        metadata=_build_chat_metadata(metadata, stored.present, saved.present),
        lines=tuple(
            line
            for turn in name_turns(stored.turns, names)
            for line in make_lines(turn, saved.states)
        ),
    )
    chat = replace(chat, header=_make_header(story, chat))
    return ExportedChat(
        story, chat, saved.left_out, stored.missing_replies, stored.missing_memories
    )


async def _read_chat(tx: Tx, story: StorySession, branch: Branch) -> _StoredChat:
    session_id = story.session_id
    of_chat = ScopeRef(Scope.CHAT, str(session_id), session_id)
    chat_values = await variables.read_scopes(tx, story.account_id, [of_chat])
    entries = await turn_state_store.read_entries(tx, story.account_id, branch.id)
    turns = [
        turn
        for turn in await turn_store.read_path_turns(tx, session_id, branch.name)
        if turn.status in _COMPLETE
    ]
    reply_ids = [version.id for turn in turns for version in turn.versions]
    states = await chat_state_store.read_states(tx, reply_ids)
    timers = await turn_state_store.read_branch_timers(tx, BranchId(branch.id))
    written = [each.id for turn in turns for slot in list_slots(turn) for each in slot]
    missing = await chat_state_store.count_missing(tx, session_id, written)
    has_timers = bool(timers) or any(state.timers or state.timers_before for state in states)
    return _StoredChat(
        turns=tuple(turns),
        states=states,
        present=PresentState(
            variables={variable.key: variable.value for variable in chat_values}
            | select_scope(entries, EntryScope.BRANCH),
            entries=entries,
            timers=timers,
            namespaces=await session_state_store.read_namespaces(tx, session_id),
            book_names=await _read_book_names(tx, story) if has_timers else {},
        ),
        missing_replies=missing[0],
        missing_memories=missing[1],
    )


def _save_states(stored: _StoredChat, branch: Branch) -> ChatFileState:
    newest = stored.turns[-1].versions if stored.turns else ()
    last = frozenset(str(version.id) for version in newest)
    states, present = stored.states, stored.present
    if branch.parent is not None:
        states, present = _name_writers(stored, branch.name)
    return save_states(states, present, last=last)


def _name_writers(stored: _StoredChat, branch: str) -> tuple[tuple[TurnState, ...], PresentState]:
    """Name the replies of earlier branches that wrote what the exported branch took over."""
    by_reply = {state.reply_id: state for state in stored.states}
    inherited = InheritedWriters()
    for turn in stored.turns:
        versions = sorted(turn.versions, key=lambda version: not version.active)
        states = [by_reply[str(each.id)] for each in versions if str(each.id) in by_reply]
        named = inherited.read_turn(states, is_own=turn.branch == branch)
        by_reply |= {state.reply_id: state for state in named}
    entries = inherited.name_entries(stored.present.entries)
    return tuple(by_reply.values()), replace(stored.present, entries=entries)


async def _read_book_names(tx: Tx, story: StorySession) -> dict[str, str]:
    """The names of the books of a story, by the keys that timers have."""
    names: dict[str, str] = {}
    if (book := story.bound.get(AssetKind.WORLDBOOK)) is not None:
        names[str(book.asset_id)] = book.name
    if (character := story.bound.get(AssetKind.CHARACTER)) is not None:
        card = read_card(await assets.read_content(tx, character.version_id))
        names[BookKind.CHARACTER.value] = find_book_name(card)
    return names


def _make_header(story: StorySession, chat: ChatFile) -> JsonObject:
    """The first line of the file: as it was imported, with the names that are bound now."""
    metadata = story.bindings.metadata
    names: JsonObject = {USER_NAME: chat.user_name, CHARACTER_NAME: chat.character_name}
    stored = metadata.get(HEADER)
    if isinstance(stored, dict):
        unused = {name for name in names if stored.get(name) == UNUSED}
        return stored | {name: value for name, value in names.items() if name not in unused}
    if USER_NAME in metadata:
        return names
    return names | {CREATE_DATE: format_create_date(story.created_at)}


def _build_chat_metadata(
    metadata: JsonObject, present: PresentState, saved: JsonObject
) -> JsonObject:
    own = (USER_NAME, CHARACTER_NAME, HEADER)
    chat_metadata = {name: value for name, value in metadata.items() if name not in own}
    if present.variables:
        chat_metadata[VARIABLES] = present.variables
    if saved:
        chat_metadata[STORY_STATE] = saved
    return write_chat_timers(present.timers, chat_metadata, book_names=present.book_names)


_COMPLETE = (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED)
"""Superseded turns on a path are the one that a branch was forked after, and those before it."""
