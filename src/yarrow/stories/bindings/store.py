"""SQL of bindings."""

from collections.abc import Mapping, Sequence

from yarrow.assets.model import AssetKind
from yarrow.db import Row, Tx
from yarrow.ids import AccountId, AssetId, SessionId, VersionId
from yarrow.prompting.model import PromptMode
from yarrow.stories.bindings.model import Binding, Bindings, SyncPolicy

COLUMNS = """
b.archived_at, b.character_id, b.character_version, b.character_sync_policy, b.persona_id,
b.preset_id, b.preset_version, b.worldbook_id, b.worldbook_version, b.regex_profile_id,
b.regex_profile_version, b.prompt_mode, b.model, b.policy, b.metadata
"""

_SAVE = """
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


async def save(tx: Tx, session_id: SessionId, bindings: Bindings) -> None:
    """Keep the bindings of a session that is new, or locked."""
    held = bindings.assets
    await tx.execute(
        _SAVE,
        session_id,
        bindings.archived_at,
        *_columns(held.get(AssetKind.CHARACTER)),
        bindings.sync_policy,
        _columns(held.get(AssetKind.PERSONA))[0],
        *_columns(held.get(AssetKind.PRESET)),
        *_columns(held.get(AssetKind.WORLDBOOK)),
        *_columns(held.get(AssetKind.REGEX_PROFILE)),
        bindings.prompt_mode,
        bindings.model,
        bindings.policy,
        bindings.metadata,
    )


def _columns(binding: Binding | None) -> tuple[AssetId | None, int | None]:
    return (None, None) if binding is None else (binding.asset_id, binding.version)


async def archive(
    tx: Tx, account_id: AccountId, session_ids: Sequence[SessionId], *, archived: bool
) -> frozenset[SessionId]:
    """Close these of the account's sessions to writing, or open them; gives back whose was so."""
    rows = await tx.fetch(
        "UPDATE session_bindings b SET archived_at = "
        "CASE WHEN $3 THEN coalesce(b.archived_at, now()) END FROM sessions s "
        "WHERE s.id = b.session_id AND s.user_id = $1 AND s.deleted_at IS NULL "
        "AND s.id = ANY($2) RETURNING s.id",
        account_id,
        session_ids,
        archived,
    )
    return frozenset(SessionId(row["id"]) for row in rows)


async def version_numbers(
    tx: Tx, account_id: AccountId, version_ids: Sequence[VersionId]
) -> Mapping[VersionId, Binding]:
    """Which version of which of the account's assets these ids name."""
    rows = await tx.fetch(
        "SELECT v.id, v.asset_id, v.version FROM asset_versions v "
        "JOIN assets a ON a.id = v.asset_id AND a.account_id = $1 WHERE v.id = ANY($2)",
        account_id,
        version_ids,
    )
    return {VersionId(row["id"]): Binding(AssetId(row["asset_id"]), row["version"]) for row in rows}


_IDS = {kind: f"{kind}_id" for kind in AssetKind}
_VERSIONS = {kind: f"{kind}_version" for kind in AssetKind}


def bindings_of(row: Row) -> Bindings:
    """Bindings from a row that has `COLUMNS`."""
    found = {kind: row[column] for kind, column in _IDS.items()}
    return Bindings(
        assets={
            kind: Binding(AssetId(asset_id), _version(row, kind))
            for kind, asset_id in found.items()
            if asset_id is not None
        },
        sync_policy=SyncPolicy(row["character_sync_policy"]),
        prompt_mode=PromptMode(row["prompt_mode"]) if row["prompt_mode"] else None,
        model=row["model"],
        policy=row["policy"],
        metadata=row["metadata"],
        archived_at=row["archived_at"],
    )


def _version(row: Row, kind: AssetKind) -> int | None:
    version: int | None = None if kind is AssetKind.PERSONA else row[_VERSIONS[kind]]
    return version
