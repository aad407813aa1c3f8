"""What a session may be bound to."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject

from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import Asset, AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, AssetId, VersionId
from yarrow.prompting.policy import merge_patch as overlaid
from yarrow.stories.binding_rules import apply_patch, require_syncable
from yarrow.stories.errors import WrongState
from yarrow.stories.model import AssetBinding, SessionBindings, StoryPatch, SyncPolicy

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def asset(kind: AssetKind, version: int = 3) -> Asset:
    return Asset(
        id=AssetId(uuid4()),
        account_id=AccountId(uuid4()),
        kind=kind,
        name="a",
        version=version,
        version_id=VersionId(uuid4()),
        content_hash="",
        created_at=NOW,
        updated_at=NOW,
    )


def bound(
    patch: StoryPatch, *assets: Asset, present: SessionBindings | None = None
) -> SessionBindings:
    found = {each.id: each for each in assets}
    return apply_patch(present or SessionBindings(), patch, assets=found, versions={}, now=NOW)


def test_a_character_is_held_at_its_version_and_a_preset_follows() -> None:
    mira, calm = asset(AssetKind.CHARACTER), asset(AssetKind.PRESET)
    wanted = {AssetKind.CHARACTER: mira.id, AssetKind.PRESET: calm.id}

    result = bound(StoryPatch(assets=wanted), mira, calm)

    assert result.assets[AssetKind.CHARACTER] == AssetBinding(mira.id, 3)
    assert result.assets[AssetKind.PRESET] == AssetBinding(calm.id, None)


def test_a_forced_character_follows_and_is_held_again_once_pinned() -> None:
    mira = asset(AssetKind.CHARACTER)
    wanted = StoryPatch(assets={AssetKind.CHARACTER: mira.id}, sync_policy=SyncPolicy.FORCE)

    follows = bound(wanted, mira)
    held = bound(StoryPatch(sync_policy=SyncPolicy.PIN), mira, present=follows)

    assert follows.assets[AssetKind.CHARACTER].version is None
    assert held.assets[AssetKind.CHARACTER].version == 3


def test_a_persona_is_never_held() -> None:
    ada = asset(AssetKind.PERSONA)
    wanted = StoryPatch(assets={AssetKind.PERSONA: ada.id}, deep_binding=True)

    assert bound(wanted, ada).assets[AssetKind.PERSONA].version is None


def test_an_asset_must_be_there_and_of_its_kind() -> None:
    mira = asset(AssetKind.CHARACTER)

    with pytest.raises(AssetNotFound):
        bound(StoryPatch(assets={AssetKind.PRESET: AssetId(uuid4())}))
    with pytest.raises(InvalidInput):
        bound(StoryPatch(assets={AssetKind.PRESET: mira.id}), mira)


def test_a_pinned_character_is_synced_only_by_force() -> None:
    mira = asset(AssetKind.CHARACTER)
    pinned = bound(StoryPatch(assets={AssetKind.CHARACTER: mira.id}), mira)

    with pytest.raises(WrongState):
        require_syncable(pinned, forced=False)
    assert require_syncable(pinned, forced=True).asset_id == mira.id


@pytest.mark.parametrize(
    ("patch", "result"),
    [
        ({}, {"a": {"b": 1, "c": 2}, "d": 3}),
        ({"a": {"b": 9}}, {"a": {"b": 9, "c": 2}, "d": 3}),
        ({"a": {"b": None}}, {"a": {"c": 2}, "d": 3}),
        ({"a": None}, {"d": 3}),
        ({"d": {"e": {"f": 1}}}, {"a": {"b": 1, "c": 2}, "d": {"e": {"f": 1}}}),
        ({"d": {"e": None}}, {"a": {"b": 1, "c": 2}, "d": {}}),
        ({"a": [1]}, {"a": [1], "d": 3}),
    ],
)
def test_policies_are_merged_object_by_object_and_null_clears(patch, result) -> None:
    base: JsonObject = {"a": {"b": 1, "c": 2}, "d": 3}

    assert overlaid(base, patch) == result
    assert base == {"a": {"b": 1, "c": 2}, "d": 3}
