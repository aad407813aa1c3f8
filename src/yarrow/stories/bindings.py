"""Change what a story is bound to: assets, versions, model, prompt policy, mode and status."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from yarrow.assets import store as assets
from yarrow.assets.model import AssetKind
from yarrow.assets.write import insert_copy
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED
from yarrow.prompting.model import PromptMode
from yarrow.prompting.policy import merge_patch
from yarrow.sessions.store import update_title
from yarrow.stories import store
from yarrow.stories.binding_rules import (
    apply_patch,
    follows_character,
    make_binding,
    replace_binding,
    require_syncable,
)
from yarrow.stories.lock import lock_open_story
from yarrow.stories.model import SessionBindings, StoryPatch, StorySession, StoryStatus
from yarrow.stories.story_access import is_allowed_when_archived, require_open, require_story


async def resolve_bindings(
    tx: Tx, account_id: AccountId, present: SessionBindings, patch: StoryPatch, *, now: datetime
) -> SessionBindings:
    """Apply a patch to bindings, with every asset looked up.

    The copy of a snapshot is inserted as an asset and deleted at once: like every deleted asset it
    stays usable by the sessions that are bound to it, and is not in the library.
    """
    copies = {
        kind: await insert_copy(tx, account_id, kind, content)
        for kind, content in patch.snapshots.items()
    }
    if copies:
        copied_ids = {kind: copy.id for kind, copy in copies.items()}
        patch = replace(patch, assets={**patch.assets, **copied_ids})
    new_ids = [asset_id for asset_id in patch.assets.values() if asset_id is not None]
    old_ids = [binding.asset_id for binding in present.assets.values()]
    version_ids = [version_id for version_id in patch.versions.values() if version_id is not None]
    bindings = apply_patch(
        present,
        patch,
        assets=await assets.find_assets(tx, account_id, [*new_ids, *old_ids]),
        versions=await store.find_versions(tx, account_id, version_ids),
        now=now,
    )
    for copy in copies.values():
        await assets.delete_asset(tx, copy)
    return bindings


async def change_story(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    patch: StoryPatch,
    *,
    now: datetime,
) -> StorySession:
    """Apply a patch under a lock, so that concurrent patches of other fields are not lost."""
    async with database.transaction() as tx:
        story = await _lock_story(tx, account_id, session_id)
        if not is_allowed_when_archived(patch):
            require_open(story)
        bindings = await resolve_bindings(tx, account_id, story.bindings, patch, now=now)
        title = story.title if patch.title is UNCHANGED else patch.title
        return await _save_story(tx, replace(story, title=title, bindings=bindings))


async def sync_character(
    database: Database, account_id: AccountId, session_id: SessionId, *, forced: bool
) -> StorySession:
    """Bind the character's newest version; a pinned character only if it is forced."""
    async with database.transaction() as tx:
        story = await lock_open_story(tx, account_id, session_id)
        binding = require_syncable(story.bindings, forced=forced)
        if follows_character(story.bindings.sync_policy):
            return story
        available = await assets.find_assets(tx, account_id, [binding.asset_id])
        newest = make_binding(AssetKind.CHARACTER, binding.asset_id, available, pinned=True)
        bindings = replace_binding(story.bindings, AssetKind.CHARACTER, newest)
        return await _save_story(tx, replace(story, bindings=bindings))


async def change_policy(
    database: Database, account_id: AccountId, session_id: SessionId, patch: JsonObject
) -> StorySession:
    """Merge a patch into the session's layer of the prompt policy."""
    async with database.transaction() as tx:
        story = await lock_open_story(tx, account_id, session_id)
        policy = merge_patch(story.bindings.policy, patch)
        return await _save_story(
            tx, replace(story, bindings=replace(story.bindings, policy=policy))
        )


async def change_mode(
    database: Database, account_id: AccountId, session_id: SessionId, mode: PromptMode | None
) -> StorySession:
    """Set the prompt mode; None means the default."""
    async with database.transaction() as tx:
        story = await lock_open_story(tx, account_id, session_id)
        return await _save_story(
            tx, replace(story, bindings=replace(story.bindings, prompt_mode=mode))
        )


async def set_status(
    database: Database,
    account_id: AccountId,
    session_ids: Sequence[SessionId],
    *,
    status: StoryStatus,
) -> frozenset[SessionId]:
    """Archive or reopen stories; returns those that belong to the account."""
    async with database.transaction() as tx:
        await store.lock_sessions(tx, session_ids)
        archived = status is StoryStatus.ARCHIVED
        return await store.set_archived(tx, account_id, session_ids, archived=archived)


async def _lock_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession:
    return require_story(session_id, await store.lock_session(tx, account_id, session_id))


async def _save_story(tx: Tx, story: StorySession) -> StorySession:
    await store.save_bindings(tx, story.session_id, story.bindings)
    await update_title(tx, story.session_id, story.title)
    saved = await store.find_session(tx, story.account_id, story.session_id)
    return require_story(story.session_id, saved)
