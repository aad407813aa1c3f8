"""Change what a story is bound to, and how it is kept."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from yarrow.accounts.model import UNCHANGED
from yarrow.assets import store as assets
from yarrow.assets.model import AssetKind
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode
from yarrow.prompting.policy import merge_patch as overlaid
from yarrow.stories import store
from yarrow.stories.bindings import store as bindings
from yarrow.stories.bindings.model import Bindings
from yarrow.stories.bindings.rules import (
    bound_to,
    follows_character,
    rebound,
    require_syncable,
)
from yarrow.stories.model import StoryHead, StoryPatch, StoryStatus
from yarrow.stories.rules import allowed_on_archived, patched, require_open, require_story


async def bind(
    tx: Tx, account_id: AccountId, present: Bindings, patch: StoryPatch, *, now: datetime
) -> Bindings:
    """The bindings as the patch wants them, every asset looked up."""
    wanted = [asset_id for asset_id in patch.assets.values() if asset_id is not None]
    held = [binding.asset_id for binding in present.assets.values()]
    version_ids = [version_id for version_id in patch.versions.values() if version_id is not None]
    heads = await assets.heads(tx, account_id, [*wanted, *held])
    versions = await bindings.version_numbers(tx, account_id, version_ids)
    return patched(present, patch, heads=heads, versions=versions, now=now)


async def change_story(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    patch: StoryPatch,
    *,
    now: datetime,
) -> StoryHead:
    """Apply the patch under a lock, so that two patches of different fields both hold."""
    async with database.transaction() as tx:
        head = require_story(session_id, await store.lock_head(tx, account_id, session_id))
        if not allowed_on_archived(patch):
            require_open(head)
        bound = await bind(tx, account_id, head.bindings, patch, now=now)
        title = head.title if patch.title is UNCHANGED else patch.title
        return await _keep(tx, replace(head, title=title, bindings=bound))


async def sync_character(
    database: Database, account_id: AccountId, session_id: SessionId, *, forced: bool
) -> StoryHead:
    """Take the character's newest version; a pinned one only if it is forced."""
    async with database.transaction() as tx:
        head = require_story(session_id, await store.lock_head(tx, account_id, session_id))
        require_open(head)
        binding = require_syncable(head.bindings, forced=forced)
        if follows_character(head.bindings.sync_policy):
            return head
        heads = await assets.heads(tx, account_id, [binding.asset_id])
        newest = bound_to(AssetKind.CHARACTER, binding.asset_id, heads, held=True)
        bound = rebound(head.bindings, AssetKind.CHARACTER, newest)
        return await _keep(tx, replace(head, bindings=bound))


async def change_policy(
    database: Database, account_id: AccountId, session_id: SessionId, patch: JsonObject
) -> StoryHead:
    """Lay the patch over the session's own layer of the prompt policy."""
    async with database.transaction() as tx:
        head = require_story(session_id, await store.lock_head(tx, account_id, session_id))
        require_open(head)
        policy = overlaid(head.bindings.policy, patch)
        return await _keep(tx, replace(head, bindings=replace(head.bindings, policy=policy)))


async def change_mode(
    database: Database, account_id: AccountId, session_id: SessionId, mode: PromptMode | None
) -> StoryHead:
    """Choose how prompts are built; None leaves it to the default."""
    async with database.transaction() as tx:
        head = require_story(session_id, await store.lock_head(tx, account_id, session_id))
        require_open(head)
        return await _keep(tx, replace(head, bindings=replace(head.bindings, prompt_mode=mode)))


async def set_status(
    database: Database,
    account_id: AccountId,
    session_ids: Sequence[SessionId],
    *,
    status: StoryStatus,
) -> frozenset[SessionId]:
    """Archive stories or open them again; gives back those that are the account's."""
    async with database.transaction() as tx:
        await store.lock_sessions(tx, session_ids)
        archived = status is StoryStatus.ARCHIVED
        return await bindings.archive(tx, account_id, session_ids, archived=archived)


async def _keep(tx: Tx, head: StoryHead) -> StoryHead:
    await bindings.save(tx, head.session_id, head.bindings)
    await store.touch(tx, head.session_id, head.title)
    kept = await store.find_head(tx, head.account_id, head.session_id)
    return require_story(head.session_id, kept)
