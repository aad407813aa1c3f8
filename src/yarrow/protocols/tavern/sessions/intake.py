"""From the wire to values."""

from yarrow.assets.model import AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AssetId, VersionId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.protocols.tavern.ids import asset_id, version_id
from yarrow.protocols.tavern.sessions.wire import DeepBinding, SessionBody
from yarrow.stories.model import StoryPatch

ASSET_FIELDS = {
    AssetKind.CHARACTER: "character_id",
    AssetKind.PERSONA: "user_id",
    AssetKind.PRESET: "preset_id",
    AssetKind.WORLDBOOK: "worldbook_profile_id",
    AssetKind.REGEX_PROFILE: "regex_profile_id",
}
VERSION_FIELDS = {
    AssetKind.CHARACTER: "character_version_id",
    AssetKind.PRESET: "preset_version_id",
    AssetKind.WORLDBOOK: "worldbook_version_id",
    AssetKind.REGEX_PROFILE: "regex_profile_version_id",
}
MODEL_FIELDS = {"model_provider": "provider", "model_name": "name", "model_params": "params"}


def changed_story(body: SessionBody) -> StoryPatch:
    """What is to change; a body that changes nothing is refused."""
    if not body.model_fields_set:
        raise InvalidInput("send at least one field to change")
    return story_patch(body)


def story_patch(body: SessionBody) -> StoryPatch:
    """A field that was not sent stays as it is; one sent as null is loosed or cleared."""
    sent = body.model_fields_set
    return StoryPatch(
        title=body.title if "title" in sent else UNCHANGED,
        status=body.status if "status" in sent else UNCHANGED,
        assets=_assets(body),
        versions=_versions(body),
        deep_binding=_deep_binding(body),
        sync_policy=body.character_sync_policy if "character_sync_policy" in sent else UNCHANGED,
        prompt_mode=body.prompt_mode if "prompt_mode" in sent else UNCHANGED,
        model=_model(body),
        metadata=(body.metadata or {}) if "metadata" in sent else UNCHANGED,
    )


def _assets(body: SessionBody) -> dict[AssetKind, AssetId | None]:
    sent = {kind: name for kind, name in ASSET_FIELDS.items() if name in body.model_fields_set}
    return {kind: _optional_asset(getattr(body, name)) for kind, name in sent.items()}


def _optional_asset(given: str | None) -> AssetId | None:
    return None if given is None else asset_id(given)


def _versions(body: SessionBody) -> dict[AssetKind, VersionId | None]:
    """Versions may be named beside the assets, or together under `deep_binding`."""
    nested = body.deep_binding if isinstance(body.deep_binding, DeepBinding) else DeepBinding()
    return {
        kind: _optional_version(getattr(given, name))
        for given in (body, nested)
        for kind, name in VERSION_FIELDS.items()
        if name in given.model_fields_set
    }


def _optional_version(given: str | None) -> VersionId | None:
    return None if given is None else version_id(given)


def _deep_binding(body: SessionBody) -> bool | UnchangedField:
    given = body.deep_binding
    if "deep_binding" not in body.model_fields_set or isinstance(given, DeepBinding):
        return UNCHANGED
    return bool(given)


def _model(body: SessionBody) -> JsonObject:
    return {
        ours: getattr(body, name)
        for name, ours in MODEL_FIELDS.items()
        if name in body.model_fields_set
    }
