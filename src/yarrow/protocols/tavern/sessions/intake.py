"""From a session body to a `StoryPatch`."""

from yarrow.assets.model import AssetKind
from yarrow.errors import InvalidInput
from yarrow.ids import AssetId, VersionId
from yarrow.kit.json import JsonObject
from yarrow.kit.patch import UNCHANGED, UnchangedField
from yarrow.prompting.formats.card_snapshots import read_character_snapshot, read_user_snapshot
from yarrow.protocols.tavern.ids import parse_asset_id, parse_version_id
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


def parse_change(body: SessionBody) -> StoryPatch:
    """The patch of a change; an empty body is refused."""
    if not body.model_fields_set:
        raise InvalidInput("send at least one field to change")
    return parse_story(body)


def parse_story(body: SessionBody) -> StoryPatch:
    """Fields that were not sent stay unchanged; null unbinds or clears."""
    sent = body.model_fields_set
    return StoryPatch(
        title=body.title if "title" in sent else UNCHANGED,
        status=body.status if "status" in sent else UNCHANGED,
        snapshots=_parse_snapshots(body),
        assets=_parse_assets(body),
        versions=_parse_versions(body),
        deep_binding=_parse_deep_binding(body),
        sync_policy=body.character_sync_policy if "character_sync_policy" in sent else UNCHANGED,
        prompt_mode=body.prompt_mode if "prompt_mode" in sent else UNCHANGED,
        model=_parse_model(body),
        metadata=(body.metadata or {}) if "metadata" in sent else UNCHANGED,
    )


def _parse_assets(body: SessionBody) -> dict[AssetKind, AssetId | None]:
    sent = {kind: name for kind, name in ASSET_FIELDS.items() if name in body.model_fields_set}
    return {kind: _parse_optional_asset(getattr(body, name)) for kind, name in sent.items()}


def _parse_snapshots(body: SessionBody) -> dict[AssetKind, JsonObject]:
    """Copies that a client sends instead of an id."""
    snapshots: dict[AssetKind, JsonObject] = {}
    for kind, (name, convert) in _SNAPSHOTS.items():
        snapshot = getattr(body, name)
        if snapshot is None:
            continue
        id_field = ASSET_FIELDS[kind]
        if getattr(body, id_field) is not None:
            raise InvalidInput(f"{name}: send either {id_field} or {name}, not both", field=name)
        snapshots[kind] = convert(snapshot)
    return snapshots


_SNAPSHOTS = {
    AssetKind.CHARACTER: ("character_snapshot", read_character_snapshot),
    AssetKind.PERSONA: ("user_snapshot", read_user_snapshot),
}


def _parse_optional_asset(text: str | None) -> AssetId | None:
    return None if text is None else parse_asset_id(text)


def _parse_versions(body: SessionBody) -> dict[AssetKind, VersionId | None]:
    """Versions may be beside the assets, or together under `deep_binding`."""
    nested = body.deep_binding if isinstance(body.deep_binding, DeepBinding) else DeepBinding()
    return {
        kind: _parse_optional_version(getattr(part, name))
        for part in (body, nested)
        for kind, name in VERSION_FIELDS.items()
        if name in part.model_fields_set
    }


def _parse_optional_version(text: str | None) -> VersionId | None:
    return None if text is None else parse_version_id(text)


def _parse_deep_binding(body: SessionBody) -> bool | UnchangedField:
    value = body.deep_binding
    if "deep_binding" not in body.model_fields_set or isinstance(value, DeepBinding):
        return UNCHANGED
    return bool(value)


def _parse_model(body: SessionBody) -> JsonObject:
    return {
        stored: getattr(body, name)
        for name, stored in MODEL_FIELDS.items()
        if name in body.model_fields_set
    }
