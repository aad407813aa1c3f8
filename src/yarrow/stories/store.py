"""SQL of stories: sessions joined with their bindings, assets, variables and history."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from msgspec import Struct

from yarrow.assets.model import AssetKind, SortOrder
from yarrow.db import Row, Tx
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId, AssetId, BranchId, MessageId, SessionId, VersionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.memory.model import StoredMemory
from yarrow.memory.store import JOIN_MEMORIES, decode_memories
from yarrow.prompting.model import PromptMode
from yarrow.sessions.turn_store import BRANCH_PATH
from yarrow.stories.history_store import (
    JOIN_HISTORY,
    NOTHING_READ,
    ReadHistories,
    decode_history,
)
from yarrow.stories.model import (
    AnsweringStory,
    AssetBinding,
    BoundAsset,
    HistoryMessage,
    SessionBindings,
    StoryFilter,
    StorySession,
    StorySort,
    StoryStatus,
    SyncPolicy,
)
from yarrow.stories.model_endpoints.model import NO_CHOICES, ModelChoices
from yarrow.stories.model_endpoints.store import JOIN_MODELS, decode_choices
from yarrow.variables.model import Scope, ScopedVariables

_BINDING_COLUMNS = """
b.archived_at, b.character_id, b.character_version, b.character_sync_policy, b.persona_id,
b.preset_id, b.preset_version, b.worldbook_id, b.worldbook_version, b.regex_profile_id,
b.regex_profile_version, b.prompt_mode, b.model, b.policy, b.metadata
"""

_JOIN_ASSETS = """
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object(
        'kind', a.kind, 'asset_id', a.id, 'version', v.version, 'name', CASE
            WHEN a.kind <> 'character' OR v.version = a.version THEN a.name
            ELSE coalesce(nullif(btrim(v.content -> 'data' ->> 'name'), ''),
                          nullif(btrim(v.content ->> 'name'), ''), a.name) END,
        'version_id', v.id, 'pinned', w.version IS NOT NULL,
        'deleted', a.deleted_at IS NOT NULL,
        'updated_at', extract(epoch FROM v.created_at)::float8)) AS assets
    FROM (VALUES (b.character_id, b.character_version), (b.persona_id, NULL),
                 (b.preset_id, b.preset_version), (b.worldbook_id, b.worldbook_version),
                 (b.regex_profile_id, b.regex_profile_version)) AS w (asset_id, version)
    JOIN assets a ON a.id = w.asset_id
    JOIN asset_versions v ON v.asset_id = a.id AND v.version = coalesce(w.version, a.version)
) bound ON true
"""

_JOIN_VARIABLES = """
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(v.scope, v.key, v.value) ORDER BY v.key) AS variables
    FROM (VALUES ('global', 'global'), ('chat', s.id::text), ('branch', br.id::text))
         AS w (scope, scope_id)
    JOIN variables v ON v.account_id = s.user_id AND v.scope = w.scope AND v.scope_id = w.scope_id
) visible ON true
"""

_SESSION_COLUMNS = f"""
s.id, s.user_id, s.title, s.message_count, s.created_at, s.updated_at, {_BINDING_COLUMNS},
bound.assets
"""

_STORIES = "sessions s JOIN session_bindings b ON b.session_id = s.id"


async def find_session(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession | None:
    row = await tx.fetchrow(
        f"SELECT {_SESSION_COLUMNS}, chosen.models "  # noqa: S608
        f"FROM {_STORIES} {_JOIN_ASSETS} {JOIN_MODELS} "
        "WHERE s.id = $1 AND s.user_id = $2 AND s.deleted_at IS NULL",
        session_id,
        account_id,
    )
    return None if row is None else _build_session(row, decode_choices(row["models"]))


_ANSWERING = f"""
SELECT b.archived_at IS NOT NULL AS is_archived, chosen.models, EXISTS (
    SELECT 1 FROM branches WHERE session_id = s.id AND name = $3 AND deleted_at IS NULL
) AS has_branch
FROM {_STORIES} {JOIN_MODELS} WHERE s.id = $1 AND s.user_id = $2 AND s.deleted_at IS NULL
"""  # noqa: S608


async def find_answering_story(
    tx: Tx, account_id: AccountId, session_id: SessionId, *, branch: str
) -> AnsweringStory | None:
    """Read what decides whether a story can answer on a branch."""
    row = await tx.fetchrow(_ANSWERING, session_id, account_id, branch)
    if row is None:
        return None
    models = decode_choices(row["models"])
    return AnsweringStory(session_id, row["is_archived"], models, row["has_branch"])


class StoryRow(Struct, frozen=True):
    """A story with the variables and the history of one branch; no branch id if it has none."""

    session: StorySession
    branch_id: BranchId | None
    variables: ScopedVariables
    settings: JsonObject
    """Of the account's profile."""
    history: Sequence[HistoryMessage]
    lore_timers: Sequence[JsonObject]
    memories: Sequence[StoredMemory]
    history_version: int


_STORY_ROW = f"""
{BRANCH_PATH}
SELECT {_SESSION_COLUMNS}, br.id AS branch_id, p.settings, visible.variables, ts.timers,
       remembered.memories, chosen.models, s.history_version, history.*
FROM {_STORIES} JOIN profiles p ON p.id = s.user_id
LEFT JOIN branches br ON br.session_id = s.id AND br.name = $2 AND br.deleted_at IS NULL
LEFT JOIN turn_states ts ON ts.reply_id = br.state_reply
{_JOIN_ASSETS} {_JOIN_VARIABLES} {JOIN_MEMORIES} {JOIN_MODELS} {JOIN_HISTORY}
WHERE s.id = $1 AND s.user_id = $3 AND s.deleted_at IS NULL
"""  # noqa: S608
"""All that a prompt needs in one statement: a dry run costs one round trip, whatever its length."""


async def find_story_row(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str,
    histories: ReadHistories | None = None,
) -> StoryRow | None:
    """Read a story; of its history only what is not among `histories`."""
    before = NOTHING_READ if histories is None else histories.find(session_id, branch)
    row = await tx.fetchrow(_STORY_ROW, session_id, branch, account_id, *before.arguments)
    if row is None:
        return None
    history = decode_history(row, before)
    if histories is not None:
        histories.keep(session_id, branch, row, history)
    return StoryRow(
        session=_build_session(row, decode_choices(row["models"])),
        branch_id=row["branch_id"],
        variables=_build_variables(row["variables"] or ()),
        settings=row["settings"],
        history=history,
        lore_timers=row["timers"] or (),
        memories=decode_memories(row["memories"]),
        history_version=row["history_version"],
    )


async def lock_sessions(tx: Tx, session_ids: Sequence[SessionId]) -> None:
    """Lock these sessions until the transaction ends, in one order so that two cannot deadlock."""
    await tx.execute(
        "SELECT 1 FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE", session_ids
    )


async def lock_session(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession | None:
    """Lock a story until the transaction ends, and read it.

    Two statements: one that locks and joins would show the rows as they were before the wait.
    """
    await lock_sessions(tx, [session_id])
    return await find_session(tx, account_id, session_id)


# `sessions` repeats what the filters need, so that a page is cut and counted in one of its indexes.
_LISTED = """
s.user_id = $1 AND s.is_story AND s.deleted_at IS NULL
AND ($2::boolean IS NULL OR s.is_archived = $2)
AND ($3::uuid IS NULL OR s.character_id = $3)
AND ($4::text IS NULL OR s.story_title LIKE (SELECT lower($4)))
"""
_LISTING = f"""
SELECT (SELECT count(*) FROM sessions s WHERE {_LISTED}) AS total, listed.*
FROM (SELECT 1) AS one LEFT JOIN (
    SELECT {_SESSION_COLUMNS}, s.story_title
    FROM (
        SELECT s.id AS page_id FROM sessions s WHERE {_LISTED} ORDER BY {{order}} LIMIT $5 OFFSET $6
    ) page JOIN ({_STORIES}) ON s.id = page_id {_JOIN_ASSETS}
) listed ON TRUE ORDER BY {{listed_order}}
"""  # noqa: S608
_SORTS = {
    StorySort.CREATED_AT: "s.created_at",
    StorySort.UPDATED_AT: "s.updated_at",
    StorySort.TITLE: "s.story_title",
}
_ORDERS = {SortOrder.ASC: "ASC", SortOrder.DESC: "DESC"}


async def list_sessions(
    tx: Tx,
    account_id: AccountId,
    where: StoryFilter,
    *,
    sort: tuple[StorySort, SortOrder],
    limit: int,
    offset: int,
) -> tuple[tuple[StorySession, ...], int]:
    """List some of the account's stories, and count all that match."""
    archived = None if where.status is None else where.status is StoryStatus.ARCHIVED
    order = f"{_SORTS[sort[0]]} {_ORDERS[sort[1]]}, s.id {_ORDERS[sort[1]]}"
    rows = await tx.fetch(
        _LISTING.format(order=order, listed_order=order.replace("s.", "listed.")),
        account_id,
        archived,
        where.character_id,
        f"%{escape_like(where.search)}%" if where.search else None,
        limit,
        offset,
    )
    return tuple(_build_session(row) for row in rows if row["id"] is not None), rows[0]["total"]


_SAVE_BINDINGS = """
WITH listed AS (
    UPDATE sessions
    SET is_story = TRUE, is_archived = $2::timestamptz IS NOT NULL, character_id = $3::uuid
    WHERE id = $1
)
INSERT INTO session_bindings (session_id, archived_at, character_id, character_version,
    character_sync_policy, persona_id, preset_id, preset_version, worldbook_id, worldbook_version,
    regex_profile_id, regex_profile_version, prompt_mode, model, policy, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (session_id) DO UPDATE SET
    archived_at = excluded.archived_at, character_id = excluded.character_id,
    character_version = excluded.character_version,
    character_sync_policy = excluded.character_sync_policy, persona_id = excluded.persona_id,
    preset_id = excluded.preset_id, preset_version = excluded.preset_version,
    worldbook_id = excluded.worldbook_id, worldbook_version = excluded.worldbook_version,
    regex_profile_id = excluded.regex_profile_id,
    regex_profile_version = excluded.regex_profile_version,
    prompt_mode = excluded.prompt_mode, model = excluded.model, policy = excluded.policy,
    metadata = excluded.metadata
"""


async def save_bindings(tx: Tx, session_id: SessionId, bindings: SessionBindings) -> None:
    """Insert or replace the bindings. The session must be new, or locked."""
    assets = bindings.assets
    await tx.execute(
        _SAVE_BINDINGS,
        session_id,
        bindings.archived_at,
        *_list_binding_values(assets.get(AssetKind.CHARACTER)),
        bindings.sync_policy,
        _list_binding_values(assets.get(AssetKind.PERSONA))[0],
        *_list_binding_values(assets.get(AssetKind.PRESET)),
        *_list_binding_values(assets.get(AssetKind.WORLDBOOK)),
        *_list_binding_values(assets.get(AssetKind.REGEX_PROFILE)),
        bindings.prompt_mode,
        bindings.model,
        bindings.policy,
        bindings.metadata,
    )


def _list_binding_values(binding: AssetBinding | None) -> tuple[AssetId | None, int | None]:
    return (None, None) if binding is None else (binding.asset_id, binding.version)


async def set_archived(
    tx: Tx, account_id: AccountId, session_ids: Sequence[SessionId], *, archived: bool
) -> frozenset[SessionId]:
    """Archive or reopen sessions; returns those that belong to the account."""
    rows = await tx.fetch(
        "WITH changed AS (UPDATE session_bindings b SET archived_at = "
        "  CASE WHEN $3 THEN coalesce(b.archived_at, now()) END FROM sessions s "
        "  WHERE s.id = b.session_id AND s.user_id = $1 AND s.deleted_at IS NULL "
        "  AND s.id = ANY($2) RETURNING s.id) "
        "UPDATE sessions SET is_archived = $3, history_version = history_version + 1 "
        "FROM changed WHERE sessions.id = changed.id "
        "RETURNING sessions.id",
        account_id,
        session_ids,
        archived,
    )
    return frozenset(SessionId(row["id"]) for row in rows)


async def find_versions(
    tx: Tx, account_id: AccountId, version_ids: Sequence[VersionId]
) -> Mapping[VersionId, AssetBinding]:
    """Find the asset and the number of these versions, if they are the account's."""
    rows = await tx.fetch(
        "SELECT v.id, v.asset_id, v.version FROM asset_versions v "
        "JOIN assets a ON a.id = v.asset_id AND a.account_id = $1 WHERE v.id = ANY($2)",
        account_id,
        version_ids,
    )
    return {
        VersionId(row["id"]): AssetBinding(AssetId(row["asset_id"]), row["version"]) for row in rows
    }


def _build_session(row: Row, models: ModelChoices = NO_CHOICES) -> StorySession:
    return StorySession(
        session_id=SessionId(row["id"]),
        account_id=AccountId(row["user_id"]),
        title=row["title"],
        message_count=row["message_count"],
        bindings=_build_bindings(row),
        bound={asset.kind: asset for asset in map(_decode_asset, row["assets"] or ())},
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        models=models,
    )


_ID_COLUMNS = {kind: f"{kind}_id" for kind in AssetKind}
_VERSION_COLUMNS = {kind: f"{kind}_version" for kind in AssetKind}


def _build_bindings(row: Row) -> SessionBindings:
    ids = {kind: row[column] for kind, column in _ID_COLUMNS.items()}
    return SessionBindings(
        assets={
            kind: AssetBinding(AssetId(asset_id), _read_bound_version(row, kind))
            for kind, asset_id in ids.items()
            if asset_id is not None
        },
        sync_policy=SyncPolicy(row["character_sync_policy"]),
        prompt_mode=PromptMode(row["prompt_mode"]) if row["prompt_mode"] else None,
        model=row["model"],
        policy=row["policy"],
        metadata=row["metadata"],
        archived_at=row["archived_at"],
    )


def _read_bound_version(row: Row, kind: AssetKind) -> int | None:
    version: int | None = None if kind is AssetKind.PERSONA else row[_VERSION_COLUMNS[kind]]
    return version


def _decode_asset(found: Row) -> BoundAsset:
    return BoundAsset(
        kind=AssetKind(found["kind"]),
        asset_id=AssetId(UUID(found["asset_id"])),
        name=found["name"],
        version=found["version"],
        version_id=VersionId(UUID(found["version_id"])),
        pinned=found["pinned"],
        deleted=found["deleted"],
        updated_at=datetime.fromtimestamp(found["updated_at"], UTC),
    )


def _build_variables(found: Sequence[tuple[str, str, JsonValue]]) -> ScopedVariables:
    scopes: dict[Scope, JsonObject] = {}
    for scope, key, value in found:
        scopes.setdefault(Scope(scope), {})[key] = value
    return ScopedVariables(scopes)


async def change_line(tx: Tx, message_id: MessageId, line: JsonObject) -> None:
    """Change what a message keeps of its line in a chat file."""
    await tx.execute(
        "UPDATE messages SET metadata = metadata || jsonb_build_object('line', $2::jsonb) "
        "WHERE id = $1",
        message_id,
        line,
    )
