"""SQL that needs sessions and the library together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from yarrow.assets.model import AssetKind, SortOrder
from yarrow.db import Row, Tx
from yarrow.ids import AccountId, AssetId, BranchId, SessionId, VersionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sessions.timeline.model import Utterance
from yarrow.sessions.timeline.store import LINE, LINEAGE, utterances_of
from yarrow.stories.bindings.model import Bound
from yarrow.stories.bindings.store import COLUMNS, bindings_of
from yarrow.stories.model import StoryFilter, StoryHead, StorySort, StoryStatus
from yarrow.variables.model import Scope, ScopedVariables

_BOUND = """
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object(
        'kind', a.kind, 'asset_id', a.id, 'name', a.name, 'version', v.version,
        'version_id', v.id, 'pinned', w.version IS NOT NULL,
        'deleted', a.deleted_at IS NOT NULL,
        'updated_at', extract(epoch FROM v.created_at)::float8)) AS bound
    FROM (VALUES (b.character_id, b.character_version), (b.persona_id, NULL),
                 (b.preset_id, b.preset_version), (b.worldbook_id, b.worldbook_version),
                 (b.regex_profile_id, b.regex_profile_version)) AS w (asset_id, version)
    JOIN assets a ON a.id = w.asset_id
    JOIN asset_versions v ON v.asset_id = a.id AND v.version = coalesce(w.version, a.version)
) held ON true
"""

_SEEN = """
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_array(v.scope, v.key, v.value) ORDER BY v.key) AS variables
    FROM (VALUES ('global', 'global'), ('chat', s.id::text), ('branch', br.id::text))
         AS w (scope, scope_id)
    JOIN variables v ON v.account_id = s.user_id AND v.scope = w.scope AND v.scope_id = w.scope_id
) seen ON true
"""

_HEAD = f"""
s.id, s.user_id, s.title, s.message_count, s.created_at, s.updated_at, {COLUMNS}, held.bound
"""

_STORIES = "sessions s JOIN session_bindings b ON b.session_id = s.id"


async def find_head(tx: Tx, account_id: AccountId, session_id: SessionId) -> StoryHead | None:
    row = await tx.fetchrow(
        f"SELECT {_HEAD} FROM {_STORIES} {_BOUND} "  # noqa: S608
        "WHERE s.id = $1 AND s.user_id = $2 AND s.deleted_at IS NULL",
        session_id,
        account_id,
    )
    return None if row is None else _head(row)


@dataclass(frozen=True, slots=True)
class HeadOn:
    """A story and its branch of one name if it has that, with what the next turn there sees."""

    head: StoryHead
    branch_id: BranchId | None
    variables: ScopedVariables
    settings: JsonObject
    """Of its owner."""
    said: Sequence[Utterance]


_HEAD_ON = f"""
{LINE}
SELECT {_HEAD}, br.id AS branch_id, p.settings AS settings, seen.variables, lineage.*
FROM {_STORIES} JOIN profiles p ON p.id = s.user_id
LEFT JOIN branches br ON br.session_id = s.id AND br.name = $2 AND br.deleted_at IS NULL
{_BOUND} {_SEEN} {LINEAGE}
WHERE s.id = $1 AND s.user_id = $3 AND s.deleted_at IS NULL
"""  # noqa: S608


async def find_head_on(
    tx: Tx, account_id: AccountId, session_id: SessionId, *, branch: str
) -> HeadOn | None:
    row = await tx.fetchrow(_HEAD_ON, session_id, branch, account_id)
    if row is None:
        return None
    return HeadOn(
        head=_head(row),
        branch_id=row["branch_id"],
        variables=_seen(row["variables"] or ()),
        settings=row["settings"],
        said=utterances_of(row),
    )


async def lock_sessions(tx: Tx, session_ids: Sequence[SessionId]) -> None:
    """Nobody else changes these sessions until the transaction ends."""
    await tx.execute(
        "SELECT 1 FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE", session_ids
    )


async def lock_head(tx: Tx, account_id: AccountId, session_id: SessionId) -> StoryHead | None:
    """The story, which nobody else changes until the transaction ends.

    Two statements: one that joins and locks would wait for a rival and then show what was before.
    """
    await lock_sessions(tx, [session_id])
    return await find_head(tx, account_id, session_id)


async def touch(tx: Tx, session_id: SessionId, title: str | None) -> None:
    """The session was changed; this is its title now."""
    await tx.execute(
        "UPDATE sessions SET title = $2, updated_at = now() WHERE id = $1", session_id, title
    )


_LISTED = """
s.user_id = $1 AND s.deleted_at IS NULL
AND ($2::boolean IS NULL OR (b.archived_at IS NOT NULL) = $2)
AND ($3::uuid IS NULL OR b.character_id = $3)
AND coalesce(s.title, '') ILIKE $4
"""
_SORTS = {
    StorySort.CREATED_AT: "s.created_at",
    StorySort.UPDATED_AT: "s.updated_at",
    StorySort.TITLE: "lower(coalesce(s.title, ''))",
}
_ORDERS = {SortOrder.ASC: "ASC", SortOrder.DESC: "DESC"}


async def list_heads(
    tx: Tx,
    account_id: AccountId,
    wanted: StoryFilter,
    *,
    sort: tuple[StorySort, SortOrder],
    limit: int,
    offset: int,
) -> tuple[tuple[StoryHead, ...], int]:
    """One part of the account's stories, and how many there are in all."""
    archived = None if wanted.status is None else wanted.status is StoryStatus.ARCHIVED
    values = (account_id, archived, wanted.character_id, f"%{_escaped(wanted.search)}%")
    order = f"{_SORTS[sort[0]]} {_ORDERS[sort[1]]}, s.id {_ORDERS[sort[1]]}"
    rows = await tx.fetch(
        f"SELECT {_HEAD} FROM {_STORIES} {_BOUND} WHERE {_LISTED} "  # noqa: S608
        f"ORDER BY {order} LIMIT $5 OFFSET $6",
        *values,
        limit,
        offset,
    )
    total = await tx.fetchval(f"SELECT count(*) FROM {_STORIES} WHERE {_LISTED}", *values)  # noqa: S608
    return tuple(map(_head, rows)), total


def _escaped(word: str) -> str:
    """A word as a pattern that matches itself only."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _head(row: Row) -> StoryHead:
    return StoryHead(
        session_id=SessionId(row["id"]),
        account_id=AccountId(row["user_id"]),
        title=row["title"],
        message_count=row["message_count"],
        bindings=bindings_of(row),
        bound=_bound(row["bound"] or ()),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _seen(found: Sequence[tuple[str, str, JsonValue]]) -> ScopedVariables:
    scopes: dict[Scope, JsonObject] = {}
    for scope, key, value in found:
        scopes.setdefault(Scope(scope), {})[key] = value
    return ScopedVariables(scopes)


def _bound(found: Sequence[JsonObject]) -> Mapping[AssetKind, Bound]:
    bound = (
        Bound(
            kind=AssetKind(each["kind"]),
            asset_id=AssetId(UUID(each["asset_id"])),
            name=each["name"],
            version=each["version"],
            version_id=VersionId(UUID(each["version_id"])),
            pinned=each["pinned"],
            deleted=each["deleted"],
            updated_at=datetime.fromtimestamp(each["updated_at"], UTC),
        )
        for each in found
    )
    return {each.kind: each for each in bound}
